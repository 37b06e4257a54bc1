"""For the tests of the command line: running hbdb, counting checks."""
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
HBDB = os.environ.get("HBDB", os.path.join(BUILD, "hbdb"))
passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    if good:
        passed += 1
        print("ok", name)
    else:
        failed += 1
        print("FAIL", name)
        for line in str(detail).rstrip().splitlines()[:30]:
            print("    " + line)
    sys.stdout.flush()


def same(name, got, wanted):
    check(name, got == wanted, "got:    %r\nwanted: %r" % (got, wanted))


def has(name, text, *wanted):
    missing = [w for w in wanted if w not in text]
    check(name, not missing, "missing: %r\nin: %s" % (missing, text))


class Place:
    """A temporary folder with a capture library that does nothing, and a memory of its own for the last recording."""

    def __init__(self, libraries=True):
        self.path = tempfile.mkdtemp(prefix="hbdb-cli-")
        self.env = dict(os.environ, XDG_STATE_HOME=self.path + "/state", LC_ALL="C")
        for name in ("LD_PRELOAD", "NO_COLOR", "HBDB_LIBRARY_FOLDER"):
            self.env.pop(name, None)
        if libraries:
            os.mkdir(self.path + "/lib")
            self.env["HBDB_LIBRARY_FOLDER"] = self.path + "/lib"
            self.build("int hbdb_nothing;", "lib/libhbdb-openmpi.so", "-shared", "-fPIC")
            for name in ("mpich", "threads", "sockets", "inputs"):
                shutil.copy(self.path + "/lib/libhbdb-openmpi.so", self.path + "/lib/libhbdb-%s.so" % name)

    def build(self, source, name, *flags):
        subprocess.run(["cc", "-g", "-x", "c", "-", "-x", "none", "-o", self.path + "/" + name, *flags],
                input=source.encode(), check=True)

    def script(self, name, text):
        path = self.path + "/" + name
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return path

    def run(self, *args, input=None, env=None, timeout=60):
        """(status, stdout, stderr) of hbdb; a status below 0 is a signal."""
        done = subprocess.run([HBDB, *args], cwd=self.path, env=dict(self.env, **(env or {})), input=input,
                timeout=timeout,
                              stdin=None if input is not None else subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace")
        return done.returncode, done.stdout, done.stderr

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def finish():
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)
