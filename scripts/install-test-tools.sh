#!/usr/bin/env bash
# Installs what the tests start: a browser, strace and FUSE (fault injection), lsattr,
# curl, and Postgres. Needs Debian or Ubuntu, and root or sudo where something is missing.
set -euo pipefail

wanted=()
command -v chromium >/dev/null || wanted+=(chromium)
command -v strace >/dev/null || wanted+=(strace)
command -v lsattr >/dev/null || wanted+=(e2fsprogs)
# Root mounts by itself.
[ "$(id -u)" -eq 0 ] || command -v fusermount3 >/dev/null || wanted+=(fuse3)
command -v curl >/dev/null || wanted+=(curl)
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || wanted+=(postgresql)
[ ${#wanted[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "The tests need ${wanted[*]}; this is not Debian or Ubuntu, so install them by hand and run make test again." >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "The tests need ${wanted[*]}: run 'apt-get install ${wanted[*]}' as root, then make test again." >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "installing for the tests: ${wanted[*]}"
"${as_root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
