// Package bench runs `trackway bench` on the real binaries, for seconds: that its
// scenarios work, that its recount agrees with the store, and that its reports
// hold what they should. It takes no figures.
package bench
