#!/bin/bash
# Builds the fuzzers with libFuzzer, ASan and UBSan, and lets each look for findings.
# usage: tests/fuzz/run.sh [SECONDS_EACH [FUZZER...]]     (after ./dev build; it needs clang's run-time library for libFuzzer; work in $FUZZ_DIR or /tmp)
set -e -o pipefail
passed=0 failed=0
top=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- file rows block data pattern trace
work=${FUZZ_DIR:-$(mktemp -d /tmp/hbdb-fuzz.XXXXXX)}
mkdir -p "$work"
cd "$top"
for name; do
	clang -std=gnu17 -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined -Isrc -Iinclude $(find tests/fuzz -name "fuzz_$name.c") $(find src/base src/format src/model/points src/rules/reference src/rules/pattern/pattern.c src/rules/pattern/language src/rules/pattern/check -name "*.c" ! -name "tiles-*") \
		build/src/format/libhbdb_trace_*.a -lzstd -lxxhash -lm -o "$work/fuzz_$name"
	mkdir -p "$work/found-$name"
	longest=40000
	[ "$name" != file ] || longest=140000
	more=
	[ "$name" != pattern ] || more=$top/examples/models longest=4000
	if (cd "$work" && nice -n 19 "./fuzz_$name" -max_total_time="$seconds" -max_len=$longest -timeout=20 -rss_limit_mb=1500 \
		-print_final_stats=1 -verbosity=1 "found-$name" "$top/tests/fuzz/corpora/$name" $more 2>&1 | tee "log-$name" | tail -n 12); then
		passed=$((passed + 1))
	else
		echo "FAIL fuzz_$name: $work/log-$name"
		failed=$((failed + 1))
	fi
done
echo "findings and logs are in $work"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
