// Package viewer opens the page of "pglockdep graph -format html" in a real
// browser, as its reader does.
package viewer
