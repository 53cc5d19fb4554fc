// Package admission is what the components share that decide whether a request
// may come in: how a refusal is told over HTTP and gRPC, the limits of a project,
// and how the number of items, which only shows after decoding, is charged to the
// request they came with.
package admission
