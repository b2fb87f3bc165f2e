module refs

go 1.26
