module example.test/carried

go 1.26
