// Package contrast ranks what sets some records apart from others: values that
// are more frequent in a selection than in the records it is compared with.
//
// The statistic is the log-likelihood ratio G of the two-by-two table of records
// with and without the value, inside and outside of the selection (Dunning,
// Accurate Methods for the Statistics of Surprise and Coincidence, 1993). It is
// twice the information that the value gives on being selected, so it weighs how
// much more frequent a value is by how many records show it, and holds for small
// counts, where chi-square does not.
package contrast
