// Package up holds the black-box tests of `trackway up`: that it starts, heals,
// refuses with a reason, and leaves nothing behind.
package up
