//go:build !linux

package store

import "errors"

func setSync(string) error { return errors.ErrUnsupported }
