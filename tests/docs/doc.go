// Package docs runs what the documentation tells readers to type. docs/testing.md
// describes how a block is marked for it.
package docs
