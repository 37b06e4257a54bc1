#!/usr/bin/python3
"""hbdb check --model: programs that fit their models, and programs with a mistake of which the model tells.

usage: run.py [--mpi openmpi|mpich|both|spread] [--only TEXT]"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import shutil

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import turn  # noqa: E402
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
HBDB = os.environ.get("HBDB", os.path.join(BUILD, "hbdb"))
MODELS = os.path.join(TOP, "examples/models")
MPIS = ("openmpi", "mpich")
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"],
          "mpich": ["mpirun.mpich"]}
LIMIT = 300  # seconds: what a run took at most, many times
passed = failed = 0


class Wrong:
    """A mistake: the first finding's identifier, what its sentence says, and a row of the table (keys, rank, in; None: any)."""

    def __init__(self, identifier, says, row=None):
        self.identifier, self.says, self.row = "HB-MODEL-" + identifier, says, row


class Case:
    def __init__(self, program, model, keys, mistakes, level=None, processes=4):
        self.program, self.model, self.keys, self.mistakes = program, model, keys, mistakes
        self.level, self.processes = level, processes


CASES = [
    # events of the program
    Case("farm", "farm", 8, {
        "crash": Wrong("STOPPED", r"t 7 stopped in comp_fn\(\) at node 3, which was killed by signal 11", ({"t": 7}, 3, "comp_fn()")),
        "stuck": Wrong("STOPPED", r"t 6 stopped in comp_fn\(\) at node 2, which never returned from MPI_Recv",
                       ({"t": 6}, 2, "comp_fn()")),
        "lost": Wrong("STOPPED", r"t 3 stopped before comp_fn\(\)/Distributing at node 1", ({"t": 3}, 1, "comp_fn()/Distributing")),
        "twice": Wrong("WRONG", r"t 2.*node 2 sends result\(2\) to node 0"),
        "early": Wrong("WRONG", r"t 2.*node 2 sends result\(2\) to node 0.*the begin of compute\(2\)"),
        "partner": Wrong("WRONG", r"t 3.*node 3 sends result\(3\) to node 0.*node 3 sends result\(3\) to node 1"),
    }),
    Case("divide", "divide", 3, {
        "crash": Wrong("STOPPED", r"t 1 stopped in comp_fn\(\)\S* at node 3, which was killed by signal 11",
                       ({"t": 1, "s": "00"}, 3, "comp_fn()")),
        "split": Wrong("STOPPED", r"t 1 stopped in split_fn\(\) at node 0, which was killed by signal 11",
                       ({"t": 1, "s": ""}, 0, "split_fn()")),
        "stuck": Wrong("STOPPED", r"t 1 stopped in comp_fn\(\) at node 2", ({"t": 1, "s": "1"}, 2, "comp_fn()")),
        "lost": Wrong("WRONG", r"t 1.*the begin of join\(1, \"\"\) at node 0"),
        "join": Wrong("WRONG", r"t 1.*the begin of join\(1, \"\"\) at node 0"),
        "partner": Wrong("WRONG", r"t 1.*node 2 sends result\(1, 0\) to node 0"),
    }),
    Case("steal", "steal", 6, {
        "crash": Wrong("STOPPED", r"t 3 stopped in run\(\) at worker \d, which was killed by signal 11"),
        "stuck": Wrong("STOPPED", r"t 2 stopped in run\(\) at worker \d, which never returned from MPI_Recv"),
        "lost": Wrong("STOPPED", r"t 5 stopped before run\(\)/give at worker \d"),
        "twice": Wrong("WRONG", r"t 4.*worker 0 sends give\(4\)"),
        "both": Wrong("WRONG", r"t 4.*worker 0 sends give\(4\) to worker 0"),
    }),
    # messages of MPI, as they are
    Case("pipeline", "pipeline", 5, {
        "crash": Wrong("STOPPED", r"3 stopped before Passing at stage 2, which was killed by signal 11"),
        "lost": Wrong("STOPPED", r"3 stopped before Passing at stage 1"),
        "twice": Wrong("WRONG", r"4.*stage 2 sends item\(4\) to stage 3"),
        "skip": Wrong("WRONG", r"2.*stage 1 sends item\(2\) to stage 3.*stage 1 sends item\(2\) to stage 2"),
    }),
    Case("ring", "ring", 1, {
        "kept": Wrong("STOPPED", r"the run stopped before token at rank 1, which never returned from MPI_Recv"),
        "back": Wrong("WRONG", r"rank 2 sends token to rank 1"),
        "second": Wrong("WRONG", r"rank 2 sends token to rank 3"),
    }),
    Case("halo", "halo", 4, {
        "crash": Wrong("STOPPED", r"at rank 2, which was killed by signal 11"),
        "lost": Wrong("STOPPED", r"2 stopped before border at rank 2"),
        "twice": Wrong("WRONG", r"2.*rank 2 sends border\(2\) to rank 1"),
        "around": Wrong("WRONG", r"1.*rank [03] sends border\(1\) to rank [30]"),
    }),
    # what a message is stands in it
    Case("commit", "commit", 3, {
        "crash": Wrong("STOPPED", r"1 stopped before yes/no at participant 2, which was killed by signal 11"),
        "silent": Wrong("STOPPED", r"1 stopped before \S+ at coordinator 0, which never returned from MPI_Recv"),
        "early": Wrong("WRONG", r"1.*coordinator 0 sends commit\(1\)"),
        "both": Wrong("WRONG", r"2.*coordinator 0 sends commit\(2\) to participant 2"),
    }, level="data"),
]


def check(good, what, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else "\n     " + str(detail)[:3000]), flush=True)
    return good


def run(folder, *command):
    env = dict(os.environ, XDG_STATE_HOME=folder + "/state", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          timeout=LIMIT)


class Answer:
    """What hbdb check says: its findings about the model, the model's own object."""

    def __init__(self, done):
        objects = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        self.status, self.all = done.returncode, done.stdout + done.stderr
        self.findings = [o for o in objects if o.get("finding", "").startswith("HB-MODEL-")]
        self.model = next((o for o in objects if "model" in o), {})


def answer(folder, case, mpi, mistake):
    model, job = os.path.join(MODELS, case.model + ".hbm"), LAUNCH[mpi] + ["-n", str(case.processes), "./" + case.program, mistake]
    if not case.level:
        return Answer(run(folder, HBDB, "check", "--json", "--category", "model", "--model", model, "-o", mistake + ".hbdb", "--", *job))
    run(folder, HBDB, "record", "--check", "--watch=10", "--on-hang", "kill", "--level", case.level, "-o", mistake + ".hbdb", "--", *job)
    return Answer(run(folder, HBDB, "check", "--json", "--category", "model", "--model", model, mistake + ".hbdb"))


def right(folder, case, mpi):
    name, a = "%s %s" % (mpi, case.program), answer(folder, case, mpi, "right")
    check(a.status == 0 and not [f for f in a.findings if f["severity"] != "note"], name + " fits its model", a.all)
    check(a.model.get("complete") == a.model.get("keys") == case.keys and not a.model["rows"], name + ": %d keys, all complete" % case.keys,
          a.model)


def wrong(folder, case, mpi, mistake, expected):
    name, a = "%s %s %s" % (mpi, case.program, mistake), answer(folder, case, mpi, mistake)
    told = [f for f in a.findings if f["severity"] != "note"]
    check(a.status == 1 and told and told[0]["finding"] == expected.identifier and re.search(expected.says, told[0]["sentence"]),
          "%s: %s" % (name, expected.identifier), told or a.all)
    if told:
        first = told[0]["points"][0] if told[0]["points"] else {}
        check(first.get("file", "").endswith(case.program + ".c") and first.get("line"), name + ": at a line of the program", told[0]["points"])
    if expected.row:
        rows = [(r["keys"], r["rank"], r["in"]) for r in a.model.get("rows", [])]
        check(expected.row in rows, name + ": the row of the table", rows)


def compiled(folder, program, mpi):
    done = run(folder, "mpicc." + mpi, "-g", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-I", os.path.join(TOP, "include"),
               "-o", program, os.path.join(HERE, "programs", program + ".c"))
    return check(done.returncode == 0, "%s %s compiles" % (mpi, program), done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mpi", choices=MPIS + ("both", "spread"), default="spread")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for case in CASES:
        for mpi in MPIS if options.mpi == "both" else (turn.pick(case.program, MPIS) if options.mpi == "spread" else options.mpi,):
            if options.only and options.only not in case.program:
                continue
            folder = tempfile.mkdtemp(prefix="hbdb-models.")
            if compiled(folder, case.program, mpi):
                right(folder, case, mpi)
                for mistake, expected in case.mistakes.items():
                    wrong(folder, case, mpi, mistake, expected)
            shutil.rmtree(folder, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
