"""For the tests of robustness: building and running programs, judging what hbdb did to them."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

import processes

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILT = os.path.join(TOP, "build/tests/robust")
HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
MPIS = ("openmpi", "mpich")
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none",
                "--mca", "mpi_yield_when_idle", "1"],
    "mpich": ["mpirun.mpich"],
}
CFLAGS = ["-std=gnu17", "-O1", "-g", "-Wall", "-Wextra", "-Wno-unused-function", "-Wno-unused-variable"]
TIMEOUT = 200
TESTS = []


class Failed(Exception):
    """One line that says what is wrong; more lines may follow it."""


class Skipped(Exception):
    """Why a test cannot be run here."""


def test(name, mpis=MPIS):
    """Registers a function as a test that is run under each MPI."""
    def add(function):
        TESTS.append((name, function, mpis))
        return function
    return add


def preload_of(mpi):
    return os.path.join(os.path.dirname(HBDB), "libhbdb-%s.so" % mpi)


# ---- programs ----

# name: (sources, further flags); `tool.so` is the tool as a library
PROGRAMS = {
    "killed": (["killed.c"], []),
    "process": (["process.c"], []),
    "diverge": (["diverge.c"], []),
    "handles": (["handles.c"], ["-pthread"]),
    "died": (["replays/died.c"], []),
    "waits": (["replays/waits.c"], []),
    "begins": (["begins.c"], ["-Wl,--export-dynamic"]),
    "tool.so": (["tool.c"], ["-shared", "-fPIC"]),
    "withtool": (["process.c", "tool.c"], []),
    "withtoollib": (["process.c"], ["-Wl,--no-as-needed", "{tool.so}", "-Wl,-rpath,{folder}"]),
    "contents": (["contents.c"], []),
    "limit": (["limit.c"], []),
    "later": (["later.c"], []),
    "libcuda.so.1": (["memory/gpu.c"], ["-shared", "-fPIC", "-nostdlib"]),
    "managed": (["memory/managed.c"], ["-ldl"]),
    "opaque.so": (["memory/opaque_mpi.c"], ["-shared", "-fPIC"]),
    "opaque": (["memory/opaque.c"], ["-Wl,--no-as-needed", "{opaque.so}", "-Wl,-rpath,{folder}"]),
    "asan": (["process.c"], ["-fsanitize=address"]),
    "frames.so": (["quick/frames.c"], ["-shared", "-fPIC", "-ldl"]),
    "often": (["quick/often.c"], []),
}


def build(mpi):
    """Builds what is out of date; returns what the compiler said, by program."""
    folder, said = os.path.join(BUILT, mpi), {}
    os.makedirs(folder, exist_ok=True)
    sources = [os.path.join(HERE, "programs", f) for f in os.listdir(os.path.join(HERE, "programs"))] + [__file__]
    newest = max(os.path.getmtime(f) for f in sources)
    for name, (files, flags) in PROGRAMS.items():
        to = os.path.join(folder, name)
        if os.path.exists(to) and os.path.getmtime(to) > newest:
            continue
        flags = [re.sub(r"\{(\w+\.so)\}", lambda m: os.path.join(folder, m[1]), f).replace("{folder}", folder) for f in flags]
        done = subprocess.run(["mpicc." + mpi] + CFLAGS + [os.path.join(HERE, "programs", f) for f in files] + flags + ["-o", to],
                              capture_output=True, text=True)
        if done.returncode:
            said[name] = done.stderr
    return said


# ---- running ----

def end_session(session):
    """Ends what a run has left: first kindly, so that a launcher can tidy up."""
    for number, wait in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 0.5)):
        for pid in processes.in_session(session):
            try:
                os.kill(pid, number)
            except OSError:
                pass
        end = time.time() + wait
        while time.time() < end and processes.in_session(session):
            time.sleep(0.05)


def outliving(session):
    """How many of its processes are left when it has ended. Launchers end in no order, and on a busy machine that takes a while."""
    end = time.time() + 20
    while (left := len(processes.in_session(session))) and time.time() < end:
        time.sleep(0.05)
    return left


class Result:
    """What became of a command: status (below 0: a signal), out, err, late, left (processes that outlived it)."""

    def __init__(self, command, env, seconds, during=None, cwd=None):
        self.command = command
        began = time.time()
        with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                     env=dict(os.environ, **env), cwd=cwd)
            self.late = False
            if during:
                during(child)
            try:
                child.wait(max(0.1, seconds - (time.time() - began)))
            except subprocess.TimeoutExpired:
                self.late = True
            self.left = 0 if self.late else outliving(child.pid)
            end_session(child.pid)
            child.wait()
            self.status = child.returncode
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read().replace("\0", ""))  # Open MPI 5 puts one behind what it says at the end
        self.out, self.err = texts
        self.seconds = time.time() - began
        self.said = "\n".join(line for line in self.err.splitlines() if line.startswith("hbdb: ") and not line.startswith("hbdb: running as root: "))

    def tail(self):
        return "\n".join((self.err or self.out).strip().splitlines()[-14:])

    def lines(self):
        """What was printed, ranks in any order; without the box that MPICH's launcher prints or not when a process ends badly."""
        box = ("=   ", "=====", "YOUR APPLICATION TERMINATED", "This typically refers", "Please see the FAQ")
        return sorted(line for line in self.out.splitlines() if line.strip() and not line.startswith(box))


class Context:
    """One test under one MPI, with a folder of its own."""

    def __init__(self, mpi):
        self.mpi = mpi
        self.dir = tempfile.mkdtemp(prefix="hbdb-robust.")
        self.launcher_may_say = ()  # statuses of a launcher of which each stands for the others
        self.env = {"XDG_STATE_HOME": self.dir + "/state", "ROBUST_EVENTS": self.dir + "/events"}

    def close(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def other(self):
        return MPIS[1 - MPIS.index(self.mpi)]

    def program(self, name, mpi=None):
        return os.path.join(BUILT, mpi or self.mpi, name)

    def launch(self, n, *command, mpi=None):
        return LAUNCH[mpi or self.mpi] + ["-n", str(n)] + list(command)

    def path(self, name):
        return os.path.join(self.dir, name)

    def run(self, command, seconds=TIMEOUT, env=None, during=None):
        result = Result(command, dict(self.env, **(env or {})), seconds, during, self.dir)
        if result.late:
            raise Failed("timeout of %d s: %s\n%s" % (seconds, " ".join(command[:6]), result.tail()))
        return result

    def record(self, command, *options, name="r.hbdb", **more):
        return self.run([HBDB, "record", "-o", self.path(name)] + list(options) + ["--"] + command, **more)

    def replay(self, *options, name="r.hbdb", command=None, **more):
        return self.run([HBDB, "replay"] + list(options) + [self.path(name)] + (["--"] + command if command else []), **more)

    def info(self, name="r.hbdb"):
        done = self.run([HBDB, "info", "--json", self.path(name)])
        self.want(done.status == 0, "info: status %d\n%s" % (done.status, done.tail()))
        return json.loads(done.out)

    def dump(self, *options, name="r.hbdb"):
        done = self.run([HBDB, "dump", "--plain"] + list(options) + [self.path(name)])
        self.want(done.status == 0, "dump: status %d\n%s" % (done.status, done.tail()))
        return done.out.splitlines()

    def verify(self, name="r.hbdb"):
        return self.run([HBDB, "verify", self.path(name)])

    # ---- judging ----

    @staticmethod
    def want(good, text):
        if not good:
            raise Failed(text)

    def same_run(self, bare, with_hbdb, what="record"):
        if bare.lines() != with_hbdb.lines():
            raise Failed("%s prints something else\nalone: %s\nnow:   %s\n%s" % (
                what, bare.lines()[:8], with_hbdb.lines()[:8], with_hbdb.tail()))
        self.same_status(bare, with_hbdb, what)

    def same_status(self, bare, with_hbdb, what="record"):
        wanted = bare.status if bare.status >= 0 else 128 - bare.status
        either = {with_hbdb.status, wanted} <= set(self.launcher_may_say)
        self.want(with_hbdb.status == wanted or either, "%s: status %d, alone %d\n%s" % (what, with_hbdb.status, wanted, with_hbdb.tail()))
        self.want(not with_hbdb.left, "%s: %d processes outlive it" % (what, with_hbdb.left))

    def counted(self):
        """Events that each process counted itself."""
        counts = {}
        for name in os.listdir(self.dir):
            found = re.fullmatch(r"events\.(\d+)", name)
            if found:
                with open(self.path(name)) as f:
                    counts[int(found[1])] = int(f.read())
        return counts

    def all_events(self, name="r.hbdb", lost=False):
        """The record holds the calls that the processes counted, each once; `lost`: or says how many it does not hold."""
        info, counts = self.info(name), self.counted()
        got = {p["rank"]: p["events"] for p in info["processes"]}
        self.want(counts, "no process told how many calls it made")
        if lost:
            self.want(sum(got.values()) + info["events_not_stored"] == sum(counts.values()),
                      "stored %d and lost %d of %d events" % (sum(got.values()), info["events_not_stored"], sum(counts.values())))
        else:
            self.want(got == counts, "events stored %r, calls counted %r" % (got, counts))
        return info

    def silent(self, result, *allowed):
        """hbdb said nothing but its closing line and what is allowed."""
        for line in result.said.splitlines():
            if not re.search(r": \d+ process(es)?, \d+ events", line) and not any(re.search(a, line) for a in allowed):
                raise Failed("hbdb said: " + line)
