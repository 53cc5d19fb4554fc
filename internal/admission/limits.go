package admission

import "context"

// LimitsAttribute is the attribute of the authentication context that holds the
// limits of the sender's project, as *Limits.
const LimitsAttribute = "trackway.limits"

// Limits are what a project may send; 0 means no limit. Days are those of UTC.
type Limits struct {
	ItemsPerSecond int64 `json:"items_per_second,omitempty" mapstructure:"items_per_second"`
	BytesPerSecond int64 `json:"bytes_per_second,omitempty" mapstructure:"bytes_per_second"`
	ItemsPerDay    int64 `json:"items_per_day,omitempty" mapstructure:"items_per_day"`
	BytesPerDay    int64 `json:"bytes_per_day,omitempty" mapstructure:"bytes_per_day"`
}

// Charger takes note of the items of one request.
type Charger interface{ ChargeItems(n int) }

type chargerKey struct{}

// NewContext gives the request's context the charger of its items.
func NewContext(ctx context.Context, c Charger) context.Context {
	return context.WithValue(ctx, chargerKey{}, c)
}

// ChargeItems charges n items to the request of ctx. Nothing happens to requests
// that came without admission.
func ChargeItems(ctx context.Context, n int) {
	if c, ok := ctx.Value(chargerKey{}).(Charger); ok {
		c.ChargeItems(n)
	}
}
