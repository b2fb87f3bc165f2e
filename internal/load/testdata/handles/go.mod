module example.test/handles

go 1.25
