#!/bin/sh
# Writes the golden logs anew, into the folder given; for a change of format before its first release only.
# usage: tests/golden/make.sh [FOLDER]
set -e
top=$(cd "$(dirname "$0")/../.." && pwd)
exec "$top/build/asan/tests/unit/tools/make_golden" "${1:-$top/tests/golden}"
