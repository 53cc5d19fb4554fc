// Package filter is the language in which people ask for records: the filter
// box, the API's filter parameter, saved views and the live tail all take the
// same text. docs/filter.md describes it for its users, with its table of
// semantics.
//
//	status >= 500 AND route = '/projects/:id/tasks'
//	user_id:u_1137 status:5xx -route:/health "timed out"
//
// [Parse] makes a tree of a text, [Expr.String] writes the tree in its canonical
// form, which reads back as the same tree. [Complete] says what can be typed at a
// place.
//
// A tree has two uses. [Expr.Match] is a predicate over a record, for the live
// tail; it is the reference for what the language means. The query server writes
// the tree as SQL, which must agree with it. Planners do not look at nodes but ask
// what a filter implies: [Conjuncts], [ReadsOnly], [KeyEquality],
// [AttributeEquality], [Durations].
//
// # Semantics
//
//   - A column that the kind of record does not have, and a key that a map does
//     not hold, is absent. An absent value is neither equal nor unequal to
//     anything and is not ordered: every comparison with it is false, that of !=,
//     NOT IN, NOT LIKE and !~ too.
//   - There are two truth values: NOT is the complement of what its term finds.
//   - A column that the kind has is always present; where a sender gave nothing
//     it holds "" or 0, and EXISTS is false.
//   - A bare name reads the correlation key where the record has it, the attribute
//     otherwise.
//   - Text compares byte by byte. Numbers of columns compare exactly: durations,
//     sizes and statuses are integers, and 0.1 ms is 100,000 ns, not something
//     near it. A bound outside the column's range, or between integers, is brought
//     to the nearest one when the filter is parsed.
//   - attributes and resource hold what the sender wrote, under current names of
//     the semantic conventions, whether it is stored in the map or in a column:
//     attributes['http.route'] is the route that was sent.
//   - A map value is text. It compares as a number, in double precision, when
//     both it and the literal are numbers and either the operator orders or the
//     literal is bare. In every other case it compares as text, and so do always
//     correlation keys and bare names with = != and IN. So attributes['zip'] =
//     '01234' does not match 1234, attributes['n'] = 1 matches 1.0, and
//     attributes['n'] >= '99' does not match 100 by accident of its first digit. A
//     bare number and text that is none are unequal and not ordered.
//   - A number is an optional sign, digits, an optional fraction and an optional
//     exponent; NaN, Inf and hexadecimal are text.
//   - Patterns are RE2 without \B. Case is folded by Unicode's simple folding as Go
//     knows it, which is written out in what the store gets; in a text that is no
//     UTF-8 every run of bad bytes is one U+FFFD. In expressions . does not match a
//     line end; % and _ of LIKE do.
package filter
