package requestredactionprocessor

// Numbers of E.164 have at most 15 digits; fewer than 8 with a country's code
// are not in use.
const (
	minPhoneDigits = 8
	maxPhoneDigits = 15
	// nanpDigits are those of the North American plan without the country's 1.
	nanpDigits = 10
)

// findPhones finds telephone numbers: a + and 8 to 15 digits (E.164) with the
// usual separators, and those of North America as (212) 555-0123, 212-555-0123
// and 212.555.0123.
func findPhones(s string, found []span) []span {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '+' && c != '(' && !isDigit(c) {
			continue
		}
		if !startsNumber(s, i) {
			i = alnum.run(s, i+1) - 1
			continue
		}
		if end := phoneEnd(s, i); end > 0 {
			found = append(found, span{start: i, end: end})
			i = end - 1
		} else if isDigit(c) {
			i = alnum.run(s, i) - 1
		}
	}
	return found
}

func phoneEnd(s string, i int) int {
	international := s[i] == '+'
	var groups []int
	if international {
		i++
	}
	n, end := 0, 0
	for i < len(s) && n <= maxPhoneDigits {
		if isDigit(s[i]) {
			next := i
			for next < len(s) && isDigit(s[next]) {
				next++
			}
			n += next - i
			groups = append(groups, next-i)
			i, end = next, next
			continue
		}
		size := phoneSeparator(s, i)
		if size == 0 {
			break
		}
		i += size
	}
	if n > maxPhoneDigits || !endsNumber(s, end) {
		return 0
	}
	if international && n >= minPhoneDigits {
		return end
	}
	if !international && n == nanpDigits && len(groups) == 3 && groups[0] == 3 && groups[1] == 3 {
		return end
	}
	return 0
}

// phoneSeparator gives the size of what may stand between digits at i, with a
// digit or a bracket behind it.
func phoneSeparator(s string, i int) int {
	switch s[i] {
	case ' ', '-', '.', '(', ')', '/':
	default:
		return 0
	}
	next := i + 1
	if next < len(s) && (s[next] == ' ' || s[next] == '(' || s[next] == ')') {
		next++
	}
	if next < len(s) && isDigit(s[next]) {
		return next - i
	}
	return 0
}
