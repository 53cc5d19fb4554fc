package store

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParsePart(t *testing.T) {
	for name, want := range map[string]part{
		"20260101_1_1_0":   {"20260101", 1, 1, 0, false},
		"all_3_17_2":       {"all", 3, 17, 2, false},
		"20260101_1_5_1_9": {"20260101", 1, 5, 1, true},
		"20260101-7_1_5_1": {"20260101-7", 1, 5, 1, false},
		"9712863775971870220abcdefabcdef_10_20_300":    {"9712863775971870220abcdefabcdef", 10, 20, 300, false},
		"20260101_0_9223372036854775807_999999999_100": {"20260101", 0, 9223372036854775807, 999999999, true},
	} {
		got, err := parsePart(name)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
	for _, name := range []string{"", "detached", "20260101_1_1", "20260101_2_1_0", "_1_1_0", "20260101_x_1_0", "20260101_1_1_-1",
		"20260101_1_1_0_x", "20260101_20260102_1_1_0_0", "tmp_insert_20260101_1_1_0"} {
		_, err := parsePart(name)
		require.Error(t, err, name)
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		outer, inner string
		want         bool
	}{
		{"p_1_1_0", "p_1_1_0", true},
		{"p_1_3_1", "p_2_2_0", true},
		{"p_1_3_1_8", "p_2_2_0", true},
		{"p_2_2_1", "p_2_2_0", true},
		{"p_2_2_0", "p_2_2_1", false},
		{"p_1_3_1", "p_3_4_1", false},
		{"q_1_3_1", "p_2_2_0", false},
	} {
		outer, err := parsePart(c.outer)
		require.NoError(t, err)
		inner, err := parsePart(c.inner)
		require.NoError(t, err)
		require.Equal(t, c.want, outer.covers(inner), "%s covers %s", c.outer, c.inner)
	}
}

func TestUncovered(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		parts []string
		drop  []string // file:line of what must go
	}{
		"all stored":          {[]string{"1 p_1_1_0 A|1 p_2_2_0 B"}, []string{"p_1_1_0", "p_2_2_0"}, nil},
		"last not renamed":    {[]string{"1 p_1_1_0 A|1 p_2_2_0 B"}, []string{"p_1_1_0"}, []string{"0:2"}},
		"merged":              {[]string{"1 p_1_1_0 A|1 p_2_2_0 B"}, []string{"p_1_2_1"}, nil},
		"other partition":     {[]string{"1 p_1_1_0 A"}, []string{"q_1_1_0"}, []string{"0:1"}},
		"dropped by DDL":      {[]string{"1 p_1_1_0 A|2 p_1_1_0 A"}, nil, nil},
		"dropped and again":   {[]string{"1 p_1_1_0 A|2 p_1_1_0 A|1 p_5_5_0 A"}, nil, []string{"0:3"}},
		"dropped in the next": {[]string{"1 p_1_1_0 A", "2 p_1_1_0 A"}, nil, nil},
		"across files":        {[]string{"1 p_1_1_0 A|1 p_2_2_0 B", "1 p_3_3_0 C"}, []string{"p_1_1_0"}, []string{"0:2", "1:1"}},
		"out of the window":   {[]string{"1 p_1_1_0 A|1 p_2_2_0 A"}, []string{"p_2_2_0"}, []string{"0:1"}},
		"no parts at all":     {[]string{"1 p_1_1_0 A"}, nil, []string{"0:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var files []logFile
			for i, text := range c.files {
				text = strings.NewReplacer(" ", "\t", "|", "\n").Replace(text) + "\n"
				records, torn, err := parseLog("log", []byte(text))
				require.NoError(t, err)
				require.Empty(t, torn)
				files = append(files, logFile{path: string(rune('0' + i)), records: records})
			}
			var parts []part
			for _, p := range c.parts {
				parsed, err := parsePart(p)
				require.NoError(t, err)
				parts = append(parts, parsed)
			}
			var got []string
			drop := uncovered(files, parts)
			for _, f := range files {
				for _, r := range f.records {
					if _, ok := drop[f.path][r.line]; ok {
						got = append(got, f.path+":"+string(rune('0'+r.line)))
					}
				}
			}
			require.Equal(t, c.drop, got)
		})
	}
}

func TestParseLogRefusesWhatItDoesNotUnderstand(t *testing.T) {
	good := "1\tp_1_1_0\tA\n"
	for name, c := range map[string]struct{ text, says string }{
		"operation":    {good + "3\tp_1_1_0\tA\n", `log:2: operation "3"`},
		"fields":       {good + good + "1\tp_1_1_0\n", "log:3: 2 tab separated fields"},
		"part":         {"1\tp\tA\n", `log:1: part name "p"`},
		"block id":     {"1\tp_1_1_0\t\n", "log:1: no block id"},
		"two in one":   {"1\tp_1_1_01\tp_1_1_0\tA\n", "log:1: 4 tab separated fields"},
		"empty line":   {good + "\n" + good, "log:2: "},
		"zeros inside": {"\x00\x00\x00\n" + good, "log:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := parseLog("log", []byte(c.text))
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "move the file away")
		})
	}
}

func FuzzParseLog(f *testing.F) {
	f.Add([]byte("1\t20260101_1_1_0\t20260101_9712863775971870220_16318538294462949352\n2\t20260101_1_1_0\tx\n"))
	f.Add([]byte("1\tp_1_1_0\tA\n1\tp_2"))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, torn, err := parseLog("log", data)
		if err != nil {
			return
		}
		var again []byte
		for _, r := range records {
			again = append(again, r.raw...)
		}
		require.True(t, bytes.Equal(data, append(again, torn...)), "every byte is a record's or torn")
		uncovered([]logFile{{path: "log", records: records}}, nil)
	})
}
