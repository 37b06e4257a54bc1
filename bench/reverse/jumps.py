#!/usr/bin/python3
"""Jumps among the events of a large process: milliseconds of `monitor goto EVENT`, as hbdb says them.

usage: bench/reverse/jumps.py [EVENTS [MEGABYTES [WORK [JUMPS]]]]   (10000 200 5000 200)

The program is tests/reverse/programs/clock.c; the places are random, in either direction. Run it on an idle machine."""
import os
import random
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    events, megabytes, work, jumps = [int(w) for w in sys.argv[1:]] + [10000, 200, 5000, 200][len(sys.argv) - 1:]
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "clock")
        subprocess.run(["gcc", "-g", "-O0", "-o", program, os.path.join(TOP, "tests/reverse/programs/clock.c")], check=True)
        server = "%s gdbserver -- %s %d %d %d" % (os.path.join(TOP, "build/hbdb"), program, events, megabytes, work)
        words = ["gdb", "-nx", "-batch", "-ex", "file " + program, "-ex", "target remote | " + server, "-ex", "monitor goto END"]
        for _ in range(jumps):
            words += ["-ex", "monitor goto %d" % random.randint(1, events)]
        done = subprocess.run(words + ["-ex", "monitor checkpoints"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
    took = sorted(float(t) for t in re.findall(r"^there, after event \d+, ([0-9.]+) ms", done.stdout, re.M))
    first = re.search(r"at the end.* ([0-9.]+) ms", done.stdout)
    kept = re.search(r"\d+ checkpoints, .*", done.stdout)
    if len(took) != jumps or not first:
        sys.exit("it failed:\n" + done.stdout[-2000:])
    print("%d events, %d MB: to the end %s ms, %s" % (events, megabytes, first[1], kept[0]))
    print("%d jumps: median %.1f ms, 90 %% below %.1f ms, longest %.1f ms" % (jumps, took[jumps // 2], took[jumps * 9 // 10], took[-1]))


if __name__ == "__main__":
    main()
