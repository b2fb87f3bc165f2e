module example.test/ways

go 1.26
