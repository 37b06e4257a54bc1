#!/usr/bin/python3
"""The task farm library beside a farm written by hand: tasks per second, for empty tasks and for longer ones, on a binary tree.

usage: bench/farm/run.py [--pairs N] [--mpi openmpi|mpich] [--nodes N,N...] [--quick]

A pair is a run of each, one directly after the other, beginning with the other one each time; the ratio is taken within the pair. Printed
are medians, and the smallest and largest ratio: 1.00 is as fast as the plain farm, 0.60 is 60 % of its tasks per second. "one" and "two" are
`host = one` (the processes are as many nodes) and `host = two` (two fewer: generator and receiver are processes, too). MPICH does not
leave the processor to others while it waits, so the plain farm has no more processes than there are cores there.
"""
import sys

sys.dont_write_bytecode = True

import argparse
import os
import re
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n"],
          "mpich": ["mpirun.mpich", "-n"]}
CREDITS = 16
TASKS = {0: 1000000, 20: 40000}  # by microseconds of work: about a second on two cores
RUN_SECONDS = 300


def compiled(folder, mpi, name):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "hbdb-farm-" + mpi], env=dict(os.environ, PKG_CONFIG_PATH=BUILD + "/lib/farm"),
                           capture_output=True, text=True, check=True).stdout.split()
    path = os.path.join(folder, "%s.%s" % (name, mpi))
    subprocess.run(["gcc", "-O2", "-o", path, os.path.join(HERE, name + ".c")] + flags, check=True)
    return path


def measure(mpi, processes, program, *arguments):
    """(microseconds for a task, the sum of the results)"""
    command = LAUNCH[mpi] + [str(processes), program] + [str(a) for a in arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS, check=False)
    found = re.search(r"bench: task (\S+) us\ncheck: sum (\d+)", done.stdout)
    if done.returncode or not found:
        sys.exit("failed: %s\n%s%s" % (" ".join(command), done.stdout, done.stderr))
    return float(found[1]), found[2]


def pairs_of(count, plain, tree):
    ratios, times = [], ([], [])
    for turn in range(count):
        both = [None, None]
        for which in (0, 1) if turn % 2 else (1, 0):
            both[which] = (plain, tree)[which]()
        if both[0][1] != both[1][1]:
            sys.exit("the results differ: %s" % both)
        ratios.append(both[0][0] / both[1][0])
        for which in 0, 1:
            times[which].append(both[which][0])
    return ratios, [statistics.median(t) for t in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--mpi", choices=LAUNCH, action="append")
    parser.add_argument("--nodes", default="2,4,8,16,32")
    parser.add_argument("--quick", action="store_true", help="3 pairs, a quarter of the tasks")
    options = parser.parse_args()
    pairs = 3 if options.quick else options.pairs
    print("plain farm with %d credits, %d pairs; load %.1f" % (CREDITS, pairs, os.getloadavg()[0]))
    print("%-8s %9s %5s %5s %14s %14s %6s %15s" % ("MPI", "processes", "us", "host", "plain us/task", "library", "ratio", "(least, most)"))
    with tempfile.TemporaryDirectory(prefix="hbdb-bench-farm.") as folder:
        for mpi in options.mpi or LAUNCH:
            plain, tree = compiled(folder, mpi, "plain"), compiled(folder, mpi, "tree")
            for processes in map(int, options.nodes.split(",")):
                if mpi == "mpich" and processes > max(os.cpu_count(), 2):
                    continue
                for us in TASKS:
                    tasks = TASKS[us] // (4 if options.quick else 1)
                    for host in ("one", "two") if processes > 2 else ("one",):
                        ratios, (alone, ours) = pairs_of(
                            pairs, lambda: measure(mpi, processes, plain, tasks, us * 400, CREDITS),
                            lambda: measure(mpi, processes, tree, tasks, us * 400, "--farm-report=none", "--farm-host=" + host))
                        print("%-8s %9d %5d %5s %14.3f %14.3f %6.2f %15s" % (mpi, processes, us, host, alone, ours,
                              statistics.median(ratios), "(%.2f, %.2f)" % (min(ratios), max(ratios))), flush=True)


main()
