#!/usr/bin/python3
"""The replay of datagrams by their order: N processes, of whose messages no contents are recorded.

usage: order.py [--sizes 2,4,8,16,32,64] [--messages M] [--level LEVEL] [--free N] [--replays N]

For each size: free runs print digests of the order in which each process received, which have to differ; one run is recorded, and all
its replays must print its digests. A line for each size with the median seconds alone, recorded and replayed; then `N passed, N failed`.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import cases
import run as programs
import truth as truths

SECONDS = 600


def timed(command, folder):
    """(what it printed, seconds)"""
    began = time.monotonic()
    out = os.path.join(folder, "out")
    with open(out, "wb") as to:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=to, stderr=subprocess.PIPE, timeout=SECONDS, check=False)
    seconds = time.monotonic() - began
    if done.returncode:
        raise programs.Failed("%s: exit status %d\n%s" % (" ".join(command[:2]), done.returncode, done.stderr.decode(errors="replace")[-600:]))
    with open(out, encoding="ascii") as f:
        return f.read(), seconds


def one_size(n, options, folder):
    """(a line, whether it is as it should be)"""
    program = [os.path.join(cases.BUILT, "udp_random"), "-n", str(n), "-m", str(options.messages)]
    free = [timed(program, folder) for _ in range(options.free)]
    recording = os.path.join(folder, "%d.hbdb" % n)
    text, recorded = timed([truths.HBDB, "record", "--layers", "sockets", "--level", options.level, "-o", recording, "--"] + program, folder)
    replays = [timed([truths.HBDB, "replay", recording], folder) for _ in range(options.replays)]
    kinds = len({out for out, _ in free})
    same = sum(out == text for out, _ in replays)
    line = "%d processes: %d free runs, %d orders; %d of %d replays as recorded; %.3f s alone, %.3f s recorded, %.3f s replayed; %d bytes" % (
        n, len(free), kinds, same, len(replays), statistics.median(s for _, s in free), recorded, statistics.median(s for _, s in replays),
        sum(os.path.getsize(os.path.join(recording, name)) for name in os.listdir(recording)))
    return line, same == len(replays) and (kinds > 1 or n == 2)  # two processes: each has one sender, nothing can overtake


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sizes", default="2,4,8,16,32,64")
    parser.add_argument("--messages", type=int, default=50, help="that each process sends")
    parser.add_argument("--level", default="events")
    parser.add_argument("--free", type=int, default=10)
    parser.add_argument("--replays", type=int, default=5)
    options = parser.parse_args()
    programs.compile_all()
    passed = failed = 0
    for n in map(int, options.sizes.split(",")):
        folder = tempfile.mkdtemp(prefix="hbdb-order.")
        try:
            line, good = one_size(n, options, folder)
        except (programs.Failed, subprocess.TimeoutExpired) as failure:
            line, good = "%d processes: %s" % (n, failure), False
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        passed, failed = passed + good, failed + (not good)
        print("ok" if good else "FAIL", line, flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
