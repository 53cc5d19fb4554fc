// Package admissionextension decides whether a request may come in, before it is
// decoded: by the bytes of its body while they are inflated, by those of all
// requests in progress, and by the limits of the sender's project. It is a
// middleware for HTTP and gRPC servers of any receiver, and gives the answers
// itself, since the upstream receivers have no 413 and no Retry-After of their own.
package admissionextension
