#!/usr/bin/env python3
"""Thousands of processes on one node: what agents and the manager have of them comes in parts that fit into frames.

The processes do nothing; each has a log of one call in a recording."""
import json
import os
import socket
import struct
import subprocess
import sys
import time

from lib import HBDB, Complex, check, finish, until
import wire

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import rawlog

MANY = 5000
FRAME = 1 << 20


class Meter(wire.Wire):
    """A connection that knows how long the frames were."""
    longest = 0

    def frame(self, kind, channel, payload):
        self.longest = max(self.longest, len(payload))
        super().frame(kind, channel, payload)

    def all(self, name, field, **fields):
        """A list, in as many parts as it takes: how many these were, and the list."""
        found, parts = [], 0
        while True:
            answer = self.ask(name, **fields)
            found += answer.get(field, [])
            parts += 1
            if not answer.get("more"):
                return parts, found
            fields["after"] = answer["next"]


CROWD = """#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int c, char **v)
{
	for (int i = 0; i < atoi(v[c - 1]); i++) {
		pid_t pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		if (pid < 0)
			break;
		printf("%d\\n", pid);
		fflush(stdout);
	}
	puts("all");
	fflush(stdout);
	getchar();
	return 0;
}
"""


def crowd(folder):
    """The program, and the numbers of its processes: as many as there may be."""
    with open(folder + "/crowd.c", "w", encoding="ascii") as f:
        f.write(CROWD)
    subprocess.run(["gcc", "-static", "-O1", "-o", folder + "/crowd", folder + "/crowd.c"], check=True)
    p = subprocess.Popen([folder + "/crowd", str(MANY)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    pids = [int(line) for line in iter(p.stdout.readline, "all\n")]
    if len(pids) < MANY:
        print("the system allows only %d processes" % len(pids))
    return p, pids


def write(path, rank, pid, size):
    log = rawlog.Log(rank, size, state=0)
    log.host = socket.gethostname()
    log.function("MPI_Init", rawlog.LOCAL)
    log.event("MPI_Init")
    text = log.bytes()
    text = text[:32] + struct.pack("<I", pid) + text[36:]
    with open(path, "wb") as f:
        f.truncate(len(text))
        for at in range(0, len(text), 4096):
            page = text[at:at + 4096]
            if page.strip(b"\0"):
                f.seek(at)
                f.write(page)


def recording(path, pids):
    rawlog.manifest(path)
    with open(path + "/manifest.json", encoding="ascii") as f:
        said = json.load(f)
    for field in ("exit_status", "seconds"):
        del said[field]
    with open(path + "/manifest.json", "w", encoding="ascii") as f:
        json.dump(dict(said, processes=len(pids)), f)
    for rank, pid in enumerate(pids):
        write("%s/rank.%d.log" % (path, rank), rank, pid, len(pids))


def started(folder, n):
    """What was started by agents of before, and has ended."""
    os.makedirs(folder, exist_ok=True)
    boot = open("/proc/sys/kernel/random/boot_id", encoding="ascii").read().strip()
    for i in range(n):
        with open("%s/%d" % (folder, i), "w", encoding="ascii") as f:
            json.dump({"name": "old%d" % i, "command": ["x" * 200], "pid": 100000 + i, "began": 1, "boot": boot, "state": "ended", "status": 0, "since": int(time.time()),
                       "ended": int(time.time())}, f)


def of_agent(c, path, pids):
    w = Meter([HBDB, "agent"], env=c.env)
    w.ask("watch", folder=path)
    until(lambda: len(w.all("ps", "processes", folder=path)[1]) == len(pids))
    parts, found = w.all("ps", "processes", folder=path)
    check(parts > 1 and sorted(p["pid"] for p in found) == sorted(pids), "ps of %d processes, each once, in %d answers" % (len(found), parts), (parts, len(found), len(set(p["pid"] for p in found))))
    parts, found = w.all("state", "processes", folder=path)
    check(parts > 1 and sorted(p["pid"] for p in found) == sorted(pids) and all(len(p["threads"]) == 1 for p in found), "and what their threads do, in %d" % parts, (parts, found[:1]))
    one = found[17]
    _, found = w.all("state", "processes", folder=path, process={f: one[f] for f in ("pid", "began", "boot")})
    check([p["pid"] for p in found] == [one["pid"]], "of one alone", found)
    parts, found = w.all("ps", "started")
    check(parts > 1 and sorted(int(p["name"][3:]) for p in found) == list(range(MANY)), "what was started follows, each once: %d answers for all" % parts, (parts, len(found)))
    first = w.ask("ps", folder=path)
    gone = [p["pid"] for p in first["processes"]]
    check(w.ask("ps", folder=path, after="processes %d %s" % (gone[-1] + 0, "~"))["processes"][0]["pid"] > gone[-1], "a place is one in an order, not one of a process that has to be there")
    check(w.ask("ps", folder=path, after=[1])["processes"][0]["pid"] == gone[0], "one that is none is the beginning")
    check(w.longest <= FRAME, "no frame was longer than one may be: %d bytes" % w.longest)
    w.close()


def of_manager(c, path, pids):
    """The recording is that of a program."""
    c.begin()
    c.do("nodes", "add", "n1", "--platform", "local")
    until(lambda: c.rows("nodes")[0]["state"] == "up")
    c.do("program", "add", "large", "--node", "n1", "--record-with", "-o %s" % path, "--", "sleep", "10000")
    c.do("program", "begin", "large")
    until(lambda: c.table("SELECT count(*) FROM process WHERE rank IS NOT NULL")[0][0] == len(pids), 300)
    rows = [r for r in c.rows("ps") if r["rank"] is not None]
    check(sorted(r["pid"] for r in rows) == sorted(pids), "hbdb ps has all of %d" % len(pids), len(rows))
    w = Meter(path=c.socket)
    parts, found = w.all("processes", "rows")
    check(parts > 1 and len({r["process"] for r in found}) == len(found) > len(pids), "in %d answers of the manager" % parts, len(found))
    parts, found = w.all("state", "processes", process=next(r["process"] for r in found if r["rank"] == 100))
    check(parts > 1 and len(found) == len(pids), "as what threads do", (parts, len(found)))
    check(w.longest <= FRAME, "no frame was longer than one may be: %d bytes" % w.longest)
    w.close()
    check(c.rows("nodes")[0]["state"] == "up" and not c.table("SELECT 1 FROM event WHERE kind = 'node' AND text LIKE '%down%'"), "the node stayed up", c.rows("events"))


def main():
    with Complex() as c:
        all_of_it, pids = crowd(c.path)
        path = c.path + "/large.hbdb"
        began = time.monotonic()
        recording(path, pids)
        started(c.path + "/state/hbdb/agent/started", MANY)
        print("made in %.1f s" % (time.monotonic() - began))
        of_agent(c, path, pids)
        print("agent %.1f s" % (time.monotonic() - began))
        of_manager(c, path, pids)
        print("manager %.1f s" % (time.monotonic() - began))
        all_of_it.communicate("")
    finish()


main()
