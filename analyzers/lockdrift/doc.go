// Package lockdrift reports where one path does not do what the others do,
// and locks that the team's own words do not cover.
//
// A view of linked programs enters; findings leave. It needs all paths: of a
// view that sees only what one package imports it reports nothing. Names on
// the page that exist no more are found where the page is at hand, by the
// command.
package lockdrift
