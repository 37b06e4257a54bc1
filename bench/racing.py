#!/usr/bin/python3
"""What level racing costs and saves beside order and events, 4 to 64 ranks: a part of ./dev bench.

By itself: bench/racing.py [--quick] [--pairs N] [-v]. Open MPI only: ranks outnumber the cores, and it yields. A round runs
a program bare and at each level, beginning with another one each time; a ratio is taken within a round.
--count: only the instructions of a message of the stream, at its sender and its receiver, under both MPIs (valgrind).
"""
import sys

sys.dont_write_bytecode = True

import argparse
import json
import os
import re
import shutil
import tempfile
import time

import percall
from runner import Failure, Runner
from tables import columns, figure, with_spread

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VARIANTS = ["bare", "order", "racing", "events"]
RANKS, QUICK_RANKS = [4, 16, 64], [4, 16]
PROGRAMS = {  # what it prints per unit of work, and its arguments for so many ranks
    "stream": ("message", lambda ranks: [200000]),
    "farm": ("task", lambda ranks: [4000, 2000]),
    "halo": ("step", lambda ranks: [64, max(8000 // ranks, 100)]),
    "steal": ("node", lambda ranks: [2000, 50]),
}
RUN_SECONDS = 120


class Point:
    """A program with so many ranks: times by variant, round by round, and what the last round left."""

    def __init__(self, program, ranks):
        self.program, self.ranks = program, ranks
        self.times = {v: [] for v in VARIANTS}
        self.left = {}  # by variant: bytes, receives, stored, ctf

    def ratios(self, variant):
        return [t / b for t, b in zip(self.times[variant], self.times["bare"])]


class Racing:
    def __init__(self, quick, say, runner, pairs=None):
        self.say, self.runner = say, runner
        self.ranks = QUICK_RANKS if quick else RANKS
        self.pairs = pairs or (2 if quick else 5)
        self.points, self.failures = [], []

    def run(self):
        for ranks in self.ranks:
            for program in PROGRAMS:
                self.point(Point(program, ranks))
        return self

    def point(self, point):
        try:
            for turn in range(self.pairs):
                self.round(point, turn)
            self.points.append(point)
        except Failure as why:
            self.failures.append(f"{point.program}, {point.ranks} ranks: {why}")

    def round(self, point, turn):
        metric, sizes = PROGRAMS[point.program]
        command = self.runner.launcher("openmpi", point.ranks)
        command.append(os.path.join(self.runner.folder, point.program + ".openmpi"))
        command += [str(n) for n in sizes(point.ranks)]
        measured = {}
        for k in range(len(VARIANTS)):
            variant = VARIANTS[(turn + k) % len(VARIANTS)]
            recording = self.runner.recording(variant)
            self.runner.forget(recording)
            outcome = self.runner.run(variant, command, recording)
            if metric not in outcome.values:
                raise Failure(f"printed no {metric}: {outcome.output[-200:]}")
            measured[variant] = outcome.values[metric]
            self.say(f"{point.program} {point.ranks} {variant}: {measured[variant]:.4g}")
        for variant, value in measured.items():
            point.times[variant].append(value)
        if turn == self.pairs - 1:
            self.weigh(point)
        for variant in VARIANTS:
            self.runner.forget(self.runner.recording(variant))

    def weigh(self, point):
        """Bytes and receives of the last round's recordings, and of that at level events minimized."""
        least = self.runner.recording("min")
        self.runner.forget(least)
        self.runner.execute([self.runner.hbdb, "minimize", self.runner.recording("events"), "-o", least], RUN_SECONDS)
        for variant in ("order", "racing", "events", "min"):
            path = self.runner.recording(variant)
            info = json.loads(self.runner.execute([self.runner.hbdb, "info", "--json", path])[0])
            sizes = {e.name: e.stat().st_size for e in os.scandir(path)}
            point.left[variant] = {
                "bytes": sum(n for name, n in sizes.items() if name.endswith(".log")),
                "ctf": sum(n for name, n in sizes.items() if name.endswith(".ctf")),
                "events": info["events"],
                "receives": info.get("wildcard_receives"),
                "stored": info.get("wildcard_receives_stored"),
            }
        self.runner.forget(least)

    def lines(self):
        if not self.points and not self.failures:
            return []
        rows = [[p.program, str(p.ranks)] + [with_spread(p.ratios(v)) for v in VARIANTS[1:]] for p in self.points]
        out = ["", "Level racing (Open MPI): time beside bare, median [least..greatest] of the rounds"]
        out += columns(["program", "ranks", "order", "racing", "events"], rows)
        rows = []
        for p in self.points:
            racing, least = p.left["racing"], p.left["min"]
            rows.append([p.program, str(p.ranks)] + [p.left[v]["bytes"] for v in ("order", "racing", "min", "events")] +
                        [racing["ctf"], f"{racing['stored']} of {racing['receives']}",
                         f"{least['stored']} of {least['receives']}",
                         figure(8 * least["bytes"] / max(least["stored"], 1)) if least["stored"] else "-"])
        out += ["", "Bytes of the logs, of rank.N.ctf, and wildcard receives stored (order stores them all); minimize reads "
                "the recording at level events"]
        out += columns(["program", "ranks", "order", "racing", "minimize", "events", "ctf", "racing stores",
                        "minimize stores", "bits each"], rows)
        return out + [f"failed: {why}" for why in self.failures]


COUNTED = ["bare", "order", "racing"]
MESSAGES = 2400


def instructions(runner, mpi, variant, messages):
    """Of all calls that send a message, and of all that receive one: {"counted_sends": ..., "counted_receives": ...}."""
    folder = os.path.join(runner.folder, "callgrind")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    set_ = [f"{name}={value}" for name, value in percall.preloaded(runner, mpi, variant).items()]
    runner.execute([f"mpirun.{mpi}", "-n", "2"] + (["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"] if mpi == "openmpi" else []) +
                   ["env"] + set_ + ["valgrind", "-q", "--tool=callgrind", "--toggle-collect=counted_*",
                                     f"--callgrind-out-file={folder}/%p", f"./stream.{mpi}", str(messages), "turns"], RUN_SECONDS)
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name)) as dump:
            text = dump.read()
        which = re.search(r"counted_(?:sends|receives)", text)
        if which:
            found[which[0]] = int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1])
    if len(found) != 2:
        raise Failure(f"callgrind counted {sorted(found)} only, under {mpi}, {variant}")
    return found


def count(runner):
    rows = []
    for mpi in ("openmpi", "mpich"):
        bare = None
        for variant in COUNTED:
            once, twice = (instructions(runner, mpi, variant, n) for n in (MESSAGES, 2 * MESSAGES))
            sent, received = ((twice[k] - once[k]) / MESSAGES for k in ("counted_sends", "counted_receives"))
            bare = bare or sent + received
            rows.append([mpi, variant, f"{sent:.0f}", f"{received:.0f}", f"{sent + received:.0f}", f"{(sent + received) / bare:.2f}"])
    return ["Instructions of a message of 8 bytes of the stream, two ranks, nobody waits"] + columns(
        ["MPI", "level", "its sender", "its receiver", "both", "beside bare"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="4 and 16 ranks, 2 rounds")
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--count", action="store_true", help="the instructions of a message, nothing else")
    parser.add_argument("--hbdb", default=os.path.join(TOP, "build/hbdb"))
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    started = time.monotonic()

    def say(text):
        if options.verbose:
            print(f"-- {time.monotonic() - started:5.0f} s  {text}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="hbdb-racing-") as folder:
        runner = Runner(folder, options.hbdb, 5)
        runner.compile(["openmpi", "mpich"] if options.count else ["openmpi"])
        if options.count:
            print("\n".join(count(runner)))
            return 0
        racing = Racing(options.quick, say, runner, options.pairs).run()
    print("\n".join(racing.lines()))
    return 1 if racing.failures else 0


if __name__ == "__main__":
    sys.exit(main())
