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
PROGRAM = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < %d; i++) {
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
""" % ROUNDS
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


def run(*words):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


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
        with open("ring.c", "w", encoding="ascii") as f:
            f.write(PROGRAM)
        subprocess.run(["mpicc.openmpi", "-g", "-o", "ring", "ring.c"], check=True)
        code, out, err = run(HBDB, "record", "--layers", "mpi,sockets", "-o", "ring.hbdb", "--", "mpirun.openmpi", "--oversubscribe", "--allow-run-as-root",
                             "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "tcp,self", "-n", "2", "./ring")
        check(code == 0, "it is recorded", out + err)
        rows = run(HBDB, "sql", "--json", "ring.hbdb", "SELECT comm, send_call, count(*) AS n FROM messages WHERE state = 'received' GROUP BY comm, send_call")[1]
        rows = [json.loads(line) for line in rows.splitlines()]
        of_mpi = sum(r["n"] for r in rows if r["comm"] == "WORLD")
        of_tcp = sum(r["n"] for r in rows if r["comm"].startswith("tcp") and r["send_call"] == "writev")
        check(of_mpi == 2 * ROUNDS, "all messages of MPI are matched", rows)
        check(of_tcp >= 2 * ROUNDS, "and what carried each of them over TCP", rows)
        code, out, err = run(HBDB, "check", "ring.hbdb")
        check(code == 0 and "no errors found" in out and "doubt" not in err and "contradict" not in err and "not found" not in err,
              "no finding, and no contradiction of orders", out + err)
        events = [json.loads(line) for line in run(HBDB, "dump", "--json", "ring.hbdb")[1].splitlines()]
        call = {(e["rank"], e["function"]): e["event"] for e in reversed(events) if e.get("function", "").startswith("MPI_")}
        first, last = "0:%d" % call[0, "MPI_Send"], "1:%d" % call[1, "MPI_Send"]
        out = run(HBDB, "order", first, last, "ring.hbdb")[1]
        check("before " + last in out.splitlines()[0], "the first message comes before its answer", out)
        without_mpi()
        late()
        again()
        os.chdir("/")
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
