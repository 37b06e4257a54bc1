#!/usr/bin/python3
"""hbdb check --model: programs that fit their models, and programs with a mistake of which the model tells.

usage: run.py [--mpi openmpi|mpich|both|spread] [--share N] [--only TEXT]"""
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
    """model: of examples/models; None: one of the same name here. plain: a program of plain/, with its model of examples/models/plain."""

    def __init__(self, program, model, keys, mistakes, level=None, sets=(), plain=False, processes=4):
        self.program, self.keys, self.mistakes = program, keys, mistakes
        self.level, self.processes = level, processes
        self.source = os.path.join(HERE, "plain" if plain else "programs", program + ".c")
        self.name = ("plain " if plain else "") + program
        model = "plain/" + program if plain else model
        self.model = ["--model", os.path.join(MODELS, model + ".hbm") if model else os.path.join(HERE, program + ".hbm")]
        for name in sets:
            self.model += ["--set", "%s=%d" % (name, sets[name])]


CASES = [
    # events of the program
    Case("farm", None, 8, {
        "crash": Wrong("STOPPED", r"task 7 stopped in comp_fn\(\) at node 3, which was killed by signal 11", ({"task": 7}, 3, "comp_fn()")),
        "stuck": Wrong("STOPPED", r"task 6 stopped in comp_fn\(\) at node 2, which never returned from MPI_Recv",
                       ({"task": 6}, 2, "comp_fn()")),
        "lost": Wrong("STOPPED", r"task 3 stopped before comp_fn\(\)/Distributing at node 1", ({"task": 3}, 1, "comp_fn()/Distributing")),
        "twice": Wrong("WRONG", r"task 2.*node 2 sends result\(2\) to node 0"),
        "early": Wrong("WRONG", r"task 2.*node 2 sends result\(2\) to node 0.*the begin of compute\(2\)"),
        "partner": Wrong("WRONG", r"task 3.*node 3 sends result\(3\) to node 0.*node 3 sends result\(3\) to node 1"),
    }),
    Case("divide", None, 3, {
        "crash": Wrong("STOPPED", r"task 1 stopped in comp_fn\(\)\S* at node 3, which was killed by signal 11",
                       ({"task": 1, "sub": "00"}, 3, "comp_fn()")),
        "split": Wrong("STOPPED", r"task 1 stopped in split_fn\(\) at node 0, which was killed by signal 11",
                       ({"task": 1, "sub": ""}, 0, "split_fn()")),
        "stuck": Wrong("STOPPED", r"task 1 stopped in comp_fn\(\) at node 2", ({"task": 1, "sub": "1"}, 2, "comp_fn()")),
        "lost": Wrong("WRONG", r"task 1.*the begin of join\(1, \"\"\) at node 0"),
        "join": Wrong("WRONG", r"task 1.*the begin of join\(1, \"\"\) at node 0"),
        "partner": Wrong("WRONG", r"task 1.*node 2 sends result\(1, 0\) to node 0"),
    }),
    # messages of MPI, as they are
    Case("stealing", "stealing", 7, {
        "crash": Wrong("STOPPED", r"t 3 stopped in compute\(\) at worker \d, which was killed by signal 11"),
        "stuck": Wrong("STOPPED", r"t 2 stopped in compute\(\) at worker \d, which never returned from MPI_Recv"),
        "lost": Wrong("STOPPED", r"t 5 stopped before compute\(\)/giving work away at worker \d"),
        "twice": Wrong("WRONG", r"t 4.*worker 0 sends task\(4\)"),
        "both": Wrong("WRONG", r"t 4.*worker 0 sends task\(4\)"),
    }),
    Case("pipeline", "pipeline", 5, {
        "crash": Wrong("STOPPED", r"i 3 stopped in work\(\) at stage 2, which was killed by signal 11", ({"i": 3}, 2, "work()")),
        "lost": Wrong("STOPPED", r"i 3 stopped before passing on at stage 1", ({"i": 3}, 1, "passing on")),
        "twice": Wrong("WRONG", r"i 4.*stage 2 sends item\(4\) to stage 3"),
        "skip": Wrong("WRONG", r"i 2.*stage 1 sends item\(2\) to stage 3.*stage 1 sends item\(2\) to stage 2"),
    }),
    Case("ring", "ring", 1, {
        "crash": Wrong("STOPPED", r"the run stopped in critical\(\) at member 1, which was killed by signal 11"),
        "kept": Wrong("STOPPED", r"the run stopped in critical\(\) at member 1, which never returned from MPI_Recv"),
        "back": Wrong("WRONG", r"member 2 sends token to member 1"),
        "second": Wrong("WRONG", r"member 2 sends token to member 3"),
        "without": Wrong("WRONG", r"the begin of critical at member 2"),
    }),
    Case("halo", "halo", 1, {
        "crash": Wrong("STOPPED", r"the run stopped in update\(\) at cell 2, which was killed by signal 11"),
        "lost": Wrong("WRONG", r"the begin of update\(2\) at cell 2.*cell 2 sends border\(2, 1\) to cell 1"),
        "twice": Wrong("WRONG", r"cell 2 sends border\(2, 1\) to cell 1"),
        "early": Wrong("WRONG", r"the begin of update\(1\) at cell 1"),
    }, sets={"steps": 4}),
    Case("commit", "commit", 3, {
        "crash": Wrong("STOPPED", r"x 1 stopped in commit\(\)\S* at participant 2, which was killed by signal 11"),
        "silent": Wrong("STOPPED", r"x 1 stopped before telling the decision at coordinator 0, which never returned from MPI_Recv"),
        "early": Wrong("WRONG", r"x 1.*coordinator 0 sends decide\(1\)"),
        "stubborn": Wrong("WRONG", r"x 2.*the begin of commit\(2\) at participant 2"),
    }),
    # a channel of the program, and calls
    Case("jobs", None, 10, {
        "lost": Wrong("STOPPED", r"k 7 stopped in handing out at worker 3, which went on to its end", ({"k": 7}, 3, "handing out")),
        "swapped": Wrong("WRONG", r"k 5.*maker 0 sends job\(5\) to worker 3.*maker 0 sends job\(5\) to worker 1"),
        "alone": Wrong("STOPPED", r"the run stopped before the barrier at worker 2, which never returned from MPI_Recv"),
    }),
    # what a message is stands in it
    Case("letters", None, 3, {
        "crash": Wrong("STOPPED", r"x 1 stopped before yes/no at participant 2, which was killed by signal 11"),
        "silent": Wrong("STOPPED", r"x 1 stopped before \S+ at coordinator 0, which never returned from MPI_Recv"),
        "early": Wrong("WRONG", r"x 1.*coordinator 0 sends commit\(1\)"),
        "both": Wrong("WRONG", r"x 2.*coordinator 0 sends commit\(2\) to participant 2"),
    }, level="data"),
    # plain MPI: tag, communicator, datatype, partner and the first bytes say what a message is
    Case("pipeline", None, 5, {
        "crash": Wrong("STOPPED", r"i 3 stopped before passing on at stage 2, which was killed by signal 11", ({"i": 3}, 2, "passing on")),
        "lost": Wrong("STOPPED", r"i 3 stopped before passing on at stage 1", ({"i": 3}, 1, "passing on")),
        "skip": Wrong("WRONG", r"i 2.*stage 1 sends item\(2\) to stage 3.*stage 1 sends item\(2\) to stage 2"),
        "early": Wrong("WRONG", r"i 4.*stage 2 sends item\(4\) to stage 3"),
        "changed": Wrong("WRONG", r"i 40.*stage 1 sends item\(40\) to stage 2"),
    }, level="data", plain=True),
    Case("ring", None, 3, {
        "crash": Wrong("STOPPED", r"round 1 stopped before passing the token on at member 2, which was killed by signal 11"),
        "kept": Wrong("STOPPED", r"round 1 stopped before passing the token on at member 2, which never returned from MPI_Recv"),
        "narrow": Wrong("WRONG", r"round 1.*member 3 sends token\(1\) to member 0"),
        "back": Wrong("WRONG", r"round 1.*member 2 sends token\(1\) to member 1"),
        "second": Wrong("WRONG", r"round 1.*member 2 sends token\(1\) to member 3"),
        "changed": Wrong("WRONG", r"round 1; round 77\).*member 3 sends token\(1\) to member 0.*it allows: member 2 sends token\(1\) to member 3"),
    }, level="data", plain=True),
    Case("halo", None, 1, {
        "crash": Wrong("STOPPED", r"the run stopped (?:in|before) exchanging borders at cell 2, which was killed by signal 11"),
        "lost": Wrong("WRONG", r"cell 2 sends border\(3\) to cell"),
        "twice": Wrong("WRONG", r"cell 2 sends border\(2\) to cell 1"),
        "step": Wrong("WRONG", r"cell 2 sends border\(3\) to cell 1.*it allows: cell 2 sends border\(2\) to cell 3"),
        "partner": Wrong("WRONG", r"cell 2 sends border\(2\) to cell 0.*it allows: cell 2 sends border\(2\) to cell 3"),
    }, sets={"steps": 4}, plain=True),
    Case("farm", None, 8, {
        # results of before that nobody has received yet are not known either
        "crash": Wrong("STOPPED", r"task 7(?:; \.\.\.)?\)? stopped.* before \S.*Collecting at node 2, which was killed by signal 11",
                       ({"task": 7}, 2, "computing or Collecting")),
        "stuck": Wrong("STOPPED", r"task 7 stopped before \S.*Collecting at node 2, which never returned from MPI_Recv"),
        "lost": Wrong("STOPPED", r"task 5 stopped before \S.*Collecting\S* at node 3"),
        "twice": Wrong("WRONG", r"task 5.*node 3 sends result\(5\) to node 1"),
        "partner": Wrong("WRONG", r"task 5.*node 3 sends result\(5\) to node 0.*it allows: .*node 3 sends result\(5\) to node 1"),
    }, level="data", plain=True),
    Case("divide", None, 3, {
        "crash": Wrong("STOPPED", r"task 1 stopped before \S.*Collecting at node 4, which was killed by signal 11", ({"task": 1, "part": 5}, 4, "computing or Collecting")),
        "stuck": Wrong("STOPPED", r"task 1 stopped before \S.*Collecting at node 2, which never returned from MPI_Recv"),
        "lost": Wrong("WRONG", r"task 1.*node 1 sends result\(1, 2\) to node 0"),
        "early": Wrong("WRONG", r"task 1.*node 1 sends result\(1, 2\) to node 0"),
        "same": Wrong("WRONG", r"task 1.*node 1 sends part\(1, 4\) to node 4"),
    }, level="data", plain=True, processes=5),
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
    job = LAUNCH[mpi] + ["-n", str(case.processes), "./" + case.program, mistake]
    if not case.level:
        return Answer(run(folder, HBDB, "check", "--json", "--category", "model", *case.model, "-o", mistake + ".hbdb", "--", *job))
    run(folder, HBDB, "record", "--check", "--watch=10", "--on-hang", "kill", "--level", case.level, "-o", mistake + ".hbdb", "--", *job)
    return Answer(run(folder, HBDB, "check", "--json", "--category", "model", *case.model, mistake + ".hbdb"))


def right(folder, case, mpi):
    name, a = "%s %s" % (mpi, case.name), answer(folder, case, mpi, "right")
    check(a.status == 0 and not [f for f in a.findings if f["severity"] != "note"], name + " fits its model", a.all)
    check(a.model.get("complete") == a.model.get("keys") == case.keys and not a.model["rows"], name + ": %d keys, all complete" % case.keys,
          a.model)


def wrong(folder, case, mpi, mistake, expected):
    name, a = "%s %s %s" % (mpi, case.name, mistake), answer(folder, case, mpi, mistake)
    told = [f for f in a.findings if f["severity"] != "note"]
    check(a.status == 1 and told and told[0]["finding"] == expected.identifier and re.search(expected.says, told[0]["sentence"]),
          "%s: %s" % (name, expected.identifier), told or a.all)
    if told:
        first = told[0]["points"][0] if told[0]["points"] else {}
        check(first.get("file", "").endswith(case.program + ".c") and first.get("line"), name + ": at a line of the program", told[0]["points"])
    if expected.row:
        rows = [(r["keys"], r["rank"], r["in"]) for r in a.model.get("rows", [])]
        check(expected.row in rows, name + ": the row of the table", rows)


def outputs(folder):
    """What else there is of a key that stopped: SARIF, JUnit, suppressions, the table as text, pictures."""
    recording, model = "crash.hbdb", ["--model", os.path.join(HERE, "farm.hbm")]
    done = run(folder, HBDB, "check", "--sarif", "s.json", "--junit", "j.xml", *model, recording)
    check(re.search(r"^TASK +NODE +PROCESS\n(\d.*\n)*7 +node 3 +comp_fn\(\)$", done.stdout, re.M), "the table as text", done.stdout)
    check(re.search(r"^model farm: \d keys complete, \d stopped, 0 wrong; \d+ of \d+ events looked at\n  not looked at, ", done.stdout, re.M),
          "the sum, and what was not looked at", done.stdout)
    results = json.load(open(folder + "/s.json"))["runs"][0]["results"]
    check(results[0]["ruleId"] == "HB-MODEL-STOPPED" and
          results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("farm.c"), "SARIF", results[:1])
    check(re.search('<testcase[^>]*>\\s*<failure message="task 7 stopped', open(folder + "/j.xml").read()), "JUnit",
          open(folder + "/j.xml").read()[:3000])
    with open(folder + "/quiet", "w") as f:
        f.write("HB-MODEL-* text=*task 7 stopped*\n")
    done = run(folder, HBDB, "check", "--category", "model", "--suppress", "quiet", *model, recording)
    check("task 7 stopped" not in done.stdout, "a suppression hides it", done.stdout)
    done = run(folder, HBDB, "graph", "--dot", "--key", "7", *model, recording)
    check('label="begin of compute\\n3:' in done.stdout and 'label="end of compute\\nshould come"' in done.stdout and
          done.stdout.startswith('digraph "farm 7: stopped"'), "graph --key: its events, and what should come next", done.stdout + done.stderr)
    nodes = len(re.findall(r"^ +n\d+ \[", done.stdout, re.M))
    picture = run(folder, HBDB, "graph", "--svg", "--key", "7", *model, recording)
    boxes = len(re.findall(r'class="(?:event|expected|wrong)"', picture.stdout))
    check(nodes == boxes >= 8, "graph --key: as many boxes in the picture as vertices", (nodes, boxes, picture.stderr))
    done = run(folder, HBDB, "graph", "--dot", "--coalesced", "--key", "7", *model, recording)
    check(len(re.findall(r"^ +n\d+ \[", done.stdout, re.M)) == 3 and done.stdout.count("stopped here") == 1,
          "graph --coalesced: a vertex for each process", done.stdout + done.stderr)


def pool(folder):
    """A program of others: the pool of mpi4py, which Debian builds with Open MPI."""
    def answer_to(word):
        return Answer(run(folder, HBDB, "check", "--json", "--category", "model", "--model", os.path.join(MODELS, "plain/pool.hbm"), "-o",
                          word + ".hbdb", "--", *LAUNCH["openmpi"], "-n", "3", "/usr/bin/python3", os.path.join(HERE, "plain/pool.py"), word))
    a = answer_to("right")
    check(a.status == 0 and a.model.get("complete") == 1 and a.model.get("messages_looked_at", 0) >= 18, "plain pool of mpi4py fits its model", a.all)
    a = answer_to("killed")
    told = a.findings[0] if a.findings else {}
    check(told.get("finding") == "HB-MODEL-STOPPED" and
          re.search(r"stopped (in|before) running the function at worker [12], which (died first|was killed by signal 9)", told.get("sentence", "")),
          "plain pool of mpi4py: a worker that was killed", a.all)


def watched(folder, mpi):
    """record --watch --model: a hang is told with what the model says, and what it does not allow while the job goes on."""
    launch = LAUNCH[mpi]
    done = run(folder, HBDB, "record", "--watch=3", "--on-hang", "kill", "--model", os.path.join(HERE, "farm.hbm"), "-o", "hung.hbdb", "--", *launch, "-n", "4", "./farm", "stuck")
    check(done.returncode == 1 and "task 6 stopped in comp_fn() at node 2, which never returned from MPI_Recv" in done.stderr and
          re.search(r"^6 +node 2 +comp_fn\(\)$", done.stderr, re.M) and "the job hangs" in done.stderr, mpi + " --watch: a hang, by the model", done.stdout + done.stderr)
    if compiled(folder, os.path.join(HERE, "programs/again.c"), mpi):
        done = run(folder, HBDB, "record", "--watch", "--model", os.path.join(HERE, "again.hbm"), "-o", "again.hbdb", "--", *launch, "-n", "2", "./again", "20")
        told = [line for line in done.stderr.splitlines() if "HB-MODEL-WRONG, seen while the job runs: task 1" in line]
        check(done.returncode == 0 and len(told) == 1 and "compute(1) at worker 0" in told[0], mpi + " --watch: a wrong event while it runs, once", done.stdout + done.stderr)
    done = run(folder, HBDB, "record", "--model", os.path.join(HERE, "again.hbm"), "--", "true")
    check(done.returncode == 2 and "goes with --watch" in done.stderr, "--model of record without --watch", done.stderr)


def refused(folder):
    """What cannot be done is said: the file, the place, what to do."""
    def says(what, words, *command):
        done = run(folder, HBDB, *command)
        check(done.returncode == 2 and re.search(words, done.stderr), what, "%d %s" % (done.returncode, done.stderr))

    def model(text):
        with open(folder + "/bad.hbm", "w") as f:
            f.write(text)
        return ["check", "--model", "bad.hbm", "crash.hbdb"]
    farm = ["--model", os.path.join(HERE, "farm.hbm")]
    says("a model that is not there", "nothing.hbm: No such file", "check", "--model", "nothing.hbm", "crash.hbdb")
    says("a mistake in a model", r"bad.hbm:2:\d+: ", *model("model bad\nrun = each : x\n"))
    says("a key that events do not have", "bad.hbm.*line 2.*colour|bad.hbm:2.*colour", *model(
        "model bad\naction a(c) = span compute, c = colour\nrun = each k: 0: a(k)\n"))
    says("contents that were not recorded", "record it with --level data", "check", "--model", os.path.join(HERE, "letters.hbm"), "crash.hbdb")
    says("--set without a model", "give --model FILE", "check", "--set", "degree=2", "crash.hbdb")
    says("--set without a number", "--set takes NAME=NUMBER", "check", *farm, "--set", "degree=two", "crash.hbdb")
    says("--set of what is no parameter", "depht", "check", *farm, "--set", "depht=2", "crash.hbdb")
    says("--key without a model", "give --model FILE", "graph", "--key", "7", "crash.hbdb")
    says("--model of graph without a key", "give --key", "graph", *farm, "crash.hbdb")
    says("a key that no event has", "no event of the run has the key 99", "graph", *farm, "--key", "99", "crash.hbdb")
    done = run(folder, HBDB, "check", "--category", "model", *farm, "--set", "degree=1", "--set", "degree=1", "crash.hbdb")
    check(done.returncode == 1 and "HB-MODEL-WRONG" in done.stdout, "--set twice: on a chain a binary tree is wrong", done.stdout + done.stderr)


def compiled(folder, source, mpi):
    program = os.path.basename(source)[:-2]
    done = run(folder, "mpicc." + mpi, "-g", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-stringop-overflow", "-I", os.path.join(TOP, "include"),
               "-o", program, source)
    return check(done.returncode == 0, "%s %s compiles" % (mpi, program), done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mpi", choices=MPIS + ("both", "spread"), default="spread")
    parser.add_argument("--share", type=int, default=1, help="of the mistakes of each program those whose turn it is, of N turns")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for case in CASES:
        for mpi in MPIS if options.mpi == "both" else (turn.pick(case.name, MPIS) if options.mpi == "spread" else options.mpi,):
            if options.only and options.only not in case.name:
                continue
            folder = tempfile.mkdtemp(prefix="hbdb-models.")
            if compiled(folder, case.source, mpi):
                right(folder, case, mpi)
                for mistake, expected in case.mistakes.items():
                    # (the recording of farm's crash is what outputs() and refused() look at)
                    if (case.name, mistake) == ("farm", "crash") or turn.has(case.name + mistake, options.share):
                        wrong(folder, case, mpi, mistake, expected)
                if case.name == "farm":
                    outputs(folder)
                    watched(folder, mpi)
                    refused(folder)
            shutil.rmtree(folder, ignore_errors=True)
    if options.mpi != "mpich" and options.only in "plain pool":
        folder = tempfile.mkdtemp(prefix="hbdb-models.")
        pool(folder)
        shutil.rmtree(folder, ignore_errors=True)
    if options.share > 1:
        print("mistakes: " + turn.told(options.share))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
