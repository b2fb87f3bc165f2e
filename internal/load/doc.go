// Package load reads a whole Go program and links its lock programs.
//
// Package patterns and a catalog enter. Packages are loaded in two phases:
// metadata of everything first, then syntax and types of the packages that
// can matter. Each is summarized by locksummary, dynamic calls are resolved
// on the call graph, SSA is dropped, and a prog.View leaves. What does not
// load is listed, and the rest is analysed.
package load
