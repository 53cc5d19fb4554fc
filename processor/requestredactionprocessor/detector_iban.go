package requestredactionprocessor

import "unicode/utf8"

// ibanLengths are those of the registry of SWIFT, by country.
var ibanLengths = map[string]uint8{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28,
	"CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
	"FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28,
	"IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
	"LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28,
	"NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24,
	"SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26,
	"UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}

// ibanTable is ibanLengths by letters.
var ibanTable = func() (t [26][26]uint8) {
	for country, n := range ibanLengths {
		t[country[0]-'A'][country[1]-'A'] = n
	}
	return t
}()

// findIBANs finds international bank account numbers (ISO 13616): of a country,
// in its length, right modulo 97 (ISO 7064), together or in groups of four.
func findIBANs(s string, found []span) []span {
	for i := 0; i+14 < len(s); i++ {
		if !isDigit(s[i+3]) || !isDigit(s[i+2]) || !isLetter(s[i+1]) || !isLetter(s[i]) || !startsWord(s, i) {
			continue
		}
		want := ibanTable[s[i]|0x20-'a'][s[i+1]|0x20-'a']
		if want == 0 {
			continue
		}
		if end := ibanEnd(s, i, int(want)); end > 0 {
			found = append(found, span{start: i, end: end})
			i = end - 1
		}
	}
	return found
}

// ibanEnd gives the end of the IBAN of n characters that begins at i, or 0.
func ibanEnd(s string, i, n int) int {
	var text [40]byte
	for k := 0; k < n; {
		if i >= len(s) {
			return 0
		}
		if c := s[i]; isWord(c) {
			if isLetter(c) {
				c &^= 0x20
			}
			text[k] = c
			k++
			i++
			continue
		}
		size := ibanSpace(s, i)
		if size == 0 || k%4 != 0 {
			return 0
		}
		i += size
	}
	if !endsWord(s, i) {
		return 0
	}
	if mod97(text[:4], mod97(text[4:n], 0)) != 1 {
		return 0
	}
	return i
}

// ibanSpace gives the size of what separates groups at i: a space, also one of a
// form, a hyphen, or a no-break space.
func ibanSpace(s string, i int) int {
	switch s[i] {
	case ' ', '-', '+', '.':
		return 1
	}
	if r, size := utf8.DecodeRuneInString(s[i:]); r == '\u00a0' || r == '\u202f' || r == '\u2009' {
		return size
	}
	return 0
}

// mod97 continues the remainder of the number that text spells when letters
// count from 10.
func mod97(text []byte, remainder int) int {
	for _, c := range text {
		if isDigit(c) {
			remainder = (remainder*10 + int(c-'0')) % 97
		} else {
			remainder = (remainder*100 + int(c-'A') + 10) % 97
		}
	}
	return remainder
}
