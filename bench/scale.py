#!/usr/bin/python3
"""What matching, clocks and races cost, from 1e6 to 1e8 events and 4 to 4096 ranks: a part of ./dev bench.

By itself: bench/scale.py [--quick] [-v]. Needs bench/generate in the build folder. Recordings are made in a
temporary folder ($TMPDIR), one at a time, and removed as soon as they were measured.
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

from tables import columns, figure

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATTERNS = ["farm", "halo", "alltoall", "random"]
RANKS = [4, 16, 64, 256, 1024, 4096]
PHASES = ["match", "clocks", "races"]
MIDDLE = 64  # ranks at which events vary, and of the goals
GOAL_RATE, GOAL_BYTES = 10e6, 4e9
RAW_BYTES_PER_EVENT, RAW_BYTES_PER_RANK = 20, 5 * 32768  # at most; both forms stand side by side while sealing


class Failure(Exception):
    """A recording could not be made or measured, or the analysis found something else than what is in it."""


class Point:
    """One recording: what the generator says of it, and the best of some runs of the analysis."""

    def __init__(self, pattern, ranks, made, runs):
        self.pattern, self.ranks, self.made = pattern, ranks, made
        self.events = made["events"]
        self.sum = runs[0]["sum"]
        # what the kernel says of the process itself: rusage of a child would begin with the memory of its parent
        self.peak = max(run["races"]["peak_kib"] for run in runs) * 1024
        phases = ["open", "rows", "events"] + PHASES
        self.ns = {p: min(run[p]["cpu"] for run in runs) / self.events * 1e9 for p in phases}
        self.all = sum(self.ns[p] for p in PHASES)
        self.user = sum(min(run[p]["user"] for run in runs) for p in PHASES) / self.events * 1e9


class Scale:
    def __init__(self, quick, say, folder, build=os.path.join(TOP, "build")):
        self.quick, self.say, self.folder = quick, say, folder
        self.tools = os.path.join(build, "bench", "generate")
        self.points, self.failures, self.missing = [], [], []

    def command(self, *arguments):
        """What one of the two programs prints."""
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise Failure(f"{os.path.basename(arguments[0])} {' '.join(arguments[1:])}: status "
                          f"{done.returncode}: {last}")
        return json.loads(done.stdout)

    def check(self, made, run):
        """The model must say what the generator knows."""
        for name in ("events", "sends", "receives", "probes", "matched", "digest"):
            if made[name] != run["model"][name]:
                raise Failure(f"{name}: the model has {run['model'][name]}, the recording {made[name]}")
        if run["model"]["troubles"] or run["model"]["ambiguous"]:
            raise Failure("the model doubts a match of a recording that is whole and without threads")

    def measure(self, pattern, ranks, events, turns):
        name = os.path.join(self.folder, "scale.hbdb")
        need = events * RAW_BYTES_PER_EVENT + ranks * RAW_BYTES_PER_RANK
        if shutil.disk_usage(self.folder).free < 1.5 * need:
            self.missing.append(f"{pattern}, {ranks} ranks, {events:.0e} events: not enough room in {self.folder}")
            return
        self.say(f"{pattern}, {ranks} ranks, {events:.0e} events")
        try:
            jobs = str(max(1, min(len(os.sched_getaffinity(0)), 4)))
            made = self.command(os.path.join(self.tools, "generate"), "-o", name, "-p", pattern, "-n", str(ranks),
                                   "-e", str(events), "-j", jobs)
            runs = []
            for turn in range(turns):
                # reading alone only once: it is not part of the analysis
                options = [] if turn else ["-r"]
                run = self.command(os.path.join(self.tools, "measure"), *options, name)
                self.check(made, run)
                if turn:
                    run["rows"] = run["events"] = {"cpu": float("inf")}
                runs.append(run)
            self.points.append(Point(pattern, ranks, made, runs))
        except (Failure, OSError, ValueError, KeyError) as failure:
            self.failures.append(f"{pattern}, {ranks} ranks, {events:.0e} events: {failure}")
        finally:
            shutil.rmtree(name, ignore_errors=True)

    def run(self):
        if not os.access(os.path.join(self.tools, "measure"), os.X_OK):
            self.missing.append(f"{self.tools}/measure: not built")
            return self
        wide = 10**6 if self.quick else 10**7
        for pattern in PATTERNS:
            for ranks in RANKS:
                self.measure(pattern, ranks, wide, 2)
            for events in [10**7] if self.quick else [10**6, 10**8]:
                self.measure(pattern, MIDDLE, events, 1 if events > wide else 3)
        return self

    # -- text ----------------------------------------------------------------------------------

    @staticmethod
    def size(point):
        """The power of ten nearest to its events."""
        return min((10**k for k in range(3, 10)), key=lambda n: abs(n - point.events))

    def at(self, **wanted):
        found = [p for p in self.points
                 if all((self.size(p) if k == "events" else getattr(p, k)) == v for k, v in wanted.items())]
        return sorted(found, key=lambda p: (PATTERNS.index(p.pattern), p.ranks, p.events))

    def costs(self):
        header = ["recording", "ranks", "events", "file B", "read ns", "match ns", "clocks ns", "races ns",
                  "sum ns", "user ns", "1e6 events/s", "peak MB", "B/event", "racing"]
        lines = []
        for p in self.at():
            racing = f"{p.sum['racing'] / p.sum['wildcards']:.2f}" if p.sum["wildcards"] else "-"
            lines.append([p.pattern, p.ranks, f"{self.size(p):.0e}", f"{p.made['bytes'] / p.events:.1f}",
                          figure(p.ns["events"])] + [figure(p.ns[k]) for k in PHASES]
                         + [figure(p.all), figure(p.user), figure(1e3 / p.all), figure(p.peak / 1e6), figure(p.peak / p.events),
                            racing])
        return ["Matching, clocks and races of synthetic recordings: ns of one core per event (match reads the logs, `read` is that "
                "alone; sum with what the kernel does, user without); racing: of the wildcards", ""] + columns(header, lines)

    def ratios(self):
        """How the cost of one event grows with the number of events, and with that of ranks."""
        header = ["one event costs times", "as with", "match", "clocks", "races", "sum", "peak memory"]
        lines = []

        def compare(p, base, what, than):
            parts = [f"{p.ns[k] / base.ns[k]:.2f}" for k in PHASES]
            lines.append([f"{p.pattern}, {what}", than] + parts
                         + [f"{p.all / base.all:.2f}", f"{p.peak / p.events / (base.peak / base.events):.2f}"])

        for pattern in PATTERNS:
            sizes = sorted(self.at(pattern=pattern, ranks=MIDDLE), key=lambda p: p.events)
            for base, p in zip(sizes, sizes[1:]):
                compare(p, base, f"{MIDDLE} ranks, {self.size(p):.0e} events", f"{self.size(base):.0e} events")
        wide = 10**6 if self.quick else 10**7
        for pattern in PATTERNS:
            row = self.at(pattern=pattern, events=wide)
            for base, p in zip(row, row[1:]):
                compare(p, base, f"{wide:.0e} events, {p.ranks} ranks", f"{base.ranks} ranks")
        return ["Growth: linear is 1.00 in events; a clock has a component for each rank, so 4.00 is the most that 4 times "
                "the ranks explain", ""] + columns(header, lines) if lines else []

    def goals(self):
        """(goal, worst case, limit, reached, met)."""
        rated = [p for p in self.at(ranks=MIDDLE) if p.events > 5e6]
        if rated:
            worst = max(rated, key=lambda p: p.all)
            yield (f"match + clocks + races, 1e6 events/s at {MIDDLE} ranks",
                   f"{worst.pattern}, {self.size(worst):.0e} events", f">= {GOAL_RATE / 1e6:.0f}",
                   figure(1e3 / worst.all), 1e9 / worst.all >= GOAL_RATE)
        largest = self.at(events=10**8)
        if largest:
            worst = max(largest, key=lambda p: p.peak)
            yield ("peak memory of 1e8 events, GB", f"{worst.pattern}, {worst.ranks} ranks",
                   f"<= {GOAL_BYTES / 1e9:.0f}", f"{worst.peak / 1e9:.2f}", worst.peak <= GOAL_BYTES)

    def lines(self):
        if not self.points and not self.failures and not self.missing:
            return []
        parts = [self.costs(), self.ratios()] if self.points else []
        goals = [[g, w, limit, reached, "yes" if met else "NO"] for g, w, limit, reached, met in self.goals()]
        if goals:
            parts.append(["Goals of scale, each against its worst case", ""]
                         + columns(["goal", "worst case", "limit", "reached", "met"], goals))
        remarks = [f"scale, not measured: {m}" for m in self.missing] + [f"FAILED scale, {f}" for f in self.failures]
        parts.append(remarks)
        return "\n\n".join("\n".join(p) for p in parts if p).split("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="1e6 and 1e7 events, 2 minutes")
    parser.add_argument("--build", default=os.path.join(TOP, "build"))
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    started = time.monotonic()

    def say(text):
        if options.verbose:
            print(f"-- {time.monotonic() - started:5.0f} s  {text}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="hbdb-scale-") as folder:
        scale = Scale(options.quick, say, folder, options.build).run()
    print("\n".join(scale.lines()))
    return 1 if scale.failures else 0


if __name__ == "__main__":
    sys.exit(main())
