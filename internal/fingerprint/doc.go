// Package fingerprint gives errors their group: a number that is equal for what a
// developer would call the same error, and different for what is not.
//
// A group is made of the service, the route, the type, the message with its values
// cut out, and the innermost frames of the stack that are the application's own.
// Line numbers, addresses, the names that compilers and proxies generate, and
// hashes and release numbers in paths are no part of it, so that a new build of
// the same code keeps its groups. A stack in a language without a parser counts
// as text with its values cut out.
//
// Version stands in front of what is hashed. Anything that gives a known error
// another group must raise it: stored groups are not computed again, so errors of
// before and after are then two groups, and the change log has to say so.
package fingerprint
