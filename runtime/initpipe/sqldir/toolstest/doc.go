// Package toolstest has no code: its tests work databases by turns with the
// migration tools themselves and with sqldir. It is a module of its own so
// that the tools are in nobody's module graph.
package toolstest
