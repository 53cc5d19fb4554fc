#!/usr/bin/env bash
# Says in one sentence each what this machine lacks to build Trackway.
set -euo pipefail

missing=0
need() { echo "$1" >&2; missing=1; }

# version_at_least HAVE WANT compares dotted versions.
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

if ! command -v go >/dev/null; then
  need "Go is not installed: install Go 1.26 or newer (https://go.dev/dl) and run make again."
else
  have=$(go env GOVERSION | sed 's/^go//')
  version_at_least "$have" 1.26 || need "Go $have is too old: Trackway needs Go 1.26 or newer (https://go.dev/dl)."
fi

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  need "Node.js with npm is not installed: install Node 20.19 or newer (https://nodejs.org) and run make again."
else
  have=$(node --version | sed 's/^v//')
  version_at_least "$have" 20.19 || need "Node $have is too old: Trackway needs Node 20.19 or newer (https://nodejs.org)."
fi

case "$(uname -s)/$(uname -m)" in
  Linux/x86_64 | Linux/aarch64) 
    if command -v ldd >/dev/null && ldd --version 2>&1 | grep -qi musl; then
      need "The embedded engine needs glibc; this system uses musl (Alpine?). Use Debian, Ubuntu or another glibc system."
    fi ;;
  Darwin/arm64 | Darwin/x86_64) ;;
  *) need "The embedded engine is published for Linux and macOS on x86-64 and arm64, not for $(uname -s)/$(uname -m)." ;;
esac

exit $missing
