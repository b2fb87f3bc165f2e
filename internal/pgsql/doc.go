// Package pgsql is the only door to the SQL parser and to PL/pgSQL.
//
// SQL text enters; statements leave, each with its place and its tree or
// its error. No text, however it is broken, can crash or hang the process:
// what would overflow the C parser is refused before it gets there. The
// package knows no catalog and no locks.
package pgsql
