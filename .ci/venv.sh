#!/bin/sh
# Makes the project's own .venv and installs the named extras into it: venv.sh PYTHON EXTRA...
set -eu
python=$1
shift
if [ ! -x .venv/bin/python ]; then
  if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    sh .ci/need.sh python3-venv "$python" -c 'import ensurepip, venv'
  fi
  "$python" -m venv .venv
  .venv/bin/python -m pip install -q --disable-pip-version-check --upgrade pip setuptools wheel
fi
extras=$(echo "$*" | tr ' ' ',')
.venv/bin/python -m pip install -q -q --disable-pip-version-check -e ".${extras:+[$extras]}"
