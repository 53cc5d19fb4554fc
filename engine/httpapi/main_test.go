package httpapi_test

import (
	"testing"

	"github.com/trackwayhq/trackway/engine/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }
