"""Programs to record, and a session to walk through their recordings: build/walk, answers read."""
import os
import shutil
import signal
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
HBDB = os.environ.get("HBDB", os.path.join(BUILD, "hbdb"))
WALK = os.environ.get("WALK", os.path.join(BUILD, "asan/tests/cuts/walk"))
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none",
                "--mca", "mpi_yield_when_idle", "1"],
    "mpich": ["mpirun.mpich"],
}
FLAGS = ["-std=gnu17", "-O1", "-g", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-pthread"]


class Failed(Exception):
    """One line that says what went wrong; more lines may follow it."""


def compiled(folder, mpi, source):
    """The program made of a source under the top folder."""
    name = os.path.splitext(os.path.basename(source))[0]
    out = os.path.join(folder, "%s-%s" % (name, mpi))
    if not os.path.exists(out):
        subprocess.run(["mpicc." + mpi] + FLAGS + ["-o", out, os.path.join(TOP, source), "-lm"], check=True)
    return out


def wait(child, seconds, interrupt):
    try:
        if interrupt:
            end, pause = time.monotonic() + seconds, interrupt
            while child.poll() is None and time.monotonic() < end:
                try:
                    child.wait(pause)
                except subprocess.TimeoutExpired:
                    child.send_signal(signal.SIGINT)  # and again: twice in 5 s ends an Open MPI launcher that is stuck
                    pause = 10 if pause != 10 else 3
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGTERM)
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        raise Failed("no end after %g s: %s" % (seconds, " ".join(child.args)))


def call(command, seconds, cwd=None, env=None, wanted=(0,), interrupt=None):
    """(status, stdout, stderr). interrupt: seconds after which it gets SIGINT, for programs that hang."""
    # files, not pipes: a launcher that was left behind would keep a pipe open
    with tempfile.TemporaryFile("w+", errors="replace") as o, tempfile.TemporaryFile("w+", errors="replace") as e:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=o, stderr=e, cwd=cwd, start_new_session=True,
                                 env=dict(os.environ, **(env or {})))
        wait(child, seconds, interrupt)
        o.seek(0)
        e.seek(0)
        out, err = o.read(), e.read()
    if wanted is not None and child.returncode not in wanted:
        raise Failed("status %s of %s\n%s" % (child.returncode, " ".join(command), err[-2000:]))
    return child.returncode, out, err


def record(path, mpi, ranks, command, seconds=120, cwd=None, env=None, wanted=(0,), interrupt=None):
    shutil.rmtree(path, ignore_errors=True)
    call([HBDB, "record", "-o", path, "--"] + LAUNCH[mpi] + ["-n", str(ranks)] + command, seconds, cwd, env, wanted,
         interrupt)


class Line:
    """A thread as the cut has it (stop, event), and as it stands."""

    def __init__(self, words):
        self.rank, self.lane, self.stop, self.event = int(words[0]), int(words[1]), words[2], int(words[3])
        self.life, self.why, self.over, self.inside = words[5], words[6], int(words[7]), words[8] == "1"
        self.arrival = words[9]

    def __str__(self):
        return "%d.%d: cut %s %d; %s %s after %d%s, %s" % (
            self.rank, self.lane, self.stop, self.event, self.life, self.why, self.over,
            " inside" if self.inside else "", self.arrival)


class Walk:
    """A recording under control."""

    def __init__(self, recording, seconds=60, cwd=None):
        self.seconds = seconds
        self.errors = open(recording + ".walk", "w+")
        env = dict(os.environ, HBDB_LIBRARY_FOLDER=os.path.dirname(HBDB))
        self.child = subprocess.Popen([WALK, recording, str(seconds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=self.errors, text=True, start_new_session=True, cwd=cwd, env=env)

    def told(self):
        self.errors.seek(0)
        return self.errors.read()[-3000:]

    def ask(self, command):
        """The words of the first line, and the lines."""
        try:
            self.child.stdin.write(command + "\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            raise Failed("walk has ended before '%s'\n%s" % (command, self.told()))
        head, lines = None, []
        for line in self.child.stdout:
            words = line.split()
            if words[:1] == ["done"]:
                return head, lines
            if words[:1] == ["line"]:
                lines.append(Line(words[1:]))
            elif words and words[0] in ("at", "end"):
                head = words
        raise Failed("walk ended at '%s' with status %s\n%s" % (command, self.child.wait(), self.told()))

    def close(self):
        try:
            self.child.stdin.close()
        except BrokenPipeError:
            pass
        try:
            code = self.child.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
            raise Failed("walk does not end\n" + self.told())
        finally:
            self.child.stdout.close()
        text = self.told()
        self.errors.close()
        if code:
            raise Failed("walk ended with status %s\n%s" % (code, text))
        return text

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.child.poll() is None and kind:
            self.child.kill()
        try:
            self.close()
        except Failed:
            if not kind:
                raise


def seconds():
    return time.monotonic()
