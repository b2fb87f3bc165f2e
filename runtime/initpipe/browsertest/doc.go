// Package browsertest has no code: its tests work the operator's page of
// initpipe in a real Chromium, on two replicas.
//
// Chromium, the accessibility scanner that package.json names (npm ci) and a
// PostgreSQL server enter; nothing leaves. Where one of them is missing the
// tests are skipped, and fail when CI is set.
package browsertest
