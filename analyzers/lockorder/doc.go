// Package lockorder reports locks taken in orders that can block each other.
//
// A view of linked programs enters; findings leave. It knows nothing of Go
// syntax.
package lockorder
