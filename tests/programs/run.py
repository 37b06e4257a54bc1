#!/usr/bin/python3
"""Runs every program of programs.txt alone, recorded and replayed, under both MPIs.

usage: run.py [--only PATTERN] [--mpi openmpi|mpich|spread] [--share N] [--jobs N] [--free-only] [--keep] [--full]

What is compared: the lines that the program expects with `hbdb dump --plain`, and what every replay
prints with what the recorded run printed, rank by rank. README.md tells how to add a program.
"""
import argparse
import concurrent.futures
import difflib
import fnmatch
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import processes
import turn

BUILT = os.path.join(TOP, "build/tests/programs")
HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
TIMEOUT = 200  # seconds of one run; of all the runs of a program together a busy machine took 50
SHAKE = ["--shake", "200"]
MPIS = ("openmpi", "mpich")
FLAGS = {"noshake", "order", "noexpect", "threads", "xmpi", "counts", "some", "contents"}
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none",
                "--mca", "mpi_yield_when_idle", "1"],
    "mpich": ["mpirun.mpich"],
}
COMPILERS = {".c": "mpicc", ".cc": "mpicxx", ".f90": "mpifort"}
COMPILE_FLAGS = {
    ".c": ["-std=gnu17", "-O1", "-g", "-Wall", "-Wextra", "-Wno-stringop-overflow", "-Wno-stringop-overread", "-Werror", "-pthread"],
    ".cc": ["-std=gnu++17", "-O1", "-g", "-Wall", "-Wno-cast-function-type", "-pthread"],
    ".f90": ["-O1", "-g", "-Wall", "-Wno-unused-dummy-argument", "-ffree-line-length-none"],
}


class Failed(Exception):
    """One line that says what went wrong; more lines may follow it."""


class Program:
    """A line of programs.txt."""

    def __init__(self, line):
        words = line.split()
        self.path = words[0]
        self.name, self.suffix = os.path.splitext(self.path)
        self.ranks = {"openmpi": [2, 4], "mpich": [2]}
        self.full = {"openmpi": [], "mpich": []}
        self.exit, self.mpis, self.flags = 0, MPIS, set()
        for word in words[1:]:
            self.option(*word.partition("="))

    def option(self, key, equals, value):
        if not equals:
            if key not in FLAGS:
                sys.exit("programs.txt: %s: unknown option %s" % (self.path, key))
            self.flags.add(key)
        elif key in ("openmpi", "mpich"):
            self.ranks[key] = [int(n) for n in value.split(",")]
        elif key == "full":
            self.full["openmpi"] = [int(n) for n in value.split(",")]
        elif key == "mpi":
            self.mpis = (value,)
        elif key == "exit":
            self.exit = int(value)
        else:
            sys.exit("programs.txt: %s: unknown option %s" % (self.path, key))

    def binary(self, mpi):
        return os.path.join(BUILT, mpi, self.name.replace("/", "_"))

    def command(self, mpi, n):
        if self.suffix == ".py":
            program = ["/usr/bin/python3", os.path.join(HERE, self.path)]
        else:
            program = [self.binary(mpi)]
        return LAUNCH[mpi] + ["-n", str(n)] + program


def read_programs():
    with open(os.path.join(HERE, "programs.txt")) as lines:
        return [Program(line) for line in lines if line.strip() and not line.startswith("#")]


def has_mpi4py(mpi):
    """mpi4py is built for one MPI; another one may stand in MPI4PY_MPICH, a path to put first."""
    if mpi == "openmpi":
        return subprocess.run(["/usr/bin/python3", "-c", "import mpi4py"], capture_output=True).returncode == 0
    return bool(os.environ.get("MPI4PY_MPICH"))


@functools.lru_cache
def has_cxx(mpi):
    """Whether this MPI still has the C++ bindings that the standard dropped: Open MPI 5 does not."""
    done = subprocess.run(["mpicxx." + mpi, "-E", "-x", "c++", "-"], input="#include <mpi.h>\n", capture_output=True, text=True)
    return "namespace MPI" in done.stdout


def runs_under(program, mpi):
    if program.suffix == ".py":
        return has_mpi4py(mpi)
    if program.suffix == ".cc":
        with open(os.path.join(HERE, program.path)) as source:
            return "MPI::" not in source.read() or has_cxx(mpi)
    return True


def compile_one(program, mpi):
    """Returns None or what the compiler said."""
    if program.suffix == ".py":
        return None
    binary, source = program.binary(mpi), os.path.join(HERE, program.path)
    helpers = [os.path.join(folder, f) for folder in (HERE, os.path.dirname(source)) for f in os.listdir(folder)
               if f.startswith("expect") or f.endswith(".h")]
    newest = max(os.path.getmtime(f) for f in helpers + [source])
    if os.path.exists(binary) and os.path.getmtime(binary) >= newest:
        return None
    sources = [source]
    command = [COMPILERS[program.suffix] + "." + mpi] + COMPILE_FLAGS[program.suffix] + ["-I", HERE]
    if program.suffix == ".f90":
        os.makedirs(binary + ".mod", exist_ok=True)
        command += ["-J", binary + ".mod"]
        sources.insert(0, os.path.join(HERE, "expect.f90"))
    done = subprocess.run(command + sources + ["-o", binary, "-lm"], capture_output=True, text=True, cwd=BUILT)
    return "\n".join(done.stderr.splitlines()[:8]) if done.returncode else None


def standing(session):
    """Who of a run that does not end is still there, and in what: a line each."""
    lines = []
    for pid in processes.in_session(session):
        try:
            with open("/proc/%d/cmdline" % pid, errors="replace") as command, open("/proc/%d/wchan" % pid) as inside:
                _, fields = processes.stat(pid)
                lines.append("%d, child of %s, %s, %s: %s" % (pid, fields[1], fields[0], inside.read() or "-",
                                                            command.read().replace("\0", " ")[:90]))
        except OSError:
            continue
    return "\n".join(lines)


def end_session(session):
    """Ends what a timed out run has left: its launcher first, so that it can tidy up."""
    for number, wait in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 0.5)):
        for pid in processes.in_session(session):
            try:
                os.kill(pid, number)
            except OSError:
                pass
        end = time.time() + wait
        while time.time() < end and processes.in_session(session):
            time.sleep(0.05)


def run(what, command, env=None, status=0, seconds=TIMEOUT):
    """Runs a command to its end and returns what it printed; raises Failed."""
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                 env=dict(os.environ, **(env or {})))
        late = None
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            late = standing(child.pid)
            end_session(child.pid)
            child.wait()
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read())
    tail = "\n".join((texts[1] or texts[0]).strip().splitlines()[-6:])
    if late is not None:
        raise Failed("%s: timeout of %d s\n%s\n%s" % (what, seconds, tail, late))
    if child.returncode != status:
        raise Failed("%s: exit status %d, expected %d\n%s" % (what, child.returncode, status, tail))
    return texts[0]


def by_rank(text):
    """Lines as each rank printed them: ranks may overtake each other on the way."""
    def key(line):
        found = re.match(r"(\d+): ", line)
        return int(found[1]) if found else 1 << 30
    return sorted(text.splitlines(), key=key)


def differ(what, wanted, got, names):
    if wanted == got:
        return
    lines = list(difflib.unified_diff(wanted, got, names[0], names[1], lineterm="", n=1))
    raise Failed("%s\n%s" % (what, "\n".join(line[:180] for line in lines[:9])))


class Case:
    """One program under one MPI with one number of ranks."""

    def __init__(self, program, mpi, n, options, first):
        self.program, self.mpi, self.n, self.options, self.first = program, mpi, n, options, first
        self.title = "%s %s %d" % (program.name, mpi, n)
        self.dir = None

    def run(self):
        self.dir = tempfile.mkdtemp(prefix="hbdb-programs.")
        failures = []
        try:
            self.free()
            if not self.options.free_only:
                for step in self.steps():
                    try:
                        step()
                    except Failed as failure:
                        failures.append(str(failure))
        except Failed as failure:
            failures.append(str(failure))
        if not (self.options.keep or failures and self.options.keep_failed):
            shutil.rmtree(self.dir, ignore_errors=True)
        return failures

    def steps(self):
        calm = "noshake" in self.program.flags
        if not calm:
            yield lambda: self.record_and_replay("shaken", SHAKE, self.options.replays)
        if self.first:
            yield lambda: self.record_and_replay("calm", [], 1)
        if "order" in self.program.flags:
            yield lambda: self.record_and_replay("order", ["--level", "order"] + ([] if calm else SHAKE), 1)

    def env(self, **more):
        env = {"PYTHONDONTWRITEBYTECODE": "1", "HB_SCRATCH": self.dir, **more}
        if self.program.suffix == ".py" and self.mpi == "mpich":
            env["PYTHONPATH"] = os.environ["MPI4PY_MPICH"]
        return env

    def command(self, mpi=None):
        return self.program.command(mpi or self.mpi, self.n)

    def free(self):
        run("alone", self.command(), self.env(HB_EXPECT=os.path.join(self.dir, "free")), self.program.exit)

    def record_and_replay(self, word, options, times):
        recording, prefix = os.path.join(self.dir, word + ".hbdb"), os.path.join(self.dir, word)
        text = run("record " + word, [HBDB, "record", "-o", recording] + options + ["--"] + self.command(),
                   self.env(HB_EXPECT=prefix), self.program.exit)
        wanted = by_rank(text)
        failure = None
        if "order" not in options:
            try:
                self.compare(word, recording, prefix, wanted)
            except Failed as found:
                failure = found
        for turn in range(times):
            text = run("replay %s %d" % (word, turn + 1), [HBDB, "replay", recording] + self.strictly(), self.env(),
                       self.program.exit)
            differ("replay %s %d prints something else" % (word, turn + 1), wanted, by_rank(text),
                   ("recorded", "replayed"))
        if "xmpi" in self.program.flags and word != "calm":
            self.replay_elsewhere(word, recording, wanted)
        if failure:
            raise failure

    def strictly(self):
        return ["--contents", "stop"] if "contents" in self.program.flags else []

    def replay_elsewhere(self, word, recording, wanted):
        other = MPIS[1 - MPIS.index(self.mpi)]
        if self.n > max(self.program.ranks["mpich"]):
            return
        text = run("replay %s under %s" % (word, other), [HBDB, "replay", recording] + self.strictly() + ["--"] + self.command(other),
                   self.env(), self.program.exit)
        differ("replay %s under %s prints something else" % (word, other), wanted, by_rank(text),
               ("recorded", "replayed"))

    def compare(self, word, recording, prefix, printed):
        if "counts" in self.program.flags:
            self.compare_counts(word, recording, printed)
        elif "noexpect" not in self.program.flags:
            for rank in range(self.n):
                self.compare_rank(word, recording, prefix, rank)

    def compare_rank(self, word, recording, prefix, rank):
        dump = run("dump " + word, [HBDB, "dump", "--plain", "--rank", str(rank), recording])
        lanes = {}
        for line in dump.splitlines():
            found = re.match(r"%d(?:\.(\d+))?:\d+ (.*)" % rank, line)
            if not found:
                raise Failed("dump %s: not a line of rank %d: %s" % (word, rank, line))
            if not found[2].startswith("MPI_Wtime("):
                lanes.setdefault(int(found[1] or 0), []).append(found[2])
        expected = {}
        for name in sorted(os.listdir(self.dir)):
            found = re.fullmatch(re.escape(os.path.basename(prefix)) + r"\.%d(?:\.(\d+))?" % rank, name)
            if found:
                with open(os.path.join(self.dir, name)) as lines:
                    expected[int(found[1] or 0)] = lines.read().splitlines()
        for lane in expected:
            forgive(expected[lane], lanes.get(lane, []))
        for side in (expected, lanes):
            for lane in side:
                side[lane] = neutral(side[lane])
        differ("%s: lines of rank %d" % (word, rank), expected.get(0, []), lanes.get(0, []), ("expected", "recorded"))
        # which thread gets which lane depends on who comes first
        others = [sorted(lines for lane, lines in side.items() if lane) for side in (expected, lanes)]
        for wanted, got in zip(*others):
            differ("%s: lines of a thread of rank %d" % (word, rank), wanted, got, ("expected", "recorded"))
        if len(others[0]) != len(others[1]):
            raise Failed("%s: rank %d: %d threads expected, %d recorded"
                         % (word, rank, len(others[0]), len(others[1])))

    def compare_counts(self, word, recording, printed):
        """The program prints `RANK: MPI_X N` for every function that it called."""
        wanted = {}
        for line in printed:
            found = re.match(r"\d+: (MPI_\w+) (\d+)$", line)
            if found:
                wanted[found[1]] = wanted.get(found[1], 0) + int(found[2])
        got = {name: n for name, n in counts_of(recording).items()
               if n and ("some" not in self.program.flags or name in wanted)}
        differ("%s: how often each function was called" % word, ["%s %d" % item for item in sorted(wanted.items())],
               ["%s %d" % item for item in sorted(got.items())], ("the program", "hbdb info"))


def counts_of(recording):
    text = run("info", [HBDB, "info", "--json", recording])
    return json.loads(text)["calls"]


def forgive(expected, got):
    """What cannot be known: `#?` is any posting (sends that share a handle). What a library says of a message that
    did not fit is its own: TRUNCATED lines fix the call and the error."""
    for i, line in enumerate(expected):
        if "#?" in line and i < len(got) and re.fullmatch(re.escape(line).replace(r"\#\?", r"\#\d+"), got[i]):
            expected[i] = got[i]
        if line.startswith("TRUNCATED ") and i < len(got):
            call = line[len("TRUNCATED "):]
            if got[i].startswith(call) and re.search(r"ERR_TRUNCATE\b|= ERR_IN_STATUS .*error=ERR_TRUNCATE", got[i]):
                expected[i] = got[i]


def neutral(lines):
    """Digests cannot be foretold, but that there is one can; own types and operations are numbered by first use."""
    seen = {}

    def number(found):
        return "%s#%d" % (found[1], seen.setdefault(found[0], sum(k.startswith(found[1]) for k in seen)))
    return [re.sub(r"\b(type|op)#\d+", number, re.sub(r"~[0-9a-f]+", "~", line)) for line in lines]


def options_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="programs whose name contains or matches this")
    parser.add_argument("--mpi", choices=MPIS + ("spread",), help="spread: each program under one of the two, in turn")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="of every N programs only one, another one at every commit")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--free-only", action="store_true", help="the programs alone, without hbdb")
    parser.add_argument("--keep", action="store_true", help="keep the folders of all runs")
    parser.add_argument("--keep-failed", action="store_true", help="keep the folders of failed runs")
    parser.add_argument("--full", action="store_true", help="more ranks")
    parser.add_argument("--replays", type=int, default=1, help="of a shaken recording")
    return parser.parse_args()


def cases_of(programs, options):
    for program in programs:
        if not turn.has(program.path, options.share):
            continue
        if options.only and options.only not in program.path and not fnmatch.fnmatch(program.path, options.only):
            continue
        for mpi in (turn.pick(program.path, program.mpis, options.share),) if options.mpi == "spread" else program.mpis:
            if options.mpi in (None, "spread", mpi) and runs_under(program, mpi):
                ranks = program.ranks[mpi] + (program.full[mpi] if options.full else [])
                for i, n in enumerate(ranks):
                    yield Case(program, mpi, n, options, i == 0)


def compile_all(pairs, jobs):
    """Returns what went wrong, by program and MPI."""
    for mpi in MPIS:
        os.makedirs(os.path.join(BUILT, mpi), exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        said = list(pool.map(lambda pair: compile_one(*pair), pairs))
    return {(program.path, mpi): text for (program, mpi), text in zip(pairs, said) if text}


def main():
    options = options_of()
    if not options.free_only and not os.access(HBDB, os.X_OK):
        sys.exit("%s is not there: ./dev build, or --free-only" % HBDB)
    cases = list(cases_of(read_programs(), options))
    wanted = [(case.program, case.mpi) for case in cases]
    if options.mpi == "spread" and not options.only:
        wanted = [(program, None) for program in read_programs()]  # other suites run what is compiled here, under both
    pairs = list(dict.fromkeys((program, mpi) for program, its in wanted for mpi in
                               (MPIS if "xmpi" in program.flags else program.mpis if options.mpi == "spread" else (its,))))
    broken = compile_all(pairs, options.jobs)
    passed = failed = 0

    def work(case):
        text = broken.get((case.program.path, case.mpi))
        started = time.time()
        failures = ["does not compile\n" + text] if text else case.run()
        return case, failures, time.time() - started

    # MPICH spins: one of its runs at a time, beside those of the other.
    pools = {"mpich": concurrent.futures.ThreadPoolExecutor(1),
             "openmpi": concurrent.futures.ThreadPoolExecutor(options.jobs)}
    for done in concurrent.futures.as_completed([pools[case.mpi].submit(work, case) for case in cases]):
        case, failures, seconds = done.result()
        passed, failed = passed + (not failures), failed + bool(failures)
        if not failures:
            print("ok %s (%.1f s)" % (case.title, seconds), flush=True)
        for failure in failures:
            print("FAIL %s %s" % (case.title, failure.replace("\n", "\n    ")), flush=True)
        if failures and (options.keep or options.keep_failed):
            print("    kept in %s" % case.dir, flush=True)
    if options.mpi == "spread":
        print("table: each program under one MPI, " + turn.told(2 * options.share))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
