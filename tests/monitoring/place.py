"""For the tests of this folder: a database of a manager's, made by hand from schema.sql; a manager that only answers asks, written from docs/agent.md;
programs that stay, and waiting for what they do."""
import json
import os
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "cli"), os.path.dirname(HERE)]
import lib  # noqa: E402
import ports  # noqa: E402,F401
from lib import BUILD, HBDB, TOP  # noqa: E402

PATIENCE = 120
T0 = 1700000000000000


def wait_for(what, seconds=PATIENCE):
    """Asks until it is true; what it was last."""
    until = time.monotonic() + seconds
    got = what()
    while not got and time.monotonic() < until:
        time.sleep(0.05)
        got = what()
    return got


class Folder:
    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="hbdb-monitoring-")
        self.path = self.temporary.name
        self.env = dict(os.environ, LC_ALL="C.UTF-8", XDG_STATE_HOME=self.path + "/state", XDG_RUNTIME_DIR=self.path)
        for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"):
            self.env.pop(name, None)
        self.children = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self.children:
            if child.poll() is None:
                child.kill()
            child.wait()
        self.temporary.cleanup()

    def file(self, name):
        return os.path.join(self.path, name)

    def start(self, *command, log="log", env=None, **more):
        with open(self.file(log), "a") as out:
            child = subprocess.Popen(command, cwd=self.path, env=dict(self.env, **(env or {})), stdin=subprocess.DEVNULL, stderr=out,
                                     **dict({"stdout": out}, **more))
        self.children.append(child)
        return child

    def run(self, *command, timeout=PATIENCE, env=None):
        done = subprocess.run(command, cwd=self.path, env=dict(self.env, **(env or {})), stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def log(self, name="log"):
        try:
            with open(self.file(name), errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def end(self, child, sig=signal.SIGTERM):
        child.send_signal(sig)
        return child.wait(timeout=PATIENCE)


class Database:
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(path, isolation_level=None, timeout=60)
        self.db.execute("PRAGMA journal_mode = WAL")
        with open(os.path.join(TOP, "src/system/complex/schema.sql")) as f:
            self.db.executescript(f.read())

    def add(self, table, **row):
        names = ", ".join(row)
        self.db.execute("INSERT INTO %s(%s) VALUES(%s)" % (table, names, ", ".join("?" * len(row))), list(row.values()))

    def event(self, kind="death", weight="error", text="it died", **more):
        self.add("event", **dict({"time": T0, "kind": kind, "weight": weight, "text": text}, **more))
        return self.db.execute("SELECT max(event) FROM event").fetchone()[0]

    def close(self):
        self.db.close()


def example(path):
    """Two nodes, two programs, three processes, a reaction; names that make trouble."""
    d = Database(path)
    d.add("node", node=1, name="alpha", platform="local", address="", state="up", since=T0, boot="b", host="alpha.example", machine="x86_64",
          byte_order="little", version="0.1.0", load=0.25, memory=3 << 20, disk=5 << 30)
    d.add("node", node=2, name="beta", platform="ssh", address="beta.example", state="down", why="connection refused", since=T0 + 1500000)
    d.add("program", program=1, name="farm", node=1, command='["mpirun","-n","2","./farm"]', recording="/nowhere/farm.hbdb", restart="failed",
          wanted=1, state="running", since=T0, runs=3, failures=0, failed=1)
    d.add("program", program=7, name='a "b" \\ ü\nc', node=2, command="[]", state="hangs", runs=5000000000, signal=11)
    d.add("process", process=1, node=1, program=1, pid=100, began=5, boot="b", name="0", file="/bin/farm", rank=0, world=0, machine="x86_64",
          recording="/nowhere/farm.hbdb", state="running", events=77, threads=2, used=1.5, memory=4096, since=T0)
    d.add("process", process=2, node=1, program=1, pid=101, began=5, boot="b", name="1", rank=1, world=0, state="waiting", call="MPI_Recv", since=T0)
    d.add("process", process=9, node=2, pid=102, began=6, boot="c", name="worker#2", state="gone", signal=9, since=T0)
    d.add("reaction", reaction=1, file="r.hbr", line=3, condition="death", action="notify", fired=2, last=T0)
    d.event(node=1, program=1, process=1)
    return d


class Manager(threading.Thread):
    """Takes every ask down, and answers it; refuse: with this text."""
    MAGIC = b"HBDBWIRE"

    def __init__(self, path):
        super().__init__(daemon=True)
        self.asks, self.refuse, self.silent = [], None, False
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(path)
        self.listening.listen(8)
        self.start()

    @staticmethod
    def frame(kind, body):
        text = json.dumps(body).encode()
        return struct.pack("<IBI", 5 + len(text), kind, 0) + text

    def run(self):
        while True:
            connection, _ = self.listening.accept()
            with connection:
                try:
                    self.talk(connection)
                except (OSError, struct.error):
                    pass

    def talk(self, connection):
        connection.sendall(self.MAGIC + self.frame(3, {"news": "hello", "hbdb": "manager", "protocol": 1, "version": "0.1.0", "host": "h", "user": "u",
            "pid": 1, "boot": "b", "machine": "x86_64", "order": "little"}))
        with connection.makefile("rb") as stream:
            if stream.read(8) != self.MAGIC:
                return
            while True:
                length, kind, _ = struct.unpack("<IBI", stream.read(9))
                body = json.loads(stream.read(length - 5))
                if kind != 1:
                    continue
                self.asks.append({k: v for k, v in body.items() if k != "id"})
                if self.silent:
                    continue
                answer = {"id": body["id"], **({"error": self.refuse, "status": 2} if self.refuse else {})}
                connection.sendall(self.frame(2, answer))
