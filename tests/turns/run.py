#!/usr/bin/python3
"""Replays give locks, atomic operations and shared file pointers to the processes in the recorded order. Each part of turns.c prints what
depends on it; recordings that tell of no turns are replayed as before."""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "cli"), os.path.dirname(HERE)]
import lib
import turn
from lib import check, has, same

LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n", "3"],
          "mpich": ["mpirun.mpich", "-n", "2"]}  # MPICH does not yield
PARTS = ("exclusive", "handed", "readers", "tickets", "spin", "mcs", "list", "sums", "file")
LOSES = {"mpich": ("list",)}  # without hbdb, too: compare-and-swap by the target itself and by another one lose each other's values
TURNS = {"exclusive": "MPI_Win_lock", "handed": "MPI_Win_lock", "readers": "MPI_Win_lock_all", "tickets": "MPI_Fetch_and_op", "spin": "MPI_Compare_and_swap",
         "mcs": "MPI_Accumulate", "list": "MPI_Compare_and_swap", "sums": "MPI_Raccumulate", "file": "MPI_File_write_shared"}
SECONDS = 120
HANDED = 5  # rounds of the part in which each process has one lock between two barriers


def lines(text):
    """What processes print stands in any order."""
    return sorted(text.splitlines())


def can(mpi, parts):
    return [part for part in parts if part not in LOSES.get(mpi, ()) and mpi in turn.either(part, LAUNCH)]


def command(place, mpi, part):
    return [*LAUNCH[mpi], place.path + "/turns." + mpi, part]


def file_now(place, part):
    if part != "file":
        return b""
    with open(place.path + "/turns.log", "rb") as f:
        return f.read()


def record(place, mpi, part, *options):
    shutil.rmtree(place.path + "/run.hbdb", ignore_errors=True)
    status, out, err = place.run("record", *options, "-o", "run.hbdb", "--", *command(place, mpi, part), timeout=SECONDS)
    check("%s %s %s: recorded" % (mpi, part, " ".join(options)), status == 0, err)
    return out


def replayed(place, title, wanted, was, part, *arguments):
    """Beside processes that want the processor, too."""
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        status, out, err = place.run("replay", *arguments, timeout=SECONDS)
    finally:
        for one in load:
            one.kill()
            one.wait()
    check(title, status == 0 and lines(out) == lines(wanted) and file_now(place, part) == was, (status, out, wanted, err))
    check(title + ": nothing is said not to be enforced", "does not enforce" not in err, err)


def events(place, function):
    return [json.loads(line) for line in place.run("dump", "--json", "-f", function, "run")[1].splitlines()]


def order(place, mpi):
    """The lock that was granted next depends on what released the one before. Both between the same barriers: nothing else orders them."""
    barriers = [(event["rank"], event["event"]) for event in events(place, "MPI_Barrier")]
    locks = {event["turn"][0]: event for event in events(place, "MPI_Win_lock") if len(event.get("turn", [])) == 4}
    for lock in locks.values():
        lock["after"] = sum(rank == lock["rank"] and event < lock["event"] for rank, event in barriers)
    pairs = [(locks[n], locks[n + 1]) for n in sorted(locks) if n + 1 in locks and locks[n]["rank"] != locks[n + 1]["rank"]
             and locks[n]["after"] == locks[n + 1]["after"]]
    processes = int(LAUNCH[mpi][-1])
    check("%s: locks went from process to process" % mpi, len(pairs) >= HANDED * (processes - 1), (pairs, locks))
    for first, then in pairs[:2]:
        a, b = ("%s:%d" % (event["rank"], event["event"]) for event in (first, then))
        has("%s: order" % mpi, place.run("order", a, b, "run")[1], a + " is before " + b, "lock released, which was granted then")


def under(mpi, place):
    subprocess.run(["mpicc." + mpi, "-g", "-O1", "-o", place.path + "/turns." + mpi, HERE + "/turns.c"], check=True)
    for part in can(mpi, PARTS):
        wanted = record(place, mpi, part)
        was = file_now(place, part)
        out = place.run("dump", "-f", TURNS[part], "run")[1]
        check("%s %s: turns are told" % (mpi, part), "exclusive" in out or "turn=" in out, out[:300])
        for again in range(2 if turn.whole() else 1):
            replayed(place, "%s %s: replay %d" % (mpi, part, again), wanted, was, part, "run")
        if part == "handed":
            order(place, mpi)
    for part in can(mpi, ("readers", "list", "file")):
        wanted = record(place, mpi, part, "--level", "order")
        replayed(place, "%s %s: level order" % (mpi, part), wanted, file_now(place, part), part, "run")
    for part in can(mpi, ("exclusive", "mcs")):
        wanted = record(place, mpi, part)
        status, _, err = place.run("minimize", "-o", "less.hbdb", "run")
        check("%s %s: minimized" % (mpi, part), status == 0, err)
        replayed(place, "%s %s: minimized, replayed" % (mpi, part), wanted, b"", part, "less")
        shutil.rmtree(place.path + "/less.hbdb", ignore_errors=True)


def under_the_other(place):
    LAUNCH["mpich"][-1] = "3"
    for part in ("exclusive", "spin", "sums"):
        wanted = record(place, "openmpi", part)
        replayed(place, "%s: recorded under Open MPI, replayed under MPICH" % part, wanted, b"", part, "run", "--",
                 *command(place, "mpich", part))


def alone(place, mpi):
    for part in can(mpi, ("tickets", "list", "readers", "file")):
        wanted = record(place, mpi, part, "--level", "data")
        for rank in (0, 1):
            status, out, err = place.run("replay", "--alone", str(rank), "run", timeout=SECONDS)
            own = lines(wanted)
            check("%s %s: rank %d alone" % (mpi, part, rank), status == 0 and lines(out) == [l for l in own if l in lines(out)],
                  (status, out, wanted, err))


def without(place):
    """A recording that was made before there were turns."""
    for name in ("locks", "order"):  # levels events and order
        shutil.copytree(HERE + "/before-" + name, place.path + "/before.hbdb")
        status, out, err = place.run("replay", "--trust", "before", "--", *command(place, "openmpi", "exclusive"), timeout=SECONDS)
        has("a recording without turns (%s): what is not enforced" % name, err, "does not enforce the order in which locks are granted")
        check("a recording without turns (%s): its locks are no difference" % name, status == 0, (status, out, err))
        shutil.rmtree(place.path + "/before.hbdb")


def main():
    with lib.Place(libraries=False) as place:
        for mpi in LAUNCH:
            under(mpi, place)
            alone(place, mpi)
        under_the_other(place)
        without(place)
    lib.finish()


main()
