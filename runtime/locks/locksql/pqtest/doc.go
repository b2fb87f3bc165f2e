// Package pqtest holds the tests of locksql with both drivers. It is a module
// of its own so that lib/pq is in nobody's module graph.
package pqtest
