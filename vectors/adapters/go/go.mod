module hookproof.example/adapter

go 1.19
