#!/usr/bin/env python3
"""Agent, manager and console die by SIGKILL at random moments, in any order. The target goes on, nothing recorded is lost, states agree
again within seconds, and no program is begun twice.

    failures.py [--deaths N] [--seed S]    N of each; from 100 on a silent node, too"""
import argparse
import os
import random
import signal
import subprocess
import time

from lib import BUILD, HBDB, PATIENCE, Complex, check, finish, until

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AGREE = 20  # seconds that may pass until states agree again; seen: below 2

TARGET = r"""
#include <hbdb/event.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	FILE *f = fopen(argv[1], "w");
	long n = 0;
	for (; access(argv[2], F_OK); n++) {
		hb_event("turn");
		usleep(2000);
	}
	fprintf(f, "%ld\n", n);
	return fclose(f) + argc - 3;
}
"""


class Deaths:
    def __init__(self, system, seed):
        self.c = system
        self.random = random.Random(seed)
        self.consoles = []
        self.slowest = 0
        self.disagreed = []
        self.last = 0
        self.victim = None
        self.missing = []

    def agent(self):
        row = self.c.rows("nodes")
        pid = row[0]["agent_pid"] if row else None
        if pid and row[0]["state"] == "up":
            try:
                os.kill(pid, signal.SIGKILL)
                return True
            except ProcessLookupError:
                pass
        return False

    def manager(self):
        self.c.kill()
        self.c.begin(wait=False)
        return True

    def console(self):
        """One that follows is killed; the next one goes on behind the last event that was seen, and none is missing."""
        follow = subprocess.Popen([HBDB, "events", "-f", "--json", "--since", str(self.last)], cwd=self.c.path, env=self.c.env,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        time.sleep(self.random.random() * 0.2)
        follow.kill()
        for line in follow.communicate()[0].splitlines():
            if not line.endswith("}"):
                continue  # it was killed within the line
            number = int(line.split('"event":')[1].split(",")[0])
            if number != self.last + 1:
                self.missing.append((self.last, number))
            self.last = number
        return True

    def agrees(self):
        rows = self.c.rows("ps")
        nodes = self.c.rows("nodes")
        target = [r for r in rows if r["program_name"] == "target" and r["recording"] and r["log"]]
        return bool(nodes) and nodes[0]["state"] == "up" and len(target) == 1 and target[0]["state"] in ("running", "waiting") and \
            self.c.program("target")["state"] == "running"

    def again(self):
        """Waits until states agree."""
        began = time.monotonic()
        if not until(self.agrees, AGREE):
            self.disagreed.append((self.c.rows("nodes"), self.c.rows("ps"), self.c.rows("program")))
        took = time.monotonic() - began
        self.slowest = max(self.slowest, took)
        if took > 3:
            print("    %.1f s after the death of the %s" % (took, self.victim))


def begin(c):
    source = c.path + "/target.c"
    with open(source, "w", encoding="utf-8") as f:
        f.write(TARGET)
    subprocess.run(["cc", "-g", "-I", TOP + "/include", "-o", c.path + "/target", source], check=True)
    c.begin()
    c.do("nodes", "add", "n1", "--platform", "local")
    until(lambda: c.rows("nodes")[0]["state"] == "up")
    c.do("program", "add", "target", "--node", "n1", "--cwd", c.path, "--record", "--", c.path + "/target", "counted", "finish")
    c.do("program", "begin", "target")
    # one that is begun again and again meanwhile: it must never run twice
    c.do("program", "add", "other", "--node", "n1", "--cwd", c.path, "--restart", "always", "--", "flock", "-n", "-E", "99", "lock", "sleep", "0.5")
    c.do("program", "begin", "other")


def run(c, deaths, seed):
    d = Deaths(c, seed)
    check(until(d.agrees), "the target runs, and all say so", c.rows("ps"))
    count = {"agent": 0, "manager": 0, "console": 0}
    while min(count.values()) < deaths:
        victim = d.random.choice([v for v in count if count[v] < deaths])
        time.sleep(d.random.random() * 0.3)
        d.victim = victim
        count[victim] += bool(getattr(d, victim)())
        if d.random.random() < 0.4:  # else the next one dies while this one comes back
            d.again()
    d.again()
    print("    %d deaths of each; states agreed after %.1f s at most" % (deaths, d.slowest))
    check(not d.disagreed, "states agree again within %d s" % AGREE, d.disagreed[:1])
    check(not d.missing, "consoles that follow miss no event", d.missing)
    return d


def silence(c):
    """An agent that stands answers no more, though its connection is there: as a node that lost its network."""
    pid = c.rows("nodes")[0]["agent_pid"]
    os.kill(pid, signal.SIGSTOP)
    check(until(lambda: c.event("node", "does not answer any more"), 10 * PATIENCE), "a node that is silent is down", c.run("nodes")[1])
    check(until(lambda: c.rows("nodes")[0]["state"] == "up" and c.rows("nodes")[0]["agent_pid"] != pid), "and reached anew", c.run("nodes")[1])


def end(c):
    open(c.path + "/finish", "w", encoding="ascii").close()
    check(until(lambda: c.program("target")["state"] == "ended"), "the target comes to its end", c.program("target"))
    counted = int(open(c.path + "/counted", encoding="ascii").read())
    recording = c.program("target")["recording"]
    out = c.run("sql", "--tsv", recording, "SELECT count(*) FROM events WHERE call = 'turn'")[1]
    check(counted > 0 and out.strip() == str(counted), "nothing recorded is lost: %d events" % counted, out)
    runs = c.table("SELECT runs FROM program WHERE name = 'target'")[0][0]
    check(runs == 1, "it was begun once", runs)
    ends = c.table("SELECT p.process, count(*) FROM event e JOIN process p USING(process) WHERE e.kind IN ('exit', 'death', 'gone') GROUP BY 1")
    check(ends and all(n == 1 for _, n in ends), "each end is told once, of %d" % len(ends), [e for e in ends if e[1] != 1])
    # a quick machine is through with the deaths before it was begun often enough
    until(lambda: c.table("SELECT runs FROM program WHERE name = 'other'")[0][0] > 3)
    twice = c.table("SELECT count(*) FROM process p JOIN program g USING(program) WHERE g.name = 'other' AND p.status = 99")[0][0]
    other = c.table("SELECT runs FROM program WHERE name = 'other'")[0][0]
    check(other > 3 and not twice, "of %d runs of a program that is begun again and again none began beside another one" % other, twice)
    lost = c.table("SELECT count(*) FROM process p WHERE p.state = 'gone'")[0][0]
    check(not lost, "of no process the end is unknown", lost)
    check(c.table("PRAGMA integrity_check")[0][0] == "ok", "the database is in order")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--deaths", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    assert os.path.isdir(BUILD) and PATIENCE
    with Complex() as c:
        begin(c)
        run(c, given.deaths, given.seed)
        if given.deaths >= 100:
            silence(c)
        end(c)
    finish()


main()
