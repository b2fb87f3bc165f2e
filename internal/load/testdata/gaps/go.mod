module example.test/gaps

go 1.26
