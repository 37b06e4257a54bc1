#!/usr/bin/python3
"""What stands where in the picture, against the plain truth: random small runs, and synthetic recordings."""
import sys

sys.dont_write_bytecode = True

import os
import re
import subprocess
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
GENERATE = os.path.join(BUILD, "bench", "generate", "generate")
TESTS = os.path.join(BUILD, "asan", "tests", "layout")
RECORDINGS = [("farm", 16, 20000), ("halo", 9, 20000), ("alltoall", 16, 20000), ("random", 8, 20000),
              ("random", 64, 6000), ("farm", 2, 500), ("halo", 64, 3000), ("random", 3, 5000, "--raw"),
              ("farm", 3, 400000)]
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed$")
passed = failed = 0


def run(name, *arguments):
    """A test program: its lines, and its closing line added up."""
    global passed, failed
    done = subprocess.run([os.path.join(TESTS, name), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=150, check=False)
    lines = done.stdout.rstrip("\n").split("\n")
    closing = CLOSING.match(lines[-1])
    print("\n".join(lines[:-1] if closing else lines), flush=True)
    good, bad = (int(closing[1]), int(closing[2])) if closing else (0, 0)
    if not closing or (done.returncode != 0 and bad == 0):
        print(f"FAIL {name}: status {done.returncode}")
        bad += 1
    passed, failed = passed + good, failed + bad


def main():
    run("test_windows")
    with tempfile.TemporaryDirectory(prefix="hbdb-layout-") as folder:
        names = []
        for pattern, ranks, events, *options in RECORDINGS:
            name = os.path.join(folder, "-".join([pattern, str(ranks), str(events)]))
            subprocess.run([GENERATE, "-o", name, "-p", pattern, "-n", str(ranks), "-e", str(events), *options],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60, check=True)
            names.append(name)
        run("test_windows", "--programs", "60", *names[:-1])
        run("test_overview", *names)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
