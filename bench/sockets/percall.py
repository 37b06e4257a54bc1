#!/usr/bin/python3
"""What a call costs by which programs talk, recorded and not: nanoseconds by pairs of runs, and instructions by callgrind.

usage: percall.py [--pairs N] [--only NAME,...] [--no-counts] [--layers user,sockets]

Goal: at most 300 ns a call. The nanoseconds are the median over pairs of runs of the difference of their 10th percentiles."""
import argparse
import glob
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HBDB = os.path.join(HERE, "..", "..", "build", "hbdb")
VARIANTS = {"bare": [], "events": ["--level", "events"], "data": ["--level", "data"]}
GOAL = 300  # ns


def execute(command, folder, **options):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, check=False, **options)
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        sys.exit("exit status %d: %s\n%s" % (done.returncode, " ".join(command), text[-1000:]))
    return text


class Bench:
    def __init__(self, folder, layers):
        self.folder, self.layers = folder, layers
        self.program = os.path.join(folder, "calls")
        execute(["gcc", "-O2", "-g", "-Wall", "-Wextra", os.path.join(HERE, "calls.c"), "-o", self.program], folder)
        usage = subprocess.run([self.program], capture_output=True, text=True, check=False).stderr
        self.operations = {name: int(n) for name, n in re.findall(r"^(\S+) (\d+)$", usage, re.M)}

    def run(self, variant, command):
        recording = os.path.join(self.folder, "run.hbdb")
        shutil.rmtree(recording, ignore_errors=True)
        if variant != "bare":
            layers = self.layers + (",inputs" if variant == "data" else "")
            command = [HBDB, "record", "--layers", layers, "--keep-raw", "-o", recording] + VARIANTS[variant] + ["--"] + command
        return execute(command, self.folder)

    def nanoseconds(self, operation, variant):
        text = self.run(variant, [self.program, operation, "100", "200"])
        return float(re.search(r"\.p10 (\S+) ns", text)[1])

    def instructions(self, operation, variant, turns=2000):
        for old in glob.glob(os.path.join(self.folder, "callgrind.*")):
            os.unlink(old)
        self.run(variant, ["valgrind", "-q", "--tool=callgrind", "--toggle-collect=turns", "--callgrind-out-file=" + self.folder + "/callgrind.%p",
                           self.program, operation, "1", str(turns)])
        totals = [int(re.search(r"^totals: (\d+)", open(name, encoding="utf-8").read(), re.M)[1]) for name in glob.glob(self.folder + "/callgrind.*")]
        return max(totals) / turns / self.operations[operation]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--only", default="", help="these operations, with commas between")
    parser.add_argument("--layers", default="user,sockets")
    parser.add_argument("--no-counts", action="store_true")
    options = parser.parse_args()
    over = 0
    with tempfile.TemporaryDirectory(prefix="hbdb-bench.") as folder:
        bench = Bench(folder, options.layers)
        chosen = [o for o in bench.operations if not options.only or o in options.only.split(",")]
        print("%-10s %8s %28s %28s %8s" % ("a call of", "bare ns", "events: ns more, ratio", "data: ns more, ratio", "instructions more"))
        for operation in chosen:
            pairs = []
            for i in range(options.pairs):
                order = list(VARIANTS) if i % 2 else list(VARIANTS)[::-1]
                pairs.append({v: bench.nanoseconds(operation, v) for v in order})
            cells = []
            for variant in ("events", "data"):
                more = statistics.median(p[variant] - p["bare"] for p in pairs)
                cells.append("%8.0f, %5.2f [%.2f..%.2f]" % (more, statistics.median(p[variant] / p["bare"] for p in pairs),
                                                          min(p[variant] / p["bare"] for p in pairs), max(p[variant] / p["bare"] for p in pairs)))
                over += more > GOAL
            counts = "" if options.no_counts else "  ".join(
                "%.0f" % (bench.instructions(operation, v) - bare) for bare in [bench.instructions(operation, "bare")] for v in ("events", "data"))
            print("%-10s %8.0f %28s %28s %16s" % (operation, statistics.median(p["bare"] for p in pairs), cells[0], cells[1], counts), flush=True)
    print("over %d ns: %d of %d" % (GOAL, over, 2 * len(chosen)))


if __name__ == "__main__":
    main()
