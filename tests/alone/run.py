#!/usr/bin/python3
"""Runs programs of tests/programs at level data, then every rank of each alone, without a launcher.

usage: run.py [--only PATTERN] [--mpi openmpi|mpich] [--share N] [--jobs N] [--keep-failed]

What is compared: what each rank prints and how it ends with what it printed and how it ended when it was recorded, and, by hbdb
itself, every call. `other MPI`: with the program built for the other library. NOT lists what cannot be, and why.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TOP, "tests/programs"), os.path.join(TOP, "tests")]
import importlib.util

spec = importlib.util.spec_from_file_location("programs_run", os.path.join(TOP, "tests/programs/run.py"))
programs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(programs)

HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
SECONDS = 120
# Programs whose threads tell each other something that no layer sees, or that end as the launcher likes: README.md.
NOT = {
    "races/contrary.c": "ranks tell each other by memory of a window, polled without a call",
    "races/contrary_cancel.c": "likewise",
}
TO_FILE = 'exec "$@" > "$OUT.${OMPI_COMM_WORLD_RANK-$PMI_RANK}"'


def run(command, seconds=SECONDS, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds, **options)


class Case:
    def __init__(self, program, mpi):
        self.program, self.mpi, self.n = program, mpi, program.ranks[mpi][0]
        self.title = "%s %s %d" % (program.name, mpi, self.n)

    def environment(self):
        env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", HB_SCRATCH=self.dir, OUT=os.path.join(self.dir, "out"))
        if self.program.suffix == ".py" and self.mpi == "mpich":
            env["PYTHONPATH"] = os.environ["MPI4PY_MPICH"]
        return env

    def run(self):
        self.dir = tempfile.mkdtemp(prefix="hbdb-alone.")
        try:
            failures = self.steps()
        except subprocess.TimeoutExpired as late:
            failures = ["timeout: %s" % " ".join(late.cmd)[:200]]
        if not (failures and KEEP):
            shutil.rmtree(self.dir, ignore_errors=True)
        return failures

    def steps(self):
        command = self.program.command(self.mpi, self.n)
        at = len(programs.LAUNCH[self.mpi]) + 2
        recording = os.path.join(self.dir, "r.hbdb")
        recorded = run([HBDB, "record", "--level", "data", "--mpi", self.mpi, "-o", recording, "--"] + command[:at]
                       + ["/bin/bash", "-c", TO_FILE, "x"] + command[at:], env=self.environment())
        if recorded.returncode != self.program.exit:
            return ["recording: status %d\n%s" % (recorded.returncode, recorded.stderr[-600:])]
        failures = []
        for rank in range(self.n):
            failures += self.alone(recording, rank, [], "rank %d" % rank)
        other = "mpich" if self.mpi == "openmpi" else "openmpi"
        if "xmpi" in self.program.flags and os.path.exists(self.program.binary(other)):
            failures += self.alone(recording, self.n - 1, ["--mpi", other, "--", self.program.binary(other)], "other MPI, rank %d" % (self.n - 1))
        return failures

    def alone(self, recording, rank, more, what):
        with open("%s/out.%d" % (self.dir, rank), errors="replace") as out:
            wanted = out.read()
        done = run([HBDB, "replay", "--alone", str(rank), recording] + more, env=self.environment())
        good = re.search(r"replayed 1 process, \d+ events: no difference|as in the recording", done.stderr) \
            and not re.search("it did not ask|is not the recorded program", done.stderr if not more else "")
        ended = "the recording ends here" in done.stderr and self.program.exit  # another one had aborted
        if done.returncode == (0 if ended else self.program.exit) and done.stdout == wanted and good:
            return []
        lines = [line for line in done.stdout.splitlines() if line not in wanted.splitlines()][:3]
        return ["%s: status %d, prints otherwise: %s\n%s" % (what, done.returncode, lines, done.stderr[-700:])]


def main():
    global KEEP
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="*")
    parser.add_argument("--mpi", choices=programs.MPIS)
    parser.add_argument("--share", type=int, default=1, help="every N-th program only")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep-failed", action="store_true")
    options = parser.parse_args()
    KEEP = options.keep_failed
    cases = []
    for mpi in programs.MPIS:
        os.makedirs(os.path.join(programs.BUILT, mpi), exist_ok=True)
        for program in programs.read_programs():
            if options.mpi in (None, mpi) and mpi in program.mpis and fnmatch.fnmatch(program.path, options.only) and programs.runs_under(program, mpi):
                cases.append(Case(program, mpi))
    cases = cases[::options.share]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for why in pool.map(lambda case: (case, programs.compile_one(case.program, case.mpi)), cases):
            if why[1]:
                print("FAIL %s: does not compile\n%s" % (why[0].title, why[1]))
        known = [case for case in cases if case.program.path not in NOT]
        for case, failures in zip(known, pool.map(lambda case: case.run(), known)):
            for failure in failures:
                print("FAIL %s: %s" % (case.title, failure), flush=True)
            failed += bool(failures)
            passed += not failures
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
