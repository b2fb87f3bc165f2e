// Package lockscope reports locks that do not live as long as the work they
// should protect.
//
// A view of linked programs enters; findings leave. Session locks that stay
// held too long are sessionlock's.
package lockscope
