"""The programs of the corpus: reading what their first comment says, compiling them, running them under hbdb check."""
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
HBDB = os.environ.get("HBDB", os.path.join(BUILD, "hbdb"))
BUILT = os.path.join(BUILD, "tests/corpus")
CATEGORIES = ("deadlock", "messages", "collectives", "lifecycle", "onesided", "arguments")
MPIS = ("openmpi", "mpich")
MARK = "HBDB_CORPUS_RUN"  # in the environment of all that a run starts, so that nothing of it is left behind
LIMIT = 25  # seconds until a run without a verdict is given up
HUNG = 6  # seconds after which a run is interrupted, where hbdb check cannot run programs itself
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none",
                "--mca", "mpi_yield_when_idle", "1"],
    "mpich": ["mpirun.mpich"],
}
COMPILER = {".c": "mpicc", ".f90": "mpifort"}
FLAGS = {".c": ["-std=gnu17", "-pthread"], ".f90": ["-ffree-line-length-none", "-fallow-argument-mismatch"]}
IDENTIFIER = re.compile(r"HB-[A-Z0-9]+(?:-[A-Z0-9]+)+$")


class Program:
    """A program and what it says of itself in the comment that it begins with (README.md)."""

    def __init__(self, path, category, wrong):
        self.path, self.category, self.wrong = path, category, wrong
        self.name = os.path.relpath(path, HERE) if path.startswith(HERE) else os.path.basename(path)
        self.suffix = os.path.splitext(path)[1]
        self.processes, self.mpis, self.why = 2, MPIS, ""
        self.expect, self.also = [], set()
        self.problems = []
        with open(path, encoding="utf-8") as f:
            self.read(f.read())

    def read(self, text):
        comment = re.match(r"/\*.*?\*/|(?:[ \t]*!.*\n)+", text, re.S)
        if not comment:
            self.problems.append("it does not begin with a comment")
            return
        for line in comment[0].splitlines():
            key, colon, value = line.strip("/*! \t").partition(":")
            if colon and key in ("processes", "expect", "also", "mpi", "why"):
                getattr(self, "set_" + key)(value.strip())
        if self.wrong != bool(self.expect):
            self.problems.append("wrong programs have a line expect:, right ones have none")
        for name in [n for choice in self.expect for n in choice] + sorted(self.also):
            if not IDENTIFIER.match(name):
                self.problems.append("no identifier: " + name)

    def set_processes(self, value):
        self.processes = int(value)

    def set_expect(self, value):
        self.expect += [word.split("|") for word in value.split()]

    def set_also(self, value):
        self.also |= set(value.replace("|", " ").split())

    def set_mpi(self, value):
        self.mpis = (value,)

    def set_why(self, value):
        self.why = value

    def spread(self):
        """The MPI under which it runs when only one is wanted. MPICH's processes spin: it gets the small ones."""
        if len(self.mpis) == 1:
            return self.mpis[0]
        if self.processes > 3:
            return "openmpi"
        return MPIS[hashlib.sha1(self.name.encode()).digest()[0] % 2]


def programs_of(folder=HERE):
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

    def __init__(self, command, folder, seconds=LIMIT, env=None, interrupt=None):
        self.mark = uuid.uuid4().hex
        env = dict(os.environ, **{MARK: self.mark, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                                  "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}, **(env or {}))
        began = time.monotonic()
        self.interrupted = self.left = False
        with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, env=env,
                                     start_new_session=True)
            self.status = self.wait(child, seconds, interrupt)
            out.seek(0)
            err.seek(0)
            self.out, self.err = out.read(), err.read()
        self.seconds = time.monotonic() - began

    def wait(self, child, seconds, interrupt):
        try:
            if interrupt:
                try:
                    return child.wait(interrupt)
                except subprocess.TimeoutExpired:
                    self.interrupted = True
                    child.send_signal(signal.SIGINT)
            return child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if child.poll() is None or not gone(self.mark, 2):
                self.left = True
                end_marked(self.mark)
            child.wait()


def findings_of(text):
    """[(identifier, severity, the line)] from the lines of JSON, or of text, that hbdb check printed."""
    found = []
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                one = json.loads(line)
            except ValueError:
                continue
            name = one.get("id") or one.get("identifier")
            if name:
                found.append((name, one.get("severity", "error"), one.get("sentence") or one.get("message") or line))
        else:
            told = re.match(r"(error|warning|note) (HB-[A-Z0-9-]+)( \(possible\))?: (.*)", line)
            if told:
                found.append((told[2], told[1], told[4]))
    return found


def checks_commands():
    """Whether hbdb check can run a program itself."""
    if not hasattr(checks_commands, "answer"):
        done = subprocess.run([HBDB, "help", "check"], capture_output=True, text=True, check=False)
        checks_commands.answer = "COMMAND" in done.stdout
    return checks_commands.answer


class Verdict:
    """What hbdb check said of a program: findings, status of the job, complaint (None, or why there is no verdict)."""

    def __init__(self):
        self.findings, self.job, self.complaint, self.seconds, self.said = [], None, None, 0.0, ""

    @property
    def errors(self):
        return [f for f in self.findings if f[1] != "note"]


def check(binary, mpi, processes, folder, seconds=LIMIT, before=()):
    """Runs a program under hbdb check in a folder of its own."""
    verdict = Verdict()
    command = LAUNCH[mpi] + ["-n", str(processes)] + list(before) + [binary]
    recording = os.path.join(folder, "x.hbdb")
    if checks_commands():
        run = Run([HBDB, "check", "--json", "-o", recording, "--"] + command, folder, seconds)
        text, last = run.out, run
        verdict.job = job_status(run)
    else:
        last = Run([HBDB, "record", "-o", recording, "--"] + command, folder, seconds, {"HBDB_REMARKS": "1"}, HUNG)
        verdict.job = last.status
        asked = Run([HBDB, "check", "--json", recording], folder, seconds)
        text = asked.out
        if asked.status not in (0, 1, 3):
            verdict.complaint = "hbdb check ended with status %s: %s" % (asked.status, last_line(asked.err))
        last.seconds += asked.seconds
    verdict.seconds, verdict.said = last.seconds, text + last.err
    verdict.findings = findings_of(text)
    if last.status is None:
        verdict.complaint = "no verdict within %d s" % seconds
    elif last.left:
        verdict.complaint = "left processes behind"
    return verdict


def job_status(run):
    """The job's own exit status, as the last line of JSON says it."""
    for line in reversed(run.out.splitlines()):
        if line.startswith("{"):
            try:
                one = json.loads(line)
            except ValueError:
                continue
            for key in ("job_status", "status", "exit"):
                if isinstance(one.get(key), int):
                    return one[key]
    return run.status


def last_line(text):
    return (text.strip().splitlines() or [""])[-1]


def new_folder():
    return tempfile.mkdtemp(prefix="hbdb-corpus.")


def drop_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)


def line_of(program, mpi, binary):
    """What to type to see it again."""
    return "%s check -- %s" % (HBDB, shlex.join(LAUNCH[mpi] + ["-n", str(program.processes), binary]))
