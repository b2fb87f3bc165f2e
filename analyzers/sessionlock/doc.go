// Package sessionlock reports session-level advisory locks that do not stay
// with the connection that owns them.
//
// A view of linked programs enters; findings leave. Locks that end with
// their transaction are lockscope's.
package sessionlock
