// Package lockupgrade reports locks that are raised to a stronger mode by
// sessions that can hold the weaker one together.
//
// A view of linked programs enters; findings leave.
package lockupgrade
