// Package harness starts the real binaries for black-box tests and gives clients
// for what they serve.
//
// Everything is started on loopback with ports of its own and with a data
// directory of the test, is ended by process id when the test ends, and has its
// output printed when the test failed. A missing binary fails the test and names
// the make target that builds it; nothing is skipped.
package harness
