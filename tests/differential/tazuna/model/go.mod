module github.com/applyorder/applyorder/tests/differential/tazuna/model

go 1.24

require (
	github.com/Masterminds/semver/v3 v3.5.0
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v2 v2.4.4 // indirect
