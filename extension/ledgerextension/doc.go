// Package ledgerextension keeps the delivery ledger: what became of every item, per
// project and minute. Components find it among the host's extensions and count
// through internal/ledger's interface; it keeps the counts in the journal, together
// with what they count, and writes them to the table delivery_ledger.
//
// A row of the table is the state of a project and minute as one collector knows
// it, and replaces the earlier state of the same. What is written is on the
// collector's disk before, so a crash takes back nothing that was read in the table.
// A minute that has not changed for a while is forgotten here; a late change of it
// begins a row of another generation, and readers add the rows up.
package ledgerextension
