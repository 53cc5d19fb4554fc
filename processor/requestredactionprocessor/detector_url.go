package requestredactionprocessor

import "strings"

// maxUserinfo bounds how far the end of a user and password is looked for.
const maxUserinfo = 512

// findURLPasswords finds user and password of URLs and connection strings
// anywhere in a text: scheme://user:password@host. A user alone is none, unless
// it is so long that it is a token.
func findURLPasswords(s string, found []span) []span {
	for i := 0; ; {
		n := strings.Index(s[i:], "://")
		if n < 0 {
			return found
		}
		start := i + n + len("://")
		i = start
		authority := s[start:min(len(s), start+maxUserinfo)]
		if n := strings.IndexAny(authority, "/?#\"'<>` \t\r\n\\"); n >= 0 {
			authority = authority[:n]
		}
		at := strings.LastIndexByte(authority, '@')
		if at <= 0 {
			continue
		}
		if _, password, _ := strings.Cut(authority[:at], ":"); password != "" || at >= sureBearer {
			found = append(found, span{start: start, end: start + at})
			i = start + at
		}
	}
}
