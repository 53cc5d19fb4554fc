package admissionextension

import (
	"context"
	"fmt"
	"math"
	"time"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/tap"

	"github.com/trackwayhq/trackway/internal/admission"
)

var _ extensionmiddleware.GRPCServer = (*admissionExtension)(nil)

// GetGRPCServerOptions bounds a server. gRPC receives and inflates a message
// before any interceptor runs, the receiver's authentication included, so a call
// is admitted when its headers are there (tap), and holds the longest message
// until the size of its own is known (stats handler). The interceptor, which runs
// after the receiver's authentication, charges the project.
func (a *admissionExtension) GetGRPCServerOptions(context.Context) ([]grpc.ServerOption, error) {
	if a.cfg.MaxMessageBytes > math.MaxInt {
		return nil, fmt.Errorf("max_message_bytes: %d is more than this machine can address", a.cfg.MaxMessageBytes)
	}
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(int(a.cfg.MaxMessageBytes)),
		grpc.InTapHandle(a.tap),
		grpc.StatsHandler(received{}),
		grpc.ChainUnaryInterceptor(a.intercept),
	}, nil
}

// call is a gRPC call in progress.
type call struct {
	*request
	waiting *time.Timer // ends the call when its message does not arrive
	checked bool        // the project is known and has been asked
	forget  func() bool // undoes what the end of the stream would cause
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
	if refusal := c.hold(a.cfg.MaxMessageBytes); refusal != nil {
		a.telemetry.refuse(ctx, refusal.Reason)
		return nil, refusal
	}
	ctx, cancel := context.WithCancel(ctx)
	c.waiting = time.AfterFunc(a.cfg.ReceiveTimeout, func() {
		a.telemetry.refuse(context.WithoutCancel(ctx), "receive_timeout")
		cancel()
	})
	// The end of the stream, however it comes, gives back what the call holds.
	c.forget = context.AfterFunc(ctx, func() {
		c.waiting.Stop()
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
	if !c.checked {
		p, refusal := a.admit(client.FromContext(ctx).Auth, time.Now())
		if refusal != nil {
			a.telemetry.refuse(ctx, refusal.Reason)
			return nil, refusal
		}
		c.project = p
	}
	c.charge(amount{Bytes: c.size()})
	accepted := false
	defer func() {
		c.finish(accepted)
		c.forget()
	}()
	res, err := next(admission.NewContext(ctx, c.request), req)
	accepted = err == nil
	return res, err
}

// size is the length of the received message, which is what the call holds.
func (c *call) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held
}

// received is told when a message has been received and inflated.
type received struct{}

// HandleRPC makes a call hold its message's size instead of the longest.
func (received) HandleRPC(ctx context.Context, s stats.RPCStats) {
	in, ok := s.(*stats.InPayload)
	if !ok {
		return
	}
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		c.waiting.Stop()
		c.shrink(int64(in.Length))
	}
}

// TagRPC adds nothing.
func (received) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// TagConn adds nothing.
func (received) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing.
func (received) HandleConn(context.Context, stats.ConnStats) {}
