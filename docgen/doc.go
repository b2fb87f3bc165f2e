// Package docgen writes the page that tells a team which locks its service
// takes, and the pictures of the same graph.
//
// What enters is a manifest and, for the page, the text that is there now;
// what leaves is text: Markdown, Mermaid, DOT, plain paths, a unified diff.
// The package owns only what stands between its markers on a page and keeps
// everything else byte for byte. It reads no program, no schema and no file.
package docgen
