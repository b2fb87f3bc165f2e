module github.com/pglockdep/pglockdep/testdata/viewer

go 1.26.0

require (
	github.com/chromedp/chromedp v0.23.1
	github.com/pglockdep/pglockdep v0.0.0
	github.com/yuin/goldmark v1.8.7
)

require (
	github.com/chromedp/cdproto v0.160.1 // indirect
	github.com/dlclark/regexp2/v2 v2.5.2 // indirect
	github.com/dop251/goja v0.0.0-20260917113740-793a2a65c13b // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/go-sourcemap/sourcemap v2.1.3+incompatible // indirect
	github.com/google/pprof v0.0.0-20230207041349-798e818bf904 // indirect
	golang.org/x/text v0.41.0 // indirect
)

replace github.com/pglockdep/pglockdep => ../..
