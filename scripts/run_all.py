#!/usr/bin/python3
"""Runs every test program of a folder and adds up their closing lines.

usage: scripts/run_all.py FOLDER [SHARE]

Programs print "ok NAME" and "FAIL NAME", and last "N passed, N failed". One that crashes or prints no
closing line counts as a failure; a folder without programs too.

SHARE: a part of the programs, the next part at the next commit (tests/turn.py).
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests"))
import turn  # noqa: E402

CLOSING = re.compile(r"^(\d+) passed, (\d+) failed$")
LIMIT = 360  # seconds of one program: the longest takes 36 s of a processor


def run(path):
    """Returns (passed, failed) of one program; prints what it says, its closing line apart."""
    try:
        done = subprocess.run([path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
        text, status = done.stdout.decode(errors="replace"), done.returncode
    except subprocess.TimeoutExpired as e:
        text, status = (e.stdout or b"").decode(errors="replace"), "%d s and not done" % LIMIT
    lines = text.rstrip("\n").split("\n")
    closing = CLOSING.match(lines[-1])
    for line in lines[:-1] if closing else lines:
        print(line)
    passed, failed = (int(closing[1]), int(closing[2])) if closing else (0, 0)
    if not closing or (status != 0 and failed == 0) or passed + failed == 0:
        print("FAIL %s: status %s%s" % (os.path.basename(path), status, "" if closing else ", no closing line"))
        failed += 1
    return passed, failed


def main():
    folder = sys.argv[1]
    paths = sorted(os.path.join(folder, n) for n in os.listdir(folder)) if os.path.isdir(folder) else []
    paths = [p for p in paths if os.path.isfile(p) and os.access(p, os.X_OK) and not p.endswith(".so")]
    if len(sys.argv) > 2:
        share = int(sys.argv[2])
        paths = [p for at, p in enumerate(paths) if (at + turn.turn()) % share == 0]
        print(turn.told(share))
    passed = failed = 0
    for path in paths:
        print("# " + os.path.basename(path), flush=True)
        p, f = run(path)
        passed, failed = passed + p, failed + f
    if not paths:
        print("FAIL no test programs in " + folder)
        failed = 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
