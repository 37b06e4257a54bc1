#!/usr/bin/python3
"""What a recording for hbdb check costs: record --check beside record, both beside bare. A part of ./dev bench.

By itself: bench/live/checked.py [--quick] [--pairs N] [-v]. A round runs each program bare, under hbdb record and under hbdb
record --check, beginning with another of the three each time; a ratio is taken within a round.
"""
import sys

sys.dont_write_bytecode = True

import argparse
import os
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import suite
from runner import Failure, Runner, TOP
from tables import columns, with_spread

VARIANTS = ["bare", "events", "check"]
PROGRAMS = ["ping-pong 8 B", "stream", "poll", "halo", "halo alone, 64 B", "halo alone, 64 KiB", "amr", "farm, 50 us tasks",
            "farm, 10 us tasks", "LAMMPS"]


class Checked:
    def __init__(self, quick, say, runner, mpis, pairs=None):
        self.quick, self.say, self.runner, self.mpis = quick, say, runner, mpis
        self.pairs = pairs or (2 if quick else 5)
        self.rows, self.failures = [], []

    def run(self):
        for bench in suite.benchmarks():
            if bench.name not in PROGRAMS:
                continue
            bench.prepare(self.runner, self.quick)
            for mpi in bench.ranks:
                if mpi in self.mpis and not bench.missing(mpi):
                    self.point(bench, mpi)
        return self

    def point(self, bench, mpi):
        times = {variant: [] for variant in VARIANTS}
        size = 0
        try:
            for turn in range(self.pairs):
                for k in range(len(VARIANTS)):
                    variant = VARIANTS[(turn + k) % len(VARIANTS)]
                    times[variant].append(self.once(bench, mpi, variant))
                    if variant == "check":
                        size = self.bytes_beside_events()
        except (Failure, OSError, ValueError, KeyError) as why:
            self.failures.append("%s, %s: %s" % (bench.name, mpi, why))
        else:
            self.rows.append((bench, mpi, times, size))
        for variant in VARIANTS[1:]:
            self.runner.forget(self.runner.recording(variant))

    def once(self, bench, mpi, variant):
        recording = self.runner.recording(variant)
        self.runner.forget(recording)
        command = bench.command(self.runner, mpi, self.quick)
        outcome = self.runner.run(variant, command, recording, bench.environment(self.runner))
        bench.read(self.runner, outcome)
        value = outcome.values[bench.metrics[0][0]]
        self.say("%s, %s, %s: %.4g" % (bench.name, mpi, variant, value))
        return value

    def bytes_beside_events(self):
        sizes = {}
        for variant in VARIANTS[1:]:
            path = self.runner.recording(variant)
            sizes[variant] = os.path.isdir(path) and sum(e.stat().st_size for e in os.scandir(path) if e.name.endswith(".log"))
        return sizes["check"] / sizes["events"] if sizes["events"] else 0

    def lines(self):
        if not self.rows and not self.failures:
            return []
        rows = []
        for bench, mpi, times, size in self.rows:
            rows.append([bench.name, mpi, str(bench.ranks[mpi])] +
                        [with_spread([a / b for a, b in zip(times[x], times[y])])
                         for x, y in (("events", "bare"), ("check", "bare"), ("check", "events"))] + ["%.2f" % size])
        out = ["", "record --check beside record (level events): time, median [least..greatest] of the rounds; bytes of the logs"]
        out += columns(["program", "MPI", "ranks", "record / bare", "--check / bare", "--check / record", "bytes"], rows)
        return out + ["failed: " + why for why in self.failures]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, 2 rounds")
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--hbdb", default=os.path.join(TOP, "build/hbdb"))
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    started = time.monotonic()

    def say(text):
        if options.verbose:
            print("-- %5.0f s  %s" % (time.monotonic() - started, text), file=sys.stderr, flush=True)

    mpis = [m for m in ("openmpi", "mpich") if suite.have_compiler(m)]
    with tempfile.TemporaryDirectory(prefix="hbdb-checked-") as folder:
        runner = Runner(folder, os.path.abspath(options.hbdb), 5)
        runner.compile(mpis)
        checked = Checked(options.quick, say, runner, mpis, options.pairs).run()
    print("\n".join(checked.lines()))
    return 1 if checked.failures else 0


if __name__ == "__main__":
    sys.exit(main())
