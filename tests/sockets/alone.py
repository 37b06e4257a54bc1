#!/usr/bin/python3
"""One process that talks, alone: a client without its server, a server without its clients, a child by fork. And what comes into it beside that.

usage: alone.py

Each process of a recording at level data is replayed by itself, and must print what it printed, and every call is compared.
"""
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
HBDB = os.path.join(os.environ.get("BUILD", os.path.join(TOP, "build")), "hbdb")
TALK = ["/usr/bin/python3", os.path.join(HERE, "one", "talk.py")]
passed = failed = 0


def check(good, name, why=""):
    global passed, failed
    print(("ok " if good else "FAIL ") + name)
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("  " + str(why)[:3000].replace("\n", "\n  "))


def run(*words):
    return subprocess.run([HBDB, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


def record(name, *command, options=("--level", "data")):
    done = run("record", *options, "-o", name, "--", *command)
    check(done.returncode == 0, "record %s" % name, done.stderr)
    return done.stdout


def processes(name):
    """Their names: what the commands call them."""
    done = run("dump", "--json", name)
    return sorted({json.loads(line)["process"] for line in done.stdout.splitlines() if '"process"' in line})


def alone(name, process):
    done = run("replay", "--alone", process, name)
    good = "no difference" in done.stderr and "did not" not in done.stderr
    return done, good


def lines(text, *beginnings):
    return [line for line in text.splitlines() if line.startswith(beginnings)]


def pair():
    """Two programs under a shell; neither is there in the replay of the other."""
    file = os.path.abspath("port")
    for one in ("server", "client"):
        os.symlink("/usr/bin/python3", one)
    said = record("pair", "sh", "-c", "./server %s server %s & ./client %s client %s; wait" % (TALK[1], file, TALK[1], file))
    os.remove(file)
    names = processes("pair")
    python = [p for p in names if p.startswith("python3")]
    check(len(python) == 2, "both are processes of the recording", names)
    seen = {}
    for p in names:
        done, good = alone("pair", p)
        check(good and done.returncode == 0, "%s alone" % p, done.stderr)
        for one in ("server", "client"):
            if lines(done.stdout, one):
                seen[one] = p
                check(done.stdout.splitlines() == lines(said, one), "the %s prints what it printed" % one, "%s\nand not\n%s" % (done.stdout, said))
    check(sorted(seen) == ["client", "server"], "each of them was replayed alone", seen)
    return seen["client"]


def differs(client):
    """What it sends goes nowhere, but it is compared."""
    path = os.path.abspath("other.py")
    with open(TALK[1], encoding="ascii") as f, open(path, "w", encoding="ascii") as to:
        to.write(f.read().replace("question %d", "Question %d"))
    done = run("replay", "--alone", client, "pair", "--", "./client", path, "client", os.path.abspath("port"))
    check("what is sent differs" in done.stderr and "3 of 3 contents" in done.stderr, "another content that is sent is told", done.stderr)
    with open(TALK[1], encoding="ascii") as f, open(path, "w", encoding="ascii") as to:
        to.write(f.read().replace("c.sendall(b\"question", "c.send(b\"a\"); c.sendall(b\"question"))
    done = run("replay", "--alone", client, "pair", "--", "./client", path, "client", os.path.abspath("port"))
    check(done.returncode == 1 and "differs from the recording" in done.stderr, "another call ends it", done.stderr)


def family():
    """Children by fork: the one that forked runs alone, and becomes each."""
    said = record("family", *TALK, "family").splitlines()
    names = processes("family")
    check(len(names) == 3, "a parent and two children", names)
    for p in names:
        done, good = alone("family", p)
        own = lines(done.stdout, "child")
        status = int(own[0].split()[1]) if own else 0
        check(good and done.returncode == status, "%s alone ends as it did" % p, "%d\n%s" % (done.returncode, done.stderr))
        check(all(line in said for line in done.stdout.splitlines()) and len(own) <= 1, "%s prints what it printed" % p, done.stdout)
    children = sum(len(lines(alone("family", p)[0].stdout, "child")) for p in names)
    check(children == 2, "each child is one of them", children)
    done = run("debug", "--alone", names[-1], "family", "-c", "quit")
    check(done.returncode == 2 and "was made by fork" in done.stderr, "one made by fork cannot be gone back in, which is said", done.stderr)


def children():
    """Children that end at once: their parent's handler comes when they are told of, however they are made, and they have the signals that are theirs."""
    subprocess.run(["gcc", "-O1", "-o", "children", os.path.join(HERE, "one", "children.c")], check=True)
    for how in ("fork", "clone", "vfork", "exec", "spawn"):
        for kind, options in (("data", ("--level", "data", "--layers", "sockets,inputs")), ("events", ("--layers", "sockets"))):
            name = "%s-%s" % (how, kind)
            said = record(name, "./children", how, "60", options=options)
            check(said == "60 ended, 0 wrong, as before\n", "%s: each has its signals" % name, said)
            done = run("replay", name)
            check(done.returncode == 0 and "no difference" in done.stderr and done.stdout == said, "%s: replayed" % name, done.stdout + done.stderr)
            if kind == "data":
                done, good = alone(name, "children")
                check(good and done.stdout == said, "%s: alone" % name, done.stdout + done.stderr)


def programs():
    for line, file in (("-n 3 -m 20", "udp_random"), ("-r mmsg -w mmsg -n 3 -m 10", "udp_random"), ("-S level -c 4", "tcp_mix"), ("-w msg -r msg", "tcp_mix"),
                       ("-t stream -n path", "unix_mix"), ("-t dgram -n abstract", "unix_mix"), ("", "stdio")):
        if not os.path.exists(file):
            subprocess.run(["gcc", "-O1", "-pthread", "-o", file, os.path.join(HERE, "programs", file + ".c"), "-lxxhash"], check=True)
        name = ("of-" + file + line).replace(" ", "")
        record(name, "./" + file, *line.split())
        bad = []
        for p in processes(name):
            done, good = alone(name, p)
            bad += [] if good and done.returncode == 0 else [p + ": " + done.stderr]
        check(not bad, "%s %s: each process alone" % (file, line), "\n".join(bad))


def inputs():
    """They come again behind the layer of sockets, too: at level events, in a replay of all processes."""
    said = record("inputs", *TALK, "waits", options=())
    done = run("replay", "inputs")
    check(done.stdout == said and "no difference" in done.stderr, "clocks, /proc, random bytes and a handler come again", "%s\n%s\n%s" % (said, done.stdout, done.stderr))
    given = re.search(r"; (\d+) of the program's inputs", done.stderr)
    check(given and int(given[1]) > 5, "they are counted", done.stderr)
    said = record("both", "sh", "-c", "echo a b | wc; cat /proc/uptime | cat", options=())
    done = run("replay", "both")
    check(done.stdout == said and "did not" not in done.stderr, "... and before the first event of each of several processes", done.stderr)


class Outside:
    """Somebody who is not recorded: a server by TCP, by UDP and by a Unix socket; and a client of the recorded one."""

    def __init__(self, file):
        self.tcp, self.udp, self.unix = socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM), socket.socket(socket.AF_UNIX)
        for s in (self.tcp, self.udp):
            s.bind(("127.0.0.1", 0))
        self.path = os.path.abspath("outside.sock")
        self.unix.bind(self.path)
        self.tcp.listen()
        self.unix.listen()
        self.file = file
        for work in (self.talks, self.answers, self.calls):
            threading.Thread(target=work, daemon=True).start()

    def talks(self):
        for s in (self.tcp, self.unix):
            c, _ = s.accept()
            with c:
                while said := c.recv(100):
                    c.sendall(b"%s for " % os.urandom(4).hex().encode() + said)
                if s is self.tcp:
                    c.sendall(b"over")

    def answers(self):
        for _ in range(3):
            said, who = self.udp.recvfrom(100)
            self.udp.sendto(os.urandom(4).hex().encode() + said, who)

    def calls(self):
        while not os.path.exists(self.file):
            time.sleep(0.01)
        with open(self.file, encoding="ascii") as f:
            port = int(f.read())
        with socket.create_connection(("127.0.0.1", port)) as c:
            c.sendall(os.urandom(4).hex().encode())
            c.recv(100)

    def close(self):
        for s in (self.tcp, self.udp, self.unix):
            s.close()
        os.remove(self.path)
        os.remove(self.file)


def outside():
    """A replay of all processes: who was not recorded is not there, and what came from there comes again."""
    for name, options in (("outside", ("--level", "data")), ("outside-events", ())):
        file = os.path.abspath("port-of-" + name)
        others = Outside(file)
        program = os.path.join(HERE, "one", "outside.py")
        ports = [str(s.getsockname()[1]) for s in (others.tcp, others.udp)]
        said = record(name, "/usr/bin/python3", program, file, *ports, others.path, options=options)
        others.close()
        lines_of = lambda text: sorted(lines(text, "tcp", "unix", "datagram", "accepted", "inside"))
        check(len(lines_of(said)) == 11, "%s: all of them talked" % name, said)
        if options:
            done = run("replay", name)
            check(done.returncode == 0 and "no difference" in done.stderr and lines_of(done.stdout) == lines_of(said),
                  "what came from outside of the recording comes again in a replay of all", "%s\n%s\nand not\n%s" % (done.stderr, done.stdout, said))
            check("not recorded" not in done.stderr, "... and nothing is said of it", done.stderr)
            done = run("replay", "--inputs", "off", "--patience", "1", name)
            check("without inputs nothing of that is given back" in done.stderr, "without inputs it cannot, which is said", done.stderr)
        else:
            done = run("replay", "--patience", "1", name)
            told = [line for line in done.stderr.splitlines() if "processes that were not recorded (the first: tcp 127.0.0.1:" in line]
            check(len(told) == 1 and "record with --level data" in told[0], "at level events it is said before the replay begins", done.stderr)
            check(done.returncode == 1, "... and the replay differs, or stands still", done.stderr)
    done = run("replay", "family")
    check("not recorded" not in done.stderr and done.returncode == 0, "where everybody is recorded nothing is said", done.stderr)


def refused():
    done = run("replay", "--alone", processes("inputs")[0], "inputs")
    check(done.returncode == 2 and "over sockets and pipes: record with --level data to replay it alone" in done.stderr and len(done.stderr.splitlines()) == 1,
          "at level events a line says how to get contents", done.stderr)
    record("none", *TALK, "family", options=("--layers", "user,sockets"))
    done = run("replay", "none")
    check("the recording has no inputs: clocks, random numbers, files and the like are those of this run" in done.stderr, "inputs that were not recorded: said", done.stderr)
    done = run("replay", "--inputs", "off", "family")
    check("inputs are off: clocks" in done.stderr, "inputs that are not wanted: said", done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="hbdb-one.") as folder:
        os.chdir(folder)
        client = pair()
        differs(client)
        family()
        children()
        programs()
        inputs()
        outside()
        refused()
        os.chdir("/")
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
