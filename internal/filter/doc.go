// Package filter is the language in which people ask for records: the filter
// box, the API's filter parameter and the live tail all take the same text.
//
// In this form a filter is comparisons joined by AND:
//
//	status >= 500 AND route = '/projects/:id/tasks'
//	duration_ms > 800 AND attributes['plan'] = 'enterprise'
//	correlation['account_id'] = 'acc_108'
//
// The empty filter matches every record.
//
// # Semantics
//
// [Expr.Match] is the reference; SQL made from the same tree must agree with it.
//
//   - A column that the kind of record does not have, and a key that a map does
//     not hold, is absent. An absent value is neither equal nor unequal to
//     anything and is not ordered: every comparison with it is false.
//   - A column that the kind has is always present; where a sender gave nothing
//     it holds "" or 0, and route = ” finds requests without a route.
//   - Text compares byte by byte. Numbers compare exactly: durations, sizes and
//     statuses are integers, and 0.1 ms is 100,000 ns, not something near it.
//   - attributes and resource hold what the sender wrote, under current names of
//     the semantic conventions, whether it is stored in the map or in a column:
//     attributes['http.route'] is the route that was sent.
//   - A map value is text. It compares as a number, in double precision, when
//     both it and the literal are numbers and either the operator orders or the
//     literal is bare. In every other case it compares as text. So
//     attributes['zip'] = '01234' does not match 1234, attributes['n'] = 1
//     matches 1.0, and attributes['n'] >= '99' does not match 100 by accident
//     of its first digit. A bare number and text that is none are unequal and
//     not ordered.
//   - A number is an optional sign, digits, an optional fraction and an optional
//     exponent; NaN, Inf and hexadecimal are text.
//   - duration and duration_ms also take duration literals: 1.5s, 200ms, 1m30s.
//     A bare number means nanoseconds for the first, milliseconds for the second.
package filter
