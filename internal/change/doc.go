// Package change tells what a change of a program does to its locks: what is
// new beside a baseline of accepted findings, and what differs between two
// manifests.
//
// Manifests, findings and baseline files enter; the findings that are new, a
// delta and its text leave. Nothing is told apart by line numbers: moved
// code has not changed. The package runs no analysis and knows no version
// control.
package change
