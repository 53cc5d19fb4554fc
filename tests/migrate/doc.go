// Package migrate shows that an upgrade of a store survives kill -9 of the process
// that does it, and that of many processes which start at once one does the work.
package migrate
