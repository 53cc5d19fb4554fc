// Package migrate brings the schema of a store to the version of this release:
// it creates it where there is none, upgrades it where it is older, and refuses
// where it is newer.
//
// Many collectors may start at once, so the work is done under a lock that lives
// in the store. A process that dies half way leaves a step that the next one
// starts anew: statements are idempotent, and a step is recorded when all of it
// is done.
package migrate
