module example.test/handles

go 1.25

require (
	example.test/mysql v0.0.0
	example.test/orm v0.0.0
	example.test/otel v0.0.0
)

replace example.test/mysql => ./mysql

replace example.test/orm => ./orm

replace example.test/otel => ./otel
