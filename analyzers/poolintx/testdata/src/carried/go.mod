module example.com/carried

go 1.24
