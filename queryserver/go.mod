module github.com/trackwayhq/trackway/queryserver

go 1.26.0

require (
	github.com/danielgtaylor/huma/v2 v2.37.2
	github.com/klauspost/compress v1.20.4
	github.com/trackwayhq/trackway v0.0.0
	go.opentelemetry.io/collector/confmap v1.66.0
	go.opentelemetry.io/collector/confmap/provider/envprovider v1.66.0
	go.opentelemetry.io/collector/confmap/provider/fileprovider v1.66.0
	go.uber.org/goleak v1.3.0
	golang.org/x/sync v0.23.0
)

require (
	github.com/go-viper/mapstructure/v2 v2.5.0 // indirect
	github.com/gobwas/glob v0.2.3 // indirect
	github.com/hashicorp/go-version v1.9.0 // indirect
	github.com/knadh/koanf/maps v0.1.3 // indirect
	github.com/knadh/koanf/providers/confmap v1.0.1 // indirect
	github.com/knadh/koanf/v2 v2.3.6 // indirect
	github.com/mitchellh/copystructure v1.2.0 // indirect
	github.com/mitchellh/reflectwalk v1.0.2 // indirect
	go.opentelemetry.io/collector/featuregate v1.66.0 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	go.uber.org/zap v1.28.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/trackwayhq/trackway => ../
