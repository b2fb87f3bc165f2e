// Package libraries holds one package for each database library that
// pglockdep knows. A function in it does one thing in the library's way: its
// name is the construct, the comment above it says what the statement locks
// and what it runs on. The comment of the package says which constructs the
// library does not have.
package libraries
