// Package projectprocessor decides whose data it is: it overwrites the resource
// attribute trackway.project with the project of the key that authenticated the
// sender. It stands first in every pipeline, because the authentication context
// survives neither a persistent queue nor the batch processor, and it fails
// closed, because senders can write any attribute.
package projectprocessor
