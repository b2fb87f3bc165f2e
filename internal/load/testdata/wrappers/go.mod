module example.test/wrappers

go 1.26
