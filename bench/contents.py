#!/usr/bin/python3
"""What level data keeps, beside `zstd -3` over the payloads: the contents of messages and collectives, one behind the other, of each
process by itself. Our files also have which event brought what, statuses, and the answers of calls that are no events.

bench/contents.py [--full] [--mpi MPI] [NAME...]: programs of bench/suite.py, all of them unless named. Of what the program asks the
system for (--inputs) nothing is kept.
"""
import sys

sys.dont_write_bytecode = True

import argparse
import json
import os
import shutil
import subprocess
import tempfile

from runner import Runner, TOP
from suite import rows_of
from tables import columns

sys.path.insert(0, os.path.join(TOP, "tests/contents"))
from second_reader import Reader

SECONDS = 300


def payloads(runner, recording, rank):
    """The bytes of every buffer that something came into, in the order of events."""
    query = f"SELECT event, piece FROM data WHERE rank = {rank} AND call IS NULL AND type IS NOT NULL"
    out = subprocess.run([runner.hbdb, "sql", "--json", recording, query], capture_output=True, text=True, check=True).stdout
    wanted = {(row["event"], row["piece"]) for row in map(json.loads, out.splitlines())}
    reader = Reader(f"{recording}/rank.{rank}.data")
    pieces = []
    for thread in reader.streams:
        for event, call, parts in reader.items(thread):
            if not call:
                pieces += [p for i, (_, p) in enumerate(parts) if (event, i) in wanted]
    return b"".join(pieces)


def measure(runner, bench, mpi, quick):
    recording = os.path.join(runner.folder, "bench-data.hbdb")
    shutil.rmtree(recording, ignore_errors=True)
    command = bench.command(runner, mpi, quick)
    runner.execute([runner.hbdb, "record", "-o", recording, "--level", "data", "--inputs", "off", "--"] + command, SECONDS,
                   environment=bench.environment(runner))
    processes = json.loads(runner.execute([runner.hbdb, "info", "--json", recording])[0])["processes"]
    sums = dict(came=0, payload=0, zstd=0, ours=0)
    for p in processes:
        payload = payloads(runner, recording, p["rank"])
        packed = subprocess.run(["zstd", "-3", "-q", "-c"], input=payload, capture_output=True, check=True).stdout
        sums["came"] += p["contents"]["came"]
        sums["payload"] += len(payload)
        sums["zstd"] += len(packed)
        sums["ours"] += os.path.getsize(f"{recording}/rank.{p['rank']}.data")
    return sums


def row(runner, bench, args):
    s = measure(runner, bench, args.mpi, not args.full)
    return [bench.name, s["came"], s["payload"], s["zstd"], s["ours"], "%.2f" % (s["ours"] / max(s["zstd"], 1))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--mpi", default="openmpi", choices=("openmpi", "mpich"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="hbdb-bench-")
    runner = Runner(folder, os.path.join(TOP, "build/hbdb"), 5)
    try:
        rows, failed = rows_of(runner, args.mpi, args.names, not args.full, lambda bench: row(runner, bench, args))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(columns(["program", "bytes came in", "payloads", "zstd -3", "rank.N.data", "share"], rows) + failed))
    sys.exit(1 if failed else 0)


main()
