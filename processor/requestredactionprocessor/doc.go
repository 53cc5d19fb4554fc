// Package requestredactionprocessor masks the values of named keys wherever a
// request can carry them: attributes, headers, resources, span events, log
// bodies, captured bodies and query strings. It stands before everything that
// may write to a disk, so that a secret never reaches one.
//
// matcher.go says which keys are meant, attributes.go walks pdata, text.go masks
// inside JSON, forms and query strings, redaction.go is the processor.
package requestredactionprocessor
