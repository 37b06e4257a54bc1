#!/usr/bin/python3
"""hbdb-mpi: what several processes say of a recording is what hbdb says of it, byte for byte, with the same status.

By itself: tests/parallel/run.py [--full] [RECORDING...]. Without --full each recording is looked at with one number of processes and two
questions, other ones at every commit."""
import sys

sys.dont_write_bytecode = True

import argparse
import glob
import os
import random
import re
import shutil
import subprocess
import tempfile
import zlib

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests"))
import turn

BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
HBDB = os.path.join(BUILD, "hbdb")
GENERATE = os.path.join(BUILD, "bench", "generate", "generate")
LIMIT = 120
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"],
          "mpich": ["mpirun.mpich"]}
OTHER = {"openmpi": "mpich", "mpich": "openmpi"}
SIZES = [1, 2, 3, 8]
RACES = [["races"], ["races", "--json"], ["races", "--limit", "0"], ["races", "--chunks", "--rank", "0,2"]]
# "order": two events are put behind it
OTHERS = [["check"], ["order"], ["races", "--all"], ["check", "--json"], ["order", "--json"], ["races", "--all", "--json"],
          ["order", "--all"], ["check", "--leaks", "--verbose", "--severity", "warning"]]
# what hbdb-mpi says, besides what hbdb says, where the first process does the work of all
ALONE = "; the first process does it all"
passed = failed = alone = 0


def check(name, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("ok" if good else "FAIL", name, flush=True)
    if not good:
        print("\n".join("    " + line for line in str(detail).splitlines()[:20]), flush=True)


def run(command, environment=None, folder=None):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=False,
                          env=dict(os.environ, **(environment or {})), cwd=folder)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def said(err):
    """What hbdb itself said: launchers have their own words about a status that is not 0."""
    return [line for line in err.splitlines() if line.startswith("hbdb:")]


def together(mpi, size, *arguments):
    return run(LAUNCH[mpi] + ["-n", str(size), os.path.join(BUILD, "hbdb-mpi." + mpi), *arguments])


def two_events(label, recording):
    """Two events of different processes, where there are two; other ones for every label."""
    draw = random.Random(zlib.crc32(label.encode()))
    _, _, err = run([HBDB, "order", "0:999999999", "1:999999999", recording])
    counts = dict(re.findall(r"rank ([0-9]+) has ([0-9]+) event", err))
    if not counts:
        return ["0:1", "0:2"]
    ranks = [draw.choice(sorted(counts)), draw.choice(sorted(counts))] if len(counts) < 2 or draw.random() < .1 else sorted(counts)
    events = [f"{rank}:{max(1, int(int(counts[rank]) * draw.choice([.1, .3, .5, .9, 1])))}" for rank in ranks]
    return events if draw.random() < .5 else events[::-1]


def compare(label, recording, mpi, size, question):
    """One question by hbdb and by some processes: equal. Returns whether the first process did it all, which one line says."""
    global alone
    command = question + (two_events(label, recording) if question[0] == "order" else [])
    one = run([HBDB, *command, recording])
    several = together(mpi, size, *command, recording)
    lines = said(several[2])
    told = sum(ALONE in line for line in lines)
    alone += told > 0
    lines = [line for line in lines if ALONE not in line]
    detail = [f"status {one[0]} and {several[0]}", *said(one[2]), "--", *several[2].splitlines()]
    for a, b in zip(one[1].splitlines(), several[1].splitlines()):
        if a != b:
            detail += [a.decode(errors="replace"), b.decode(errors="replace")]
            break
    name = f"{label}: {size} of {mpi} {' '.join(command)}{' (by the first)' if told else ''}"
    check(name, one[:2] == several[:2] and said(one[2]) == lines and told < 2, "\n".join(detail))
    return told > 0


def look(label, recording, full):
    for mpi in turn.either("parallel " + label, list(LAUNCH)):
        if full:
            for size in SIZES:
                for question in RACES + OTHERS:
                    compare(label, recording, mpi, size, question)
        else:
            size = turn.pick(label + " size", SIZES[1:3], 2)
            compare(label, recording, mpi, size, turn.pick(label + " options", RACES, 4))
            compare(label, recording, mpi, size, turn.pick(label + " others", OTHERS))


# ---- recordings ----

def synthetic(folder, pattern, ranks, events, *options):
    name = os.path.join(folder, f"{pattern}-{ranks}{''.join(options)}.hbdb")
    status, _, err = run([GENERATE, "-o", name, "-p", pattern, "-n", str(ranks), "-e", str(events), *options])
    check(f"{pattern}-{ranks}: made", status == 0, err)
    return name


def golden(folder, log):
    name = os.path.join(folder, os.path.basename(log)[:-4] + ".hbdb")
    os.mkdir(name)
    shutil.copy(log, os.path.join(name, "rank.0.log"))
    return name


def recorded(folder, mpi, source, processes):
    """A program of this tree, recorded."""
    label = os.path.splitext(os.path.basename(source))[0]
    program, name = os.path.join(folder, label), os.path.join(folder, f"{label}-{mpi}.hbdb")
    status, _, err = run(["mpicc." + mpi, "-g", "-O1", "-I", os.path.join(TOP, "include"), "-pthread", "-o", program, source, "-lm"])
    if status:
        check(f"{label}: compiled", False, err)
        return None
    _, _, err = run([HBDB, "record", "-o", name, "--", *LAUNCH[mpi], "-n", str(processes), program], folder=folder)
    if not os.path.isdir(name):
        check(f"{label}: recorded", False, err)
        return None
    return name


def cut(folder, recording):
    """The same, of which one log ends in its middle."""
    name = os.path.join(folder, "cut-" + os.path.basename(recording))
    shutil.copytree(recording, name)
    log = sorted(glob.glob(os.path.join(name, "rank.*.log")))[1]
    os.truncate(log, os.path.getsize(log) * 2 // 3)
    return name


def missing(folder, recording):
    name = os.path.join(folder, "missing-" + os.path.basename(recording))
    shutil.copytree(recording, name)
    os.remove(sorted(glob.glob(os.path.join(name, "rank.*.log")))[-1])
    return name


# ---- what is wrong, and said once ----

def errors(folder, recording):
    mpi = turn.either("parallel errors", list(LAUNCH))[0]

    def told(name, words, *arguments, status=2):
        got = together(mpi, 2, *arguments)
        lines = [line for line in got[2].splitlines() if line.startswith("hbdb")]
        check(name, got[0] == status and len(lines) == 1 and words in lines[0] and not got[1], got)

    told("a recording that is not there is told once", "nothing.hbdb", "races", os.path.join(folder, "nothing.hbdb"), status=3)
    told("cone is not divided", "cone is not divided", "cone", "0:1", recording)
    told("check runs no command", "not a command", "check", "--", "true")
    told("order wants two events", "takes two events", "order", "0:1")
    told("an event that there is not", "there is no 0:999999999", "order", "0:999999999", "1:1", recording)
    told("no command", "is no command", "rases", recording)
    told("an option that there is not", "no option", "races", "--allx", recording)
    alone = run([HBDB, "races", "--line", "nowhere.c:7", recording])
    several = together(mpi, 2, "races", "--line", "nowhere.c:7", recording)
    check("a place where nothing is: the same words", alone[0] == several[0] == 2 and said(alone[2]) == said(several[2]),
          (alone, several))
    got = run(LAUNCH[OTHER[mpi]] + ["-n", "2", os.path.join(BUILD, "hbdb-mpi." + mpi), "races", recording])
    lines = [line for line in got[2].splitlines() if line.startswith("hbdb:")]
    check("under the other MPI's launcher: refused, once",
          got[0] == 2 and len(lines) == 1 and "hbdb-mpi." + OTHER[mpi] in lines[0] and not got[1], got)


def not_the_same(folder, recording, other):
    """Each process has a folder of its own, as where nodes share none."""
    mpi = turn.either("parallel apart", list(LAUNCH))[0]
    places = [os.path.join(folder, "apart-%d" % i) for i in range(2)]
    for place in places:
        os.makedirs(place)
    there = [os.path.join(place, "same.hbdb") for place in places]

    def ask(*question):
        go = 'cd "%s-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && exec "$0" "$@"' % os.path.join(folder, "apart")
        got = run(LAUNCH[mpi] + ["-n", "2", "sh", "-c", go, os.path.join(BUILD, "hbdb-mpi." + mpi), *question, "same.hbdb"])
        return got[0], got[1], said(got[2])

    shutil.copytree(recording, there[0])
    status, out, lines = ask("races")
    check("one that only the first process sees: said, with which does not",
          status == 3 and not out and len(lines) == 1 and "process 1 on " in lines[0] and "finds no such recording" in lines[0], (status, out, lines))
    os.rename(there[0], there[1])
    status, out, lines = ask("check")
    check("one that the first does not see: two lines",
          status == 3 and not out and len(lines) == 2 and "there is no recording" in lines[0] and "process 1 on " in lines[1], (status, out, lines))
    for question in (["races"], ["check"], ["order", "0:3", "1:2"]):
        for place, source in zip(there, (recording, other)):
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(source, place)
        status, out, lines = ask(*question)
        check("%s of two recordings under one name: refused" % question[0],
              status == 3 and not out and len(lines) == 1 and "sees other logs there" in lines[0], (status, out, lines))
    got = run([os.path.join(BUILD, "hbdb-mpi.mpich"), "races", recording], {"SLURM_STEP_NUM_TASKS": "3", "SLURM_PROCID": "0"})
    check("processes of srun that do not know of each other: refused", got[0] == 2 and not got[1] and "srun started 3 processes" in got[2], got)
    got = run([os.path.join(BUILD, "hbdb-mpi.mpich"), "races", recording], {"SLURM_STEP_NUM_TASKS": "3", "SLURM_PROCID": "1"})
    check("... by the first of them", got[0] == 2 and not got[1] and not said(got[2]), got)


def quick(folder, full):
    made = [synthetic(folder, "random", 9, 20000), synthetic(folder, "farm", 5, 4000),
            synthetic(folder, "farm", 64, 3000),  # its master's receives are looked at by several
            synthetic(folder, "alltoall", 32, 6000),
            synthetic(folder, "halo", 16, 6000, "--raw")]
    for name in made:
        look(os.path.basename(name), name, full)
    look("cut", cut(folder, made[0]), full)
    look("missing", missing(folder, made[1]), full)
    for log in sorted(glob.glob(os.path.join(TOP, "tests", "golden", "sealed-*.log"))):
        label = os.path.basename(log)[:-4]
        if full or turn.has("parallel " + label, 4):
            look(label, golden(folder, log), full)
    mpi = turn.either("parallel farm", list(LAUNCH))[0]
    name = recorded(folder, mpi, os.path.join(TOP, "examples", "farm.c"), 4)
    if name:
        look("farm.c", name, full)
        errors(folder, name)
        again = os.path.join(folder, "again")
        os.mkdir(again)
        other = recorded(again, mpi, os.path.join(TOP, "examples", "farm.c"), 4)
        if other:
            not_the_same(folder, name, other)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("recordings", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hbdb-parallel-") as folder:
        if options.recordings:
            for name in options.recordings:
                look(os.path.basename(name), name, options.full)
        else:
            quick(folder, options.full)
    if alone:
        print(f"{alone} times the first process did it all: the recording has what is not divided")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
