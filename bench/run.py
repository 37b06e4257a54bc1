#!/usr/bin/python3
"""./dev bench: what recording, replaying and analysing cost, in time and in space. See bench/README.md."""
import sys

sys.dont_write_bytecode = True

import argparse
import os
import shutil
import signal
import tempfile
import time

import percall
import racing
import report
import scale
import suite
from generate import view
from live import checked, stops
from runner import Failure, Outcome, Runner, TOP


class Row:
    """All runs of one benchmark under one MPI: a list of rounds, each {variant: Outcome}."""

    def __init__(self, bench, mpi, variants):
        self.bench, self.mpi, self.rounds, self.failures = bench, mpi, [], []
        self.variants = variants

    def pairs(self, variant, metric):
        """(bare, variant) of every round that has both."""
        return [(r["bare"].values[metric], r[variant].values[metric]) for r in self.rounds
                if all(v in r and metric in r[v].values for v in ("bare", variant))]

    def values(self, variant, metric):
        return [r[variant].values[metric] for r in self.rounds
                if variant in r and metric in r[variant].values]


class Session:
    def __init__(self, options, folder):
        self.options, self.problems = options, []
        self.started = time.monotonic()
        self.runner = Runner(folder, options.hbdb, options.nice)
        self.mpis = [m for m in options.mpi if suite.have_compiler(m)]
        for mpi in set(options.mpi) - set(self.mpis):
            self.problems.append(f"{mpi}: no compiler or launcher: install its -dev package")
        self.levels = ["bare"]
        if self.runner.hbdb:
            self.levels += ["order", "events"]
        else:
            self.problems.append(f"{options.hbdb}: not there, bare runs only")
        self.missing = []
        self.parts = []  # what measures and tells for itself
        if self.wanted("racing") and self.runner.hbdb and "openmpi" in self.mpis:
            self.parts.append(racing.Racing(options.quick, self.say, self.runner))
        if self.wanted("stops") and self.runner.hbdb and "openmpi" in self.mpis:
            self.parts.append(stops.Stops(options.quick, self.say, self.runner))
        if self.wanted("checked") and self.runner.hbdb:
            self.parts.append(checked.Checked(options.quick, self.say, self.runner, self.mpis))
        if self.wanted("scale"):
            self.parts.append(scale.Scale(options.quick, self.say, folder, os.path.dirname(options.hbdb)))
        if self.wanted("view"):
            self.parts.append(view.View(options.quick, self.say, folder, os.path.dirname(options.hbdb)))

    def say(self, text):
        if self.options.verbose:
            print(f"-- {time.monotonic() - self.started:5.0f} s  {text}", file=sys.stderr, flush=True)

    def wanted(self, name):
        return not self.options.only or any(o in name for o in self.options.only)

    def rows(self):
        chosen = []
        for bench in suite.benchmarks() + [suite.single_calls()]:
            if not self.wanted(bench.name):
                continue
            bench.prepare(self.runner, self.options.quick)
            for mpi in bench.ranks:
                if mpi not in self.mpis:
                    continue
                if bench.missing(mpi):
                    self.missing.append(f"{bench.name}: {bench.missing(mpi)} is not installed")
                    continue
                variants = self.levels + (["replay"] if bench.replay and self.runner.hbdb else [])
                chosen.append(Row(bench, mpi, variants))
        return chosen

    def one_round(self, row, number):
        """One run of every variant, beginning with another one each time; replay after events."""
        done = {}
        levels = [v for v in row.variants if v != "replay"]
        turned = levels[number % len(levels):] + levels[:number % len(levels)]
        if row.bench.warm:
            self.one_run(row, "bare", None)
        for variant in turned + [v for v in row.variants if v == "replay"]:
            if variant == "replay" and "events" not in done:
                continue
            recording = self.runner.recording(variant)
            if variant != "replay":
                self.runner.forget(recording)
            self.say(f"{row.bench.name}, {row.mpi}, {variant}, round {number + 1}")
            try:
                done[variant] = self.one_run(row, variant, recording)
                if variant in ("order", "events"):
                    self.runner.weigh(done[variant], recording)
            except (Failure, OSError, ValueError, KeyError) as failure:
                row.failures.append((variant, str(failure) or repr(failure)))
        self.compare(row, done)
        row.rounds.append(done)

    def one_run(self, row, variant, recording):
        bench = row.bench
        command = bench.command(self.runner, row.mpi, self.options.quick)
        outcome = self.runner.run(variant, command, recording, bench.environment(self.runner))
        bench.read(self.runner, outcome)
        for metric, _, _ in bench.metrics:
            if metric not in outcome.values:
                raise Failure(f"no line `bench: {metric}` in the output")
        return outcome

    def compare(self, row, done):
        """Results that hbdb must not change, and results that a replay must repeat."""
        for variant, outcome in done.items():
            if "bare" in done and outcome.checks != done["bare"].checks:
                row.failures.append((variant, "the program printed another result than without hbdb"))
        if "replay" in done and done["replay"].results != done["events"].results:
            row.failures.append(("replay", "the replay printed another result than the recorded run"))

    def all_rounds(self, rows):
        for number in range(self.options.pairs):
            spent = time.monotonic() - self.started
            # a round that would end after the budget is not begun
            if number and spent + (spent - self.before_rounds) / number > self.options.budget:
                self.problems.append(f"{number} of {self.options.pairs} rounds fitted into "
                                     f"{self.options.budget} s")
                return
            for row in rows:
                if time.monotonic() - self.started > 1.2 * self.options.budget:
                    self.problems.append(f"round {number + 1} was cut short: the machine is busy, or slow")
                    return
                # what failed twice will fail again
                if len(row.failures) < 2 * len(row.variants):
                    self.one_round(row, number)

    def measure(self):
        self.runner.compile(self.mpis)
        output, finished = self.runner.execute(["./clocks"])
        machine = Outcome(output, finished).values
        counted = {}
        if self.options.counts:
            counted, lost = percall.count_all(self.runner, self.mpis, self.levels,
                                              self.options.quick, self.say)
            self.missing += lost
        self.before_rounds = time.monotonic() - self.started
        rows = self.rows()
        self.all_rounds(rows)
        for part in self.parts:  # after the rounds, whose budget they are not part of
            part.run()
        return report.Report(self, rows, machine, counted)


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    add = parser.add_argument
    add("--quick", action="store_true", help="small sizes, under 6 minutes")
    add("--write", action="store_true", help="write the table to bench/results.md as well")
    add("--only", action="append", metavar="NAME", help="benchmarks whose name contains NAME")
    add("--mpi", action="append", choices=["openmpi", "mpich"], help="one MPI only")
    add("--pairs", type=int, metavar="N", help="rounds (default 3 quick, 9 full)")
    add("--budget", type=float, metavar="S", help="seconds after which no round begins (95; 560)")
    add("--no-counts", dest="counts", action="store_false",
        help="leave out instructions, allocations and system calls per call")
    add("--hbdb", default=os.path.join(TOP, "build", "hbdb"), metavar="PATH")
    add("--nice", type=int, default=5, metavar="N", help="priority of the runs (default 5)")
    add("--keep", action="store_true", help="keep the working folder and say where it is")
    add("-v", "--verbose", action="store_true", help="say what is running")
    options = parser.parse_args(arguments)
    options.mpi = options.mpi or ["openmpi", "mpich"]
    options.pairs = options.pairs or (3 if options.quick else 9)
    options.budget = options.budget or (95 if options.quick else 560)
    options.hbdb = os.path.abspath(options.hbdb)
    return options


def main():
    options = options_of(sys.argv[1:])
    folder = tempfile.mkdtemp(prefix="hbdb-bench-")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        done = Session(options, folder).measure()
    except Failure as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 2
    finally:
        if options.keep:
            print(f"-- kept {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    text = done.text()
    print(text, flush=True)
    if options.write:
        with open(os.path.join(TOP, "bench", "results.md"), "w") as results:
            results.write(done.markdown(text))
    return 1 if done.failed() else 0


if __name__ == "__main__":
    sys.exit(main())
