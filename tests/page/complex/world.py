#!/usr/bin/env python3
"""A complex for the tests of its page, told what to do by lines of JSON: [VERB, ARGUMENT...]; each is answered by a line.

Its two nodes are reached by an ssh of our own, which begins the agent here, with a folder of state of its own; the second one does not see
that of the first, where recordings are."""
import json
import os
import signal
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(TOP, "tests", "system"))
from lib import Complex, until

SSH = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
node=$1
shift
[ ! -e "$HBDB_TEST/$node.down" ] || { echo "no route to $node" >&2; exit 255; }
export XDG_STATE_HOME="$HBDB_TEST/$node"
[ "$node" != n2 ] || exec unshare -m sh -c 'mount -t tmpfs none "$HBDB_TEST/n1" && exec sh -c "$*"' sh "$@"
exec sh -c "$*"
"""
RING = r"""
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, size, token = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (;;) {
		MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		usleep(20000);
	}
}
"""
MPIRUN = ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n", "2"]


class World:
    def __init__(self):
        self.c = Complex()
        self.c.env.update(HBDB_TEST=self.c.path, PATH=self.c.path + "/bin:" + self.c.env["PATH"])
        self.held = []

    def files(self):
        for folder in ("bin", "n1"):
            os.mkdir(os.path.join(self.c.path, folder))
        for name, text in (("bin/ssh", SSH), ("ring.c", RING)):
            with open(os.path.join(self.c.path, name), "w", encoding="ascii") as f:
                f.write(text)
        os.chmod(self.c.path + "/bin/ssh", 0o755)
        subprocess.run(["mpicc.openmpi", "-g", "-o", "ring", "ring.c"], cwd=self.c.path, check=True)

    def begin(self):
        self.files()
        self.c.begin()
        for node in ("n1", "n2"):
            self.c.do("nodes", "add", node)
        until(lambda: [r["state"] for r in self.c.rows("nodes")] == ["up", "up"])
        where = "--cwd", self.c.path, "--"
        self.c.do("program", "add", "ring", "--node", "n1", "--record", *where, *MPIRUN, "./ring")
        self.c.do("program", "add", "dies", "--node", "n2", *where, "sh", "-c", "kill -SEGV $$")
        self.c.do("program", "add", "sleeper", "--node", "n2", *where, "sleep", "10000")
        return self.c.path

    def do(self, *args):
        return self.c.run(*args)

    def rows(self, *args):
        return self.c.rows(*args)

    def table(self, query):
        return self.c.table(query)

    def manager(self, there):
        if there:
            self.c.begin(wait=False)
        else:
            self.c.kill()

    def node(self, name, there):
        """An agent is killed and not reached again; or it may be."""
        path = "%s/%s.down" % (self.c.path, name)
        if there:
            os.remove(path)
            return
        open(path, "w", encoding="ascii").close()
        os.kill(self.c.table("SELECT agent_pid FROM node WHERE name = ?", name)[0][0], signal.SIGKILL)

    def hold(self, **what):
        """By another console, for as long as it is there."""
        wire = self.c.wire()
        wire.ask("hold", while_here=True, **what)
        self.held.append(wire)

    def let_go(self):
        for wire in self.held:
            wire.close()
        self.held = []

    def many(self, nodes, each):
        """A database of its own, with so many nodes: every hundredth is down, every fiftieth has a process that failed."""
        path = self.c.path + "/many.db"
        base = sqlite3.connect(path)
        with open(TOP + "/src/system/complex/schema.sql", encoding="utf-8") as f:
            base.executescript("PRAGMA journal_mode = WAL;" + f.read())
        now = "CAST(strftime('%s', 'now') AS INTEGER) * 1000000"
        base.execute("INSERT INTO program(name, node, command, state, since, runs, recording) VALUES('solver', 1, '[\"solver\"]', 'running', %s, 1, '/r.hbdb')" % now)
        for n in range(nodes):
            down = n % 100 == 17
            base.execute("INSERT INTO node(name, platform, address, state, why, since, load, memory, disk) VALUES(?, 'ssh', ?, ?, ?, %s, ?, ?, ?)" % now,
                         ("n%03d" % n, "n%03d" % n, "down" if down else "up", "no route" if down else "", n % 7 / 2, n * 10 ** 7, n * 10 ** 8))
            for p in range(each):
                failed = n % 50 == 3 and p == 0
                base.execute("INSERT INTO process(node, program, pid, began, boot, name, rank, world, state, call, events, threads, used, memory, status, signal, since, recording) "
                             "VALUES(?, 1, ?, 1, 'b', ?, ?, 0, ?, ?, ?, 1, 1.5, 1000000, ?, ?, %s, '/r.hbdb')" % now,
                             (n + 1, 1000 + p, str(n * each + p), n * each + p, "ended" if failed else ("running", "waiting")[p % 2], "MPI_Recv" if p % 2 else None, p * 100,
                              139 if failed else None, 11 if failed else None))
        base.executemany("INSERT INTO event(time, kind, weight, text) VALUES(%s, 'note', 'note', ?)" % now, [("note %d" % n,) for n in range(300)])
        base.executemany("INSERT INTO event(time, node, kind, weight, text) VALUES(%s, ?, 'death', 'error', ?)" % now,
                         [(n + 1, "a process on n%03d died" % n) for n in range(3, nodes, 50)])
        base.commit()
        base.close()
        return path

    def touch(self, path):
        """Somebody writes into the database."""
        with sqlite3.connect(path, timeout=10) as base:
            base.execute("UPDATE node SET state = 'down', why = 'just now' WHERE name = 'n500'")


def main():
    world = World()
    try:
        for line in sys.stdin:
            verb, *args = json.loads(line)
            if args and isinstance(args[-1], dict):
                answer = getattr(world, verb)(*args[:-1], **args[-1])
            else:
                answer = getattr(world, verb)(*args)
            print(json.dumps({"answer": answer, "env": world.c.env}), flush=True)
    finally:
        world.let_go()
        world.c.close()


main()
