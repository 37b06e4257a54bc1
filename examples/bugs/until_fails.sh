#!/bin/sh
# Records a program until it fails, and keeps the recording of that run.
#
# usage: until_fails.sh NAME TRIES COMMAND...     exit status 0 when it failed
#
# Every send is delayed by a random time below 20 ms (--shake), which brings up rare orders. A run that has not ended after 5
# seconds hangs: it is interrupted as Ctrl-C does it.
name=$1 tries=$2
shift 2
for i in $(seq "$tries"); do
	rm -rf "$name.hbdb"
	if ! timeout -s INT "${PATIENCE:-5}" hbdb record --shake 20000 -o "$name.hbdb" -- "$@" >"$name.out" 2>&1; then
		echo "run $i failed, and is recorded in $name.hbdb"
		exit 0
	fi
done
echo "no failure in $tries runs"
exit 1
