// Command trackway is the one program a user starts: `up` runs everything on one
// machine, `engine` and `query` are its long-running parts, `demo` sends
// realistic traffic, `bench` measures. The commands here only parse flags; what
// they do lives in packages below cmd/internal and in the engine and queryserver
// modules.
package main
