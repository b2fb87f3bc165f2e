// Package config holds what a team says about its own program: the file
// pglockdep.yaml, the directives in Go and SQL comments, and the waivers of
// both.
//
// What enters is text; what leaves are choices, each with the place it was
// made at, or errors that name line and column. The package knows no program
// and no schema, so it cannot tell whether a name it was given exists; it
// only reports waivers that no finding matched.
package config
