// Package lockmany reports places that lock several instances of one class
// in no fixed order, or where the planner decides how many are locked.
//
// A view of linked programs enters; findings leave. It does not compare the
// orders of two places: that is lockorder's.
package lockmany
