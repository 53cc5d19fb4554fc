package admissionextension

import (
	"reflect"
	"sync"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"github.com/trackwayhq/trackway/internal/admission"
	"github.com/trackwayhq/trackway/internal/otlpmeter"
)

// codecName is the codec of protobuf, which pdata replaces by its own.
const codecName = "proto"

// codec looks at what a message of OTLP takes decoded, before it is. gRPC decodes
// before any interceptor runs, and tells a codec nothing of the call: what it found
// waits in metered, under the message, for the stats handler that comes next.
type codec struct {
	encoding.CodecV2
	a *admissionExtension
}

// Unmarshal decodes, unless the message takes too much: then it stays empty, and
// the interceptor refuses the call.
func (c *codec) Unmarshal(data mem.BufferSlice, v any) error {
	meter := otlpmeter.ForType(reflect.TypeOf(v).Elem().Name())
	if meter == nil {
		return c.CodecV2.Unmarshal(data, v)
	}
	d := c.a.admitDecoded(meter, data)
	if d.refusal == nil {
		if err := c.CodecV2.Unmarshal(data, v); err != nil {
			c.a.budget.release(d.taken)
			return err
		}
	}
	c.a.metered.Store(v, d)
	return nil
}

// admitDecoded takes the room that a message needs decoded, beyond the
// MaxMessageBytes that its call holds.
func (a *admissionExtension) admitDecoded(meter otlpmeter.Meter, data mem.BufferSlice) decoded {
	for _, part := range data {
		if _, err := meter.Write(part.ReadOnlyData()); err != nil {
			return decoded{refusal: badStructure(err)}
		}
		if meter.Bytes() > a.cfg.MaxDecodedBytes {
			return decoded{refusal: tooMuchDecoded(a.cfg.MaxDecodedBytes)}
		}
	}
	more := max(0, int64(data.Len())+meter.Bytes()-a.cfg.MaxMessageBytes)
	if !a.budget.acquire(more) {
		return decoded{refusal: a.errBusy}
	}
	return decoded{bytes: meter.Bytes(), taken: more}
}

// decoded is what a codec found of a message.
type decoded struct {
	bytes   int64 // that it takes decoded
	taken   int64 // bytes of the budget, beside those of the call
	refusal *admission.Refusal
}

// metered keeps what was found, by message, from the codec to the stats handler.
type metered struct{ sync.Map }

// of gives what was found of a message, and forgets it.
func (m *metered) of(v any) (d decoded) {
	if found, ok := m.LoadAndDelete(v); ok {
		d, _ = found.(decoded)
	}
	return d
}
