package queryserver

import (
	"encoding/json"
	"testing"

	"github.com/trackwayhq/trackway/internal/golden"
)

// The UI's types are generated from the committed description.
func TestOpenAPIDocumentIsCurrent(t *testing.T) {
	doc, err := json.MarshalIndent(OpenAPI(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "../web/openapi.json", string(doc)+"\n")
}
