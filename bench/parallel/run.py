#!/usr/bin/python3
"""What processes of hbdb-mpi gain over hbdb: pairs of runs, one after the other, so that what else the machine does meets both; and the
processor time of each process, which a busy machine hardly changes.

bench/parallel/run.py [--pairs N] [--size N] [--mpi openmpi|mpich] [--only WORD]. Recordings are made without MPI (bench/generate)."""
import sys

sys.dont_write_bytecode = True

import argparse
import os
import re
import resource
import statistics
import subprocess
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "bench"))
from tables import columns

LAUNCH = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"],
          "mpich": ["mpirun.mpich"]}
# pattern, ranks, events, questions
WORK = [("farm", 1024, 1000000, [["races"], ["check"]]), ("farm", 1024, 300000, [["races", "--all"]]),
        ("random", 256, 500000, [["races", "--all"], ["check"]]), ("random", 1024, 1000000, [["races"]]),
        ("halo", 256, 2000000, [["races"], ["check"], ["order", "0:9", "1:5000"]])]
# each rank says on stderr what it took; the shell waits for nothing else
TIMES = ["sh", "-c", '"$@"; code=$?; times >&2; exit $code', "sh"]
TOOK = re.compile(r"(\d+)m([\d.]+)s (\d+)m([\d.]+)s")


def alone(command):
    """Seconds by the clock and of the processor, and what was printed."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    seconds, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def together(start, command):
    """Likewise; of the processor what the rank took that took most, in its program (user time: waiting is mostly the system's)."""
    begin = time.monotonic()
    done = subprocess.run(start + TIMES + command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    seconds = time.monotonic() - begin
    took = [int(m[1]) * 60 + float(m[2]) for m in TOOK.finditer(done.stderr.decode(errors="replace"))]
    return seconds, max(took, default=0), done.stdout


def pairs_of(options, start, name, question):
    """A row of the table, and how many answers differ."""
    one, several, wrong = [], [], 0
    for _ in range(options.pairs):
        one.append(alone([os.path.join(options.build, "hbdb"), *question, name]))
        several.append(together(start, [os.path.join(options.build, "hbdb-mpi." + options.mpi), *question, name]))
        wrong += one[-1][2] != several[-1][2]
    clock = [min(r[0] for r in runs) for runs in (one, several)]
    cpu = [min(r[1] for r in runs) for runs in (one, several)]
    ratio = statistics.median(a[0] / b[0] for a, b in zip(one, several))
    return [f"{clock[0]:.2f}", f"{clock[1]:.2f}", f"{clock[0] / clock[1]:.2f}", f"{ratio:.2f}",
            f"{clock[0] / max(clock[1] - options.nothing, 1e-3):.2f}", f"{cpu[0]:.2f}", f"{cpu[1]:.2f}",
            f"{cpu[0] / max(cpu[1], 1e-3):.2f}"], wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--size", type=int, default=2)
    parser.add_argument("--mpi", default="mpich", choices=sorted(LAUNCH))
    parser.add_argument("--only", default="", help="recordings and questions with this word")
    parser.add_argument("--build", default=os.path.join(TOP, "build"))
    options = parser.parse_args()
    start = LAUNCH[options.mpi] + ["-n", str(options.size)]
    lines, wrong = [], 0
    with tempfile.TemporaryDirectory(prefix="hbdb-parallel-") as folder:
        options.nothing = min(together(start, [os.path.join(options.build, "hbdb-mpi." + options.mpi), "--version"])[0] for _ in range(3))
        for pattern, ranks, events, questions in WORK:
            wanted = [q for q in questions if options.only in " ".join([pattern, *q])]
            if not wanted:
                continue
            name = os.path.join(folder, f"{pattern}-{ranks}-{events}.hbdb")
            subprocess.run([os.path.join(options.build, "bench", "generate", "generate"), "-o", name, "-p", pattern, "-n", str(ranks), "-e",
                            str(events), "-j", "2"], stdout=subprocess.DEVNULL, check=True)
            for question in wanted:
                row, differ = pairs_of(options, start, name, question)
                wrong += differ
                lines.append([" ".join(question), pattern, ranks, f"{events:.0e}", *row])
                print("--", *lines[-1], file=sys.stderr, flush=True)
    print(f"hbdb against {options.size} processes of hbdb-mpi.{options.mpi}, {options.pairs} pairs, least of them; load {os.getloadavg()[0]:.1f}; "
          f"starting and ending them takes {options.nothing:.2f} s\n")
    print("\n".join(columns(["question", "recording", "ranks", "events", "hbdb s", "hbdb-mpi s", "least/least", "median of pairs",
                             "without the start", "hbdb cpu s", "a rank's cpu s", "cpu/cpu"], lines)))
    if wrong:
        print(f"FAILED: {wrong} answers differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
