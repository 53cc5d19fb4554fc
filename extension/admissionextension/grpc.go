package admissionextension

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/tap"

	"github.com/trackwayhq/trackway/internal/admission"
)

var _ extensionmiddleware.GRPCServer = (*admissionExtension)(nil)

// windowBytes is what gRPC takes of a message before it is read.
const windowBytes = 64 << 10

// connectionWindowBytes lets a connection over a slow line carry 10 MB/s at 100 ms.
const connectionWindowBytes = 1 << 20

// GetGRPCServerOptions bounds a server. gRPC receives and inflates a message
// before any interceptor runs, the receiver's authentication included, so a call
// is admitted when its headers are there (tap). It then waits, its message unread,
// until the budget has room for the longest one (stats handler), and gives back the
// rest when the size of its own is known. The interceptor, which runs after the
// receiver's authentication, charges the project. Windows do not grow by
// themselves, so what waits is small.
func (a *admissionExtension) GetGRPCServerOptions(context.Context) ([]grpc.ServerOption, error) {
	if a.cfg.MaxMessageBytes > math.MaxInt {
		return nil, fmt.Errorf("max_message_bytes: %d is more than this machine can address", a.cfg.MaxMessageBytes)
	}
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(int(a.cfg.MaxMessageBytes)),
		grpc.ForceServerCodecV2(&codec{CodecV2: encoding.GetCodecV2(codecName), a: a}),
		grpc.StaticStreamWindowSize(windowBytes),
		grpc.StaticConnWindowSize(connectionWindowBytes),
		grpc.InTapHandle(a.tap),
		grpc.StatsHandler(receiving{}),
		grpc.ChainUnaryInterceptor(a.intercept),
	}, nil
}

// call is a gRPC call in progress.
type call struct {
	*request
	waiting func()             // ends its being one of the calls that wait
	slow    *time.Timer        // ends the call when its message does not arrive
	checked bool               // the project is known and has been asked
	size    int64              // of the message, inflated
	noRoom  bool               // waited too long; the end of its context may come too late
	refusal *admission.Refusal // of the codec, which left the message undecoded
	forget  func() bool        // undoes what the end of the stream would cause
}

type callKey struct{}

// tap is called with the headers of a call. It must not block: it holds up the
// connection.
func (a *admissionExtension) tap(ctx context.Context, info *tap.Info) (context.Context, error) {
	c := &call{request: &request{a: a}}
	if a.authenticator != nil {
		authenticated, err := a.authenticator.Authenticate(ctx, info.Header)
		if err != nil {
			return nil, err
		}
		var refusal *admission.Refusal
		c.project, refusal = a.admit(client.FromContext(authenticated).Auth, time.Now())
		if refusal != nil {
			a.telemetry.refuse(ctx, refusal.Reason)
			return nil, refusal
		}
		c.checked = true
	}
	if !a.calls.acquire(1) {
		a.telemetry.refuse(ctx, a.errManyCalls.Reason)
		return nil, a.errManyCalls
	}
	c.waiting = sync.OnceFunc(func() { a.calls.release(1) })
	ctx, cancel := context.WithCancel(ctx)
	c.slow = time.AfterFunc(a.cfg.ReceiveTimeout, func() {
		a.telemetry.refuse(context.WithoutCancel(ctx), "receive_timeout")
		cancel()
	})
	// The end of the stream, however it comes, gives back what the call holds.
	c.forget = context.AfterFunc(ctx, func() {
		c.slow.Stop()
		c.waiting()
		c.finish(false)
		cancel()
	})
	return context.WithValue(ctx, callKey{}, c), nil
}

// intercept is called with the decoded message.
func (a *admissionExtension) intercept(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return next(ctx, req) // not of this server's tap
	}
	refusal := c.refusal
	if c.noRoom {
		refusal = a.errBusy
	}
	if refusal != nil {
		a.telemetry.refuse(ctx, refusal.Reason)
		return nil, refusal
	}
	if !c.checked {
		p, refusal := a.admit(client.FromContext(ctx).Auth, time.Now())
		if refusal != nil {
			a.telemetry.refuse(ctx, refusal.Reason)
			return nil, refusal
		}
		c.project = p
	}
	c.charge(amount{Bytes: c.size})
	accepted := false
	defer func() {
		c.finish(accepted)
		c.forget()
	}()
	res, err := next(admission.NewContext(ctx, c.request), req)
	accepted = err == nil
	return res, err
}

// receiving is told how far the receiving of a call's message is, by the goroutine
// that receives it.
type receiving struct{}

// HandleRPC keeps a call waiting before its message is read, until there is room
// for the longest, and makes it hold the message's size afterwards.
func (receiving) HandleRPC(ctx context.Context, s stats.RPCStats) {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return
	}
	switch s := s.(type) {
	case *stats.InHeader:
		c.noRoom = !c.await(ctx, c.a.cfg.MaxMessageBytes)
		c.waiting()
	case *stats.InPayload:
		c.slow.Stop()
		decoded := c.a.metered.of(s.Payload)
		c.refusal, c.size = decoded.refusal, int64(s.Length)
		c.adopt(decoded.taken)
		c.shrink(c.size + decoded.bytes)
	}
}

// TagRPC adds nothing.
func (receiving) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// TagConn adds nothing.
func (receiving) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing.
func (receiving) HandleConn(context.Context, stats.ConnStats) {}
