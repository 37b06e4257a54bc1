"""Processes, the driver, and what they say."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import processes  # noqa: E402

BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
DRIVER = os.environ.get("HBDB_GDB_DRIVER", os.path.join(BUILD, "tests/gdb/driver"))
FLAGS = {"worker": ["gcc", "-g", "-O0", "-pthread"], "counter": ["gcc", "-g", "-O0", "-pthread"], "values": ["gfortran", "-g", "-O0"],
         "blocked-openmpi": ["mpicc.openmpi", "-g", "-O2"], "blocked-mpich": ["mpicc.mpich", "-g", "-O2"]}
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"],
          "mpich": ["mpirun.mpich"]}
passed = failed = 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("ok" if good else "FAIL", what, flush=True)
    return good


class Broken(Exception):
    """The driver is of no use any more."""


class Said:
    """What one command printed."""

    def __init__(self, lines):
        self.lines, self.status = lines[:-1], lines[-1]
        self.ok = self.status == "ok"
        self.told = [line for line in self.lines if line.startswith("! ")]
        self.text = [line for line in self.lines if not line.startswith("! ")]

    def number(self):
        return int(re.match(r"number (\d+)", "\n".join(self.text))[1])

    def __str__(self):
        return "\n".join(self.lines + [self.status])


class Driver:
    """Calls of gdb.h, one line each."""

    def __init__(self, user=None, env=None, before=()):
        command = list(before) + (["setpriv", "--reuid", user, "--clear-groups", "--"] if user else []) + [DRIVER]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.DEVNULL, env=dict(os.environ, **env or {}))
        self.events = []  # not asked for yet

    def ask(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            lines = []
            while not lines or not re.match(r"ok$|error -?\d", lines[-1]):
                got = self.process.stdout.readline()
                if not got:
                    raise Broken("the driver has ended (%s) at: %s" % (self.process.wait(), line))
                lines.append(got.rstrip("\n"))
        except BrokenPipeError:
            raise Broken("the driver has ended at: " + line)
        said = Said(lines)
        self.events += said.told
        return said

    def wait_for(self, pattern, seconds=300):
        """The first event that the pattern fits. Of events before it those of its process are thrown away; a pattern
        that names another process (`^! ID `) keeps them: which of two processes stops first nobody can say."""
        named, kept = re.match(r"\^! (\d+) ", pattern), []
        for _ in range(30):
            while self.events:
                event = self.events.pop(0)
                if re.search(pattern, event):
                    self.events = kept + self.events
                    return event
                if named and not event.startswith("! %s " % named[1]):
                    kept.append(event)
            self.ask("await %d" % max(1, seconds // 30))
        raise Broken("no event like %s but %s; state %s" % (pattern, kept, self.ask("state 0")))

    def attach(self, pids):
        said = self.ask("attach " + " ".join("%d=%d" % pair for pair in enumerate(pids)))
        self.events.clear()
        return said

    def close(self):
        self.process.stdin.close()
        try:
            return self.process.wait(300)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "hangs"


class Place:
    """A folder with the programs, and the processes that were started."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="hbdb-gdb.")
        os.chmod(self.folder, 0o755)
        self.processes = []

    def build(self, name):
        source = name.split("-")[0] + (".f90" if name == "values" else ".c")
        path = os.path.join(self.folder, name)
        subprocess.run(FLAGS[name] + [source, "-o", path], check=True, cwd=os.path.join(HERE, "programs"))
        return path

    def start(self, command, **options):
        options = dict({"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}, **options)
        self.processes.append(subprocess.Popen(command, **options))
        return self.processes[-1]

    def workers(self, n):
        """Processes that are past the loader."""
        started = [self.start([os.path.join(self.folder, "worker")], stdout=subprocess.PIPE, text=True) for _ in range(n)]
        for worker in started:
            worker.stdout.readline()
        return started

    def job(self, mpi, n, before=(), env=None):
        """A job of blocked.c: its pids, by rank as they come."""
        job = self.start(list(before) + LAUNCH[mpi] + ["-n", str(n), os.path.join(self.folder, "blocked-" + mpi)],
                         stdout=subprocess.PIPE, text=True, env=dict(os.environ, **env or {}), cwd=self.folder)
        return job, sorted(int(job.stdout.readline()) for _ in range(n))

    def end(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(100)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()

    def remove(self):
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)


def state(pid):
    """The letter of its state and its tracer, or None."""
    try:
        with open("/proc/%d/status" % pid) as f:
            text = f.read()
        return re.search(r"State:\s+(\S)", text)[1], int(re.search(r"TracerPid:\s+(\d+)", text)[1])
    except OSError:
        return None


def finish():
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed or not passed else 0)
