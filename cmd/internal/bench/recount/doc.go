// Package recount counts what a store holds after a benchmark and compares it
// with what was accepted: every row once, in every table that says the same in
// another way.
package recount
