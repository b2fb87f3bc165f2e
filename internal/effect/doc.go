// Package effect tells what one SQL statement locks: which locks, in which
// order, on how many instances, until when, each by a numbered rule.
//
// A statement's text and a catalog enter; ops of a lock program leave, with
// PL/pgSQL's IF, LOOP and EXCEPTION nested as Go's are. Of answers for one
// text; Session plays a text as one database session and writes classes and
// locks out, statement by statement; ClassOf names the class of a lock from
// the values its key is made of. The package sees no Go code, and no plan:
// what the planner decides is marked as such.
//
// The rules stand in rules.txt, one a line, and are cited where they are
// carried out; testdata/rules.txt holds at least one session for each. Their
// first number is the part of a statement's work they are about: 1 conflicts,
// 2 release, 3 names and table locks, 4 locking clauses, 5 changes, 6 foreign
// keys, 7 triggers and functions, 8 advisory locks, 10 definitions.
//
// A statement is analyzed first, taking table locks in the order of the
// parser, the rewriter and the planner; then it is played, taking the locks
// that rows and calls take; AFTER triggers and foreign keys come from a
// queue when its rows are through, deferred ones at COMMIT.
package effect
