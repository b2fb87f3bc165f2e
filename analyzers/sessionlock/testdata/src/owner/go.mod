module example.test/owner

go 1.26
