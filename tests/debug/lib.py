"""For the tests of hbdb debug: programs and recordings under both MPIs, running scripts, what may not stay behind."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import processes  # noqa: E402
import turn  # noqa: E402
HBDB = os.environ.get("HBDB", os.path.join(TOP, os.environ.get("BUILD", "build"), "hbdb"))
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none",
                      "--mca", "mpi_yield_when_idle", "1", "-n"],
          "mpich": ["mpirun.mpich", "-n"]}
LIMIT = 120  # seconds for a script, by far enough
passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("ok" if good else "FAIL", name)
    for line in [] if good else str(detail).rstrip().splitlines()[:40]:
        print("    " + line)
    sys.stdout.flush()
    return good


def same(name, got, wanted):
    return check(name, got == wanted, "got:    %r\nwanted: %r" % (got, wanted))


def has(name, text, *wanted):
    """All of them, in this order."""
    at = 0
    for word in wanted:
        found = text.find(word, at)
        if found < 0:
            return check(name, False, "missing%s: %r\nin:\n%s" % (" or out of order" if word in text else "", word, text))
        at = found + len(word)
    return check(name, True)


def lacks(name, text, *unwanted):
    return check(name, not [w for w in unwanted if w in text], text)


def parts(mpi, every):
    """Those that run under this MPI: each under one of them, under the other at the next commit; all with --all, or with ONLY=MPI."""
    if "ONLY" in os.environ or "--all" in sys.argv[1:]:
        return every if mpi in os.environ.get("ONLY", mpi).split() else ()
    return [part for part in every if turn.pick(part.__name__, list(LAUNCH)) == mpi]


def mark(name):
    """The line of steps.c that carries a mark."""
    with open(os.path.join(HERE, "steps.c"), encoding="utf-8") as f:
        return next(n for n, line in enumerate(f, 1) if "MARK %s " % name in line)


class Place:
    """A folder with steps.c built for one MPI, and a memory of its own for the last recording and the history."""

    def __init__(self, mpi):
        self.mpi = mpi
        self.path = os.path.realpath(tempfile.mkdtemp(prefix="hbdb-debug-"))
        self.env = dict(os.environ, XDG_STATE_HOME=self.path + "/state", LC_ALL="C.UTF-8", TMPDIR=self.path + "/tmp")
        os.mkdir(self.path + "/tmp")
        for name in ("LD_PRELOAD", "NO_COLOR", "HBDB_LIBRARY_FOLDER"):
            self.env.pop(name, None)
        self.build("steps")

    def build(self, name):
        subprocess.run(["mpicc." + self.mpi, "-g", "-O0", "-o", "%s/%s" % (self.path, name), os.path.join(HERE, name + ".c")], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        same("%s: nothing runs any more" % self.mpi, self.alive(), [])
        same("%s: no folder of a replay stays behind" % self.mpi, self.folders(), [])
        for pid, _ in self.processes():
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.path, ignore_errors=True)

    def command(self, n, *args, program="./steps"):
        return LAUNCH[self.mpi] + [str(n), program, *map(str, args)]

    def start(self, *args, **more):
        return subprocess.Popen([HBDB, *args], cwd=self.path, env=self.env, **more)

    def run(self, *args, stdin=""):
        """(status, stdout, stderr) of hbdb."""
        p = self.start(*args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                       errors="replace")
        try:
            out, err = p.communicate(stdin, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            p.terminate()
            out, err = p.communicate()
            check("%s ends" % " ".join(args), False, out + err)
        # what root is told is no matter here
        return p.returncode, out, "".join(line for line in err.splitlines(True) if not line.startswith("hbdb: running as root: "))

    def record(self, name, n, *args, program="./steps"):
        status, out, err = self.run("record", "-o", name, "--", *self.command(n, *args, program=program))
        if not os.path.isdir(os.path.join(self.path, name)):
            check("%s: recorded" % self.mpi, False, out + err)
        return status

    def debug(self, commands, *args):
        """Runs commands (a list) with -c; args: what stands before, and behind."""
        return self.run("debug", "-c", "; ".join(commands), *args)

    def live(self, commands, n, *args):
        return self.debug(commands, "-o", self.name("live"), "--", *self.command(n, *args))

    def name(self, stem):
        return next(n for n in ("%s-%d.hbdb" % (stem, i) for i in range(1000)) if not os.path.exists(self.path + "/" + n))

    def processes(self):
        """(pid, state) of every process with this folder in its environment or as its working directory."""
        for pid, _, fields in processes.everyone():
            try:
                there = os.readlink("/proc/%d/cwd" % pid).startswith(self.path)
                with open("/proc/%d/environ" % pid, "rb") as f:
                    there = there or b"XDG_STATE_HOME=" + self.path.encode() in f.read()
            except OSError:
                continue
            if there and fields[0] not in "ZX":
                yield pid, fields[0]

    def alive(self, seconds=LIMIT):
        """Processes that are still there after a while."""
        end = time.monotonic() + seconds
        while (left := list(self.processes())) and time.monotonic() < end:
            time.sleep(0.1)
        return left

    def folders(self, seconds=LIMIT):
        """Folders and sockets of replays that are still there after a while."""
        end = time.monotonic() + seconds
        while True:
            left = [os.path.join(b, n) for b, dirs, names in os.walk(self.path) for n in dirs + names
                    if n.startswith((".hbdb", "hbdb-"))]
            if not left or time.monotonic() > end:
                return left
            time.sleep(0.1)


def objects(text, answer=None):
    """The lines of --json."""
    all_of_them = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [o for o in all_of_them if answer in (None, o.get("answer"))]


def finish():
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)
