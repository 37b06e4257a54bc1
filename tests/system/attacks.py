#!/usr/bin/env python3
"""Attacks on the manager: what docs/system/security.md says of each is tried."""
import json
import os
import pwd
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import time

from lib import HBDB, Complex, check, finish, until
import wire

ROOT = os.getuid() == 0
OTHER = "nobody"


def lives(c):
    return c.manager.poll() is None and c.run("ps")[0] == 0


def as_other(*command, env=None):
    """Runs as another user: status, what it said."""
    who = pwd.getpwnam(OTHER)

    def become():
        os.setgroups([])
        os.setgid(who.pw_gid)
        os.setuid(who.pw_uid)

    done = subprocess.run(command, preexec_fn=become, env=dict(env or {}, PATH="/usr/bin:/bin"), cwd="/", capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


CONNECT = """
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(60)
try:
    s.connect(sys.argv[1])
    s.sendall(b"HBDBWIRE")
    print("got", len(s.recv(100)))
except OSError as e:
    print("got", e)
"""


def another_user():
    if not ROOT:
        print("    another user cannot be tried without being root")
        return
    with Complex() as c:
        c.begin()
        _, said = as_other("/usr/bin/python3", "-c", CONNECT, c.socket)
        check("Permission denied" in said, "another user does not reach the socket", said)
        for path in (c.database, c.database + "-wal", c.database + ".lock"):
            check(not os.stat(path).st_mode & 0o077, "nor read %s" % os.path.basename(path), oct(os.stat(path).st_mode))
    with Complex() as c:
        os.chmod(c.path, 0o755)
        os.mkdir(c.path + "/shared", 0o755)
        c.socket = c.path + "/shared/manager"
        c.options = ["--socket", c.socket, "--allow", "daemon"]
        c.env["HBDB_MANAGER"] = c.socket
        c.begin()
        _, said = as_other("/usr/bin/python3", "-c", CONNECT, c.socket)
        check("got 0" in said or "reset" in said or "Broken pipe" in said, "where others may connect, one that is not allowed is let go at once", said)
        check(until(lambda: c.event("refused", OTHER)), "and an event says who it was", c.run("events")[1])
        # the build may stand where others do not get at
        shutil.copy(HBDB, c.path + "/hbdb")
        status, said = as_other(c.path + "/hbdb", "ps", env={"HBDB_MANAGER": c.socket, "HOME": "/nonexistent"})
        check(status == 2 and "--allow" in said, "hbdb tells him that he was not let in", said)
        globals()["OTHER"] = "daemon"
        _, said = as_other("/usr/bin/python3", "-c", CONNECT, c.socket)
        check("got " in said and "got 0" not in said and "reset" not in said, "one that is allowed is let in", said)
        globals()["OTHER"] = "nobody"


def folders():
    with Complex() as c:
        for name, mode in (("open", 0o755), ("link", None)):
            os.mkdir(c.path + "/target-" + name, 0o700)
            if mode:
                os.mkdir(c.path + "/" + name)
                os.chmod(c.path + "/" + name, mode)
            else:
                os.symlink(c.path + "/target-" + name, c.path + "/" + name)
            status, _, err = c.run("manager", "--socket", c.path + "/" + name + "/manager")
            check(status == 2 and ("others may enter" in err or "symbolic link" in err), "a folder that is %s is refused" % name, err)
        if ROOT:
            os.mkdir(c.path + "/theirs", 0o700)
            os.chown(c.path + "/theirs", pwd.getpwnam(OTHER).pw_uid, -1)
            status, _, err = c.run("manager", "--socket", c.path + "/theirs/manager")
            check(status == 2 and "belongs to another user" in err, "a folder of another user is refused", err)
        os.rmdir(c.path + "/run")
        os.symlink(c.path + "/target-link", c.path + "/run")
        os.symlink("/tmp", c.path + "/target-link/hbdb")
        status, _, err = c.run("manager")
        check(status == 2 and "not a folder that only its user may enter" in err, "a symbolic link in the place of the folder of sockets is refused", err)


def sockets():
    with Complex() as c:
        c.begin()
        c.kill()
        check(stat.S_ISSOCK(os.lstat(c.socket).st_mode), "a manager that is killed leaves its socket")
        c.begin()
        check(lives(c), "the next one takes its place")
        c.kill(signal.SIGTERM)
        check(not os.path.exists(c.socket), "one that is told to end takes it away")
        with open(c.socket, "w", encoding="ascii") as f:
            f.write("precious")
        status, _, err = c.run("manager")
        check(status == 2 and "left alone" in err and open(c.socket, encoding="ascii").read() == "precious", "a file at its path is left alone", err)
        os.remove(c.socket)
        os.symlink(c.path + "/elsewhere", c.socket)
        status, _, err = c.run("manager")
        check(status == 2 and not os.path.lexists(c.path + "/elsewhere"), "so is a symbolic link, and nothing is made where it leads", err)
        os.remove(c.socket)
        if ROOT:
            listener = socket.socket(socket.AF_UNIX)
            os.chmod(c.path, 0o777)
            listener.bind(c.path + "/false")
            listener.listen()
            child = os.fork()
            if not child:
                os.setuid(pwd.getpwnam(OTHER).pw_uid)
                false = socket.socket(socket.AF_UNIX)
                false.bind(c.path + "/impostor")
                false.listen()
                os.chmod(c.path + "/impostor", 0o777)
                time.sleep(600)
            until(lambda: os.path.exists(c.path + "/impostor"))
            until(lambda: os.stat(c.path + "/impostor").st_mode & 0o777 == 0o777)
            status, _, err = c.run("ps", "--socket", c.path + "/impostor")
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            check(status == 2 and "belongs to another user" in err, "a console does not believe a manager of another user", err)
            listener.close()
            os.chmod(c.path, 0o700)


def raw(c, data, greet=True):
    """Sends bytes; what came until the manager closed, or had nothing to say for a moment."""
    s = socket.socket(socket.AF_UNIX)
    s.connect(c.socket)
    s.settimeout(60)
    try:
        s.sendall((wire.MAGIC if greet else b"") + data)
        while s.recv(65536):
            pass
        closed = True
    except (BrokenPipeError, ConnectionResetError):
        closed = True
    except socket.timeout:
        closed = False
    s.close()
    return closed


def frame(kind, channel, payload):
    return struct.pack("<IBI", len(payload) + 5, kind, channel) + payload


def frames():
    with Complex() as c:
        c.begin()
        deep = b'{"id":1,"ask":' + b"[" * 400000 + b"]" * 400000 + b"}"
        for name, data, greet in (
                ("a frame of 4 GiB", struct.pack("<IBI", 0xFFFFFFFF, 1, 0), True),
                ("a frame of no bytes", struct.pack("<IBI", 0, 1, 0), True),
                ("a kind that there is not", frame(99, 0, b"{}"), True),
                ("an ask that is no JSON", frame(1, 0, b"{{{"), True),
                ("an ask that is no object", frame(1, 0, b"[1]"), True),
                ("an ask without a number", frame(1, 0, b'{"ask":"nodes"}'), True),
                ("JSON that is 400,000 levels deep", frame(1, 0, deep), True),
                ("bytes on a channel that is not open, and an end", frame(4, 7, b"x" * 1000) + frame(99, 0, b""), True),
                ("what is not from hbdb at all", b"GET / HTTP/1.1\r\n\r\n" * 8000, False)):
            closed = raw(c, data, greet)
            check(closed and lives(c), "%s: the connection ends, the manager goes on" % name)
        slow = socket.socket(socket.AF_UNIX)
        slow.connect(c.socket)
        slow.sendall(wire.MAGIC + struct.pack("<IBI", 1000000, 1, 0) + b'{"id"')
        check(lives(c), "one that sends half a frame holds up nobody")
        slow.close()


def numbers():
    with Complex() as c:
        c.begin()
        many = []
        for _ in range(300):
            s = socket.socket(socket.AF_UNIX)
            s.connect(c.socket)
            many.append(s)
        until(lambda: c.table("SELECT 1 FROM event WHERE kind = 'refused' AND text LIKE '%already%'"))
        check(c.manager.poll() is None and len(os.listdir("/proc/%d/fd" % c.manager.pid)) < 1000, "of 300 connections at once some are refused")
        for s in many:
            s.close()
        check(until(lambda: lives(c)), "and when they are gone all is as it was")
        flood = socket.socket(socket.AF_UNIX)
        flood.connect(c.socket)
        flood.sendall(wire.MAGIC)
        flood.settimeout(1)
        w = c.wire()
        for _ in range(200):
            w.ask("note", text="x" * 1900)
        ask = frame(1, 0, json.dumps({"id": 1, "ask": "events", "since": -1}).encode())
        ended = False
        for _ in range(5000):
            try:
                flood.sendall(ask)
            except socket.timeout:
                pass
            except OSError:
                ended = True
                break
        check(ended and lives(c), "one that asks and never reads is let go")
        with open("/proc/%d/status" % c.manager.pid, encoding="ascii") as f:
            peak = int(f.read().split("VmHWM:")[1].split()[0])
        check(peak < 1500000,  # what asks and answers take at once, 10 times
               "and costs a bounded amount of memory: %d KiB" % peak)


AGENT = """#!%s
import json, struct, sys, os
def frame(kind, o):
    p = json.dumps(o).encode()
    sys.stdout.buffer.write(struct.pack("<IBI", len(p) + 5, kind, 0) + p)
sys.stdout.buffer.write(b"HBDBWIRE")
frame(3, {"news": "hello", "hbdb": "agent", "protocol": 1, "version": "x", "host": "h", "user": "u", "pid": 1, "boot": "b", "machine": "m", "order": "little"})
for o in json.load(open(%r)):
    frame(3, o)
frame(1, {"id": 1, "ask": "end", "program": "victim"})
frame(1, {"id": 2, "ask": "run", "node": "n1", "command": ["touch", %r], "channel": 1})
sys.stdout.buffer.flush()
got = b""
while True:
    piece = os.read(0, 65536)
    if not piece:
        break
    got += piece
    open(%r, "wb").write(got)
"""


def forged_news():
    """An agent of a node that somebody has taken over: it may lie about its node, and about nothing else."""
    with Complex() as c:
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        until(lambda: c.rows("nodes")[0]["state"] == "up")
        c.do("program", "add", "victim", "--node", "n1", "--", "sleep", "1000")
        c.do("program", "begin", "victim")
        check(until(lambda: c.program("victim")["state"] == "running"), "a program runs on another node")
        row = next(r for r in c.rows("ps") if r["program_name"] == "victim")
        its = {"pid": row["pid"], "began": row["began"], "boot": row["boot"]}
        news = [{"news": "death", "process": dict(its, signal=9)},
                {"news": "process", "process": dict(its, state="stopped", node=1, program="x'; DROP TABLE process; --")},
                {"news": "process", "process": {"pid": "7", "began": -1, "boot": 3}},
                {"news": "process", "process": {"pid": 1e300, "began": 1e300, "boot": "b", "name": "\x1b]0;title\x07" + "n" * 5000}},
                {"news": "process", "process": 5}, {"news": "finding"}, {"news": "hang", "verdict": {}}, {"news": "sensor", "name": None},
                {"news": "node", "load": "heavy", "memory": []}, {"news": "event", "kind": "note"}, {"news": "no such news"},
                {"news": "finding", "id": "HB-X", "text": "t" * 100000, "folder": "/r"}]
        with open(c.path + "/news", "w", encoding="utf-8") as f:
            json.dump(news, f)
        os.mkdir(c.path + "/bin")
        with open(c.path + "/bin/ssh", "w", encoding="utf-8") as f:
            f.write(AGENT % (sys.executable, c.path + "/news", c.path + "/touched", c.path + "/got"))
        os.chmod(c.path + "/bin/ssh", 0o755)
        c.kill(signal.SIGTERM)
        c.env["PATH"] = c.path + "/bin:" + c.env["PATH"]
        c.begin()
        c.do("nodes", "add", "taken")
        check(until(lambda: c.event("finding", "ttt")), "an agent that lies is heard", c.run("nodes")[1])
        until(lambda: os.path.exists(c.path + "/got") and open(c.path + "/got", "rb").read().count(b"asked for nothing") == 2)
        check(open(c.path + "/got", "rb").read().count(b"asked for nothing") == 2 and not os.path.exists(c.path + "/touched"), "what it asks for is refused")
        until(lambda: any(r["node_name"] == "n1" and r["process"] == row["process"] for r in c.rows("ps")))
        mine = next(r for r in c.rows("ps") if r["process"] == row["process"])
        check(mine["state"] == "running" and mine["node_name"] == "n1" and c.program("victim")["state"] == "running",
              "its news of a process with the numbers of one elsewhere are about its own node", mine)
        text = c.run("ps", "--all")[1]
        check("\x1b" not in text and "\x07" not in text, "names that a terminal would obey are written out")
        check(lives(c) and c.table("PRAGMA integrity_check")[0][0] == "ok" and c.table("SELECT count(*) FROM process")[0][0] > 0, "the database is in order")


def forged_console():
    with Complex() as c:
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        until(lambda: c.rows("nodes")[0]["state"] == "up")
        c.do("program", "add", "p", "--node", "n1", "--", "sleep", "1000")
        c.do("program", "begin", "p")
        until(lambda: c.program("p")["state"] == "running")
        row = next(r for r in c.rows("ps") if r["program_name"] == "p")
        w = c.wire()
        before = c.rows("events")[-1]["event"]
        for name in ("death", "process", "node", "finding"):
            w.send(wire.NEWS, 0, {"news": name, "process": {"pid": row["pid"], "began": row["began"], "boot": row["boot"], "signal": 9, "state": "ended"}, "id": "HB-X", "text": "x"})
        w.ask("nodes")
        check(c.rows("events")[-1]["event"] == before and c.program("p")["state"] == "running", "news of a console are nobody's news", c.run("events")[1])
        w.ask("hold", program="p", why="x", who="somebody/1", while_here=True)
        check(c.table("SELECT who FROM hold")[0][0].startswith(pwd.getpwuid(os.getuid()).pw_name + "/"), "who holds is asked of the system, not of him", c.table("SELECT who FROM hold"))
        for bad in ({"process": -1}, {"process": "x"}, {"process": 1e18}, {}):
            try:
                w.ask("stop", **bad)
                check(False, "a process that there is not: %r" % bad)
            except wire.Refused as e:
                check("no process of this number" in str(e), "a process that there is not: %r" % bad, e)
        for name in ("nodes'; DROP TABLE node; --", "\x00", "a" * 100000):
            try:
                w.ask("node", name=name, platform="local")
                check(False, "a node of a strange name")
            except wire.Refused as e:
                check("a node's name is" in str(e), "a node of a strange name is refused", e)
        w.close()


def main():
    assert os.path.exists(HBDB)
    another_user()
    folders()
    sockets()
    frames()
    numbers()
    forged_news()
    forged_console()
    finish()


main()
