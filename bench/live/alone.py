#!/usr/bin/python3
"""What it costs to keep all that one process needs, and how fast it runs by itself afterwards.

bench/live/alone.py [--full] [--rounds N] [--mpi MPI] [NAME...]: programs of bench/suite.py, all of them unless named. A round runs each program
bare, at levels events and data, and at level data without what it asks the system for (--inputs off); then every process alone from
the recording at level data. Ratios are taken within a round; printed are the median and the least and greatest.

"alone / recorded": seconds of the whole command `hbdb replay --alone R` beside those between the first and the last MPI call of that process
in the recorded run. "alone / compute": beside those of them that it was not inside of MPI. Both are of the slowest process.
"""
import sys

sys.dont_write_bytecode = True

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from runner import Outcome, Runner, TOP
from suite import rows_of
from tables import columns

SECONDS = 300
VARIANTS = {"bare": None, "events": ["--level", "events"], "data": ["--level", "data"], "inputs off": ["--level", "data", "--inputs", "off"]}


def spans(runner, recording):
    """(rank, seconds between its first and last call, seconds of them outside of MPI)"""
    query = "SELECT rank, max(exit) - min(enter) AS span, sum(duration) AS inside FROM events GROUP BY rank"
    rows = runner.execute([runner.hbdb, "sql", "--json", recording, query])[0]
    return [(row["rank"], row["span"], row["span"] - row["inside"]) for row in map(json.loads, rows.splitlines())]


def a_round(runner, bench, mpi, quick):
    values, recordings = {}, {}
    command, metric = bench.command(runner, mpi, quick), bench.metrics[0][0]
    for name, how in VARIANTS.items():
        recordings[name] = os.path.join(runner.folder, f"bench-{name.replace(' ', '-')}.hbdb")
        shutil.rmtree(recordings[name], ignore_errors=True)
        full = command if how is None else [runner.hbdb, "record", "-o", recordings[name]] + how + ["--"] + command
        outcome = Outcome(*runner.execute(full, SECONDS, environment=bench.environment(runner)))
        bench.read(runner, outcome)
        values[name] = outcome.values[metric]
    ratios = {name: values[name] / values["bare"] for name in list(VARIANTS)[1:]}
    slowest = slowest_compute = 0
    # rank 0 last: that of ABySS reads, and removes, what the others have written
    for rank, span, compute in reversed(spans(runner, recordings["data"])):
        began = time.monotonic()
        runner.execute([runner.hbdb, "replay", "--alone", str(rank), recordings["data"]], SECONDS)
        took = time.monotonic() - began
        slowest, slowest_compute = max(slowest, took / span), max(slowest_compute, took / max(compute, 1e-9))
    return {**ratios, "alone": slowest, "compute": slowest_compute, "value": values["bare"]}


def told(rounds, key):
    values = [r[key] for r in rounds]
    return "%.2f [%.2f..%.2f]" % (statistics.median(values), min(values), max(values))


def row(runner, bench, args):
    rounds = [a_round(runner, bench, args.mpi, not args.full) for _ in range(args.rounds)]
    value = statistics.median(r["value"] for r in rounds)
    return [bench.name, str(bench.ranks[args.mpi]), "%.3g %s" % (value, bench.metrics[0][2])] + \
           [told(rounds, key) for key in ("events", "data", "inputs off", "alone", "compute")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--mpi", default="openmpi", choices=("openmpi", "mpich"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="hbdb-bench-")
    runner = Runner(folder, os.path.join(TOP, "build/hbdb"), 5)
    try:
        rows, failed = rows_of(runner, args.mpi, args.names, not args.full, lambda bench: row(runner, bench, args))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"Level data and one process alone, {args.mpi}: time beside bare, median [least..greatest] of {args.rounds} rounds")
    print("\n".join(columns(["program", "ranks", "bare", "events / bare", "data / bare", "inputs off / bare", "alone / recorded", "alone / compute"], rows)))
    print("\n".join(failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
