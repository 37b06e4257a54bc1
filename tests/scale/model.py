#!/usr/bin/python3
"""How files, memory and seconds of each command grow with the number of processes, each of which does the same: what docs/scale/scale.md
says. A part of no suite: by hand, some minutes.

tests/scale/model.py [--processes N,N...] [--events N] [--pattern P]. Recordings are made without MPI (bench/generate), one at a time,
and each command is run with 1024 open files at most."""
import sys

sys.dont_write_bytecode = True

import argparse
import json
import math
import os
import resource
import shutil
import subprocess
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "bench"))
from tables import columns

FILES = 1024
LAUNCH = ["mpirun.mpich", "-n", "2"]


def started():
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


def run(command):
    """(status, seconds of the clock, of the processors, most memory of one process in MB)."""
    begin = time.monotonic()
    with open(os.devnull, "r+b") as nowhere:
        child = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, preexec_fn=started)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3


class Scale:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.hbdb = os.path.join(options.build, "hbdb")
        self.rows, self.failed = {}, []

    def note(self, what, processes, got):
        status, wall, cpu, memory = got
        if status not in (0, 1):
            self.failed.append(f"{what}, {processes} processes: status {status}")
        self.rows.setdefault(what, {})[processes] = (wall, cpu, memory)
        print(f"-- {what}, {processes}: {wall:.2f} s, {cpu:.2f} s of processors, {memory:.0f} MB, status {status}", file=sys.stderr, flush=True)

    def measure(self, processes):
        name = os.path.join(self.folder, "scale.hbdb")
        made = os.path.join(self.options.build, "bench", "generate", "generate")
        self.note("make and seal", processes, run([made, "-o", name, "-p", self.options.pattern, "-n", str(processes), "-e",
                                                   str(processes * self.options.events)]))
        size = sum(os.path.getsize(os.path.join(name, f)) for f in os.listdir(name))
        print(f"-- {len(os.listdir(name))} files, {size / processes:.0f} bytes for each process", file=sys.stderr)
        last = processes - 1
        for what, command in (("info", ["info"]), ("dump of one rank", ["dump", "--rank", str(last)]), ("order", ["order", "0:20", f"{last}:30"]),
                              ("races", ["races"]), ("check", ["check"])):
            self.note(what, processes, run([self.hbdb, *command, name]))
        self.note("hbdb-mpi races, 2", processes, run(LAUNCH + [os.path.join(self.options.build, "hbdb-mpi.mpich"), "races", name]))
        shutil.rmtree(name)

    def table(self):
        sizes = sorted({n for row in self.rows.values() for n in row})
        for title, which, digits in (("seconds of processors", 1, 2), ("most memory of a process, MB", 2, 0)):
            lines = []
            for what, row in self.rows.items():
                cells = [f"{row[n][which]:.{digits}f}" if n in row else "-" for n in sizes]
                power = "-"
                if len(sizes) > 1 and sizes[-1] in row and sizes[-2] in row:
                    a, b = row[sizes[-2]][which], row[sizes[-1]][which]
                    power = f"{math.log(b / a) / math.log(sizes[-1] / sizes[-2]):.2f}" if a > 0 and b > 0 else "-"
                lines.append([what] + cells + [power])
            print(f"\n{title}; power: of the processes, between the last two columns\n")
            print("\n".join(columns([title.split(";")[0]] + [str(n) for n in sizes] + ["power"], lines)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", default="128,1024,4096,16384")
    parser.add_argument("--events", type=int, default=64, help="of each process")
    parser.add_argument("--pattern", default="halo")
    parser.add_argument("--build", default=os.path.join(TOP, "build"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hbdb-scale-") as folder:
        scale = Scale(options, folder)
        for n in options.processes.split(","):
            scale.measure(int(n))
    scale.table()
    for line in scale.failed:
        print("FAILED", line)
    return 1 if scale.failed else 0


if __name__ == "__main__":
    sys.exit(main())
