#!/usr/bin/python3
"""How long `hbdb diff` takes for two recordings with digests of whole contents, and what these digests cost while the program runs.

bench/live/compare.py [--mpi MPI] [--events N]: a halo of 64 bytes and no cells, two processes, N events in both recordings together (1e7). Recorded without digests, twice with
them, and once with another grid, whose messages have other lengths from the first one on. Seconds of the whole commands; the most memory hbdb diff had.
"""
import sys

sys.dont_write_bytecode = True

import argparse
import os
import shutil
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from runner import Runner, TOP
from tables import columns

RANKS, SECONDS = 2, 600
OF_A_STEP = 9 * RANKS  # four receives, four sends, one completion


def timed(runner, command, status=(0,)):
    began = time.monotonic()
    child = os.fork()
    if not child:
        os.chdir(runner.folder)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.execvpe(command[0], command, runner.environment)
    _, ended, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(ended) not in status:
        sys.exit("failed: " + " ".join(command))
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", default="mpich", choices=("openmpi", "mpich"))
    parser.add_argument("--events", type=float, default=1e7)
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="hbdb-bench-")
    runner = Runner(folder, os.path.join(TOP, "build/hbdb"), 5)
    try:
        runner.compile([args.mpi])
        steps = int(args.events / 2 / OF_A_STEP)
        rows, bare = [], None
        for name, side, options in (("short", 8, []), ("a", 8, ["--digests", "whole"]), ("b", 8, ["--digests", "whole"]), ("other", 9, ["--digests", "whole"])):
            program = runner.launcher(args.mpi, RANKS) + [f"./halo.{args.mpi}", str(side), str(steps), "exchange"]
            if not bare:
                bare = timed(runner, program)
                rows.append(["bare", "%.2f" % bare[0], "%.2f" % bare[1], "", ""])
            got = timed(runner, [runner.hbdb, "record", *options, "-o", name + ".hbdb", "--"] + program)
            size = sum(e.stat().st_size for e in os.scandir(f"{folder}/{name}.hbdb"))
            rows.append(["record " + " ".join(options), "%.2f" % got[0], "%.2f" % got[1], "", size])
        for what, pair, status in (("diff, the same", ("a", "b"), 0), ("diff, by 16 bits", ("a", "short"), 0), ("diff, another way from the first message on", ("a", "other"), 1)):
            got = timed(runner, [runner.hbdb, "diff", *(p + ".hbdb" for p in pair)], (status,))
            rows.append([what, "%.2f" % got[0], "%.2f" % got[1], "%.0f" % got[2], ""])
        print("%s, %d steps, %d events in each recording" % (args.mpi, steps, steps * OF_A_STEP))
        print("\n".join(columns(["", "s", "s of processors", "MB", "bytes"], rows)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
