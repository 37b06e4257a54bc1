#!/usr/bin/env python3
"""Reactions that need a recorded job: "when rank 3 dies, stop everybody in its past and leave it for me", the debugger, a model."""
import os
import subprocess

from lib import HBDB, Complex, check, finish, until

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MPIRUN = ["mpirun.openmpi", "--enable-recovery", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"]

# 1 sends to 3; 0 and 2 have nothing to do with it. They all stay until there is a file `finish`.
JOB = r"""
#include <mpi.h>
#include <signal.h>
#include <unistd.h>
static void deep(const char *name)
{
	while (access(name, F_OK))
		usleep(20000);
}
int main(int argc, char **argv)
{
	int rank, x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank < 2)
		MPI_Send(&x, 1, MPI_INT, rank + 2, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(&x, 1, MPI_INT, rank - 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 3) {
		deep("die");
		raise(SIGSEGV);
	}
	deep("finish");
	return 0;
}
"""

TURNS = r"""
#include <hbdb/event.h>
#include <unistd.h>
int main(void)
{
	hb_event("turn");
	hb_event("turn");
	while (access("third", F_OK))
		usleep(20000);
	hb_event("turn");
	while (access("finish", F_OK))
		usleep(20000);
	return 0;
}
"""

MODEL = "model turns\naction turn() = event turn\nrun = 0: turn(); 0: turn()\n"

RULES = """
when rank 3 of job dies do
  stop everybody in its past and leave them for me, attach debugger
when rank 3 of spread dies do
  stop everybody in its past and leave them for me, attach debugger
when process left of left goes on at most once per 1h do attach debugger and leave it for me
when pattern %s/never.hbm of steps is stopped do note "a step never comes"
when pattern %s/yet.hbm of steps is stopped do note "a step does not come"
when any process of boom dies do restart program boom
when pattern %s/turns.hbm of turns is wrong do note "the model does not allow it"
"""


def build(c, name, text, compiler):
    with open("%s/%s.c" % (c.path, name), "w", encoding="utf-8") as f:
        f.write(text)
    subprocess.run([compiler, "-g", "-I", TOP + "/include", "-o", c.path + "/" + name, "%s/%s.c" % (c.path, name)], check=True)


def touch(c, name):
    open(c.path + "/" + name, "w", encoding="ascii").close()


def past(c):
    c.do("program", "add", "job", "--node", "n1", "--cwd", c.path, "--record", "--", *MPIRUN, "-n", "4", c.path + "/job")
    c.do("program", "begin", "job")

    def of_job():
        return {r["name"]: r for r in c.rows("ps") if r["program_name"] == "job" and r["rank"] is not None}

    check(until(lambda: len(of_job()) == 4 and all(r["events"] and r["events"] >= 2 for r in of_job().values())), "a job of four runs", c.run("ps")[1])
    touch(c, "die")
    check(until(lambda: c.event("reaction", "stopped in the past of 3")), "rank 3 dies, and who is in its past is stopped", c.run("events")[1])
    check(until(lambda: of_job()["1"]["state"] == "stopped"), "that is rank 1", c.run("ps")[1])
    states = {name: r["state"] for name, r in of_job().items()}
    check(states.get("0") in ("running", "waiting") and states.get("2") in ("running", "waiting"), "ranks 0 and 2 go on", states)
    check(of_job()["1"]["holder"] == "me", "and it is left: it is held for me", of_job()["1"])
    status, _, err = c.run("program", "go", "job:1")
    check(status == 2 and "held by me" in err, "nobody lets it go on by mistake", err)
    status, _, err = c.run("program", "end", "job")
    check(status == 2 and "held by me" in err, "nor ends the program", err)
    check(until(lambda: c.event("note", "deep (")), "its stack is an event", c.run("events")[1])
    c.do("program", "release", "job:1", "--force")
    c.do("program", "go", "job:1")
    touch(c, "finish")
    check(until(lambda: c.program("job")["state"] in ("failed", "ended")), "released, it goes on to its end", c.program("job"))


# What hbdb record does over nodes, on one machine: the manifest names a node, also as hbdb remembers what it made itself, and the processes write into a folder of that node.
SPREAD = r"""
import json, os, subprocess, sys
recording, part = os.environ["HBDB_DIR"], sys.argv[1]
manifest = json.load(open(recording + "/manifest.json"))
manifest["nodes"] = [{"name": "far", "host": "far", "folder": part, "missing": True}]
with open(recording + "/.new", "w") as f:
    json.dump(manifest, f)
made = "%s/hbdb/made/%s" % (os.environ["XDG_STATE_HOME"], manifest["id"])
steering = json.load(open(made))
steering["nodes"] = ["far", part, ""]
with open(made, "w") as f:
    json.dump(steering, f, separators=(",", ":"), ensure_ascii=False)
os.mkdir(part, 0o700)
os.rename(recording + "/.new", recording + "/manifest.json")
status = subprocess.run(sys.argv[2:], env=dict(os.environ, HBDB_DIR=part)).returncode
for name in os.listdir(part):
    os.rename(part + "/" + name, recording + "/" + name)
os.rmdir(part)
sys.exit(status)
"""
SSH = "#!/bin/sh\necho \"$@\" >> %s/ssh.said\nexec %s agent\n"


def over_nodes(c):
    """The processes write into a folder of their node: the manager hears which one, and the past is known by what the nodes have."""
    for name in ("finish", "die"):
        os.remove(c.path + "/" + name)
    with open(c.path + "/spread.py", "w", encoding="ascii") as f:
        f.write(SPREAD)
    part = c.path + "/hbdb-" + 4 * "0123abcd"
    c.do("program", "add", "spread", "--node", "n1", "--cwd", c.path, "--record", "--", "python3", "spread.py", part, *MPIRUN, "-n", "4", c.path + "/job")
    c.do("program", "begin", "spread")

    def of_job():
        return {r["name"]: r for r in c.rows("ps") if r["program_name"] == "spread" and r["rank"] is not None}

    check(until(lambda: len(of_job()) == 4 and all(r["events"] and r["events"] >= 2 for r in of_job().values())), "a node's processes are of the program", c.run("ps")[1])
    check({r["recording"] for r in of_job().values()} == {part}, "they write on the node", of_job())
    touch(c, "die")
    check(until(lambda: c.event("reaction", "stopped in the past of 3: 1 process: 1", since=c.spread)), "who is in the past is stopped, over nodes", c.run("events")[1])
    check(until(lambda: of_job()["1"]["state"] == "stopped"), "that is rank 1 there", c.run("ps")[1])
    check(os.path.exists(c.path + "/ssh.said") and " far " in open(c.path + "/ssh.said", encoding="utf-8").read(), "the node was asked for what it has")
    states = {name: r["state"] for name, r in of_job().items()}
    check(states.get("0") in ("running", "waiting") and states.get("2") in ("running", "waiting"), "ranks 0 and 2 go on, there", states)
    c.do("program", "release", "spread:1", "--force")
    c.do("program", "go", "spread:1")
    touch(c, "finish")
    check(until(lambda: c.program("spread")["state"] in ("failed", "ended")), "it ends", c.program("spread"))
    ends = c.table("SELECT p.name, e.kind FROM event e JOIN process p USING(process) JOIN program g ON p.program = g.program WHERE g.name = 'spread' "
                   "AND p.rank IS NOT NULL AND e.kind IN ('death', 'exit', 'gone') ORDER BY p.name")
    check(ends == [("0", "exit"), ("1", "exit"), ("2", "exit"), ("3", "death")], "each end is told, once, though the folder goes with the job", ends)


def model(c):
    with open(c.path + "/turns.hbm", "w", encoding="ascii") as f:
        f.write(MODEL)
    os.remove(c.path + "/finish")
    c.do("program", "add", "turns", "--node", "n1", "--cwd", c.path, "--record", "--", c.path + "/turns")
    c.do("program", "begin", "turns")
    until(lambda: any(r["program_name"] == "turns" and r["events"] == 2 for r in c.rows("ps")))
    check(not c.event("finding"), "what a model allows is no finding")
    touch(c, "third")
    check(until(lambda: c.event("note", "the model does not allow it")), "a pattern over events in happened-before order: told while the program runs", c.run("events")[1])
    check(c.program("turns")["state"] == "running", "which it does")
    touch(c, "finish")
    until(lambda: c.program("turns")["state"] == "ended")
    check(len(c.table("SELECT 1 FROM event WHERE kind = 'finding'")) == 1, "the finding is told once", c.run("events")[1])


# Each rank stays, but of the first run rank 1 dies, after so many events that its recording takes a while.
LEFT = r"""
#include <fcntl.h>
#include <hbdb/event.h>
#include <unistd.h>
volatile int turns;
static void deep_in(int out)
{
	while (access("finish", F_OK)) {
		(void)!write(out, ".", 1);
		turns++;
		usleep(5000);
	}
}
int main(void)
{
	hb_event("here");
	deep_in(open("turns.out", O_WRONLY | O_CREAT | O_APPEND, 0600));
	return 0;
}
"""
STEPS_PROGRAM = r"""
#include <hbdb/event.h>
#include <unistd.h>
int main(void)
{
	hb_event("other");
	if (!fork()) {
		hb_event("step");
		hb_event("step");
		return 0;
	}
	while (access("finish", F_OK))
		usleep(20000);
	return 0;
}
"""
STEPS = "model steps\naction step() = event step\nrun = 1: step(); 1: step(); %s: step()\n"

BOOM = r"""
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 300000; i++)
		MPI_Sendrecv_replace(&x, 1, MPI_INT, rank, 0, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1 && open("boomed", O_CREAT | O_EXCL, 0600) >= 0)
		raise(SIGSEGV);
	for (;;)
		usleep(20000);
}
"""


def taken_over(c):
    """A process is left under hold where the debugger saw it, and taken over there."""
    os.remove(c.path + "/finish")
    c.do("program", "add", "left", "--node", "n1", "--cwd", c.path, "--record", "--", c.path + "/left")
    c.do("program", "begin", "left")
    until(lambda: any(r["program_name"] == "left" and r["name"] == "left" and r["events"] for r in c.rows("ps")))
    one = next(r for r in c.rows("ps") if r["program_name"] == "left" and r["events"])
    c.do("program", "stop", "#%d" % one["process"])
    until(lambda: c.event("stop", "left"))
    c.do("program", "go", "#%d" % one["process"])  # this is the event of the rule
    told = until(lambda: c.event("note", "held for me: 'gdb -p %d' on node n1 takes it over where it is" % one["pid"]))
    check(told, "a process that the debugger leaves stands, and how to take it over is told", c.run("events")[1])

    def state():
        with open("/proc/%d/stat" % one["pid"], encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0]

    def count():
        return os.path.getsize(c.path + "/turns.out")
    check(until(lambda: state() == "T"), "it is stopped", state())
    before = count()
    done = subprocess.run(["gdb", "-nx", "-q", "-batch", "-ex", "where", "-ex", "print turns", "-p", str(one["pid"])], capture_output=True, text=True, timeout=120, check=False)
    check("deep_in (" in done.stdout, "gdb takes it over", done.stdout + done.stderr)
    check(any("$1 = %d\n" % n in done.stdout for n in (before - 1, before)) and count() == before, "where it was: it did nothing meanwhile", (before, count(), done.stdout))
    check(until(lambda: state() == "T", 10), "and it stands again when the debugger has left", state())
    c.do("program", "release", "#%d" % one["process"], "--force")
    c.do("program", "go", "#%d" % one["process"])
    check(until(lambda: count() > before), "released, it goes on", (before, count()))
    touch(c, "finish")
    until(lambda: c.program("left")["state"] == "ended")


def stopped(c):
    """One process of two has ended, and the model wants a third step: of it, or of the other one, which may come yet."""
    os.remove(c.path + "/finish")
    for name, who in (("never", 1), ("yet", 0)):
        with open("%s/%s.hbm" % (c.path, name), "w", encoding="ascii") as f:
            f.write(STEPS % who)
    c.do("program", "add", "steps", "--node", "n1", "--cwd", c.path, "--record", "--", c.path + "/steps")
    c.do("program", "begin", "steps")
    check(until(lambda: c.event("note", "a step never comes")), "that a pattern has stopped is told while the program runs", c.run("events")[1])
    check(c.program("steps")["state"] == "running", "which it does")
    check(not c.event("note", "a step does not come"), "not of one who may still do it", c.run("events")[1])
    touch(c, "finish")
    check(until(lambda: c.event("note", "a step does not come")), "of him when he has ended", c.run("events")[1])
    check(len(c.table("SELECT 1 FROM event WHERE kind = 'finding' AND text LIKE '%step%'")) == 2, "each once", c.run("events")[1])


def restart(c):
    """A rule for any death, without a pause: one death is one restart, and what is done to begin again is none."""
    c.do("program", "add", "boom", "--node", "n1", "--cwd", c.path, "--record", "--", *MPIRUN[:1], *MPIRUN[2:], "-n", "2", c.path + "/boom")
    c.do("program", "begin", "boom")
    check(until(lambda: c.program("boom").get("runs", 0) >= 2 and c.program("boom")["state"] == "running", 180), "a death begins the program again", c.run("events")[1])
    first = c.table("SELECT recording, state, signal FROM process WHERE name = 'boom' ORDER BY process LIMIT 1")[0]
    check(first[1] == "ended" and not first[2], "hbdb record was left to put the recording in order, and ended by itself", first)
    done = subprocess.run([HBDB, "verify", first[0]], capture_output=True, text=True, timeout=60, check=False) if first[0] else None
    check(done and done.returncode in (0, 3) and "whole" in done.stdout + done.stderr, "which is whole", (first, done and done.stdout + done.stderr))
    until(lambda: all((r["events"] or 0) > 300000 for r in c.rows("ps") if r["program_name"] == "boom" and r["rank"] is not None), 180)
    check(c.program("boom")["runs"] == 2 and c.program("boom")["state"] == "running", "and nothing begins it a third time", c.run("events")[1])
    c.do("program", "end", "boom")
    check(until(lambda: c.program("boom")["state"] == "ended"), "who is told to end has not died", c.program("boom"))
    check(c.program("boom")["runs"] == 2, "and is not begun again", c.run("events")[1])


def main():
    with Complex() as c:
        with open(c.path + "/rules", "w", encoding="utf-8") as f:
            f.write(RULES % ((c.path,) * 3))
        c.options = ["--reactions", c.path + "/rules"]
        os.mkdir(c.path + "/bin")
        with open(c.path + "/bin/ssh", "w", encoding="ascii") as f:
            f.write(SSH % (c.path, HBDB))
        os.chmod(c.path + "/bin/ssh", 0o755)
        c.env["PATH"] = c.path + "/bin:" + c.env["PATH"]
        build(c, "job", JOB, "mpicc.openmpi")
        build(c, "turns", TURNS, "cc")
        build(c, "left", LEFT, "cc")
        build(c, "steps", STEPS_PROGRAM, "cc")
        build(c, "boom", BOOM, "mpicc.openmpi")
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        until(lambda: c.rows("nodes")[0]["state"] == "up")
        past(c)
        c.spread = c.rows("events")[-1]["event"]
        over_nodes(c)
        model(c)
        taken_over(c)
        stopped(c)
        restart(c)
    finish()


main()
