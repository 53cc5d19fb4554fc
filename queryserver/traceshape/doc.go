// Package traceshape makes a tree of a trace's spans and says where its time went:
// the time each span spent itself, and the critical path, the chain of spans
// that the end of the trace waited for.
//
// What senders report is taken as it comes. A parent that is not there makes its
// children roots. A cycle of parents is opened at its earliest span. Of spans with
// one id the earliest is the parent of whoever names it. A child of another
// service that starts before its parent has another clock: it is moved, with what
// it called in its own service, as the clock skew adjuster of Jaeger does. A child
// that outlives its parent is asynchronous: its time past the parent's end is
// nobody's.
//
// The package is pure: spans in, shape out, in O(n log n) and without recursion,
// since a trace may be one chain of a hundred thousand spans.
package traceshape
