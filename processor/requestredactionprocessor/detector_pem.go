package requestredactionprocessor

import "strings"

const (
	pemBegin = "-----BEGIN"
	pemEnd   = "-----END"
	pemTail  = "-----"
	// maxPEMLabel bounds what is read between BEGIN and the dashes: the longest
	// is " PGP PRIVATE KEY BLOCK", percent-encoded perhaps.
	maxPEMLabel = 48
	// maxPEM bounds a block: an RSA key of 16384 bits takes 13 KB.
	maxPEM = 32 << 10
)

// findPrivateKeys finds private keys in PEM (RFC 7468) with their labels, to the
// end of the block, or of the quoted text where the end was cut off. Spaces and
// line breaks may be encoded in any way.
func findPrivateKeys(s string, found []span) []span {
	for i := 0; ; {
		n := strings.Index(s[i:], pemBegin)
		if n < 0 {
			return found
		}
		start := i + n
		i = start + len(pemBegin)
		label := s[i:min(len(s), i+maxPEMLabel)]
		if dashes := strings.Index(label, pemTail); dashes >= 0 {
			label = label[:dashes]
		} else if i+maxPEMLabel < len(s) {
			continue
		}
		if !strings.Contains(label, "PRIVATE") {
			continue
		}
		block := s[i:min(len(s), i+maxPEM)]
		end := i + len(block)
		if n := strings.Index(block, pemEnd); n >= 0 {
			end = i + n + len(pemEnd)
			if n := strings.Index(s[end:min(len(s), end+maxPEMLabel)], pemTail); n >= 0 {
				end += n + len(pemTail)
			}
		} else if n := strings.IndexAny(block, "\"'<>`&"); n >= 0 {
			end = i + n
		}
		found = append(found, span{start: start, end: end})
		i = end
	}
}
