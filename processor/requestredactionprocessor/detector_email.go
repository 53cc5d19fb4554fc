package requestredactionprocessor

import "strings"

const (
	maxEmailLocal  = 64  // RFC 5321, 4.5.3.1.1
	maxEmailDomain = 255 // RFC 5321, 4.5.3.1.2
)

var (
	emailLocal  = newCharset("09AZaz..__%%++--''!!##$$&&**//==??^^``{{||}}~~")
	emailCommon = newCharset("09AZaz..__%%++--''")
	domainChars = newCharset("09AZaz--..")
)

// noMailDomain are last labels of what looks like an address and is none: file
// names such as logo@2x.png, and hosts that no mail reaches from outside.
var noMailDomain = setOf("png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "js", "mjs", "cjs", "jsx", "ts", "tsx",
	"css", "scss", "htm", "html", "json", "map", "go", "rb", "java", "class", "jar", "php", "txt", "yaml", "yml", "xml",
	"csv", "gz", "tgz", "tar", "exe", "dll", "log", "ttf", "woff", "woff2", "pdf", "service",
	"local", "internal", "lan", "localdomain", "localhost", "cluster", "svc")

func setOf(words ...string) map[string]struct{} {
	set := make(map[string]struct{}, len(words))
	for _, w := range words {
		set[w] = struct{}{}
	}
	return set
}

// findEmails finds addr-specs of RFC 5322 with a dot-atom as local part. The
// rarer characters of one count only where nothing else could be meant: in
// mailto=ann@example.com the local part is ann.
func findEmails(s string, found []span) []span {
	for i := 0; ; {
		n := strings.IndexByte(s[i:], '@')
		if n < 0 {
			return found
		}
		at := i + n
		start := emailCommon.runBack(s, at, maxEmailLocal)
		for start < at && strings.IndexByte(".%'+-", s[start]) >= 0 {
			start++
		}
		if start == at && at > 0 && emailLocal[s[at-1]] && emailLocal.runBack(s, at, 2) == at-1 {
			start = at - 1 // one odd character alone
		}
		end := domainEnd(s, at+1)
		i = at + 1
		if start == at || end == 0 || s[start:at] == "git" {
			continue
		}
		if len(found) > 0 && found[len(found)-1].end > start {
			continue
		}
		found = append(found, span{start: start, end: end})
		i = end
	}
}

// domainEnd gives the end of the mail domain that begins at i, or 0: two labels
// at least, the last of them letters.
func domainEnd(s string, i int) int {
	end := min(domainChars.run(s, i), i+maxEmailDomain)
	for end > i && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	domain := s[i:end]
	dot := strings.LastIndexByte(domain, '.')
	if dot <= 0 || domain[0] == '.' || domain[0] == '-' || strings.Contains(domain, "..") {
		return 0
	}
	last := strings.ToLower(domain[dot+1:])
	if _, no := noMailDomain[last]; no || len(last) < 2 || !isLetter(last[0]) {
		return 0
	}
	if !strings.HasPrefix(last, "xn--") && strings.IndexFunc(last, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return 0
	}
	// pkg@v1.2.3-rc.x is a version; 163.com is a domain.
	first, rest, _ := strings.Cut(domain, ".")
	if isDigit(rest[0]) && isVersion(first) {
		return 0
	}
	return end
}

func isVersion(label string) bool {
	label = strings.TrimPrefix(label, "v")
	return label != "" && strings.IndexFunc(label, func(r rune) bool { return r < '0' || r > '9' }) < 0
}
