// Package columns holds rows as column buffers of the tables they go to, from the
// moment a delivery is converted until its INSERTs are sent.
//
// A delivery is converted once, record by record, into a Batch. The Batch's
// encoding is what waits in the sending queue, is counted in bytes and is written
// to disk; decoding it shares the memory it lies in. Its parts, one per window of
// days, are put together into units of insert, and an Encoder makes the Native
// blocks of a unit: the rows of requests, spans and events, and those that are
// derived from them. Nothing is turned back into records on that way, except for
// those who ask for records: the live tail and dead letters.
//
//	var b columns.Batch
//	b.BeginItem(project)
//	b.Append(&r)                       // once for each row of the item; r may be reused
//	queued := b.AppendTo(nil)
//	…
//	got, err := columns.Decode(queued) // shares queued's memory
//	inserts, err := encoder.Unit(id, got.Parts())
//
// # Columns
//
// Numbers and ids lie side by side, little endian, as the Native format has them.
// Strings are a length (uvarint) and bytes, as in Native. LowCardinality columns
// are indices into one dictionary for the whole Batch, and so are the keys of maps
// and the facet items; maps and arrays have their number of entries by row. A
// column whose rows all have the default is not stored, and one whose rows are all
// the same is stored once.
//
// # Encoding
//
// All integers are uvarints unless said otherwise.
//
//	version     1 byte, Version
//	dictionary  count, then count × (length, bytes); entry 0 is the empty string
//	parts       count, then for each, ascending by window:
//	  window    varint
//	  items     count of runs, then count × (project, an index; items; 1 if they
//	            begin in this part, else 0)
//	  tables    requests, spans, events, each: rows, and unless 0 the columns in
//	            the order of the table, then the column of items
//
// An index is 1, 2 or 4 bytes, little endian, by the size of the dictionary. A
// column is a byte that says its form, and
//
//	0 default   nothing
//	1 constant  the value: width bytes, or an index
//	2 full      numbers: rows × width bytes; indices: rows × index;
//	            strings: length, then rows × (length, bytes);
//	            maps: entries, length of the counts, rows × count, entries × index,
//	            length of the values, entries × (length, bytes);
//	            arrays: as maps, without values
//
// The column of items numbers the rows' items within the part: in full form rows ×
// (number less the number before). The encoding of a decoded Batch is the bytes it
// was decoded from.
package columns
