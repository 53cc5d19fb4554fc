package clickhouserollupexporter

import (
	"strings"

	"go.uber.org/zap/zapcore"
)

// quietCore keeps the queue from saying, for each item it holds when the collector
// stops, that it drops data: such an item stays in the queue's storage.
type quietCore struct {
	zapcore.Core
	stopping <-chan struct{}
}

// With keeps the core quiet under a logger with fields.
func (c quietCore) With(fields []zapcore.Field) zapcore.Core {
	return quietCore{c.Core.With(fields), c.stopping}
}

// Check leaves out what is not so.
func (c quietCore) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	select {
	case <-c.stopping:
		if strings.HasPrefix(e.Message, "Exporting failed.") {
			return ce
		}
	default:
	}
	return c.Core.Check(e, ce)
}
