"""The programs of the corpus: reading what their first comment says, compiling them, running them under hbdb check."""
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import turn
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
HBDB = os.environ.get("HBDB", os.path.join(BUILD, "hbdb"))
BUILT = os.path.join(BUILD, "tests/corpus")
CATEGORIES = ("deadlock", "messages", "collectives", "lifecycle", "onesided", "arguments", "model")
MPIS = ("openmpi", "mpich")
MARK = "HBDB_CORPUS_RUN"  # in the environment of all that a run starts, so that nothing of it is left behind
LIMIT = 200  # seconds until a run without a verdict is given up; seen on a busy machine: 16
PATIENCE = 3  # seconds of standing still until hbdb check calls that a hang, also where it cannot prove it
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none",
                "--mca", "mpi_yield_when_idle", "1"],
    "mpich": ["mpirun.mpich"],
}
COMPILER = {".c": "mpicc", ".f90": "mpifort"}
FLAGS = {".c": ["-std=gnu17", "-pthread"], ".f90": ["-ffree-line-length-none", "-fallow-argument-mismatch"]}
with open(os.path.join(TOP, "src/rules/findings.def"), encoding="utf-8") as definitions:
    IDENTIFIERS = set(re.findall(r'"(HB-[A-Z0-9-]+)"', definitions.read()))


class Program:
    """A program and what it says of itself in the comment that it begins with (README.md)."""

    def __init__(self, path, category, wrong):
        self.path, self.category, self.wrong = path, category, wrong
        self.name = os.path.relpath(path, HERE) if path.startswith(HERE) else "/".join(path.split("/")[-3:])
        self.suffix = os.path.splitext(path)[1]
        self.processes, self.mpis, self.why, self.says, self.silent = 2, MPIS, "", [], []
        self.expect, self.also = [], set()
        self.problems = []
        self.model = None  # a model that it is checked against, too
        with open(path, encoding="utf-8") as f:
            self.read(f.read())

    def read(self, text):
        comment = re.match(r"/\*.*?\*/|(?:[ \t]*!.*\n)+", text, re.S)
        if not comment:
            self.problems.append("it does not begin with a comment")
            return
        for line in comment[0].splitlines():
            key, colon, value = line.strip("/*! \t").partition(":")
            if colon and key in ("processes", "expect", "also", "says", "silent", "mpi", "why"):
                getattr(self, "set_" + key)(value.strip())
        if self.wrong != bool(self.expect):
            self.problems.append("wrong programs have a line expect:, right ones have none")
        for name in [n for choice in self.expect for n in choice] + sorted(self.also):
            if name not in IDENTIFIERS:
                self.problems.append("no identifier: " + name)

    def set_processes(self, value):
        self.processes = int(value)

    def set_expect(self, value):
        self.expect += [word.split("|") for word in value.split()]

    def set_also(self, value):
        self.also |= set(value.replace("|", " ").split())

    def set_says(self, value):
        self.says.append(value)

    def set_silent(self, value):
        self.silent += value.split()

    def set_mpi(self, value):
        self.mpis = (value,)

    def set_why(self, value):
        self.why = value

    def mpis_of(self, wanted, share=1):
        """The MPIs to run it under. spread: one, in turn; MPICH's processes spin, it gets the small programs."""
        if wanted != "spread":
            return tuple(m for m in self.mpis if wanted in ("both", m))
        calm = ("openmpi",) if self.processes > 3 and "openmpi" in self.mpis else self.mpis
        return (turn.pick(self.name, calm, share),)


def programs_of(folder=HERE):
    folder = os.path.abspath(folder)
    for category in CATEGORIES:
        for kind in ("wrong", "right"):
            where = os.path.join(folder, category, kind)
            for name in sorted(os.listdir(where)) if os.path.isdir(where) else ():
                if name.endswith(tuple(COMPILER)):
                    yield Program(os.path.join(where, name), category, kind == "wrong")


# ---- compiling ----

def compile_program(program, mpi):
    """(path of the program, None), or (None, what the compiler said). What is there already is not made again."""
    with open(program.path, "rb") as f:
        source = f.read()
    command = ["%s.%s" % (COMPILER[program.suffix], mpi), "-g", "-O0", "-w"] + FLAGS[program.suffix]
    folder = os.path.join(BUILT, mpi, hashlib.sha1(source + repr(command).encode()).hexdigest()[:16])
    binary = os.path.join(folder, os.path.splitext(os.path.basename(program.path))[0])
    if os.path.exists(binary):
        return binary, None
    os.makedirs(folder, exist_ok=True)
    part = "%s.%d" % (binary, os.getpid())
    done = subprocess.run(command + [program.path, "-o", part, "-lm"], capture_output=True, text=True, cwd=folder)
    if done.returncode:
        return None, "\n".join(done.stderr.splitlines()[:6])
    os.rename(part, binary)
    return binary, None


# ---- running ----

def marked(mark):
    """Processes that a run has started and that still live."""
    wanted = ("%s=%s" % (MARK, mark)).encode()
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                with open("/proc/%s/environ" % entry, "rb") as f:
                    if wanted in f.read().split(b"\0"):
                        yield int(entry)
            except OSError:
                pass


def gone(mark, seconds):
    end = time.monotonic() + seconds
    while any(marked(mark)):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def end_marked(mark):
    for number, patience in ((signal.SIGTERM, 1.5), (signal.SIGKILL, 2)):
        for pid in list(marked(mark)):
            try:
                os.kill(pid, number)
            except OSError:
                pass
        if gone(mark, patience):
            return


class Run:
    """What a command did: status (None: it was given up), out, err, seconds."""

    def __init__(self, command, folder, seconds=LIMIT):
        self.mark = uuid.uuid4().hex
        env = dict(os.environ, **{MARK: self.mark, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        began = time.monotonic()
        self.left = False
        with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, env=env,
                                     start_new_session=True)
            self.status = self.wait(child, seconds)
            out.seek(0)
            err.seek(0)
            self.out, self.err = out.read(), err.read()
        self.seconds = time.monotonic() - began

    def wait(self, child, seconds):
        try:
            return child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if child.poll() is None or not gone(self.mark, 2):
                self.left = True
                end_marked(self.mark)
            child.wait()


def objects(text):
    """The lines of JSON in what hbdb check printed."""
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                yield json.loads(line)
            except ValueError:
                pass


class Verdict:
    """What hbdb check said of a program: findings, status of the job, complaint (None, or why there is no verdict)."""

    def __init__(self):
        self.findings, self.advice, self.job, self.complaint, self.seconds, self.said = [], [], None, None, 0.0, ""

    @property
    def errors(self):
        return [f for f in self.findings if f[1] != "note"]


def check(binary, mpi, processes, folder, seconds=LIMIT, model=None, talks=False):
    """Runs a program under hbdb check in a folder of its own. talks: it is recorded, without MPI, and then checked."""
    verdict = Verdict()
    command = [binary] if talks else LAUNCH[mpi] + ["-n", str(processes), binary]
    name = os.path.join(folder, "x.hbdb")
    if talks:
        Run([HBDB, "record", "--layers", "sockets", "-o", name, "--"] + command, folder, seconds)
    run = Run([HBDB, "check", "--json", name], folder, seconds) if talks else Run([HBDB, "check", "--json", "--leaks", "--watch", str(PATIENCE), "-o", os.path.join(folder, "x.hbdb")] +
              (["--model", model] if model else []) + ["--"] + command,
              folder, seconds)
    said = list(objects(run.out))
    verdict.advice = [one["advice"] for one in said if one.get("advice")]
    verdict.findings = [(one["finding"], one["severity"], one["sentence"]) for one in said if "finding" in one]
    summary = [one for one in said if "summary" in one]
    verdict.seconds, verdict.said = run.seconds, run.out + run.err
    if run.status is None:
        verdict.complaint = "no verdict within %d s" % seconds
    elif not summary:
        verdict.complaint = "no verdict, exit status %d: %s" % (run.status, last_line(run.err))
    elif run.left:
        verdict.complaint = "left processes behind"
    else:
        verdict.job = summary[0].get("exit_status", 0)
    return verdict


def last_line(text):
    return (text.strip().splitlines() or [""])[-1]


def new_folder():
    return tempfile.mkdtemp(prefix="hbdb-corpus.")


def drop_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)


def line_of(program, mpi, binary):
    """What to type to see it again."""
    return "%s check %s-- %s" % (HBDB, "--model %s " % program.model if program.model else "", shlex.join(LAUNCH[mpi] + ["-n", str(program.processes), binary]))
