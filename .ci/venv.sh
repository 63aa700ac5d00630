#!/bin/sh
# Makes the project's own .venv and installs the named extras into it: venv.sh PYTHON EXTRA...
set -eu
python=$1
shift
if [ ! -x .venv/bin/python ]; then
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "inktop needs Python 3.9 or newer; $python is not: name one, as make demo PYTHON=python3.11" >&2
    exit 1
  fi
  if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    sh .ci/need.sh python3-venv "$python" -c 'import ensurepip, venv'
  fi
  "$python" -m venv .venv
  .venv/bin/python -m pip install -q --disable-pip-version-check --upgrade pip setuptools wheel
fi
extras=$(echo "$*" | tr ' ' ',')
.venv/bin/python -m pip install -q -q --disable-pip-version-check -e ".${extras:+[$extras]}"
