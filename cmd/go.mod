module github.com/trackwayhq/trackway/cmd

go 1.26.0

require (
	github.com/trackwayhq/trackway v0.0.0
	github.com/trackwayhq/trackway/engine v0.0.0
	github.com/trackwayhq/trackway/queryserver v0.0.0
)

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/spf13/cobra v1.10.2 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	github.com/thejerf/suture/v4 v4.0.6 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace (
	github.com/trackwayhq/trackway => ../
	github.com/trackwayhq/trackway/engine => ../engine
	github.com/trackwayhq/trackway/queryserver => ../queryserver
)
