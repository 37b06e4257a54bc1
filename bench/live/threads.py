#!/usr/bin/python3
"""What a lock costs that nobody else wants, under hbdb record and without, in pairs: the median of their differences, and of their ratios."""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HBDB = os.path.join(TOP, "build", "hbdb")


def value(*command):
    return float(subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout.split()[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run(["mpicc.mpich", "-O2", "-pthread", "-o", "locks", TOP + "/bench/programs/threads/locks.c"], check=True)
        pairs = []
        for i in range(options.pairs):
            bare = value("./locks")
            pairs.append((bare, value(HBDB, "record", "-o", "r%d.hbdb" % i, "--", "mpiexec.mpich", "-n", "1", "./locks")))
    more = statistics.median(b - a for a, b in pairs)
    print("a lock and its unlocking that nobody else wants: %.1f ns alone, %.1f ns more when recorded (%.1f for each of the two), "
          "ratio %.2f [%.2f to %.2f], %d pairs"
          % (statistics.median(a for a, _ in pairs), more, more / 2, statistics.median(b / a for a, b in pairs),
             min(b / a for a, b in pairs), max(b / a for a, b in pairs), len(pairs)))


if __name__ == "__main__":
    sys.exit(main())
