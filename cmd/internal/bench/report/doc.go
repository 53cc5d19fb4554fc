// Package report holds what benchmarks measured and prints it: as a table, as
// Markdown, as one page of HTML with plots, and as JSON.
package report
