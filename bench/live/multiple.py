#!/usr/bin/python3
"""What recording costs under MPI_THREAD_MULTIPLE: processor time of small messages that 2 and 4 threads of a process send to it, bare, recorded, and
recorded without the order between threads, in rounds; ratios are taken within a round. --beside: another build of hbdb that takes part in each."""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n", "1"],
          "mpich": ["mpiexec.mpich", "-n", "1"]}
KINDS = [("windows, a tag each", 1, 0), ("windows, one tag", 1, 1), ("MPI_Sendrecv, a tag each", 0, 0), ("MPI_Sendrecv, one tag", 0, 1)]


def value(command):
    done = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return float(re.search(r"^bench: message\.p10 (\S+) ns$", done.stdout, re.M).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--mpi", choices=sorted(LAUNCH), action="append")
    parser.add_argument("--hbdb", default=os.path.join(TOP, "build", "hbdb"))
    parser.add_argument("--beside", metavar="HBDB")
    options = parser.parse_args()
    variants = [("recorded", options.hbdb, []), ("--threads off", options.hbdb, ["--threads", "off"])]
    if options.beside:
        variants.append(("beside", options.beside, []))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for mpi in options.mpi or sorted(LAUNCH):
            program = "./multiple-" + mpi
            subprocess.run(["mpicc." + mpi, "-O2", "-pthread", "-I", TOP + "/bench/programs", "-o", program, TOP + "/bench/programs/threads/multiple.c"], check=True)
            print("%s: ns of a processor for a message, ratios to bare as median [least..greatest] of %d rounds" % (mpi, options.rounds))
            for threads in (2, 4):
                for name, windows, shared in KINDS:
                    command = [*LAUNCH[mpi], program, str(threads), str(windows), str(shared)]
                    bare, ratios = [], {v[0]: [] for v in variants}
                    for i in range(options.rounds):
                        bare.append(value(command))
                        for what, hbdb, more in variants[i % len(variants):] + variants[:i % len(variants)]:
                            subprocess.run(["rm", "-rf", "r.hbdb"], check=True)
                            ratios[what].append(value([hbdb, "record", *more, "-o", "r.hbdb", "--", *command]) / bare[-1])
                    print("%d threads, %-25s bare %7.0f" % (threads, name, statistics.median(bare)), end="")
                    for what, of in ratios.items():
                        print("   %s %.2f [%.2f..%.2f]" % (what, statistics.median(of), min(of), max(of)), end="")
                    print(flush=True)


if __name__ == "__main__":
    sys.exit(main())
