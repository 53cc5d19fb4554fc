// Package budget keeps a store within its share of the disk: when it is over, the
// oldest partitions are dropped, whole days of raw records first.
//
// A TTL promises how long data is kept; a budget says what gives way when more
// comes in than was planned for. All raw tables give up a day together, so that a
// journey never shows a request that is gone; rollups, which are small and outlive
// raw records by design, go only when no raw day but today's is left. Today is
// never dropped.
package budget
