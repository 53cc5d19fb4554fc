package requesteventreceiver

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	const limit = 40
	long := strings.Repeat("x", limit)
	for name, tt := range map[string]struct {
		body string
		want []string
	}{
		"none":                          {"", nil},
		"one without an end":            {"a", []string{"1:a"}},
		"unix ends":                     {"a\nb\n", []string{"1:a", "2:b"}},
		"windows ends":                  {"a\r\nb\r\n", []string{"1:a", "2:b"}},
		"empty lines are lines":         {"\n\na\n", []string{"1:", "2:", "3:a"}},
		"as long as the limit":          {long + "\n" + "b", []string{"1:" + long, "2:b"}},
		"as long with a windows end":    {long + "\r\n" + "b", []string{"1:" + long, "2:b"}},
		"one over the limit":            {long + "x\nb", []string{"1 too long", "2:b"}},
		"one over with a windows end":   {long + "x\r\nb", []string{"1 too long", "2:b"}},
		"far over the limit":            {strings.Repeat(long, 9) + "\nb\n", []string{"1 too long", "2:b"}},
		"far over, the last, no end":    {"a\n" + strings.Repeat(long, 9), []string{"1:a", "2 too long"}},
		"exactly a buffer without end":  {strings.Repeat("x", 16), []string{"1:" + strings.Repeat("x", 16)}},
		"exactly two buffers, no end":   {strings.Repeat("x", 32), []string{"1:" + strings.Repeat("x", 32)}},
		"a buffer and an end":           {strings.Repeat("x", 16) + "\n", []string{"1:" + strings.Repeat("x", 16)}},
		"longer than a buffer, shorter": {strings.Repeat("x", 33) + "\ny", []string{"1:" + strings.Repeat("x", 33), "2:y"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLineReader(strings.NewReader(tt.body), limit, 15, nil)
			var got []string
			for {
				line, tooLong, err := l.next()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				if tooLong {
					got = append(got, fmt.Sprintf("%d too long", l.number))
				} else {
					got = append(got, fmt.Sprintf("%d:%s", l.number, line))
				}
			}
			assert.Equal(t, tt.want, got)
		})
	}
}
