package convert

import (
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/trackwayhq/trackway/internal/conventions"
	"github.com/trackwayhq/trackway/internal/record"
)

// attrName is what is to know of an attribute by its name alone. It is found once for
// each attribute of a record, instead of comparing the name at every step.
type attrName struct {
	name       string
	traits     trait
	promotions [record.Event + 1]*record.Promotion // by kind of record
	// key is the attribute's key in its map, which for headers and correlation keys is
	// the name behind the prefix, as sent.
	key  atomic.Pointer[attrKey]
	sent string
}

// trait is a set of what names can mean.
type trait uint16

const (
	traitCorrelation trait = 1 << iota
	traitRequestHeader
	traitResponseHeader
	traitRequestKind
	traitTrigger // faas.trigger
	traitCron    // faas.cron
	traitRPC     // a SERVER span with it is an RPC
	traitHTTP    // a SERVER span with it is an HTTP request
	traitTarget  // http.target
	traitOurs    // added by components of ours
	traitBeyond  // left out: too many before it
)

const traitHeader = traitRequestHeader | traitResponseHeader

// httpAttributes tell that a SERVER span is an HTTP request, by current and old
// names. Any one of them suffices.
var httpAttributes = [...]string{
	"http.request.method", "http.method", "http.route", "http.response.status_code", "http.status_code",
	"url.path", "http.target", "http.url",
}

var traitsOf = func() map[string]trait {
	m := map[string]trait{
		conventions.RequestKind: traitRequestKind, "faas.trigger": traitTrigger, "faas.cron": traitCron,
		"rpc.system": traitRPC, "rpc.system.name": traitRPC, "rpc.method": traitRPC, "rpc.service": traitRPC,
	}
	for _, name := range httpAttributes {
		m[name] |= traitHTTP
	}
	m["http.target"] |= traitTarget
	return m
}()

// ourPrefix begins the names of attributes that our components add.
const ourPrefix = "trackway."

func newAttrName(name string) *attrName {
	n := &attrName{name: name, sent: name, traits: traitsOf[name]}
	for _, p := range [...]struct {
		prefix string
		trait  trait
	}{
		{conventions.CorrelationPrefix, traitCorrelation},
		{conventions.RequestHeaderPrefix, traitRequestHeader},
		{conventions.ResponseHeaderPrefix, traitResponseHeader},
	} {
		if rest, ok := strings.CutPrefix(name, p.prefix); ok {
			n.traits |= p.trait
			n.sent = rest
		}
	}
	if strings.HasPrefix(name, ourPrefix) || n.traits&traitCorrelation != 0 {
		n.traits |= traitOurs
	}
	for _, k := range [...]record.Kind{record.Request, record.Span, record.Event} {
		n.promotions[k] = record.PromotedAttribute(k, name)
	}
	return n
}

// maxAttrNames bounds the names that are remembered; the rest is looked at each time.
const maxAttrNames = 4 * maxKeys

func (p *projectCaps) name(name string) *attrName {
	if n, ok := p.names.get(name); ok {
		return n
	}
	if len(name) <= maxValueLen {
		name = strings.Clone(name)
		if n, ok := p.names.add(name, maxAttrNames, func() *attrName { return newAttrName(name) }); ok {
			return n
		}
	}
	return newAttrName(name)
}

// read finds the names of a record's attributes, in their order, and gives what they
// mean together. Most records have the same names as the one before them, which are
// compared faster than looked up.
func (b *builder) read(attrs pcommon.Map) (all trait) {
	before := b.names
	b.names = b.names[:0]
	if attrs.Len() > b.conv.opts.Limits.MaxAttributes {
		return b.readMany(attrs)
	}
	for k := range attrs.All() {
		var n *attrName
		if i := len(b.names); i < len(before) && before[i].name == k {
			n = before[i]
		} else {
			n = b.res.caps.name(k)
		}
		all |= n.traits
		b.names = append(b.names, n)
	}
	return all
}

// readMany is read for more attributes than there may be.
func (b *builder) readMany(attrs pcommon.Map) (all trait) {
	stay := 0
	for k := range attrs.All() {
		n := beyond
		if stay < 2*b.conv.opts.Limits.MaxAttributes {
			if found := b.res.caps.name(k); b.stays(found, stay) {
				n = found
				stay++
			}
		}
		all |= n.traits
		b.names = append(b.names, n)
	}
	b.leaveOut(partAttributes, attrs.Len()-stay)
	return all
}

// key gives the key of a map column, nil when there are too many.
func (b *builder) key(n *attrName) *attrKey {
	k := n.key.Load()
	if k == nil {
		if k = b.res.caps.key(n.sent); k != nil {
			n.key.Store(k)
		}
	}
	return k
}

// smallInts are the texts of small numbers, such as statuses.
var smallInts = func() (texts [1000]string) {
	for i := range texts {
		texts[i] = pcommon.NewValueInt(int64(i)).AsString()
	}
	return texts
}()

// asString is pdata's AsString that makes no text of small numbers.
func asString(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return v.Str()
	case pcommon.ValueTypeInt:
		if i := v.Int(); i >= 0 && i < int64(len(smallInts)) {
			return smallInts[i]
		}
	}
	return v.AsString()
}
