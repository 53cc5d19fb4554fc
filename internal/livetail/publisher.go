package livetail

import "github.com/trackwayhq/trackway/internal/record"

// Publisher takes records that the pipeline has accepted. The live_tail
// extension implements it.
type Publisher interface {
	// Active says whether anybody is listening; where nobody is, a publisher
	// should not prepare records.
	Active() bool
	// Publish offers records to the listeners. It does not block, and keeps no
	// reference to records after it has returned.
	Publish(records []record.Record)
}
