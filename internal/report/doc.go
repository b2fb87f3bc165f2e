// Package report writes findings for the readers that a check has: people at
// a terminal, programs, and the code hosts that show them beside a change.
//
// What enters are findings and unknowns as the analysis left them, in any
// order; what leaves is one text in a chosen format, the same bytes for the
// same findings. The package judges nothing: it neither drops findings nor
// changes their severity, and it chooses no exit code.
package report
