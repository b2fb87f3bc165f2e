// Package prog holds lock programs: what one function does to locks, as a
// structured tree of ops over symbolic values, local to the function.
//
// Packages of lock programs enter; they are linked over calls and walked
// with their parameters bound. What leaves is one trace per entry: a tree of
// nodes in execution order, each acquisition with the acquisitions held when
// it was wanted. Edges, paths and checks are visitors of traces.
//
// The package knows neither Go syntax nor SQL: what a statement does comes
// in through Resolver. It imports the standard library and lockgraph only.
package prog
