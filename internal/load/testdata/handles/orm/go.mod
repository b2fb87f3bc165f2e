module example.test/orm

go 1.25
