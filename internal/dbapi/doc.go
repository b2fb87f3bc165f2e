// Package dbapi says what calls of Go database libraries do: which run SQL,
// which begin, end or carry a transaction or a connection, which only build
// text, and which leave the process.
//
// The full symbol of a function enters, as types.Func.FullName prints it.
// What leaves is a Call: plain indexes of receiver, parameters and results.
// Builder libraries also have a renderer, which turns the steps of a chain
// into SQL text. The package reads no Go code and no SQL; a symbol that no
// table names is not known to it, which callers must not read as harmless.
//
// The knowledge is data: one file per library in tables, in the form that
// Parse reads.
package dbapi
