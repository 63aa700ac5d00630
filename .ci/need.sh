#!/bin/sh
# Brings one Debian package, only when missing: need.sh PACKAGE CHECK...  (CHECK is a command that succeeds when it is there)
set -u
package=$1
shift
if "$@" >/dev/null 2>&1; then exit 0; fi
sudo=""
if [ "$(id -u)" != 0 ]; then sudo="sudo -n"; fi
if command -v apt-get >/dev/null 2>&1; then
  echo "installing the Debian package $package (missing: $*)"
  $sudo apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
    { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends "$package" >/dev/null; }
fi
if "$@" >/dev/null 2>&1; then exit 0; fi
echo "error: $package is needed and could not be installed. Install it (sudo apt-get install $package) and run make again." >&2
exit 1
