module example.test/otel

go 1.25
