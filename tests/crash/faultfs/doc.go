// Package faultfs is a disk for tests that forgets what was not synced and that
// ends processes at a call of their choice.
//
// A Disk is a tree of files in memory, mounted by FUSE so that real programs can
// keep their data on it; no program has to be built for it. A Trap counts the
// calls of a kind (writes, syncs, changes of names) below a path, kills the
// process that makes the nth one before it happens, and lets nothing more reach
// the disk. What is found afterwards is, by choice,
//
//   - everything that calls did before: the process died, the machine did not; or
//   - what a disk may hold when the power goes out (Disk.CutPower): the content of
//     files as of their last fsync or fdatasync, and names as of the last sync that
//     covers them. How much more survives is up to a random source, since a disk
//     may have written anything that it was not asked to write yet.
//
// The model of names is that of journaling file systems (ext4, XFS): changes of
// names, of all directories, are in one log; a sync of a file or directory makes
// the log durable up to the last change that concerns it, its own creation or
// renaming included, and a crash leaves a prefix of the log. fdatasync of a file does not
// cover its renaming; of a directory it does what fsync does. The model of content
// is harsher than theirs: changes that were not synced may survive in any
// combination, in pieces of a page, also without those made before them, and a
// name may be durable while its file is still empty.
//
// A file that has the attribute S (chattr +S) is synced by each write.
package faultfs
