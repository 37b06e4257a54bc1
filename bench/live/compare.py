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
THEIRS = {"off": 3.6 / 0.14, "reference": 14.1 / 0.14, "compare, wrong": 45.4 / 0.14, "values, reference": 15.2 / 0.14, "values, wrong": 66.1 / 0.14, "dynamic control": 1620 / 0.14}


def compile_all(n, steps):
    with open("no_marks.h", "w", encoding="utf-8") as f:
        f.write(NO_MARKS + "".join("#define hb_%s(x) ((void)(x))\n" % name for name in ("loop", "loop_end", "steps", "steps_end", "reduced", "exchanged")))
    source = [TOP + "/examples/lu/lu.c", "-I", TOP + "/include", "-lm"]
    subprocess.run(["mpicc.openmpi", "-g", "-O2", "-include", "no_marks.h", "-o", "plain", *source], check=True)
    subprocess.run([HBDB, "cc", "mpicc.openmpi", "-g", "-O2", "-o", "marked", *source], check=True)
    return ["-n", str(n), "-s", str(steps)]


def rows_of(words):
    """Name, what it is a ratio to, command, status, recording. Settings tell which arrays each loop writes; values are reads and writes between two points."""
    one, two, wrong = [*MPI, "1", "./marked", *words], [*MPI, "2", "./marked", *words], ["--without", "flux"]
    alone, both = "plain, 1 process", "plain, 2 processes"
    compare, told, window = [HBDB, "compare"], ["--settings", "marked.settings"], ["--level", "full", "--start", "4.E", "--finish", "5.E"]

    def record(name, *options):
        return [*compare, "record", *options, "-o", name, "--", *one]

    def run(name, reference, *more, options=()):
        return [*compare, "run", *options, "-o", name, reference, "--", *two, *more]
    return [(alone, None, [*MPI, "1", "./plain", *words], 0, None), (both, None, [*MPI, "2", "./plain", *words], 0, None),
            ("off", both, two, 0, None),
            ("recorded, no points", both, [HBDB, "record", "-o", "events.hbdb", "--", *two], 0, "events.hbdb"),
            ("reference", alone, record("all.hbdb"), 0, "all.hbdb"),
            ("compare, right", both, run("right.hbdb", "all.hbdb"), 0, "right.hbdb"),
            ("compare, wrong", both, run("wrong.hbdb", "all.hbdb", *wrong), 1, "wrong.hbdb"),
            ("compare, to the first", both, run("first.hbdb", "all.hbdb", *wrong, options=["--stop"]), 1, "first.hbdb"),
            ("dry run for settings", alone, [*compare, "config", "-o", "marked.settings", "--", *one], 0, None),
            ("settings, reference", alone, record("told.hbdb", *told), 0, "told.hbdb"),
            ("settings, right", both, run("told2.hbdb", "told.hbdb"), 0, "told2.hbdb"),
            ("settings, wrong", both, run("told3.hbdb", "told.hbdb", *wrong), 1, "told3.hbdb"),
            ("values, reference", alone, record("values.hbdb", *window), 0, "values.hbdb"),
            ("values, wrong", both, run("values2.hbdb", "values.hbdb", *wrong), 1, "values2.hbdb"),
            ("dynamic control", alone, [*compare, "control", "-o", "control.hbdb", "--", *one], 1, "control.hbdb")]


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
        rows = rows_of(words)
        took = {row[0]: [] for row in rows}
        for _ in range(options.rounds):
            for name, _, command, status, recording in rows:
                if recording:
                    shutil.rmtree(recording, ignore_errors=True)
                if name.startswith("dry run") and os.path.exists("marked.settings"):
                    os.unlink("marked.settings")
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
