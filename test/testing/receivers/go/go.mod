module hookproof.example/receivers

go 1.19

require (
	github.com/lib/pq v1.10.9
	hookproof.example/adapter v0.0.0
)

replace hookproof.example/adapter => ../../../../vectors/adapters/go
