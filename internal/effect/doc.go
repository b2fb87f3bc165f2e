// Package effect tells what one SQL statement locks: which locks, in which
// order, on how many instances, until when, each by a numbered rule.
//
// A statement's text and a catalog enter; ops of a lock program leave, with
// PL/pgSQL's IF, LOOP and EXCEPTION nested as Go's are. The package sees no
// Go code, and no plan: what the planner decides is marked as such.
package effect
