#!/usr/bin/python3
"""Inputs: what the system tells a program is recorded at level data, and given back in a replay of all processes and of one alone."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import turn  # noqa: E402

TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
HBDB = os.path.join(BUILD, "hbdb")
PROGRAMS = os.path.join(HERE, "programs")
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n"],
          "mpich": ["mpiexec.mpich", "-n"]}
GIVEN = re.compile(r"no difference; [1-9]\d* of the program's inputs \(clocks, random numbers, files and the like\) were given back$")
ALONE = "--alone" in subprocess.run([HBDB, "replay", "--help"], capture_output=True, text=True).stdout
folder = tempfile.mkdtemp(prefix="hbdb-inputs.")
count = {"passed": 0, "failed": 0}


def check(good, what, more=""):
    count["passed" if good else "failed"] += 1
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else "\n     " + str(more)[:3000].replace("\n", "\n     ")), flush=True)
    return good


def run(*command, env=None, stdin="", timeout=300):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=timeout, input=stdin,
                          env=dict(os.environ, XDG_STATE_HOME=folder + "/state", **(env or {})))
    for name in sorted(name for name in os.listdir(folder) if name.startswith("out.")):
        with open(os.path.join(folder, name)) as f:
            done.stdout += f.read()
        os.unlink(os.path.join(folder, name))
    done.all = done.stdout + done.stderr
    return done


def lines(done, rank=None):
    """What the processes printed; their order among each other is chance."""
    return sorted(line for line in done.stdout.splitlines() if rank is None or line.startswith("%d: " % rank))


def compiled(name, compiler, source, *more):
    done = run(compiler, "-g", "-O1", os.path.join(PROGRAMS, source), "-o", name, *more)
    check(done.returncode == 0, "compiled: " + name, done.all)
    return os.path.join(folder, name)


def recorded(name, command, env=None, options=(), stdin=""):
    done = run(HBDB, "record", "--level", "data", *options, "-o", name, "--", *command, env=env, stdin=stdin)
    check(done.returncode == 0 and done.stdout.strip(), name + ": recorded", done.all)
    return done


def same(name, first, ranks, env=None):
    """The replay prints what the recorded run printed, whole and, where there are ranks, each alone."""
    again = run(HBDB, "replay", name, env=env)
    check(again.returncode == 0 and lines(again) == lines(first), name + ": the replay prints the same", "%s\n--\n%s" % (first.stdout, again.all))
    check(GIVEN.search(again.stderr.rstrip()), name + ": no difference, and inputs were given back", again.stderr)
    for rank in range(ranks if ALONE else 0):
        alone = run(HBDB, "replay", "--alone", str(rank), name, env=env)
        check(alone.returncode == 0 and lines(alone, rank) == lines(first, rank), "%s: rank %d alone, too" % (name, rank),
              "%s\n--\n%s" % (lines(first, rank), alone.all))


def seeds(mpi):
    program = compiled("seeds." + mpi, "mpicc." + mpi, "seeds.c", "-pthread", "-D_GNU_SOURCE")
    name = "seeds.%s.hbdb" % mpi
    job = [*LAUNCH[mpi], "2", program]
    first = recorded(name, job, env={"HB_SAID": "then"})
    check("HB_SAID=then" in first.stdout and "HB_SAID=by itself" in first.stdout, mpi + ": the environment is the recorded run's own", first.stdout)
    same(name, first, 2, env={"HB_SAID": "now"})
    off = run(HBDB, "replay", "--inputs", "off", name)
    check(lines(off) != lines(first) and "given back" not in off.stderr, mpi + ": --inputs off gives nothing back", off.all)
    more = run(HBDB, "replay", name, "--", *job, "more")
    check(more.returncode == 0 and "the program calls clock_gettime(CLOCK_MONOTONIC) here, and did not in the recorded run" in more.stderr
          and "it did not ask for all of them as it did" in more.stderr, mpi + ": a clock that is read more often is told", more.stderr)
    random = [line for line in lines(first) if ": random " in line]
    check(random == [line for line in lines(more) if ": random " in line], mpi + ": ... and what else there is comes as it did", more.all)
    without = recorded("without." + name, job, options=["--inputs", "off"])
    again = run(HBDB, "replay", "without." + name)
    check(lines(again) != lines(without) and "given back" not in again.stderr, mpi + ": recorded without, nothing is given back", again.all)
    events = run(HBDB, "record", "-o", "events." + name, "--", *job)
    check(events.returncode == 0 and not [f for f in os.listdir(os.path.join(folder, "events." + name)) if f.endswith(".data")], mpi + ": only at level data", events.all)


def reads(mpi):
    program = compiled("reads." + mpi, "mpicc." + mpi, "reads.c", "-D_GNU_SOURCE", "-D_FORTIFY_SOURCE=2")
    name, path, text = "reads.%s.hbdb" % mpi, "data.%s" % mpi, "what was there"

    def now(text):
        if os.path.exists(os.path.join(folder, path)):
            os.unlink(os.path.join(folder, path))
        if text is not None:
            with open(os.path.join(folder, path), "w") as f:
                f.write(text)

    now(text)
    job = [*LAUNCH[mpi], "3", program, path]
    first = recorded(name, job, stdin="a first line\n17\nand more\nuntil its end\n")
    for line in ("0: a line: a first line", "0: a number: 17", "2: %s by stdio: %d %s" % (path, len(text), text), "1: pclose: 0",
                 "0: poll 1 4, select 1 1, epoll 1 5, readv 4 se lf", "2: connect 0, 16, 6 thanks"):
        check(line + "\n" in first.stdout, "%s: %s" % (mpi, line), first.all)
    same(name, first, 3)
    now("what is there now")
    again = run(HBDB, "replay", name)
    check("%s is another file than in the recorded run: 17 bytes, and it had 14" % path in again.stderr and "what is there now" in again.stdout,
          mpi + ": a file that differs is told, and read", again.all)
    now(None)
    again = run(HBDB, "replay", name)
    check("%s is not there: No such file or directory; it had 14 bytes" % path in again.stderr, mpi + ": a file that is gone is told", again.all)
    none = recorded("none." + name, job)
    now(text)
    again = run(HBDB, "replay", "none." + name)
    check("%s is there now, and was not in the recorded run (No such file or directory); it is answered as then" % path in again.stderr
          and lines(again) == lines(none), mpi + ": a file that was not there is not there", again.all)
    first = recorded("packed." + name, job, options=["--pack"])
    for other in "what is there now", None:
        now(other)
        same("packed." + name, first, 3)


def alive(mpi):
    program = compiled("alive." + mpi, "mpicc." + mpi, "alive.c", "-D_GNU_SOURCE")
    name = "alive.%s.hbdb" % mpi
    first = recorded(name, [*LAUNCH[mpi], "2", program])
    check(all("%d: %s\n" % (rank, line) in first.stdout for rank in (0, 1) for line in ("neighbour there", "nobody No such process", "child there", "child ended by signal 9")),
          mpi + ": who lives", first.all)
    check(all(re.search(r"^%d: of it 29 \d+ \(alive\S+.*, \d+ \(alive" % rank, first.stdout, re.M)
              and "%d: of it -1 No such file or directory, none\n" % rank in first.stdout for rank in (0, 1)), mpi + ": what the system says of them", first.all)
    same(name, first, 2)


def signals(mpi):
    program = compiled("signals." + mpi, "mpicc." + mpi, "signals.c", "-D_GNU_SOURCE")
    name = "signals.%s.hbdb" % mpi
    first = recorded(name, [*LAUNCH[mpi], "2", program])
    check(": tick 1 at" in first.stdout and "0: told 101" in first.stdout, mpi + ": handlers run", first.all)
    same(name, first, 2)
    verify = run(HBDB, "verify", name)
    check(verify.returncode == 0, mpi + ": verify", verify.all)


def languages(mpi):
    for compiler, source in ("mpifort.", "seeds.f90"), ("mpicxx.", "seeds.cc"):
        if not check(shutil.which(compiler + mpi), "there is " + compiler + mpi):
            continue
        program = compiled(source + "." + mpi, compiler + mpi, source)
        name = "%s.%s.hbdb" % (source, mpi)
        same(name, recorded(name, [*LAUNCH[mpi], "2", program]), 2)
    if mpi == "openmpi": # for which mpi4py is packaged
        same("py.hbdb", recorded("py.hbdb", [*LAUNCH[mpi], "2", "/usr/bin/python3", PROGRAMS + "/seeds.py"]), 2)


def table():
    """The rows of the table that are not passed on are what the library has, and nothing else."""
    with open(os.path.join(TOP, "src", "calls", "inputs", "inputs.def")) as f:
        rows = re.findall(r"^HB_INPUT_(GIVEN|CHECKED|PASSED)\((\w+), ", f.read(), re.M)
    library = os.path.join(BUILD, "src", "capture", "libhbdb-inputs.so")
    symbols = {line.split()[2].split("@")[0] for line in run("nm", "-D", "--defined-only", library).stdout.splitlines()}
    ours = {name for what, name in rows if what != "PASSED"}
    # names that the C library has besides for the same function: with another width of numbers, with checks of the compiler; and C++
    other = {name for name in symbols - ours if re.fullmatch(r"__(\w+)_chk|(\w+)64|__open(at)?(64)?_2|_ZNSt13random_device9_M_getvalEv|RAND_(priv_)?bytes(_ex)?", name)}
    check(ours <= symbols, "what is given back is stood in front of", sorted(ours - symbols))
    check(symbols - ours == other, "what is stood in front of is in the table", sorted(symbols - ours - other))
    check(not symbols & {name for what, name in rows if what == "PASSED"}, "what is passed on is not stood in front of")


def main():
    try:
        table()
        for part in (seeds, reads, signals, alive, languages):
            for mpi in turn.either(part.__name__, LAUNCH):
                part(mpi)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("%d passed, %d failed" % (count["passed"], count["failed"]))
    return count["failed"] != 0


sys.exit(main())
