// Package poolintx reports a second connection that is used or asked for
// while the same call chain holds a first one.
//
// A view of linked programs enters; findings leave. It does not compare what
// different call chains hold: that is lockorder's.
package poolintx
