#!/usr/bin/env python3
"""Recorded programs of a complex: what their threads do, and what a ring holds is kept, by hand and by a reaction."""
import json
import os
import subprocess
import sys

from lib import Complex, check, finish, until
import wire

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
        # each step of a rank is a send and a receive, and more of their kind: 1,000 events are not 1,000 messages
        ranks = until(lambda: [r for r in c.rows("ps") if r["rank"] is not None and (r["message_rate"] or 0) > 0 and r["event_rate"] > 0][1:] and
                      [r for r in c.rows("ps") if r["rank"] is not None])
        check(ranks and all(0 < r["messages"] < r["events"] and 0 <= r["message_rate"] <= r["event_rate"] for r in ranks), "events and messages per second (%s)" % mpi, ranks)
        check("messages/s)" in c.do("ps"), "hbdb ps shows them", c.do("ps"))
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


STAND = """#include <mpi.h>
int main(int c, char **v)
{
	int r, x;
	MPI_Init(&c, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &r);
	if (r == 0)
		MPI_Recv(&x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (volatile long i = 0; r == 1; i++)
		;
	MPI_Finalize();
	return 0;
}
"""


def threads(mpi):
    """One rank receives what is never sent, the other computes."""
    with Complex() as c:
        with open(c.path + "/stand.c", "w", encoding="ascii") as f:
            f.write(STAND)
        subprocess.run(["mpicc." + mpi, "-g", "-o", c.path + "/stand", c.path + "/stand.c"], check=True)
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        until(lambda: c.rows("nodes")[0]["state"] == "up")
        c.do("program", "add", "stand", "--node", "n1", "--cwd", c.path, "--record", "--", *LAUNCH[mpi], c.path + "/stand")
        c.do("program", "begin", "stand")

        def doing():
            """Of each rank, in one look, when both are where they stay: before, one has begun no call yet, or none is known of the other."""
            found = [r["doing"] for r in sorted(c.rows("ps", "--threads"), key=lambda r: r["rank"] or 0) if "doing" in r]
            return found if len(found) == 2 and all(found) and all(t["events"] for r in found for t in r) and found[0][0]["does"] == "inside" else None
        ranks = until(doing)
        check(ranks and len(ranks) == 2 and all(len(r) == 1 for r in ranks), "threads of processes (%s)" % mpi, c.run("ps", "--threads"))
        waits, computes = ranks[0][0], ranks[1][0]
        check(waits["does"] == "inside" and waits["call"] == "MPI_Recv" and waits["place"].endswith("stand.c:8") and waits["seconds"] >= 0 and waits["events"] == 1, "in which call, where", waits)
        check(computes["does"] == "computes" and computes["after"] == "MPI_Init" and "call" not in computes, "or after which it computes", computes)
        pids = [r["pid"] for r in sorted(c.rows("ps"), key=lambda r: r["rank"] or 0) if r["rank"] is not None]
        check([r[0]["thread"] for r in ranks] == pids, "its number in the system", (ranks, pids))
        text = c.do("ps", "-t")
        check("inside MPI_Recv" in text and "computes after MPI_Init" in text, "hbdb ps --threads says so", text)
        w = c.wire()
        for number, word in ((99999, "no process of this number"), (c.program("stand")["process"], "")):
            try:
                w.ask("state", process=number)
                check(not word, "a process that is not there has no state")
            except wire.Refused as e:
                check(word and word in str(e), "a process that is not there has no state", e)
        w.close()


DIES = """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		abort();
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Finalize();
}
"""


def at_once(mpi, runs=4):
    """Jobs that die as soon as they have begun, before anybody has looked: how they ended is told all the same."""
    with Complex(reactions='when rank 1 of short dies do note "rank 1 died"\n') as c:
        with open(c.path + "/dies.c", "w", encoding="ascii") as f:
            f.write(DIES)
        subprocess.run(["mpicc." + mpi, "-o", c.path + "/dies", c.path + "/dies.c"], check=True)
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        c.do("program", "add", "short", "--node", "n1", "--cwd", c.path, "--record", "--", *LAUNCH[mpi], "./dies")
        for run in range(1, runs + 1):
            c.do("program", "begin", "short")
            until(lambda: c.program("short")["runs"] == run and c.program("short")["state"] == "failed")
            until(lambda: len([e for e in c.rows("events", "--since", "0") if "rank 1 died" in e["text"] and e["kind"] == "note"]) == run)
        deaths = [e for e in c.rows("events", "--since", "0") if e["kind"] == "death" and e["rank"] == 1]
        check(len(deaths) == runs and len({e["recording"] for e in deaths}) == runs, "each of %d deaths at once is told once (%s)" % (runs, mpi), deaths)
        notes = [e for e in c.rows("events", "--since", "0") if "rank 1 died" in e["text"] and e["kind"] == "note"]
        check(len(notes) == runs, "and makes a rule due", notes)
        check(all(r["events"] is None or r["events"] > 0 for r in c.rows("ps", "--all") if r["rank"] is not None), "events that nobody counted are not said to be none", c.do("ps", "--all"))


def main():
    for mpi in turn.either("manager-recorded", ("openmpi", "mpich")):
        threads(mpi)
        kept(mpi)
        at_once(mpi)
    finish()


main()
