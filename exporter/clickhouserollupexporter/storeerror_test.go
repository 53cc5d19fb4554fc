package clickhouserollupexporter

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnswersOfTheStore(t *testing.T) {
	for _, tt := range []struct {
		name             string
		status           int
		header, text     string
		code             int
		fails, permanent bool
	}{
		{"stored", 200, "", "", 0, false, false},
		{"exception after the first byte, in the header", 200, "241", "", 241, true, false},
		{"exception after the first byte, in the text", 200, "", "Code: 241. DB::Exception: Memory limit exceeded", 241, true, false},
		{"memory", 500, "241", "Code: 241. DB::Exception", 241, true, false},
		{"too many parts", 500, "252", "", 252, true, false},
		{"wrong password", 403, "516", "", 516, true, false},
		{"table gone", 404, "60", "", 60, true, false},
		{"column gone", 404, "16", "", 16, true, true},
		{"type does not fit", 400, "53", "", 53, true, true},
		{"a proxy", 502, "", "<html>Bad gateway", 0, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp := &http.Response{StatusCode: tt.status, Header: http.Header{}}
			if tt.header != "" {
				resp.Header.Set("X-ClickHouse-Exception-Code", tt.header)
			}
			err := answerError(resp, tt.text)
			assert.Equal(t, tt.fails, err != nil)
			wrapped := fmt.Errorf("inserting: %w", err)
			assert.Equal(t, tt.code, errorCode(wrapped))
			assert.Equal(t, tt.permanent, permanent(wrapped))
			assert.Equal(t, tt.code == 60, schemaGone(wrapped))
		})
	}
	assert.False(t, permanent(errors.New("connection refused")))
	assert.True(t, permanent(fmt.Errorf("x: %w", &schemaMismatch{errors.New("y")})))
}

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "",
		"<html>Bad gateway": "<html>Bad gateway",
		"Code: 60. DB::Exception: Table a.b does not exist. (UNKNOWN_TABLE) (version 26.7.2.1)":                                             "Table a.b does not exist. (UNKNOWN_TABLE)",
		"Code: 243. DB::Exception: Cannot reserve 1 MiB, not enough space: While executing X. (NOT_ENOUGH_SPACE), Stack trace:\n0. ./a.cpp": "Cannot reserve 1 MiB, not enough space (NOT_ENOUGH_SPACE)",
		strings.Repeat("ü", maxErrorText) + " (X_Y)":                                                                                        strings.Repeat("ü", maxErrorText/2) + "… (X_Y)",
	} {
		assert.Equal(t, want, sentence(text))
	}
}
