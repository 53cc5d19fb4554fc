// Package native turns the engine's Native output into the Native output a
// client asked for with client_protocol_version.
//
// The embedded engine writes blocks at protocol revision 0: counts of columns
// and rows, then each column's name, type and bytes. A client that sends
// client_protocol_version=N over HTTP, as clickhouse-go does, decodes at
// revision N, where a block starts with a BlockInfo and, from revision 54454,
// every column carries a byte that says how it is serialized. Only those
// headers differ: the bytes of the columns are the same at every revision, so
// they are copied as they are. To find where a column ends it has to be
// decoded all the same; clickhouse-go's column package does that.
//
// What the engine leaves out at revision 0 cannot be put back: a DateTime
// column with a time zone arrives as plain DateTime, and its reader takes the
// server's time zone, UTC here.
package native
