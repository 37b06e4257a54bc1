#!/usr/bin/env python3
"""Programs that an agent starts: what they say of themselves comes through, none runs that nobody knows of, and nothing of them piles up."""
import json
import os
import signal
import socket
import subprocess
import sys
import time

import run
import wire
from run import HBDB, Place, alive, check, refused, until

SAYS = """import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect(os.environ["HBDB_SELF_NOTIFY"])
for i in range(int(sys.argv[1])):
    s.send(b"hbdb-self 1 %d tripped temperature %d hot" % (os.getpid(), i))
"""


def said(w):
    return [n["value"] for n in w.news if n["news"] == "sensor" and n["name"] == "temperature"]


def says(place):
    w = place.agent()
    begun = w.ask("start", name="says", command=[sys.executable, "-c", SAYS, "2000"])["process"]
    w.wait(lambda: len(said(w)) == 2000)
    check(said(w) == list(range(2000)), "what a program says is heard, in its order: it knows where without being told by anybody")
    check(any(n.get("process", {}).get("pid") == begun["pid"] for n in w.news if n["news"] == "sensor"), "and of whom it is")
    with open(place.folder + "/variable", "w", encoding="utf-8") as f:
        f.write("")
    w.ask("start", name="own", command=["sh", "-c", 'echo "$HBDB_SELF_NOTIFY" > %s/variable' % place.folder], environment={"HBDB_SELF_NOTIFY": "/mine"})
    check(until(lambda: open(place.folder + "/variable").read() == "/mine\n"), "a variable that was asked for goes before")
    # nobody waits 200 ms for those who never wait
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    s.connect(place.folder + "/run/hbdb/notify")
    taken, before, begun = 0, len(said(w)), time.monotonic()
    for i in range(200):
        for _ in range(5):  # the system keeps ten
            try:
                s.send(b"hbdb-self 1 %d tripped temperature %d hot" % (os.getpid(), i))
                taken += 1
            except BlockingIOError:
                pass
        w.wait(lambda: len(said(w)) == before + taken)
    took = time.monotonic() - begun
    # looked at five times a second these are 40 s; on a machine with nothing else to do it takes a tenth of one
    check(taken == 1000 and took < 20, "five are taken when they come, 200 times, and not at the next look: %d, in %.1f s" % (taken, took))
    w.close()


def heard(w, path):
    """Says something there, if anybody listens; what the agent has told of it up to now."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as s:
            s.connect(path)
            s.send(b"hbdb-self 1 %d tripped temperature 1 hot" % os.getpid())
    except OSError:
        pass
    w.take(0.05)
    return said(w)


def successor(place):
    first = place.agent()
    first.told("hello")
    path = place.folder + "/run/hbdb/notify"
    until(lambda: os.path.exists(path))
    second = place.agent()
    second.told("hello")
    first.close()
    check(until(lambda: heard(second, path)), "when the agent that listened has ended, another one of the user does")
    second.close()


# Waits before it takes a file away, until there is another one.
LATE = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int unlink(const char *path)
{
	const char *at = strrchr(path, '/');
	if (at && !strcmp(at, "/notify") && getenv("REACHED")) {
		close(open(getenv("REACHED"), O_WRONLY | O_CREAT, 0600));
		while (access(getenv("GO"), F_OK))
			usleep(1000);
	}
	return ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(path);
}
"""


def late(place):
    with open(place.folder + "/late.c", "w", encoding="utf-8") as f:
        f.write(LATE)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", place.folder + "/late.so", place.folder + "/late.c"], check=True)
    return place.folder + "/late.so"


def slow_to_leave(place):
    """An agent that ends takes away what it listened at itself, and not what another one has put in its place."""
    path, reached, go = place.folder + "/run/hbdb/notify", place.folder + "/reached", place.folder + "/go"
    first = wire.Wire([HBDB, "agent"], env=dict(place.env, LD_PRELOAD=late(place), REACHED=reached, GO=go))
    first.told("hello")
    until(lambda: os.path.exists(path))
    second = place.agent()
    second.told("hello")
    first.socket.close()
    check(until(lambda: os.path.exists(reached)), "it is about to take it away")
    until(lambda: heard(second, path), 2)  # ten looks of the second: it has it now, should the first have let go of it
    with open(go, "w", encoding="ascii"):
        pass
    first.close()
    before = len(said(second))
    check(until(lambda: heard(second, path) and len(said(second)) > before), "what the next one listens at stays")
    second.close()


def at_once(place):
    """Two agents find the socket of one that was killed: the one that takes it away does not take away what the other one has put there meanwhile."""
    path, reached, go = place.folder + "/run/hbdb/notify", place.folder + "/reached", place.folder + "/go"
    gone = place.agent()
    gone.told("hello")
    until(lambda: os.path.exists(path))
    gone.process.kill()
    gone.close()
    first = wire.Wire([HBDB, "agent"], env=dict(place.env, LD_PRELOAD=late(place), REACHED=reached, GO=go))
    check(until(lambda: os.path.exists(reached)), "it is about to take away what was left")
    second = place.agent()
    until(lambda: heard(second, path), 2)  # ten looks of the second: it has put its own there by now, should it not wait for the first
    with open(go, "w", encoding="ascii"):
        pass
    first.told("hello")
    second.told("hello")
    first.close()
    before = len(said(second))
    check(until(lambda: heard(second, path) and len(said(second)) > before), "one of two that began at once listens, and then the other one")
    second.close()


def full(place):
    """The disk of the agent's state is full when a program is begun, and when it ends."""
    small = place.folder + "/state"
    os.mkdir(small)
    script = "mount -t tmpfs -o size=256k none %s && exec %s agent" % (small, HBDB)
    w = wire.Wire(["unshare", "-m", "sh", "-c", script], env=place.env)
    agent = w.told("hello")["pid"]
    inside = "/proc/%d/root%s" % (agent, small)
    p = w.ask("start", name="first", command=["sleep", "1000"])["process"]
    with open(inside + "/fill", "wb", buffering=0) as f:
        try:
            while f.write(b"x" * 512):
                pass
        except OSError:
            pass
    long = "1234567%d" % os.getpid()  # which nobody else runs on this machine
    check(refused(lambda: w.ask("start", name="second", command=["sleep", long]), "No space left"), "a full disk is said")
    running = subprocess.run(["pgrep", "-f", "sleep " + long], stdout=subprocess.PIPE, check=False).stdout.split()
    check(not running, "what could not be written down does not run: %r" % running)
    for pid in running:
        os.kill(int(pid), signal.SIGKILL)
    os.kill(p["pid"], signal.SIGUSR1)
    until(lambda: not alive(p["pid"]))
    os.unlink(inside + "/fill")

    def ending():
        started = w.ask("ps")["started"]
        return next((q for q in started if q["pid"] == p["pid"] and q.get("signal") == signal.SIGUSR1), None)
    check(until(ending), "how one ended while the disk was full is known when there is room again: %r" % w.ask("ps")["started"])
    w.close()


def whole(place):
    w = place.agent()
    big = "x" * 100000
    p = w.ask("start", name="big", command=["sh", "-c", "exec sleep 1000", big])["process"]
    check(p["command"][3] == big and alive(p["pid"]), "a long command is begun, and said to be")
    os.kill(p["pid"], signal.SIGKILL)
    check(refused(lambda: w.ask("start", name="x", command=["true"], cwd=place.folder + "/nowhere"), "nowhere", "No such file"), "a folder that is not there is named")
    check(refused(lambda: w.ask("start", name="x", command=["true"], cwd=wire.__file__), "Not a directory"), "nor is a file taken for one")
    # the group of a process that leads one
    p = w.ask("start", name="group", command=["sh", "-c", "sleep 1000 & echo $!; wait"])["process"]
    until(lambda: os.path.getsize(p["output"]) > 1)
    child = int(open(p["output"]).read())
    w.ask("signal", pid=p["pid"], began=p["began"], boot=p["boot"], signal=9, group=True)
    check(until(lambda: not alive(child)), "a signal for a group reaches whom a process has begun")
    w.close()


def many(place):
    """Of a program that is begun every second only the last thousand ends are kept, and what these wrote."""
    w = place.agent()
    p = w.ask("start", name="first", command=["true"])["process"]
    folder = os.path.dirname(p["output"])
    until(lambda: any(q.get("ended") for q in w.ask("ps")["started"]))
    for i in range(3000):
        about = dict(p, pid=5000000 + i, began=i + 1, state="ended", status=0, signal=0, ended=p["since"] - 3000 + i, output="%s/%d.out" % (folder, 9000000 + i))
        with open("%s/%d.%d" % (folder, about["pid"], about["began"]), "w", encoding="utf-8") as f:
            json.dump(about, f)
        with open(about["output"], "w", encoding="utf-8") as f:
            f.write("said\n")
    w.ask("ps")
    left = os.listdir(folder)
    outs = [name for name in left if name.endswith(".out")]
    check(len(left) == 2000 and len(outs) == 1000, "a thousand ends are remembered, with their output: %d files, %d outputs" % (len(left), len(outs)))
    check("9002999.out" in outs and os.path.basename(p["output"]) in outs and "9000000.out" not in outs, "the last ones")
    w.close()


def main():
    for part in (says, successor, slow_to_leave, at_once, whole, many):
        with Place() as place:
            part(place)
    if os.getuid() == 0:
        with Place() as place:
            full(place)
    print("%d passed, %d failed" % (run.passed, run.failed))
    return run.failed != 0


if __name__ == "__main__":
    sys.exit(main())
