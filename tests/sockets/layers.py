#!/usr/bin/python3
"""MPI over TCP with the calls of MPI and those of sockets in one recording: both orders are one graph, without a contradiction."""
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HBDB = os.path.join(os.environ.get("BUILD", os.path.join(TOP, "build")), "hbdb")
ROUNDS = 5
RUNS = 20
# Until all ranks have left MPI_Init: what a faster one sends before is received inside of it, where nothing is recorded.
MEET = """
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void meet(void)
{
	char name[64];
	int rank, size;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; getenv("MEET") && i < size; i++) {
		snprintf(name, sizeof name, "%s.%d", getenv("MEET"), i == 0 ? rank : (rank + i) % size);
		if (i == 0)
			close(open(name, O_CREAT | O_WRONLY, 0600));
		while (access(name, F_OK))
			usleep(1000);
	}
}
"""
PROGRAM = MEET + """
int main(int argc, char **argv)
{
	int rank, x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	meet();
	for (int i = 0; i < ROUNDS; i++) {
		if (rank == 0)
			MPI_Send(&x, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
		MPI_Recv(&x, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(&x, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	if (argc > 1 && rank == 1)
		execv(argv[1], argv + 1);
	return 0;
}
"""
# Each sends and receives in the same call, and so do those that it waits for.
EXCHANGE = MEET + """
int main(int argc, char **argv)
{
	int rank, size, x = 0, y;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	meet();
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &x, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	return MPI_Finalize();
}
"""
DIES = """
#include <signal.h>
#include <unistd.h>
int main(void)
{
	int ends[2];
	char c = 0;
	if (pipe(ends) || write(ends[1], &c, 1) != 1 || read(ends[0], &c, 1) != 1)
		return 1;
	raise(SIGKILL);
}
"""
LATE = """
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int ends[2];
	char c = 0;
	if (pipe(ends) || write(ends[1], &c, 1) != 1 || read(ends[0], &c, 1) != 1)
		return 1;
	void *mpi = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
	int (*init)(int *, char ***) = mpi ? (int (*)(int *, char ***))dlsym(RTLD_DEFAULT, "MPI_Init") : NULL;
	int (*end)(void) = mpi ? (int (*)(void))dlsym(RTLD_DEFAULT, "MPI_Finalize") : NULL;
	return !init || init(&argc, &argv) || end();
}
"""
# Calls at one place again and again: a limit of time that is over, a poll that says no, and more ends than have a slot each.
AGAIN = """
import socket, struct
a, b = socket.socketpair()
def reads(times):
    for i in range(times):
        try:
            b.recv(9)
        except BlockingIOError:
            pass
for i in range(3):
    a.send(b"x")
    reads(1)
b.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 1))
reads(4)
b.setblocking(False)
reads(5)
pairs = [socket.socketpair() for i in range(60)]
for k in range(3):
    for x, y in pairs:
        x.send(b"%d" % k * (k + 1))
        y.recv(9)
"""
passed = failed = 0


def check(good, name, why=""):
    global passed, failed
    print(("ok " if good else "FAIL ") + name)
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("  " + str(why)[:2000])


def run(*words, meet=""):
    done = subprocess.run(words, env={**os.environ, "MEET": meet} if meet else None, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


def built(name, text):
    with open(name + ".c", "w", encoding="ascii") as f:
        f.write(text)
    subprocess.run(["mpicc.openmpi", "-g", "-DROUNDS=%d" % ROUNDS, "-o", name, name + ".c"], check=True)


def recorded(name, ranks, *program):
    return run(HBDB, "record", "--layers", "mpi,sockets", "-o", name + ".hbdb", "--", "mpirun.openmpi", "--oversubscribe", "--allow-run-as-root",
               "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "tcp,self", "-n", str(ranks), *program, meet=name)


def exchanges():
    """What ranks send to each other inside of calls that receive, too: again and again, for it is a matter of chance."""
    built("exchange", EXCHANGE)
    bad, around = [], 0
    for i in range(RUNS):
        name = "exchange%d" % i
        code, out, err = recorded(name, 3, "./exchange")
        said = run(HBDB, "races", "--limit", "1", name + ".hbdb")
        if code or said[0] not in (0, 1) or "contradict" in said[2] or "not found" in said[2]:
            bad.append((out + err, said))
        events = [json.loads(line) for line in run(HBDB, "dump", "--json", "--rank", "0", name + ".hbdb")[1].splitlines()]
        enter = [e["enter_ns"] for e in events if "enter_ns" in e]
        around += sum(a > b for a, b in zip(enter, enter[1:]))
    check(not bad, "%d runs, and none contradicts itself" % RUNS, bad[:2])
    check(around >= RUNS * ROUNDS, "%d calls began before what was done inside of them" % around)


def without_mpi():
    """A rank goes on as a program without MPI, which is killed: it has no rank, and is of no job of its own."""
    with open("dies.c", "w", encoding="ascii") as f:
        f.write(DIES)
    subprocess.run(["gcc", "-g", "-o", "dies", "dies.c"], check=True)
    run(HBDB, "record", "--layers", "mpi,sockets", "-o", "dies.hbdb", "--", "mpirun.openmpi", "--oversubscribe", "--allow-run-as-root",
        "--mca", "mpi_yield_when_idle", "1", "-n", "2", "./ring", "./dies")
    names = {json.loads(line)["process"] for line in run(HBDB, "dump", "--json", "dies.hbdb")[1].splitlines() if '"process"' in line}
    code, out, err = run(HBDB, "info", "dies.hbdb")
    check("dies" in out and "@1" not in out and "2 jobs" not in out + err, "a program without MPI that a rank became, and that was killed, has no rank", out + err)
    check(names <= {"dies"} and "dies" in names, "... and has its program's name", names)
    code, out, err = run(HBDB, "replay", "dies.hbdb")
    check("started apart" not in err, "... and a replay takes it for no other job", err)


def late():
    """A program that has no rank, as far as can be seen, and then loads an MPI library."""
    with open("late.c", "w", encoding="ascii") as f:
        f.write(LATE)
    subprocess.run(["gcc", "-g", "-o", "late", "late.c", "-ldl"], check=True)
    run(HBDB, "record", "--layers", "mpi,sockets", "--mpi", "openmpi", "-o", "late.hbdb", "--", "mpirun.openmpi", "--oversubscribe", "--allow-run-as-root",
        "--mca", "mpi_yield_when_idle", "1", "-n", "2", "./late")
    rows = [json.loads(line) for line in run(HBDB, "dump", "--json", "late.hbdb")[1].splitlines()]
    seen = {(e.get("rank"), e.get("world"), e["function"]) for e in rows if e.get("function") in ("pipe", "MPI_Init")}
    check({(r, f) for r, _, f in seen} == {(r, f) for r in (0, 1) for f in ("pipe", "MPI_Init")} and len(seen) == 4,
          "a program that loads MPI after its first event has its rank from there on, and before", seen)
    code, out, err = run(HBDB, "verify", "late.hbdb")
    check(code == 0 and "whole, 2 logs" in out, "... and its log is whole", out + err)


def again():
    """In a folder of its own: what goes the quick way of a call is what it was."""
    with open("again.py", "w", encoding="ascii") as f:
        f.write(AGAIN)
    code, out, err = run(HBDB, "record", "--layers", "sockets", "-o", "again.hbdb", "--", "/usr/bin/python3", "again.py")
    check(code == 0, "calls at one place are recorded", out + err)
    text = run(HBDB, "dump", "again.hbdb")[1]
    check(text.count("bytes=-11)") == 4, "reads whose limit of time was over are events", text[:3000])
    check(re.findall(r"\[polls (\d+)\]", text) == ["5"], "reads that would have blocked are counted", text[:3000])
    ends = {way: re.findall(r" %s\(end=\"([^\"]+)\", bytes=([123])[,)]" % way, text)[3:] for way in ("send", "recv")}
    check(all(len(e) == 180 and e[:60] == [(name, "1") for name, _ in e[120:]] and e[120:] == [(name, "3") for name, _ in e[:60]] for e in ends.values()),
          "each with its own end and its bytes, also where these share a slot", str(ends)[:3000])
    code, out, err = run(HBDB, "replay", "again.hbdb")
    check(code == 0 and "no difference" in err, "and they are replayed", out + err)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        built("ring", PROGRAM)
        code, out, err = recorded("ring", 2, "./ring")
        check(code == 0, "it is recorded", out + err)
        rows = run(HBDB, "sql", "--json", "ring.hbdb", "SELECT comm, send_call, count(*) AS n FROM messages WHERE state = 'received' GROUP BY comm, send_call")[1]
        rows = [json.loads(line) for line in rows.splitlines()]
        of_mpi = sum(r["n"] for r in rows if r["comm"] == "WORLD")
        of_tcp = sum(r["n"] for r in rows if r["comm"].startswith("tcp") and r["send_call"] == "writev")
        check(of_mpi == 2 * ROUNDS, "all messages of MPI are matched", rows)
        check(of_tcp >= 2 * ROUNDS, "and what carried each of them over TCP", rows)
        code, out, err = run(HBDB, "check", "ring.hbdb")
        check(code == 0 and "no errors found" in out and "doubt" not in err and "not found" not in err, "no finding", out + err)
        events = [json.loads(line) for line in run(HBDB, "dump", "--json", "ring.hbdb")[1].splitlines()]
        sends = {rank: [e["event"] for e in events if e["rank"] == rank and e.get("function") == "MPI_Send"] for rank in (0, 1)}
        # Not its answer: a call that is still in the library when the answer comes may read it, and then each had to begin before the other could return.
        first, last = "0:%d" % sends[0][0], "1:%d" % sends[1][-1]
        out = run(HBDB, "order", first, last, "ring.hbdb")[1]
        check("strictly before " + last in out.splitlines()[0], "the first message comes before the last answer", out)
        exchanges()
        without_mpi()
        late()
        again()
        os.chdir("/")
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
