module github.com/pglockdep/pglockdep/golangci

go 1.26.0

require (
	github.com/pglockdep/pglockdep v0.0.0
	golang.org/x/tools v0.52.0
)

require github.com/sqlc-dev/oliphant v0.2.0 // indirect

require (
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/golangci/plugin-module-register v0.1.2
	github.com/pganalyze/pg_query_go/v5 v5.1.0 // indirect
	golang.org/x/mod v0.43.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace github.com/pglockdep/pglockdep => ../
