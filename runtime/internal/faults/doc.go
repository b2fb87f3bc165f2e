// Package faults has no code: its tests break servers, connections and
// programs under locks that are held, and write down what came of it
// (docs/runtime/faults.md).
//
// A PostgreSQL server enters, which the tests start where none is named, and
// PgBouncer; nothing leaves. The long forms run with PGLOCKDEP_FULL set.
package faults
