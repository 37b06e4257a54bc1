#!/usr/bin/python3
"""What a ring costs: LAMMPS and memcached bare, under `hbdb record --ring 64M` and under plain `hbdb record`, in rounds.

usage: ring.py [--rounds N] [--ring SIZE] [--steps N] [--variants ring,record] [--only lammps|memcached]

Each round runs bare and the variants, beginning with another one each time; a ratio is taken within a round. Printed are the median and the
smallest and largest ratio to bare, of the time that the program tells itself and of the processor time of all its processes. That of hbdb
itself, which compresses the logs afterwards, is not in it: logs stay raw.
"""
import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TOP, "bench"), os.path.join(TOP, "bench", "sockets")]
import programs  # noqa: E402
import suite  # noqa: E402

HBDB = os.environ.get("HBDB", os.path.join(TOP, "build", "hbdb"))
LAUNCH = ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n", "2"]
RUNS = {
    "lammps": (LAUNCH + ["/usr/bin/lmp", "-in", "in.melt", "-log", "none"], r"^Loop time of (\S+) on", False),
    "memcached": (["sh", "-c", programs.PROGRAMS["memcached"][0]], programs.PROGRAMS["memcached"][1], True),
}


def once(name, how, folder, ring):
    """Seconds that the program tells, and of processors."""
    command, pattern, is_rate = RUNS[name]
    recording = os.path.join(folder, "run.hbdb")
    shutil.rmtree(recording, ignore_errors=True)
    layers = ["--layers", "sockets"] if name == "memcached" else []
    record = [HBDB, "record", "--keep-raw", "-o", recording] + layers
    command = {"bare": [], "ring": record + ["--ring", ring, "--"], "record": record + ["--"]}[how] + command
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600,
                          env=dict(os.environ, OMP_NUM_THREADS="1"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(pattern, done.stdout, re.M)
    if not found:
        raise SystemExit("%s %s: nothing was measured\n%s%s" % (name, how, done.stdout[-2000:], done.stderr[-2000:]))
    told = float(found[1])
    return (1 / told if is_rate else told,
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--ring", default="64M")
    parser.add_argument("--steps", type=int, default=300, help="of LAMMPS")
    parser.add_argument("--variants", default="ring,record")
    parser.add_argument("--only", choices=RUNS)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="hbdb-ring-bench.")
    with open(os.path.join(folder, "in.melt"), "w") as f:
        f.write(suite.MELT.format(steps=options.steps))
    with open(os.path.join(folder, "client.py"), "w") as f:
        f.write(programs.CLIENT)
    try:
        for name in RUNS:
            if options.only not in (None, name):
                continue
            ratios = {how: ([], []) for how in options.variants.split(",")}
            for i in range(options.rounds):
                order = ["bare", *ratios]
                first = i % len(order)
                got = {how: once(name, how, folder, options.ring) for how in order[first:] + order[:first]}
                for how, (told, used) in ratios.items():
                    told.append(got[how][0] / got["bare"][0])
                    used.append(got[how][1] / got["bare"][1])
            for how, both in ratios.items():
                print("%-10s %-7s" % (name, how), *("%s %.3f (%.3f to %.3f)" % (what, statistics.median(r), min(r), max(r))
                                                     for what, r in zip(("time", "processors"), both)), "n=%d" % options.rounds,
                      flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
