package keys_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limited is the change that sets limits and how often they are written down.
func limited(limits string) []string {
	return []string{"    authenticator: project_auth\n    usage_file", "    authenticator: project_auth\n    burst: 1s\n    limits: " + limits + "\n    usage_file"}
}

// TestRates sends more than a project may in a second, is told to wait, and another
// project is not affected.
func TestRates(t *testing.T) {
	g := startGateway(t, nowhere(t), append(withKeys("shop", shopKey, "blog", blogKey), limited("{items_per_second: 10}")...)...)
	header, value := bearer(shopKey)
	a := post(t, "http://"+g.ndjson+"/v1/ingest", "application/x-ndjson", strings.NewReader(strings.Repeat(line("rates"), 3000)), header, value)
	require.Equal(t, 200, a.status, "a burst may be as large as a body: it is paid for afterwards: %s", a.text)
	for name, send := range senders {
		a := send(t, g, "refused", header, value)
		require.Equal(t, 429, a.status, "%s: %s", name, a.text)
		seconds, err := strconv.Atoi(a.retryAfter)
		require.NoError(t, err, "%s: a whole number of seconds, got %q", name, a.retryAfter)
		assert.Positive(t, seconds, name)
		assert.LessOrEqual(t, seconds, 300, "%s: a debt of 2990 items at 10 in a second", name)
		assert.Contains(t, a.text, "items_per_second", name)
	}

	// Another project is let in, and after a debt it waits as it is told and is let in
	// again. Where storing takes longer than paying, there is nothing to wait for.
	header, value = bearer(blogKey)
	for range 3 {
		a = post(t, "http://"+g.ndjson+"/v1/ingest", "application/x-ndjson", strings.NewReader(strings.Repeat(line("rates"), 50)), header, value)
		require.Equal(t, 200, a.status, a.text)
		if a = sendNDJSON(t, g, "rates", header, value); a.status == 429 {
			seconds, err := strconv.Atoi(a.retryAfter)
			require.NoError(t, err)
			time.Sleep(time.Duration(seconds) * time.Second)
			a = sendNDJSON(t, g, "rates", header, value)
		}
		require.Equal(t, 200, a.status, a.text)
	}
	g.awaitStored(t, "rates", "blog\t153\nshop\t3000")
	g.nothingStored(t, "refused")
}

// TestDailyAmounts uses a day's amount up, restarts the gateway, and finds it used
// up still.
func TestDailyAmounts(t *testing.T) {
	if left := time.Until(time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)); left < 2*time.Minute {
		time.Sleep(left) // what the test uses up would end with the day
	}
	g := startGateway(t, nowhere(t), append(withKeys("shop", shopKey, "blog", blogKey), limited("{items_per_day: 3}")...)...)
	header, value := bearer(shopKey)
	for _, send := range senders {
		require.Equal(t, 200, send(t, g, "days", header, value).status)
	}
	refused := func(t *testing.T) {
		t.Helper()
		for name, send := range senders {
			a := send(t, g, "refused", header, value)
			require.Equal(t, 429, a.status, "%s: %s", name, a.text)
			seconds, err := strconv.Atoi(a.retryAfter)
			require.NoError(t, err, "%s: a whole number of seconds, got %q", name, a.retryAfter)
			assert.InDelta(t, time.Until(time.Now().UTC().Truncate(24*time.Hour).Add(24*time.Hour)).Seconds(), seconds, 5, "%s: until midnight", name)
			assert.Contains(t, a.text, "items_per_day", name)
		}
	}
	refused(t)
	g.Stop(t)
	g.start(t)
	refused(t)

	// A second later it is written down, so kill -9 does not give it back either.
	otherHeader, otherValue := bearer(blogKey)
	for range 3 {
		require.Equal(t, 200, sendNDJSON(t, g, "days", otherHeader, otherValue).status)
	}
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(filepath.Join(g.data, "usage.json"))
		return err == nil && strings.Contains(string(text), `"blog":{"items":3,`)
	}, patience, 20*time.Millisecond)
	killed, err := os.FindProcess(g.PID())
	require.NoError(t, err)
	require.NoError(t, killed.Kill())
	<-g.Exited()
	g.start(t)
	refused(t)
	require.Equal(t, 429, sendNDJSON(t, g, "refused", otherHeader, otherValue).status)
	g.awaitStored(t, "days", "blog\t3\nshop\t3")
	g.nothingStored(t, "refused")
}
