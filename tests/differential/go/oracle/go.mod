module applyorder.test/go

go 1.26

require (
	github.com/apparentlymart/go-versions v1.0.3
	github.com/hashicorp/go-version v1.9.0
)
