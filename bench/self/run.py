#!/usr/bin/python3
"""What an event of libhbdb-self costs, beside a clock read: bench/self/run.py

The least of 300 batches of each, in nanoseconds, and the mean of all; batches of all kinds in turn. An event takes a time stamp, so a read of the
processor's counter is part of it; "without it" is the difference of the two."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))


def main():
    with tempfile.TemporaryDirectory(prefix="hbdb-bench.") as folder:
        program = os.path.join(folder, "event")
        subprocess.run(["gcc", "-O2", "-I", os.path.join(TOP, "include"), "-o", program, os.path.join(HERE, "event.c"),
                        "-L", BUILD, "-lhbdb-self", "-Wl,-rpath," + BUILD], check=True)
        done = subprocess.run([program, os.path.join(folder, "log")], capture_output=True, text=True, timeout=600, check=True)
    print("load of the machine: %.1f" % os.getloadavg()[0])
    print("%-32s %8s %8s %12s" % ("", "least", "mean", "without it"))
    counter = None
    for line in done.stdout.splitlines():
        name, least, mean = line.split("\t")
        counter = float(least) if counter is None else counter
        more = "%12.1f" % (float(least) - counter) if "event" in name and "no stream" not in name else ""
        print("%-32s %8s %8s %s" % (name, least, mean, more))


sys.exit(main())
