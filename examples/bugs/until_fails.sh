#!/bin/sh
# Records a program until it fails, and keeps the recording of that run.
#
# usage: until_fails.sh NAME TRIES COMMAND...     exit status 0 when it failed
#
# RECORD has further options of hbdb record.
#
# It fails when its exit status is not 0, when its output says "wrong", or when it has not ended after 30 seconds (or what PATIENCE says):
# then it hangs, and is interrupted as Ctrl-C does it. Every send is delayed by a random time below 20 ms (--shake), which brings up rare orders.
name=$1 tries=$2
shift 2
for i in $(seq "$tries"); do
	rm -rf "$name.hbdb"
	timeout -s INT "${PATIENCE:-30}" hbdb record --shake 20000 $RECORD -o "$name.hbdb" -- "$@" >"$name.out" 2>&1
	if [ $? -ne 0 ] || grep -q wrong "$name.out"; then
		echo "run $i failed: its output is in $name.out, its recording in $name.hbdb"
		exit 0
	fi
done
echo "no failure in $tries runs"
exit 1
