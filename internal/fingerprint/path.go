package fingerprint

import "strings"

// pathSegments is how much of a file's path counts: where an application is
// installed differs between machines, containers and releases.
const pathSegments = 2

// appendPath appends the end of a file's path, with # for hashes and numbers in it.
func appendPath(b []byte, path string) []byte {
	path, _, _ = strings.Cut(path, "?") // bundlers ask for files with a version
	start, segments := len(path), 0
	for start > 0 {
		if c := path[start-1]; c == '/' || c == '\\' {
			if segments++; segments == pathSegments {
				break
			}
		}
		start--
	}
	path = path[start:]
	for i := 0; i < len(path); {
		c := path[i]
		if c == '\\' {
			c = '/'
		}
		if !wordByte(c) || c == '_' {
			b = append(b, c)
			i++
			continue
		}
		j := i
		for j < len(path) && wordByte(path[j]) && path[j] != '_' {
			j++
		}
		if isBuildHash(path[i:j]) {
			b = append(b, '#')
		} else {
			b = append(b, path[i:j]...)
		}
		i = j
	}
	return b
}

// isBuildHash says whether a part of a file's name is made anew by every build: a
// number, hexadecimal, a long word with digits, or the eight letters of either
// case that bundlers add.
func isBuildHash(s string) bool {
	var digits, hex, inner, lower int
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			digits++
		case c >= 'A' && c <= 'Z' && i > 0:
			inner++
		case c >= 'a' && c <= 'z':
			lower++
		}
		if isHex(s[i]) {
			hex++
		}
	}
	switch {
	case digits == len(s):
		return true
	case len(s) < minHash:
		return false
	}
	return digits > 0 || hex == len(s) || len(s) == minHash && inner > 1 && lower > 0
}

// appendFrame appends what of a frame counts.
func appendFrame(b []byte, l Language, f *Frame) []byte {
	start := len(b)
	switch l {
	case Go:
		b = appendGoFunction(b, f.Function)
	case Java:
		b = appendJavaFunction(b, f.Function)
	case DotNet:
		b = appendDotNetFunction(b, f.Function)
	case Node:
		b = appendPath(b, nodeFile(f.File))
		b = append(b, ' ')
		b = append(b, f.Function...)
	case PHP:
		b = appendPath(b, f.File)
		b = append(b, ' ')
		b = appendPHPFunction(b, f.Function)
	default:
		b = appendPath(b, f.File)
		b = append(b, ' ')
		b = append(b, f.Function...)
	}
	if len(b)-start > maxFrame {
		b = b[:start+maxFrame]
	}
	return b
}
