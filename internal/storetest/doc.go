// Package storetest is a small language for testing the store and its queries,
// in the manner of Prometheus' promqltest: load items, ask, expect rows. A script
// knows nothing of the engine below: it runs on whatever a Backend stands for.
//
// A script is lines; # starts a comment line, and a block is the indented lines
// below a command.
//
//	load
//	  request @1m service=api method=GET route=/a status=200 duration_ms=12
//	  request @2m+10s x3 service=api method=GET route=/b status=500 correlation.user_id=u1
//	  event @3m name=order.paid service=billing attributes.plan="big one"
//	  {"type":"span","ts":"@1m","name":"SELECT tasks","service":"api","duration_ms":3}
//
//	eval requests filter=`status >= 500` columns=status,route
//	expect rows
//	  ts  | route | status
//	  @2m20s | /b | 500
//	  @2m10s | /b | 500
//	  @2m    | /b | 500
//	expect stats.rows_read > 0
//
// # Times
//
// @ is the script's own time base, and @1h2m3s a time after it: where a script
// runs, bases are given out so that scripts do not see each other's items. Every
// question is asked from=@0s to=@12h unless the script says otherwise. Times in
// answers are shown the same way. @2m+10s x3 in a compact item is three items
// that start at @2m and are 10 s apart.
//
// # Commands
//
//	load            Items, one a line: NDJSON as POST /v1/ingest takes it, or
//	                compact: the type, a time, then field=value. A dot names a
//	                key inside a map, values of up to 15 characters that look
//	                like numbers are numbers, and "…" or `…` quote what has spaces or must be text.
//	eval PATH …     Asks GET PATH below the project, with key=value parameters.
//	                An answer other than 200 fails, unless status is expected.
//	expect PATH     The array at PATH of the answer equals the table below: a
//	                line of field names, then a line per element, fields parted
//	                by |. For an array of arrays, names are positions: 0 | 1.
//	                A field of an element may itself be a path, a.b.
//	expect PATH OP VALUE
//	                OP is = != < <= > >=, or ~ for within 1 %. VALUE is a JSON
//	                value, a bare word, a time, or $name. The path # is the
//	                number of elements: rows.#.
//	expect status N The answer's HTTP status.
//	set NAME PATH   Keeps a part of the answer; $NAME stands for it afterwards.
//
// A path is keys and positions of the JSON answer joined by dots.
package storetest
