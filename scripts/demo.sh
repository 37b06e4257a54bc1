#!/bin/bash
# ./dev demo [openmpi|mpich]: records examples/farm.c, whose result depends on message order, replays it, and says why.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH LC_ALL=C.UTF-8
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
HBDB=$PWD/build/hbdb
DIR=$PWD/build/demo
REPLAYS=5
STARTED=$SECONDS

say() { printf '\n-- %s\n' "$*"; }
show() { printf '$ %s\n' "$*"; }
die() { printf 'demo: %s\n' "$*" >&2; exit 1; }
indent() { sed 's/^/    /'; }

# launch MPI: sets RUN, the command line that runs the farm.
launch()
{
	case $1 in
	openmpi) RUN=(mpirun.openmpi --oversubscribe -n 4 ./farm-openmpi) ;;
	# MPICH does not yield when there are more processes than cores
	mpich) RUN=(mpirun.mpich -n "$(($(nproc) < 3 ? 3 : 4))" ./farm-mpich) ;;
	*) die "no such MPI: $1 (openmpi or mpich)" ;;
	esac
}

# Runs the farm until it printed three different results, at most ten times.
free_runs()
{
	local mpi=$1 run different=0
	say "$mpi: the farm alone, three runs"
	show "${RUN[@]}"
	rm -f "$mpi".free.*
	for run in 1 2 3 4 5 6 7 8 9 10; do
		timeout 60 "${RUN[@]}" >"$mpi.free.$run" || die "the farm failed without hbdb (status $?)"
		printf '  run %d:\n' "$run"
		indent <"$mpi.free.$run"
		different=$(md5sum "$mpi".free.* | cut -d' ' -f1 | sort -u | wc -l)
		[ "$run" -lt 3 ] || [ "$different" -lt 3 ] || break
	done
	if [ "$different" -ge 3 ]; then
		printf '  %d runs, %d different results\n' "$run" "$different"
	else
		printf '  the results happened to agree today: %d runs, %d different\n' "$run" "$different"
	fi
}

record()
{
	local mpi=$1
	say "$mpi: recorded"
	rm -rf "$mpi.hbdb"
	show "hbdb record -o $mpi.hbdb -- ${RUN[*]}"
	timeout 120 "$HBDB" record -o "$mpi.hbdb" -- "${RUN[@]}" >"$mpi.recorded" 2>"$mpi.recorded.err" ||
		{ cat "$mpi.recorded.err" >&2; die "hbdb record failed"; }
	indent <"$mpi.recorded"
	indent <"$mpi.recorded.err"
}

# Returns whether all replays printed what the recorded run printed.
replays()
{
	local mpi=$1 run same=0
	say "$mpi: replayed $REPLAYS times, compared byte for byte with the recorded run"
	show "hbdb replay $mpi.hbdb"
	for ((run = 1; run <= REPLAYS; run++)); do
		timeout 120 "$HBDB" replay "$mpi.hbdb" >"$mpi.replay.$run" 2>"$mpi.replay.$run.err" ||
			{
				printf '  replay %d ended with status %d\n' "$run" $?
				tail -n 5 "$mpi.replay.$run.err" | indent
			}
		if cmp -s "$mpi.recorded" "$mpi.replay.$run"; then
			printf '  replay %d: identical\n' "$run"
			same=$((same + 1))
		else
			printf '  replay %d: DIFFERENT\n' "$run"
			indent <"$mpi.replay.$run"
		fi
	done
	printf '  %d of %d replays identical\n' "$same" "$REPLAYS"
	[ "$same" = "$REPLAYS" ]
}

look()
{
	local mpi=$1
	say "$mpi: what hbdb knows about it"
	show "hbdb info $mpi.hbdb"
	"$HBDB" info "$mpi.hbdb" | indent
	show "hbdb dump --rank 0 --from 1 --to 12 $mpi.hbdb"
	"$HBDB" dump --rank 0 --from 1 --to 12 "$mpi.hbdb" | indent
}

# Exit status 1 is the finding.
why()
{
	local mpi=$1 status=0
	say "$mpi: which receives raced, and what else they could have got"
	show "hbdb races --limit 2 $mpi.hbdb"
	"$HBDB" races --limit 2 "$mpi.hbdb" >"$mpi.races" || status=$?
	indent <"$mpi.races"
	[ "$status" -le 1 ] || die "hbdb races failed (status $status)"
}

# Every process where a receive of rank 0 needs it, with its stack; the picture of that part.
stop()
{
	local mpi=$1 at
	at=$("$HBDB" dump --rank 0 --from 20 --to 23 "$mpi.hbdb" | awk '/MPI_Recv/ { print $1; exit }')
	say "$mpi: run again and stopped at event $at, with everything that it depends on"
	show "hbdb debug $mpi.hbdb --at $at -c 'where; [0] print mean'"
	timeout 120 "$HBDB" debug "$mpi.hbdb" --at "$at" -c 'where; [0] print mean' >"$mpi.stopped" 2>&1 ||
		{ indent <"$mpi.stopped"; die "hbdb debug failed"; }
	indent <"$mpi.stopped"
	show "hbdb graph --around $at -o $mpi.svg $mpi.hbdb"
	"$HBDB" graph --around "$at" -o "$mpi.svg" "$mpi.hbdb" 2>&1 | indent
	printf '  the whole of it, in a browser: hbdb view %s\n' "$DIR/$mpi.hbdb"
}

[ $# -gt 0 ] || set -- openmpi mpich
mkdir -p "$DIR"
cd "$DIR"
failed=0
for mpi in "$@"; do
	launch "$mpi"
	[ "farm-$mpi" -nt ../../examples/farm.c ] || "mpicc.$mpi" -O1 -g -o "farm-$mpi" ../../examples/farm.c
	free_runs "$mpi"
	record "$mpi"
	replays "$mpi" || failed=1
	look "$mpi"
	why "$mpi"
	stop "$mpi"
done
say "done in $((SECONDS - STARTED)) s; recordings and outputs are in build/demo"
[ "$failed" = 0 ] || die "a replay differed from the recorded run"
