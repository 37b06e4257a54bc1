#!/usr/bin/env python3
"""Recorded programs of a complex: what a ring holds is kept, by hand and by a reaction."""
import json
import os
import subprocess
import sys

from lib import Complex, check, finish, until

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests"))
import turn

LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n", "2"], "mpich": ["mpirun.mpich", "-n", "2"]}


def compiled(c, mpi):
    binary = "%s/steady-%s" % (c.path, mpi)
    subprocess.run(["mpicc." + mpi, "-O1", "-g", os.path.join(TOP, "tests/ring/steady.c"), "-o", binary], check=True)
    return binary


def program(c, mpi, name, record, *words):
    c.do("program", "add", name, "--node", "n1", "--cwd", c.path, "--record-with", record, "--", *LAUNCH[mpi], compiled(c, mpi), *words)
    c.do("program", "begin", name)


def events_of(recording):
    """(events that are there, events that were given up) of each process."""
    done = subprocess.run([os.path.join(os.environ.get("BUILD", "build"), "hbdb"), "info", "--json", recording], capture_output=True, text=True, timeout=60, check=False)
    return [(p["events"], p["events_before"]) for p in json.loads(done.stdout or "{}").get("processes", [])]


def kept(mpi):
    with Complex(reactions="when any process of short dies at most once per 1h do keep\n") as c:
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        until(lambda: c.rows("nodes")[0]["state"] == "up")
        ring = "--ring 128K -o %s/" % c.path
        program(c, mpi, "long", ring + "long.hbdb", "1000000", "100")
        # the smallest ring holds about 15,000 events
        until(lambda: any(r["program_name"] == "long" and (r["events"] or 0) > 25000 for r in c.rows("ps")))
        c.do("program", "keep", "long", "-o", "mine.hbdb")
        first = events_of(c.path + "/mine.hbdb")
        check(len(first) == 2 and all(there and before for there, before in first), "what a ring holds is kept while it runs (%s)" % mpi, first)
        check(c.program("long")["state"] == "running" and c.event("note", "its ring was kept"), "and the program goes on", c.rows("events"))
        c.do("program", "keep", "long")
        second = events_of(c.path + "/long-kept-1.hbdb")
        check(len(second) == 2 and all(sum(b) > sum(a) for a, b in zip(first, second)), "a second time beside it, with what came since", (first, second))
        status, _, err = c.run("program", "keep", "long", "-o", "mine.hbdb")
        check(status == 2 and "File exists" in err and events_of(c.path + "/mine.hbdb") == first, "what is there is not written over", err)
        status, _, err = c.run("program", "keep", "long", "-o", "a/b.hbdb")
        check(status == 2 and "neither an absolute path" in err, "a name with a folder that is not absolute is refused", err)
        c.do("program", "end", "long")
        program(c, mpi, "short", ring + "short.hbdb", "1000000", "1000", "1500")
        check(until(lambda: c.event("note", "its ring was kept") and os.path.exists(c.path + "/short-kept-1.hbdb/manifest.json")), "a death keeps the ring", c.rows("events"))
        check(len(events_of(c.path + "/short-kept-1.hbdb")) == 2, "with all processes in it", events_of(c.path + "/short-kept-1.hbdb"))


def main():
    for mpi in turn.either("manager-recorded", ("openmpi", "mpich")):
        kept(mpi)
    finish()


main()
