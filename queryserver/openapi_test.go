package queryserver

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// The UI's types are generated from the committed description.
func TestOpenAPIDocumentIsCurrent(t *testing.T) {
	const path = "../web/openapi.json"
	doc, err := json.MarshalIndent(OpenAPI(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	doc = append(doc, '\n')
	if *update {
		if err := os.WriteFile(path, doc, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: make it with go test -run OpenAPI -update", err)
	}
	if !bytes.Equal(committed, doc) {
		t.Errorf("%s is not what the server describes: rewrite it with go test -run OpenAPI -update", path)
	}
}
