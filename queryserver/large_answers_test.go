package queryserver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// As many records are under way as may be, and not one more; small answers pass.
func TestLargeAnswersAreFew(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	served := make(chan int)
	handler := bounded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if recordsAsked(r) >= largeAnswer {
			entered <- struct{}{}
			<-leave
		}
		w.WriteHeader(http.StatusOK)
	}))
	ask := func(ctx context.Context, target string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody))
		return w
	}
	const large = "/api/v1/projects/default/requests?limit=10000"
	for range recordsUnderWay / largestAnswer {
		go func() { served <- ask(t.Context(), large).Code }()
		<-entered
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, target := range []string{large, "/api/v1/projects/default/events?limit=1000", "/api/v1/projects/default/traces/00"} {
		if w := ask(gone, target); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d %s, want 429 and when to try again", target, w.Code, w.Body)
		}
	}
	for _, target := range []string{"/api/v1/projects/default/requests", "/api/v1/projects/default/requests?limit=999", "/api/v1/projects/default/export?format=csv&limit=10000", "/api/v1/projects/default/tail?limit=5000", "/"} {
		if w := ask(gone, target); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s, want an answer", target, w.Code, w.Body)
		}
	}
	close(leave)
	for range recordsUnderWay / largestAnswer {
		if code := <-served; code != http.StatusOK {
			t.Errorf("a large answer: %d", code)
		}
	}
	go func() { <-entered }()
	if w := ask(t.Context(), large); w.Code != http.StatusOK {
		t.Errorf("after they ended: %d %s", w.Code, w.Body)
	}
}
