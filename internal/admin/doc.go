// Package admin is the way into a running collector for its operator: HTTP on a
// Unix socket that only the collector's user can open. One component serves it (the
// journal_storage extension); others add what they have to offer.
package admin
