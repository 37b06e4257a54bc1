#!/usr/bin/python3
"""Programs that are killed, run out of disk, fork, crash, differ: they behave as without hbdb, and it says what was lost.

usage: run.py [--only PATTERN] [--mpi openmpi|mpich|spread] [--share N] [--list] [--keep]

spread: each test under one MPI, under the other when it has its next turn (../turn.py); else under both, or the one that is named.
--share N: of every N tests only one, another one at every commit.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import signal
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import lib
import turn
import kills, disk, process, tools, libraries, diverge, interrupt, replays, contents  # noqa: E401,F401  each registers its tests


def options_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="tests whose name contains or matches this")
    parser.add_argument("--mpi", choices=lib.MPIS + ("spread",))
    parser.add_argument("--share", type=int, default=1, metavar="N")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep the folders of failed tests")
    return parser.parse_args()


def run_one(name, function, mpi, options):
    """Returns (title, reason or None, seconds)."""
    context, began, reason = lib.Context(mpi), time.time(), None
    note = ""
    try:
        function(context)
    except lib.Failed as failure:
        reason = str(failure)
    except lib.Skipped as skipped:
        note = " skipped: %s" % skipped
    except Exception:  # a defect of the test is a failure, too
        reason = traceback.format_exc()
    if reason and options.keep:
        reason += "\nkept in " + context.dir
    else:
        context.close()
    return "%s %s%s" % (name, mpi, note), reason, time.time() - began


def mpis_of(name, mpis, options):
    if options.mpi == "spread":
        return [turn.pick(name, mpis, options.share)]
    return [mpi for mpi in mpis if options.mpi in (None, mpi)]


def main():
    options = options_of()
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)  # under nohup: what is started here must not ignore it
    cases = [(name, function, mpi) for name, function, mpis in lib.TESTS for mpi in mpis_of(name, mpis, options)
             if turn.has(name, options.share) and (not options.only or options.only in name or fnmatch.fnmatch(name, options.only))]
    if options.list:
        for name, _, mpi in cases:
            print(name, mpi)
        return 0
    if not os.access(lib.HBDB, os.X_OK):
        sys.exit("%s is not there: ./dev build" % lib.HBDB)
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        broken = dict(zip(lib.MPIS, pool.map(lib.build, lib.MPIS)))
    for mpi in lib.MPIS:
        for program, text in broken[mpi].items():
            failed += 1
            print("FAIL %s %s does not compile\n    %s" % (program, mpi, text.replace("\n", "\n    ")))
    # one test of each MPI at a time: that is what two processors bear
    pools = {mpi: concurrent.futures.ThreadPoolExecutor(1) for mpi in lib.MPIS}
    waiting = [pools[mpi].submit(run_one, name, function, mpi, options) for name, function, mpi in cases]
    for done in concurrent.futures.as_completed(waiting):
        title, reason, seconds = done.result()
        passed, failed = passed + (not reason), failed + bool(reason)
        if reason:
            print("FAIL %s (%.1f s) %s" % (title, seconds, reason.rstrip().replace("\n", "\n    ")), flush=True)
        else:
            print("ok %s (%.1f s)" % (title, seconds), flush=True)
    if options.mpi == "spread":
        print("table: each test under one MPI, " + turn.told(2 * options.share))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
