package clickhouserollupexporter

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/trackwayhq/trackway/exporter/clickhouserollupexporter/internal/metadata"
	"github.com/trackwayhq/trackway/internal/convert"
)

// observe registers what is read when metrics are collected.
func (e *rollupExporter) observe() (metric.Registration, error) {
	return e.telemetry.Observe(metadata.Reports{
		OverCap: byName("column", convert.FieldNames[:], func(i int) int64 { return int64(e.conv.OverCap()[i]) }),
		LeftOut: byName("part", convert.PartNames[:], func(i int) int64 { return int64(e.conv.LeftOut()[i]) }),
		DeadLetters: func(observe func(int64, ...metric.ObserveOption)) {
			if e.letters != nil {
				observe(e.letters.Stats().Entries)
			}
		},
		DeadLetterBytes: func(observe func(int64, ...metric.ObserveOption)) {
			if e.letters != nil {
				observe(e.letters.Stats().Bytes)
			}
		},
		BatchIDs: func(observe func(int64, ...metric.ObserveOption)) {
			if e.batchIDs != nil {
				observe(e.batchIDs.index.Stats().IDs)
			}
		},
	})
}

// byName reports a value for each name of an attribute.
func byName(attr string, names []string, value func(i int) int64) metadata.Report {
	return func(observe func(int64, ...metric.ObserveOption)) {
		for i, name := range names {
			observe(value(i), metric.WithAttributes(attribute.String(attr, name)))
		}
	}
}
