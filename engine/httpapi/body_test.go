package httpapi

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// FuzzReadStatement holds the cut of a request to what the text says, however the
// URL and the body share it and in whatever pieces the body arrives.
func FuzzReadStatement(f *testing.F) {
	f.Add("", "SELECT 1 FORMAT JSON")
	f.Add("SELECT 1,", "2")
	f.Add("INSERT INTO t FORMAT CSV", "1,2\n3,4\n")
	f.Add("", "INSERT INTO t (a, b) SETTINGS x = 'y;' VALUES (1, ';'), (2, '''')")
	f.Add("INSERT INTO t", "FORMAT Native\n\x00\x01;")
	f.Add("", "INSERT INTO t SELECT a FROM input('a Int8') FORMAT TSV\n1\n")
	f.Fuzz(func(t *testing.T, query, body string) {
		read := func(body io.Reader) (string, string, string, error) {
			statement, data, err := readStatement(&request{query: query, maxQuerySize: defaultMaxQuerySize}, body)
			if err != nil {
				return "", "", "", err
			}
			rows, err := io.ReadAll(data)
			return statement.Text, statement.Format, string(rows), err
		}
		text, format, rows, err := read(strings.NewReader(body))
		for _, pieces := range []io.Reader{iotest.OneByteReader(strings.NewReader(body)), iotest.HalfReader(strings.NewReader(body)), iotest.DataErrReader(strings.NewReader(body))} {
			againText, againFormat, againRows, againErr := read(pieces)
			require.Equal(t, err == nil, againErr == nil, "%v, %v", err, againErr)
			require.Equal(t, text, againText)
			require.Equal(t, format, againFormat)
			require.Equal(t, rows, againRows)
		}
	})
}
