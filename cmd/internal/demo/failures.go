package demo

import (
	"fmt"
	"strings"
)

// randomErrors are what goes wrong outside the incident.
var randomErrors = []string{"NullReferenceError", "ConnectionResetError", "SerializationError", "ConstraintViolation", "DeadlockDetected"}

var errorMessages = map[string]string{
	"NullReferenceError":   "cannot read field \"owner\" of nothing",
	"ConnectionResetError": "read tcp 10.0.4.17:5432: connection reset by peer",
	"SerializationError":   "cannot encode a value of kind func at .hooks[2]",
	"ConstraintViolation":  "duplicate key value violates unique constraint \"tasks_position_key\"",
	"DeadlockDetected":     "process 4711 waits for ShareLock on transaction 99172",
}

// failure makes the error of a request, with the stack its language would print.
func (t *trace) failure(rt *route, kind, message string) *Error {
	if message == "" {
		message = errorMessages[kind]
	}
	s := services[rt.service]
	return &Error{Type: kind, Message: message, Stack: stack(s, rt, kind, message)}
}

// stack is the same for one kind of error in one route, as real stacks are, so
// that errors group.
func stack(s *service, rt *route, kind, message string) string {
	handler := handlerName(rt)
	line := 20 + len(rt.path)*7%180
	switch s.language {
	case "go":
		return fmt.Sprintf("%s: %s\n\ngoroutine 1187 [running]:\n"+
			"example.com/%[3]s/internal/store.(*Store).do(0xc0001a2000)\n\t/src/internal/store/store.go:%[5]d\n"+
			"example.com/%[3]s/internal/api.(*Server).%[4]s(0xc000412000)\n\t/src/internal/api/%[3]s.go:%[6]d\n"+
			"net/http.HandlerFunc.ServeHTTP(0xc00001c0a8)\n\t/usr/local/go/src/net/http/server.go:2294\n",
			kind, message, s.name, handler, line, line+31)
	case "python":
		return fmt.Sprintf("Traceback (most recent call last):\n"+
			"  File \"/app/%[3]s/views.py\", line %[5]d, in %[4]s\n    result = service.run(request)\n"+
			"  File \"/app/%[3]s/service.py\", line %[6]d, in run\n    return self.client.call(payload, timeout=5)\n"+
			"%[1]s: %[2]s\n", kind, message, s.name, handler, line, line+31)
	default:
		return fmt.Sprintf("%[1]s: %[2]s\n    at %[4]s (/app/src/%[3]s/handlers.js:%[5]d:17)\n"+
			"    at async Layer.handle (/app/node_modules/router/lib/layer.js:152:14)\n"+
			"    at async next (/app/node_modules/router/lib/route.js:%[6]d:11)\n", kind, message, s.name, handler, line, line+31)
	}
}

// handlerName turns POST /orders/:id/pay into postOrdersPay.
func handlerName(rt *route) string {
	name := strings.ToLower(rt.method)
	for part := range strings.SplitSeq(rt.path, "/") {
		if part == "" || strings.HasPrefix(part, ":") {
			continue
		}
		part = strings.ReplaceAll(part, "-", "")
		name += strings.ToUpper(part[:1]) + part[1:]
	}
	return name
}
