#!/usr/bin/python3
"""What hbdb compare costs on the solver of examples/lu: times as ratios to the plain run, which has no marks, and sizes; beside what the
system before it took for NAS LU (small data, two processes). Medians of runs made by turns; the ratios are those within a turn."""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HBDB = os.path.join(TOP, "build", "hbdb")
MPI = ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-n"]
# The marks as nothing, in the place of hbdb/compare.h.
NO_MARKS = """#define HBDB_COMPARE_H
#define HB_ARRAY(...) ((void)0)
#define HB_ITERATION(...) ((void)0)
#define hb_iteration(i) ((void)0)
#define hb_reduce(...) ((void)0)
"""
THEIRS = {"off": 3.6 / 0.14, "reference": 14.1 / 0.14, "compare": 45.4 / 0.14}


def compile_all(n, steps):
    with open("no_marks.h", "w", encoding="utf-8") as f:
        f.write(NO_MARKS + "".join("#define hb_%s(x) ((void)(x))\n" % name for name in ("loop", "loop_end", "steps", "steps_end", "reduced", "exchanged")))
    source = [TOP + "/examples/lu/lu.c", "-I", TOP + "/include", "-lm"]
    subprocess.run(["mpicc.openmpi", "-g", "-O2", "-include", "no_marks.h", "-o", "plain", *source], check=True)
    subprocess.run(["mpicc.openmpi", "-g", "-O2", "-o", "marked", *source], check=True)
    return ["-n", str(n), "-s", str(steps)]


def seconds(command, status):
    """Seconds that a command took, and those of processors that all its processes took."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != status:
        sys.exit("%s\nends with %d:\n%s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))
    return took, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def told(values, bases):
    ratios = [a / b for a, b in zip(values, bases)]
    return "%5.2fx [%.2f to %.2f]" % (statistics.median(ratios), min(ratios), max(ratios))


def megabytes(recording):
    return sum(os.path.getsize(os.path.join(recording, name)) for name in os.listdir(recording)) / 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("-n", type=int, default=64)
    parser.add_argument("--steps", type=int, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        words = compile_all(options.n, options.steps)
        one, two = [*MPI, "1"], [*MPI, "2"]
        compare = [HBDB, "compare"]
        # name, what it is a ratio to, command, status, recording
        rows = [("plain, 1 process", None, [*one, "./plain", *words], 0, None), ("plain, 2 processes", None, [*two, "./plain", *words], 0, None),
                ("off", "plain, 2 processes", [*two, "./marked", *words], 0, None),
                ("recorded, no points", "plain, 2 processes", [HBDB, "record", "-o", "events.hbdb", "--", *two, "./marked", *words], 0, "events.hbdb"),
                ("reference", "plain, 1 process", [*compare, "record", "-o", "reference.hbdb", "--", *one, "./marked", *words], 0, "reference.hbdb"),
                ("compare", "plain, 2 processes", [*compare, "run", "-o", "run.hbdb", "reference.hbdb", "--", *two, "./marked", *words], 0, "run.hbdb"),
                ("compare, wrong", "plain, 2 processes",
                 [*compare, "run", "-o", "wrong.hbdb", "reference.hbdb", "--", *two, "./marked", *words, "--without", "flux"], 1, "wrong.hbdb"),
                ("compare, to the first", "plain, 2 processes",
                 [*compare, "run", "--stop", "-o", "first.hbdb", "reference.hbdb", "--", *two, "./marked", *words, "--without", "flux"], 1, "first.hbdb")]
        took = {row[0]: [] for row in rows}
        for _ in range(options.rounds):
            for name, _, command, status, recording in rows:
                if recording:
                    shutil.rmtree(recording, ignore_errors=True)
                took[name].append(seconds(command, status))
        print("examples/lu/lu.c, %d^3 points, %d steps: medians of %d" % (options.n, options.steps, options.rounds))
        print("%-22s %9s %-25s %10s %-25s" % ("", "time", "", "processors", ""))
        for name, base, _, _, recording in rows:
            line = "%-22s" % name
            for part, width in (0, 8), (1, 9):
                values = [x[part] for x in took[name]]
                line += " %*.2fs %-25s" % (width, statistics.median(values), told(values, [x[part] for x in took[base]]) if base else "")
            line += "%6.1f MB" % megabytes(recording) if recording else ""
            print(line + ("  theirs: %.0fx" % THEIRS[name] if name in THEIRS else ""))


if __name__ == "__main__":
    sys.exit(main())
