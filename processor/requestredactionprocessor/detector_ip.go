package requestredactionprocessor

import "net/netip"

// maxIP is the longest textual address: an IPv6 address with an embedded IPv4
// one (RFC 4291, 2.2).
const maxIP = 45

var ipChars = newCharset("09AFaf::..")

// findIPs finds IPv4 and IPv6 addresses, without a port. Times of day and
// versions of three parts are none.
func findIPs(s string, found []span) []span {
	for i := 0; i < len(s); i++ {
		if !ipChars[s[i]] || !startsWord(s, i) {
			continue
		}
		end := ipChars.run(s, i)
		stop := end
		for end > i && (s[end-1] == '.' || s[end-1] == ':' && (end-i < 2 || s[end-2] != ':')) {
			end--
		}
		if endsWord(s, end) {
			if n := ipLen(s[i:end]); n > 0 {
				found = append(found, span{start: i, end: i + n})
			}
		}
		i = max(i, stop-1)
	}
	return found
}

// ipLen gives the length of the address that s is, or begins with when a port
// follows; 0 when it is none.
func ipLen(s string) int {
	if len(s) < len("::1") || len(s) > maxIP+len(":65535") {
		return 0
	}
	if _, err := netip.ParseAddr(s); err == nil {
		return len(s)
	}
	for i := range len(s) {
		if s[i] == ':' {
			if addr, err := netip.ParseAddr(s[:i]); err == nil && addr.Is4() {
				return i
			}
			return 0
		}
	}
	return 0
}
