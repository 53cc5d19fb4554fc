package correlationprocessor

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/trackwayhq/trackway/internal/conventions"
)

// Ranks order the sources of one key: what the sender set itself comes first, and
// everything of the record before its resource.
const (
	rankSender   = -1
	rankHeader   = 1 << 8
	rankBaggage  = 1 << 10
	rankPath     = 1 << 12
	rankQuery    = 1 << 13
	rankBody     = 1 << 14
	rankResource = 1 << 20
)

// role is what is read of an attribute beside its value.
type role uint8

const (
	rolePath role = 1 << iota
	roleURL       // path and query, of a URL or a request's target
	roleQuery
	roleBody
	roleBaggage
)

// target is a key and the rank of the source it is read from.
type target struct {
	attribute string // of the key, with its prefix
	rank      int
}

// reading is what is read of one attribute.
type reading struct {
	keys  []target
	roles role
}

// sources are the places that keys are read from, compiled.
type sources struct {
	attributes    map[string]*reading
	may           [maySlots]bool      // by hash of a name: it may be in attributes
	baggage       map[string][]target // by the member's name
	baggagePrefix string
	query         map[string][]target
	paths         []template
	bodies        []bodyPath
	rename        map[string]string
}

func compileSources(cfg *Config) *sources {
	s := &sources{
		attributes: map[string]*reading{}, baggage: map[string][]target{}, query: map[string][]target{},
		baggagePrefix: cfg.BaggagePrefix, rename: cfg.Rename,
	}
	for _, keys := range [...][]KeyConfig{cfg.Keys, cfg.AdditionalKeys} {
		for i := range keys {
			s.key(&keys[i])
		}
	}
	for _, text := range cfg.Paths {
		if t, err := parseTemplate(text); err == nil { // Validate refuses others
			for i := range t.segments {
				if t.segments[i].key != "" {
					t.segments[i].key = conventions.CorrelationPrefix + t.segments[i].key
				}
			}
			s.paths = append(s.paths, t)
		}
	}
	if len(s.paths) > 0 {
		s.role(rolePath, "url.path")
	}
	if len(s.query) > 0 {
		s.role(roleQuery, "url.query")
	}
	if len(s.paths)+len(s.query) > 0 {
		s.role(roleURL, "url.full", "http.url", "http.target")
	}
	if len(s.bodies) > 0 {
		s.role(roleBody, conventions.RequestBody)
	}
	if len(s.baggage) > 0 || s.baggagePrefix != "" {
		s.role(roleBaggage, "baggage", conventions.RequestHeaderPrefix+"baggage")
	}
	return s
}

func (s *sources) key(k *KeyConfig) {
	attribute := conventions.CorrelationPrefix + k.Key
	for i, from := range k.From {
		s.attribute(from, target{attribute, i})
	}
	for i, name := range k.Headers {
		s.attribute(conventions.RequestHeaderPrefix+strings.ToLower(name), target{attribute, rankHeader + i})
	}
	for i, name := range k.Baggage {
		t := target{attribute, rankBaggage + i}
		s.baggage[name] = append(s.baggage[name], t)
		s.attribute("baggage."+name, t)
	}
	for i, name := range k.Query {
		s.query[name] = append(s.query[name], target{attribute, rankQuery + i})
	}
	for i, path := range k.Body {
		s.bodies = append(s.bodies, bodyPath{attribute, strings.Split(path, "."), rankBody + i})
	}
}

func (s *sources) read(name string) *reading {
	r := s.attributes[name]
	if r == nil {
		r = &reading{}
		s.attributes[name] = r
		s.may[mayHash(name)] = true
	}
	return r
}

// maySlots is the size of the table that spares most attributes the map.
const maySlots = 512

func mayHash(name string) uint {
	n := uint(len(name))
	if n == 0 {
		return 0
	}
	return (n*37 ^ uint(name[n-1])*131 ^ uint(name[n/2])*61 ^ uint(name[0])*7) % maySlots
}

func (s *sources) attribute(name string, t target) {
	r := s.read(name)
	r.keys = append(r.keys, t)
}

func (s *sources) role(role role, names ...string) {
	for _, name := range names {
		s.read(name).roles |= role
	}
}

// gather finds the keys among attributes.
func (s *sources) gather(ks *keys, attrs pcommon.Map, base int) {
	for k, v := range attrs.All() {
		if !s.may[mayHash(k)] {
			// nothing is read of it
		} else if r := s.attributes[k]; r != nil {
			for _, t := range r.keys {
				ks.add(found{attribute: t.attribute, value: v, rank: base + t.rank})
			}
			if r.roles != 0 {
				s.derive(ks, r.roles, v, base)
			}
		}
		if key, ok := strings.CutPrefix(k, conventions.CorrelationPrefix); ok {
			as, written := k, true
			if to, renamed := s.rename[key]; renamed {
				as, written = conventions.CorrelationPrefix+to, false
			}
			if base == 0 {
				ks.own++
			}
			ks.add(found{attribute: as, value: v, rank: base + rankSender, written: written && base == 0})
		} else if s.baggagePrefix != "" {
			if key, ok := strings.CutPrefix(k, s.baggagePrefix); ok && keyName.MatchString(key) {
				ks.add(found{attribute: conventions.CorrelationPrefix + key, value: v, rank: base + rankBaggage})
			}
		}
	}
}

// derive reads the keys that stand inside an attribute's value.
func (s *sources) derive(ks *keys, roles role, v pcommon.Value, base int) {
	if roles&roleBaggage != 0 {
		s.baggageOf(ks, v, base)
	}
	text, ok := single(v)
	if !ok {
		return
	}
	path, query := "", ""
	switch {
	case roles&rolePath != 0:
		path = text
	case roles&roleQuery != 0:
		query = text
	case roles&roleURL != 0:
		path, query = splitURL(text)
	}
	if path != "" && len(s.paths) > 0 {
		ks.segments = splitPath(ks.segments[:0], path)
		for i := range s.paths {
			if s.paths[i].match(ks.segments, func(key, value string) {
				ks.add(found{attribute: key, text: value, isText: true, rank: base + rankPath})
			}) {
				break
			}
		}
	}
	if query != "" && len(s.query) > 0 {
		eachParameter(query, func(name, value string) {
			for _, t := range s.query[name] {
				ks.add(found{attribute: t.attribute, text: value, isText: true, rank: base + t.rank})
			}
		})
	}
	if roles&roleBody != 0 {
		eachBodyValue(text, s.bodies, func(p *bodyPath, value string, scalar bool) {
			ks.add(found{attribute: p.key, text: value, isText: true, compound: !scalar, rank: base + p.rank})
		})
	}
}

// baggageOf reads a baggage header, one or several, or a map of members, as an
// NDJSON field gives it.
func (s *sources) baggageOf(ks *keys, v pcommon.Value, base int) {
	member := func(name, value string) { s.member(ks, name, found{text: value, isText: true}, base) }
	switch v.Type() {
	case pcommon.ValueTypeStr:
		eachBaggageMember(v.Str(), member)
	case pcommon.ValueTypeSlice:
		for _, header := range v.Slice().All() {
			if header.Type() == pcommon.ValueTypeStr {
				eachBaggageMember(header.Str(), member)
			}
		}
	case pcommon.ValueTypeMap:
		for name, value := range v.Map().All() {
			s.member(ks, name, found{value: value}, base)
		}
	default:
	}
}

func (s *sources) member(ks *keys, name string, f found, base int) {
	for _, t := range s.baggage[name] {
		f.attribute, f.rank = t.attribute, base+t.rank
		ks.add(f)
	}
	if s.baggagePrefix != "" && keyName.MatchString(name) {
		f.attribute, f.rank = conventions.CorrelationPrefix+name, base+rankBaggage
		ks.add(f)
	}
}

// single gives the text of a string, or of an array of one: headers are arrays by
// the conventions.
func single(v pcommon.Value) (string, bool) {
	if v.Type() == pcommon.ValueTypeSlice && v.Slice().Len() == 1 {
		v = v.Slice().At(0)
	}
	if v.Type() != pcommon.ValueTypeStr {
		return "", false
	}
	return v.Str(), true
}
