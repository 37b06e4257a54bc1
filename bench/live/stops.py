#!/usr/bin/python3
"""What a causal stop costs: the farm, replayed to the middle event of its first process, 4 to 32 ranks: a part of ./dev bench.

By itself: bench/live/stops.py [--quick] [--pairs N] [-v]. Open MPI only: ranks outnumber the cores, and it yields. A round records the farm, replays
it to its end, and lets `hbdb debug` go to the middle event; a ratio is taken within a round.
"""
import sys

sys.dont_write_bytecode = True

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from runner import Failure, Runner
from tables import columns, figure, with_spread

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RANKS, QUICK_RANKS = [4, 16, 32], [4, 16]
SECONDS = 120


class Point:
    """So many ranks: seconds of each round, and the most memory that hbdb had."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.replay, self.begin, self.stop, self.further = [], [], [], []
        self.kb = self.events = 0


class Stops:
    def __init__(self, quick, say, runner, pairs=None):
        self.say, self.runner = say, runner
        self.ranks = QUICK_RANKS if quick else RANKS
        self.pairs = pairs or (2 if quick else 5)
        self.points, self.failures = [], []

    def run(self):
        for ranks in self.ranks:
            point = Point(ranks)
            try:
                for _ in range(self.pairs):
                    self.round(point)
                self.points.append(point)
            except (Failure, subprocess.TimeoutExpired) as why:
                self.failures.append("stops, %d ranks: %s" % (ranks, why))
        return self

    def farm(self):
        program = os.path.join(self.runner.folder, "farm-example")
        if not os.path.exists(program):
            self.runner.execute(["mpicc.openmpi", "-O2", "-g", "-std=gnu17", "-o", program,
                                 os.path.join(TOP, "examples/farm.c"), "-lm"])
        return program

    def round(self, point):
        recording = self.runner.recording("events")
        self.runner.forget(recording)
        hbdb = self.runner.hbdb
        self.runner.execute([hbdb, "record", "-o", recording, "--"] + self.runner.launcher("openmpi", point.ranks) +
                            [self.farm()], SECONDS)
        told = json.loads(self.runner.execute([hbdb, "info", "--json", recording])[0])
        point.events = told["events"]
        last = int(self.runner.execute([hbdb, "sql", recording,
                                        "select max(event) from events where rank = 0"])[0].split()[-1])
        began = time.monotonic()
        self.runner.execute([hbdb, "replay", recording], SECONDS)
        point.replay.append(time.monotonic() - began)
        middle, later = "0:%d" % (last // 2), "0:%d" % (last // 2 + last // 20)
        point.begin.append(self.debug(point, recording, "status"))
        point.stop.append(self.debug(point, recording, "goto %s; expect after %s" % (middle, middle)))
        both = self.debug(point, recording, "goto %s; goto %s; expect after %s" % (middle, later, later))
        point.further.append(max(both - point.stop[-1], 0))
        self.runner.forget(recording)
        self.say("farm %d: replay %.2f s, stop %.2f s" % (point.ranks, point.replay[-1], point.stop[-1]))

    def debug(self, point, recording, commands):
        """Seconds of a whole `hbdb debug`, from its start to the end of the job that it ends."""
        command = [self.runner.hbdb, "debug", recording, "--execute", commands]
        began = time.monotonic()
        with tempfile.TemporaryFile() as out:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                     env=self.runner.environment)
            late = threading.Timer(SECONDS, child.terminate)
            late.start()
            _, status, used = os.wait4(child.pid, 0)
            late.cancel()
            child.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.monotonic() - began
            out.seek(0)
            if child.returncode:
                raise Failure("%s: status %d: %s" % (commands, child.returncode, out.read()[-500:].decode()))
        point.kb = max(point.kb, used.ru_maxrss)
        return seconds

    def lines(self):
        if not self.points and not self.failures:
            return []
        rows = []
        for p in self.points:
            ratios = [a / b for a, b in zip(p.stop, p.replay)]
            rows.append([str(p.ranks), str(p.events)] + [figure(statistics.median(v)) for v in (p.replay, p.begin, p.stop)] +
                        [with_spread(ratios), figure(statistics.median(p.further)), figure(p.kb / 1024)])
        out = ["", "Causal stops (Open MPI): hbdb debug of the farm, seconds of the whole command, job ended again; median of the rounds",
               "replay: hbdb replay to the end. begin: all held in MPI_Init. stop: at the middle event of rank 0. further: a twentieth more"]
        out += columns(["ranks", "events", "replay s", "begin s", "stop s", "stop/replay", "further s", "hbdb MB"], rows)
        return out + self.failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--hbdb", default=os.path.join(TOP, "build/hbdb"))
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hbdb-stops-") as folder:
        runner = Runner(folder, options.hbdb, 0)
        stops = Stops(options.quick, lambda text: options.verbose and print("--", text, file=sys.stderr), runner, options.pairs)
        print("\n".join(stops.run().lines()))
    return 1 if stops.failures else 0


if __name__ == "__main__":
    sys.exit(main())
