// Package locksummary makes the lock programs of a Go package: the base pass
// that every check rests on.
//
// A type-checked package with its SSA form enters, and what its imports
// know; a prog.Package leaves. The shape of a program comes from the syntax,
// its values from SSA, joined by the positions of calls. The package decides
// nothing: no order, no finding.
package locksummary
