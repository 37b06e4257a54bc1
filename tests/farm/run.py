#!/usr/bin/python3
"""The task farm library (lib/farm): the same results on every tree, under both MPIs, with and without hbdb; its report, its errors, its events.

usage: tests/farm/run.py [--full]      --full: every tree under both MPIs and more tasks, else a spread of them
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import events  # noqa: E402
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
HBDB = os.path.join(BUILD, "hbdb")
EXAMPLES = os.path.join(TOP, "examples", "farm")
WARN = ["-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n"],
          "mpich": ["mpiexec.mpich", "-n"]}
MPIS = list(LAUNCH)
TREES = [["chain"], ["binary"], ["ternary"], ["star"], ["tree", "--farm-arity=4"], ["tree", "--farm-arity=1"]]
folder = tempfile.mkdtemp(prefix="hbdb-farm.")
full = "--full" in sys.argv
count = {"passed": 0, "failed": 0}


def check(good, what, more=""):
    count["passed" if good else "failed"] += 1
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else "\n     " + str(more)[:2000].replace("\n", "\n     ")), flush=True)
    return good


def run(*command, env=None, timeout=900):
    done = subprocess.run([str(c) for c in command], cwd=folder, capture_output=True, text=True, errors="replace", timeout=timeout,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, XDG_STATE_HOME=folder + "/state", **(env or {})))
    done.all = done.stdout + done.stderr
    return done


def flags(mpi, *what):
    return run("pkg-config", *what, "hbdb-farm-" + mpi, env={"PKG_CONFIG_PATH": BUILD + "/lib/farm"}).stdout.split()


def compiled(mpi, source, compiler="gcc", *more):
    name = os.path.basename(source).split(".")[0] + "." + mpi
    done = run(compiler, "-o", name, *more, source, *flags(mpi, "--cflags", "--libs"), "-lm")
    check(done.returncode == 0 and not done.all.strip(), "%s compiles without a word" % name, done.all)
    return os.path.join(folder, name)


def farm(mpi, processes, program, *arguments, env=None, before=()):
    return run(*before, *LAUNCH[mpi], processes, program, *arguments, env=dict({"HB_FARM_REPORT": "none"}, **(env or {})))


def programs(mpi):
    found = {name: compiled(mpi, os.path.join(where, name + ".c"), "gcc", "-std=c99" if where == EXAMPLES else "-std=c11", "-D_GNU_SOURCE", *WARN)
             for name, where in (("primes", EXAMPLES), ("quadrature", EXAMPLES), ("nsegs", EXAMPLES), ("simulate", EXAMPLES), ("many", HERE + "/programs"), ("costs", HERE + "/programs"))}
    found["farm"] = compiled(mpi, HERE + "/programs/farm.cc", "g++", "-std=c++11", *WARN)
    found["squares"] = compiled(mpi, EXAMPLES + "/squares.f90", "gfortran", "-J", folder, TOP + "/include/hbdb/farm.f90")
    archive = os.path.join(folder, "archive." + mpi)
    libs = [f for f in flags(mpi, "--libs") if "hbdb-farm" not in f]
    done = run("gcc", "-o", archive, EXAMPLES + "/primes.c", *flags(mpi, "--cflags"), BUILD + "/libhbdb-farm-%s.a" % mpi, *libs, "-ldl")
    names = run("nm", "-g", "--defined-only", BUILD + "/libhbdb-farm-%s.a" % mpi).stdout
    foreign = [line for line in re.findall(r" [A-Z] (\w+)", names) if not line.startswith("hb_farm_")]
    check(done.returncode == 0 and not foreign, "the archive of %s links, and has no names but those of the interface" % mpi, done.all + str(foreign))
    found["archive"] = archive
    return found


def same_everywhere(mpi, has):
    """Results do not depend on the tree, the host, the number of nodes."""
    trees = TREES if full else TREES[::2] if mpi == "openmpi" else TREES[1::2]
    for tree in trees:
        wrong = []
        for processes, host in ((3, "two"), (7, "two"), (1, "one"), (5, "one")) if mpi == "openmpi" else ((3, "two"), (4, "one")):
            for options in (["--farm-machine=pfvm"], ["--farm-degree=2", "--farm-depth=5"], ["--farm-degree=3", "--farm-depth=2", "--farm-credits=1"]):
                done = farm(mpi, processes, has["many"], 300, 500, "--farm-topology=" + tree[0], *tree[1:], "--farm-host=" + host, *options)
                if done.returncode or done.stdout != "300 of 300 results, 0 empty, right\n":
                    wrong.append("%d %s %s: %s" % (processes, host, options, done.all))
        check(not wrong, "%s: a farm and two ways of dividing, by number of processes: %s" % (mpi, " ".join(tree)), "\n".join(wrong))


def sizes(mpi, has):
    cases = [(20000, 0, ""), (12, 3000000, ""), (0, 10, ""), (1, 10, ""), (100, 20000, "give"), (3, 10, "empty")]
    for tasks, largest, mode in cases + ([(1000000, 0, ""), (300, 3000000, "")] if full else []):
        done = farm(mpi, 4, has["many"], tasks, largest, *([mode] if mode else []), "--farm-machine=pfvm")
        empty = tasks if mode == "empty" else 0
        must = "%d of %d results, %d empty, %s\n" % (tasks, tasks, empty, "wrong" if empty else "right")
        check(done.returncode == 0 and done.stdout == must, "%s: %d tasks of up to %d bytes %s" % (mpi, tasks, largest, mode), done.all)


def costs(mpi, has):
    """Tasks that cost less than their way stay at node 0; long ones are computed everywhere, those that come after short ones as well."""
    def counts(tasks, since, every, host, *more):
        done = farm(mpi, 8 if host == "two" else 6, has["costs"], tasks, since, every, "--farm-host=" + host, *more)
        found = re.fullmatch(r"short((?: \d+)+)\nlong((?: \d+)+)\n", done.stdout)
        nodes = [[int(n) for n in kind.split()][-6:] for kind in found.groups()] if found else [[0] * 6] * 2
        return nodes[0], nodes[1], done

    for host in ("two", "one") if mpi == "openmpi" or full else ("one",):
        short, long, done = counts(20240, 20000, 1, host)
        check(sum(short) == 20000 and short[0] > 10000, "%s, host = %s: short tasks stay at node 0" % (mpi, host), done.all)
        check(sum(long) == 240 and min(long) > 4 and max(long) < 160, "%s, host = %s: long tasks after them are computed by all" % (mpi, host), done.all)
    if mpi == "openmpi":  # where they may not run at the same time, MPICH's processes get nothing while they wait for their turn
        short, long, done = counts(200000, 200000, 1, "one", "--farm-credits=20")
        check(sum(short) == 200000 and sum(short[1:]) > 2000, mpi + ": with credits of the specification short tasks are handed out as well", done.all)
        shutil.rmtree(folder + "/c.hbdb", ignore_errors=True)
        done = farm(mpi, 6, has["costs"], 4000, 2000, 20, "--farm-host=one", before=(HBDB, "record", "-o", "c.hbdb", "--"))
        again = run(HBDB, "replay", "c.hbdb", env={"HB_FARM_REPORT": "none"})
        check(done.returncode == again.returncode == 0 and done.stdout == again.stdout and "no difference in the calls" in again.stderr,
              mpi + ": what was decided by the clock is decided the same in a replay", done.all + again.all)
    short, long, done = counts(20000, 0, 50, "one")
    check(sum(long) == 400 and long[0] < 380, mpi + ": a long task among fifty: all are handed out", done.all)


def examples(mpi, has):
    for name, arguments, must in (("primes", ["100000"], "9592 primes below 100000, in 10 pieces\n"), ("quadrature", [], "integral 0.443182, of 64 results\n"),
                                  ("farm", [], "90\n"), ("squares", [], "sum of squares 333833500.\n"), ("archive", ["1000"], "168 primes below 1000, in 1 pieces\n"),
                                  ("simulate", [EXAMPLES + "/tasks.txt", "40"], "40 of 40 tasks are right\n")):
        done = farm(mpi, 4, has[name], *arguments)
        check(done.returncode == 0 and done.stdout == must, "%s: %s" % (mpi, name), done.all)
    once = farm(mpi, 4, has["nsegs"], "--farm-topology=chain")
    right = farm(mpi, 4, has["nsegs"], "right", "--farm-topology=chain")
    one = farm(mpi, 2, has["nsegs"], "--farm-host=one")
    check(once.returncode == 0 and once.stdout == "0 segments of length 0\n", mpi + ": what the generator sets, the receiver does not see", once.all)
    check(right.stdout.endswith("\n5 segments of length 15\n") and sorted(one.stdout) == sorted(right.stdout), mpi + ": in init_master, or in one process, it does", right.all + one.all)


BAD = [  # the lines of a specification, what must be said of them
    (["topology = ring"], ':1: topology: there is no "ring"; known are: chain, binary, ternary, tree, star'),
    (["# a comment", "", "degree = 0"], ":3: degree: 0 is not a number from 1 to 36"),
    (["degree = two"], ":1: degree: two is not a number from 1 to 36"),
    (["nodes = 8", "topology = binary"], ":1: nodes: 8 nodes with generator and receiver (host = two) need 10 processes, there are 3"),
    (["host = one", "nodes = 4 # too many"], ":2: nodes: 4 nodes need 4 processes, there are 3"),
    (["arity = 3"], ":1: arity: only `topology = tree` has one"),
    (["machine = pfvm", "degree = 3"], ":2: degree: a processor farm (pfvm) has degree 1"),
    (["degree = 36", "depth = 40"], ":2: depth: degree to the power of depth must be below 2^63"),
    (["chain"], ":1: this is not KEY = VALUE: chain"),
    (["topolgy = chain"], ":1: there is no key topolgy"),
    (["depth = 1", "depth = 2"], ":2: depth: this key stands twice, before at farm.spec:1: depth"),
    (["monitor = 1,x"], ":1: monitor: all, none, or a list such as 0,2-5,generator,receiver; not 1,x"),
    (["input = nowhere/file"], ":1: input: nowhere/file: No such file or directory"),
    (["output = nowhere/file"], ":1: output: nowhere/file: No such file or directory"),
    (["report = nowhere/file"], ":1: report: nowhere/file: No such file or directory"),
    (["report ="], ":1: report: a value is missing"),
    (["result-bytes = 15"], ":1: result-bytes: the result of task 0 has 16 bytes, at most 15 are allowed"),
    (["task-bytes = 7"], ":1: task-bytes: task 0 has 8 bytes, at most 7 are allowed"),
    (["x" * 3000], ": a line is too long"),
]
MODES = [("many-results", "more than 1 result of task "), ("many-parts", "split: more than degree = 2 parts of task"), ("no-parts", "split: no part of task")]


def bad_input(mpi, has):
    for lines, must in BAD if full or mpi == "openmpi" else BAD[::3]:
        with open(folder + "/farm.spec", "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        environment = {} if lines[0].startswith("report") else {"HB_FARM_REPORT": "none"}
        done = run(*LAUNCH[mpi], 3, has["many"], 5, 0, "--farm-spec=farm.spec", env=environment)
        said = [line for line in done.stderr.splitlines() if line == "farm.spec" + must]
        check(done.returncode == 1 and len(said) == 1, "%s: %s" % (mpi, must), done.all)
    for mode, must in MODES:
        done = farm(mpi, 4, has["many"], 50, 100, mode, env={"HB_FARM_DEGREE": "2"})
        check(done.returncode == 1 and done.stderr.count(must) >= 1, "%s: %s" % (mpi, must), done.all)
    for done, must in ((farm(mpi, 3, has["many"], 1, 1, "--farm-frob=1"), "command line: --farm-frob: there is no such option\n"),
                       (farm(mpi, 3, has["many"], 1, 1, "--farm-spec=nofile"), "nofile: No such file or directory\n"),
                       (farm(mpi, 3, has["primes"], "--farm-machine=dcvm"), "command line: --farm-machine: dcvm needs the functions split and join, which the program has not\n"),
                       (farm(mpi, 2, has["primes"]), "not said, so by default: nodes: 1 node with generator and receiver (host = two) needs 3 processes, there are 2\n"),
                       (farm(mpi, 3, has["primes"], env={"HB_FARM_CREDITS": "many"}), "environment: HB_FARM_CREDITS: many is not a number from 1 to 65536\n")):
        check(done.returncode == 1 and must in done.stderr, "%s: %s" % (mpi, must.strip()), done.all)


def specification(mpi, has):
    """The command line over the environment over the file; streams; spare processes; the reports."""
    with open(folder + "/good.spec", "w", encoding="utf-8") as f:
        f.write("# all of it\nMachine = DCVM\ntopology = chain\nnodes=2\ntasks = 60\ndegree = 2\ndepth = 3\ncredits = 5\nhost = two\n"
                "output = out.txt\nreport = report.txt\nreport-json = report.json\n")
    done = run(*LAUNCH[mpi], 5, has["many"], 50, 100, "--farm-topology", "star", "--farm-spec", "good.spec", env={"HB_FARM_TOPOLOGY": "ternary", "HB_FARM_DEPTH": "2"})
    check(done.returncode == 0 and not done.all.strip(), mpi + ": all streams are files", done.all)
    with open(folder + "/out.txt", encoding="utf-8") as out, open(folder + "/report.txt", encoding="utf-8") as text, open(folder + "/report.json", encoding="utf-8") as data:
        out, text, data = out.read(), text.read(), json.load(data)
    check(out == "50 of 50 results, 0 empty, right\n", mpi + ": output", out)
    check(data["topology"] == "star" and data["depth"] == 2 and data["credits"] == 5 and data["nodes"] == 2, mpi + ": the command line over the environment over the file", data)
    check([p["role"] for p in data["processes"]] == ["generator", "receiver", "node", "node", "spare"], mpi + ": roles", data)
    nodes = [p for p in data["processes"] if p["role"] == "node"]
    split = sum(p["split"] for p in nodes)
    check(data["generated"] == data["received"] == 50 and split == sum(p["joined"] for p in nodes) and sum(p["computed"] for p in nodes) == 50 + split,
          mpi + ": the numbers of the report agree", data)
    check("tasks: 50 generated (60 were to be), 50 results received\n" in text and re.search(r"^ +0 +%d +" % nodes[0]["computed"], text, re.M), mpi + ": as text", text)
    done = run(*LAUNCH[mpi], 3, has["primes"], "1000")
    check(done.stdout.startswith("168 primes") and done.stderr.startswith("farm: processor farm, binary, 1 nodes, "), mpi + ": without a word the report goes to stderr", done.all)


def recorded(mpi, has):
    cases = [("many", 6, ["200", "40", "--farm-machine=pfvm", "--farm-topology=chain"]), ("many", 7, ["60", "40", "--farm-degree=2", "--farm-depth=4"]),
             ("many", 3, ["60", "40", "--farm-degree=3", "--farm-depth=3", "--farm-host=one"])]
    for name, processes, arguments in cases if mpi == "openmpi" or full else cases[1:2]:
        shutil.rmtree(folder + "/r.hbdb", ignore_errors=True)
        done = farm(mpi, processes, has[name], *arguments, before=(HBDB, "record", "-o", "r.hbdb", "--"))
        what = "%s: %s %s: " % (mpi, name, " ".join(arguments[2:]))
        check(done.returncode == 0 and done.stdout == farm(mpi, processes, has[name], *arguments).stdout, what + "the same output under hbdb", done.all)
        wrong = events.problems(run(HBDB, "dump", "--json", "r.hbdb").stdout, int(arguments[0]))
        check(not wrong, what + "the events of each task agree", "\n".join(wrong[:20]))
        again = run(HBDB, "replay", "r.hbdb", env={"HB_FARM_REPORT": "none"})
        check(again.returncode == 0 and "no difference in the calls, nor in the" in again.stderr, what + "a replay makes the same calls", again.all)
    for where, must in (("none", set()), ("1,receiver", {"-2", "1"}), ("all", {"-1", "-2", "0", "1"})):
        shutil.rmtree(folder + "/m.hbdb", ignore_errors=True)
        farm(mpi, 4, has["many"], 20, 0, "--farm-monitor=" + where, before=(HBDB, "record", "-o", "m.hbdb", "--"))
        said = set(re.findall(r" farm\(node=(-?\d+),", run(HBDB, "dump", "--plain", "m.hbdb").stdout))
        check(said == must, "%s: monitor = %s" % (mpi, where), said)
    shutil.rmtree(folder + "/s.hbdb", ignore_errors=True)
    farm(mpi, 4, has["many"], 20, 0, "silent", before=(HBDB, "record", "-o", "s.hbdb", "--"))
    said = run(HBDB, "dump", "--plain", "-r", "0", "s.hbdb").stdout
    check("task_sent" not in said and "begin generate" in said, mpi + ": switched off by the program", said)


def third_experiment(mpi, has):
    """Results that nobody takes stay at node 0: two were sent, the others came as far as there."""
    shutil.rmtree(folder + "/n.hbdb", ignore_errors=True)
    farm(mpi, 8, has["nsegs"], "--farm-topology=chain", before=(HBDB, "record", "-o", "n.hbdb", "--"))
    said = [json.loads(line) for line in run(HBDB, "dump", "--json", "n.hbdb").stdout.splitlines()]
    sent = [e for e in said if e["function"] == "result_sent" and e["arguments"]["node"] == -2]
    check(len(sent) == 2 and not [e for e in said if e["function"] == "result_received" and e["arguments"]["node"] == 0],
          mpi + ": two of five results were sent to the receiver, which took none", sent)


def deaths(has):
    """Open MPI goes on without a process that was killed when its launcher is told to. What is lost is the node, not its tasks."""
    # its MPI_Finalize waits for all, the dead as well, unless it is told not to
    before = LAUNCH["openmpi"][:-1] + ["--enable-recovery", "--mca", "async_mpi_finalize", "1", "-n"]

    def mortal(processes, *arguments, by_command=False):
        if os.path.exists(folder + "/poison"):
            os.remove(folder + "/poison")
        with open(folder + "/report.json", "w", encoding="utf-8"):
            pass
        untold = ("env", "-u", "OMPI_MCA_orte_enable_recovery") if by_command else ()  # version 5 does not hand it down
        return run(*before, processes, *untold, has["many"], 100, 50, *arguments, "--farm-report-json=report.json")

    for topology, rank in (("chain", 3), ("binary", 3), ("star", 5), ("binary", 4)) if full else (("chain", 3), ("binary", 4)):
        for machine in (["--farm-machine=pfvm"], ["--farm-degree=2", "--farm-depth=4"]):
            done = mortal(8, "die", rank, "--farm-topology=" + topology, *machine, by_command=len(machine) > 1)
            with open(folder + "/report.json", encoding="utf-8") as f:
                data = json.loads(f.read() or "{}")
            check(done.stdout == "100 of 100 results, 0 empty, right\n" and data.get("dead") == 1 and data["processes"][rank]["role"] == "dead",
                  "openmpi: rank %d is killed on a %s, %s" % (rank, topology, machine[0]), done.all + str(data))
    done = mortal(8, "poison", 2, "--farm-machine=pfvm")
    with open(folder + "/report.json", encoding="utf-8") as f:
        data = json.loads(f.read() or "{}")
    with open(folder + "/poison", encoding="utf-8") as f:
        poison = f.read()
    check(done.stdout == "99 of 100 results, 0 empty, wrong\n" and data.get("dead") == 3 and data.get("aside") == 1 and "task %s was put aside: " % poison in done.stderr,
          "openmpi: a task that kills three nodes is put aside", done.all + str(data))
    for rank, name in ((0, "the generator"), (1, "the receiver"), (2, "node 0")):
        done = mortal(5, "die-early", rank, "--farm-machine=pfvm")
        check("%s (rank %d) has died; the farm cannot do without\n" % (name, rank) in done.stderr, "openmpi: %s is killed" % name, done.all)


def main():
    for mpi in MPIS:
        has = programs(mpi)
        same_everywhere(mpi, has)
        sizes(mpi, has)
        costs(mpi, has)
        examples(mpi, has)
        bad_input(mpi, has)
        specification(mpi, has)
        recorded(mpi, has)
        if mpi == "openmpi":
            deaths(has)
        if mpi == "openmpi" or full:
            third_experiment(mpi, has)
    shutil.rmtree(folder, ignore_errors=True)
    print("%d passed, %d failed" % (count["passed"], count["failed"]))
    return 1 if count["failed"] else 0


sys.exit(main())
