"""For the tests of the manager: a complex of its own in a temporary folder."""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "agent"))
import wire

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
HBDB = os.path.join(BUILD, "hbdb")
PATIENCE = 60
passed = failed = 0


def check(right, what, detail=""):
    global passed, failed
    if right:
        passed += 1
        print("ok", what)
    else:
        failed += 1
        print("FAIL", what)
        for line in str(detail).splitlines()[-30:]:
            print("    " + line)
    sys.stdout.flush()
    return right


def finish():
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


def until(what, seconds=PATIENCE):
    """What it says when that is true; what it said last after so many seconds."""
    end = time.monotonic() + seconds
    while True:
        found = what()
        if found or time.monotonic() > end:
            return found
        time.sleep(0.02)


def environment_of(pid):
    try:
        with open("/proc/%d/environ" % pid, "rb") as f:
            return f.read()
    except OSError:
        return b""


class Complex:
    def __init__(self, *options, reactions=None):
        self.path = tempfile.mkdtemp(prefix="hbdb-system-")
        os.mkdir(self.path + "/run", 0o700)
        self.env = dict(os.environ, XDG_STATE_HOME=self.path + "/state", XDG_RUNTIME_DIR=self.path + "/run", LC_ALL="C.UTF-8")
        for name in ("HBDB_MANAGER", "NOTIFY_SOCKET", "NO_COLOR"):
            self.env.pop(name, None)
        self.env["PATH"] = BUILD + ":" + self.env["PATH"]
        self.options = list(options)
        if reactions:
            with open(self.path + "/rules", "w", encoding="utf-8") as f:
                f.write(reactions)
            self.options += ["--reactions", self.path + "/rules"]
        self.manager = None
        self.socket = self.path + "/run/hbdb/manager"
        self.database = self.path + "/state/hbdb/complex.db"
        self.said = self.path + "/manager.said"

    def begin(self, wait=True):
        with open(self.said, "ab") as said:
            self.manager = subprocess.Popen([HBDB, "manager", *self.options], cwd=self.path, env=self.env, stdin=subprocess.DEVNULL,
                                            stdout=said, stderr=said)
        if wait and (not until(lambda: self.run("ps")[0] == 0 or self.manager.poll() is not None) or self.manager.poll() is not None):
            raise AssertionError("no manager: " + open(self.said).read())
        return self

    def kill(self, number=signal.SIGKILL):
        self.manager.send_signal(number)
        self.manager.wait(PATIENCE)

    def run(self, *args, env=None):
        """(status, stdout, stderr) of hbdb."""
        done = subprocess.run([HBDB, *args], cwd=self.path, env=dict(self.env, **(env or {})), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=PATIENCE, errors="replace")
        return done.returncode, done.stdout, done.stderr

    def do(self, *args):
        status, out, err = self.run(*args)
        if status:
            raise AssertionError("hbdb %s: %d %s" % (" ".join(args), status, err))
        return out

    def rows(self, *args):
        status, out, _ = self.run(*args, "--json")
        return [json.loads(line) for line in out.splitlines()] if status == 0 else []

    def table(self, query, *values):
        """Read as others may: beside the manager."""
        base = sqlite3.connect("file:%s?mode=ro" % self.database, uri=True, timeout=10)
        try:
            return base.execute(query, values).fetchall()
        finally:
            base.close()

    def program(self, name):
        return next((row for row in self.rows("program") if row["name"] == name), {"state": "none"})

    def event(self, kind, text="", since=0):
        return next((row for row in self.rows("events", "--since", str(since)) if row["kind"] == kind and text in row["text"]), None)

    def wire(self):
        return wire.Wire(path=self.socket)

    def ours(self):
        """Processes of this complex, also those that outlive it."""
        mark = ("XDG_STATE_HOME=%s/state" % self.path).encode()
        return [int(p) for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid() and mark in environment_of(int(p)).split(b"\0")]

    def close(self):
        if self.manager and self.manager.poll() is None:
            self.kill(signal.SIGTERM)
            check(self.manager.returncode == 0, "the manager ends as it should", open(self.said, encoding="utf-8", errors="replace").read())
        for pid in self.ours():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.path, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
