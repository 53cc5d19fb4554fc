package requestredactionprocessor

import (
	"strings"
	"unicode/utf8"
)

const (
	maxEmailLocal  = 64  // RFC 5321, 4.5.3.1.1
	maxEmailDomain = 255 // RFC 5321, 4.5.3.1.2
)

var (
	emailLocal  = newCharset("09AZaz..__%%++--''!!##$$&&**//==??^^``{{||}}~~")
	emailCommon = newCharset("09AZaz..__%%++--''\x80\xff")
	domainChars = newCharset("09AZaz--..")
	domainWide  = newCharset("09AZaz--..\x80\xff")
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
// mailto=ann@example.com the local part is ann. Addresses may be international
// (RFC 6531).
func findEmails(s string, found []span) []span {
	for i := 0; ; {
		n := strings.IndexByte(s[i:], '@')
		if n < 0 {
			return found
		}
		at := i + n
		start := emailCommon.runBack(s, at, maxEmailLocal)
		for start < at && (strings.IndexByte(".%'+-", s[start]) >= 0 || !utf8.RuneStart(s[start])) {
			start++
		}
		if start == at && at > 0 && emailLocal[s[at-1]] && emailLocal.runBack(s, at, 2) == at-1 {
			start = at - 1 // one odd character alone
		}
		end := domainEnd(s, at+1, domainChars)
		if end == 0 {
			end = domainEnd(s, at+1, domainWide)
		}
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

// domainEnd gives the end of the mail domain of chars that begins at i, or 0: two
// labels at least, the last of them letters. What follows it may be of chars too,
// as in ann@example.com-ok or ann@example.com...
func domainEnd(s string, i int, chars *charset) int {
	end := min(chars.run(s, i), i+maxEmailDomain)
	for end > i && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	if n := strings.Index(s[i:end], ".."); n >= 0 {
		end = i + n
	}
	domain := s[i:end]
	if domain == "" || domain[0] == '.' || domain[0] == '-' {
		return 0
	}
	for {
		dot := strings.LastIndexByte(domain, '.')
		if dot <= 0 {
			return 0
		}
		last := domain[dot+1:]
		if n := topLevel(last); n > 0 {
			if _, no := noMailDomain[strings.ToLower(last[:n])]; no {
				return 0
			}
			domain = domain[:dot+1+n]
			break
		}
		domain = domain[:dot]
	}
	// pkg@v1.2.3-rc.x is a version; 163.com is a domain.
	first, rest, _ := strings.Cut(domain, ".")
	if isDigit(rest[0]) && isVersion(first) {
		return 0
	}
	return i + len(domain)
}

// topLevel gives the length of the top-level domain that a label begins with: two
// letters or more, of any script, or an encoded one; 0 when it begins with none.
func topLevel(label string) int {
	if len(label) > 4 && strings.EqualFold(label[:4], "xn--") {
		return len(strings.TrimRight(label, "-"))
	}
	n := 0
	for n < len(label) && (isLetter(label[n]) || label[n] >= utf8.RuneSelf) {
		n++
	}
	if n < 2 || n < len(label) && isDigit(label[n]) {
		return 0
	}
	return n
}

func isVersion(label string) bool {
	label = strings.TrimPrefix(label, "v")
	return label != "" && strings.IndexFunc(label, func(r rune) bool { return r < '0' || r > '9' }) < 0
}
