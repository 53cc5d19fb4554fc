// Package accounts decides who may ask what. It is the one place that does: the
// query server names the project and the scope that an operation needs, and
// gets an answer from what it holds of the metadata store in memory, so that
// reads go on while that store is away.
package accounts
