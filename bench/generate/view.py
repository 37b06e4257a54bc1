#!/usr/bin/python3
"""What the picture of a recording costs: the first one, the layout of the whole, windows of every size: a part of ./dev bench.

By itself: bench/generate/view.py [--quick] [-v]. Needs bench/generate in the build folder. Recordings are made in a temporary folder
($TMPDIR), one at a time, and removed as soon as they were measured.
"""
import sys

sys.dont_write_bytecode = True

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "bench"))

from tables import columns, figure

PATTERNS = ["farm", "halo", "alltoall", "random"]
RANKS = 64
KINDS = ["all", "some lines", "half of the functions", "a group", "a tag"]
GOAL_MS, GOAL_FIRST_S, GOAL_BYTES = 50, 1, 25
RAW_BYTES_PER_EVENT = 30  # raw and sealed stand side by side while sealing


class Failure(Exception):
    """A recording could not be made or measured."""


class View:
    def __init__(self, quick, say, folder, build=os.path.join(TOP, "build")):
        self.quick, self.say, self.folder = quick, say, folder
        self.tools = os.path.join(build, "bench", "generate")
        self.found, self.failures, self.missing = [], [], []

    def command(self, *arguments):
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise Failure(f"{os.path.basename(arguments[0])} {' '.join(arguments[1:])}: status {done.returncode}: {last}")
        return json.loads(done.stdout)

    def measure(self, pattern, events, *options):
        name = os.path.join(self.folder, "view.hbdb")
        if shutil.disk_usage(self.folder).free < events * RAW_BYTES_PER_EVENT:
            self.missing.append(f"{pattern}, {events:.0e} events: not enough room in {self.folder}")
            return
        self.say(f"picture of {pattern}, {events:.0e} events")
        try:
            jobs = str(max(1, min(len(os.sched_getaffinity(0)), 4)))
            self.command(os.path.join(self.tools, "generate"), "-o", name, "-p", pattern, "-n", str(RANKS), "-e",
                         str(events), "-j", jobs)
            found = self.command(os.path.join(self.tools, "picture"), *options, name)
            if found["first"]["events"] != found["events"]:
                raise Failure(f"the first picture has {found['first']['events']} of {found['events']} events")
            self.found.append((pattern, events, found))
        except (Failure, OSError, ValueError, KeyError) as failure:
            self.failures.append(f"{pattern}, {events:.0e} events: {failure}")
        finally:
            shutil.rmtree(name, ignore_errors=True)

    def run(self):
        if not os.access(os.path.join(self.tools, "picture"), os.X_OK):
            self.missing.append(f"{self.tools}/picture: not built")
            return self
        for pattern in PATTERNS[:2] if self.quick else PATTERNS:
            self.measure(pattern, 10**6)
            self.measure(pattern, 10**7)
        if not self.quick:
            self.measure("halo", 10**8, "-f")
        return self

    # -- text ----------------------------------------------------------------------------------

    @staticmethod
    def worst(found, kinds, what):
        return max(found[f"{kind}, {axis}"][what] for kind in kinds for axis in ("logical", "physical"))

    def table(self):
        header = ["recording", "events", "open s", "first s", "model s", "layout s", "B/event", "all ms", "lines ms",
                  "filter ms", "new filter ms", "mean ms", "shapes", "kB"]
        lines = []
        for pattern, events, f in self.found:
            head = [pattern, f"{events:.0e}", figure(f["open"]["cpu"]), figure(f["first"]["cpu"])]
            if "layout" not in f:
                lines.append(head + ["-"] * 10)
                continue
            shapes = max(f[f"all, {a}"]["boxes"] + f[f"all, {a}"]["arrows"] for a in ("logical", "physical"))
            lines.append(head + [
                figure(f["model"]["cpu"]), figure(f["layout"]["cpu"]),
                figure(f["layout"]["own_kib"] * 1024 / f["events"])] + [
                figure(self.worst(f, kinds, what)) for kinds, what in
                ((KINDS[:1], "worst_ms"), (KINDS[1:2], "worst_ms"), (KINDS[2:], "worst_ms"), (KINDS[2:], "first_ms"),
                 (KINDS, "mean_ms"))] + [shapes, figure(self.worst(f, KINDS, "bytes") / 1000)])
        return [f"The picture, {RANKS} ranks: seconds and milliseconds of one core. first: from the indexes; B/event: of the layout beside "
                "the model; then the slowest of 180 windows from everything to a millionth, 1600 columns, on both axes: all, for some lines, "
                "with a filter, the first time with it; shapes: most boxes and arrows; kB: of the longest answer", ""] + columns(header, lines)

    def goals(self):
        for pattern, events, f in self.found:
            if events >= 10**7:
                took = f["open"]["cpu"] + f["first"]["cpu"]
                yield f"first picture, {events:.0e} events, s", pattern, f"< {GOAL_FIRST_S}", figure(took), took < GOAL_FIRST_S
            if "layout" not in f or events < 10**7:
                continue
            slow, each = self.worst(f, KINDS, "worst_ms"), f["layout"]["own_kib"] * 1024 / f["events"]
            yield f"any window, {events:.0e} events, ms", pattern, f"< {GOAL_MS}", figure(slow), slow < GOAL_MS
            yield f"memory, {events:.0e} events, B/event", pattern, f"<= {GOAL_BYTES}", figure(each), each <= GOAL_BYTES

    def lines(self):
        parts = [self.table()] if self.found else []
        goals = [[g, w, limit, reached, "yes" if met else "NO"] for g, w, limit, reached, met in self.goals()]
        if goals:
            parts.append(["Goals of the picture", ""] + columns(["goal", "recording", "limit", "reached", "met"], goals))
        parts.append([f"view, not measured: {m}" for m in self.missing] + [f"FAILED view, {f}" for f in self.failures])
        return "\n\n".join("\n".join(p) for p in parts if p).split("\n") if any(parts) else []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="1e6 and 1e7 events of two patterns, a minute")
    parser.add_argument("--build", default=os.path.join(TOP, "build"))
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    started = time.monotonic()

    def say(text):
        if options.verbose:
            print(f"-- {time.monotonic() - started:5.0f} s  {text}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="hbdb-view-") as folder:
        view = View(options.quick, say, folder, options.build).run()
    print("\n".join(view.lines()))
    return 1 if view.failures else 0


if __name__ == "__main__":
    sys.exit(main())
