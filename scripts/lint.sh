#!/bin/bash
# ./dev lint: the checks of the source, and clang-tidy on everything that build/ compiles.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
failed=0
for check in includes mentions sizes layout docs; do
	printf '%s\n' "-- $check"
	python3 "tests/checks/$check.py" | grep -v '^ok' || failed=1
done
printf '%s\n' "-- clang-tidy"
mapfile -t sources < <(python3 - <<'EOF'
import json, os
top = os.getcwd()
for entry in json.load(open("build/compile_commands.json")):
    path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
    if path.startswith(top + "/src/") or path.startswith(top + "/tests/"):
        print(os.path.relpath(path, top))
EOF
)
[ ${#sources[@]} -gt 0 ] || { echo "nothing compiled yet"; exit 1; }
printf '%s\n' "${sources[@]}" | sort -u | xargs -n 4 -P 2 clang-tidy -p build --quiet 2>/dev/null || failed=1
exit $failed
