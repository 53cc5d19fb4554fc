// Package requestredactionprocessor redacts secrets wherever a request can carry
// them, by the names of their keys and by what they look like. It stands before
// everything that may write to a disk, so that a secret never reaches one.
//
// rule.go says what is done with a value and compile.go makes the rules of a
// configuration. signals.go and walk.go go through pdata; matcher.go decides by
// the key of a value; text.go redacts a text: json.go, query.go, cookie.go,
// sql.go and pairs.go look for named keys in it, the detector_*.go files and pattern.go for
// what a value looks like, and encoded.go behind encodings. prefilter.go tells
// with one loop over the bytes which of these a text needs: most need none.
package requestredactionprocessor
