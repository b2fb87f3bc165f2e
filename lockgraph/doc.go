// Package lockgraph holds the words of the project as types: lock classes,
// modes, acquisitions, edges with their witnesses, cycles, paths, rules,
// findings, and the manifest that carries them.
//
// What enters are acquisitions and the acquisitions held when each was
// wanted; what leaves are a graph, its confirmed cycles, rules and
// differences. Build makes the edges, Solve the cycles, Findings and
// Violations what they say; Rules reads the paths of a manifest; ParseOrder
// reads a declared order. The package knows PostgreSQL's conflict tables (manual of
// version 16, section 13.3) and nothing of Go programs or SQL text. It
// imports the standard library only.
package lockgraph
