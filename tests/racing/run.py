#!/usr/bin/python3
"""Level racing and hbdb minimize: recorded, reduced, and replayed from what is left, with every send delayed by
a random time, a program prints the same order of receives; and little is left.

usage: run.py [--seeds N] [--mpi openmpi|mpich] [--only NAME] [--keep]
"""
import argparse
import collections
import concurrent.futures
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import turn  # noqa: E402

TOP = os.path.dirname(os.path.dirname(HERE))
HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
SHAKE = "300"
ZSTD = ctypes.CDLL("libzstd.so.1")
ZSTD.ZSTD_getFrameContentSize.restype = ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
TIMEOUT = 60
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none",
                "--mca", "mpi_yield_when_idle", "1"],
    "mpich": ["mpirun.mpich"],
}
FLAGS = ["-std=gnu17", "-pthread", "-O1", "-g", "-Wall", "-Wextra", "-Wno-stringop-overflow"]
SOURCES = {"farm": "examples/farm.c", "traffic": "tests/racing/traffic.c", "cases": "tests/racing/cases.c"}


class Failed(Exception):
    """One line that says what went wrong; more lines may follow it."""


def environment(mpi, values):
    """Arguments of the launcher that set variables in the program."""
    out = []
    for name, value in values.items():
        out += ["-x", "%s=%s" % (name, value)] if mpi == "openmpi" else ["-genv", name, value]
    return out


def run(command, status=0, seconds=TIMEOUT):
    """What a command prints on stdout and stderr. A status of None: any."""
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
        try:
            code = child.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGTERM)
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            code = "none within %d s" % seconds
        out.seek(0)
        err.seek(0)
        text, told = out.read(), err.read()
    if status is not None and code != status:
        raise Failed("status %s of %s\n%s" % (code, " ".join(command), told[-2000:]))
    return text, told


class Job:
    """A program with its arguments, ranks and variables."""

    def __init__(self, folder, mpi, program, ranks, args=(), recorded=None, replayed=None):
        self.folder, self.mpi, self.ranks, self.args = folder, mpi, ranks, list(args)
        self.program = os.path.join(folder, "%s-%s" % (program, mpi))
        self.recorded, self.replayed = recorded or {}, replayed or {}
        self.name = "-".join([program, mpi, str(ranks)] + [a for a in self.args if a])

    def command(self, variables):
        return LAUNCH[self.mpi] + environment(self.mpi, variables) + ["-n", str(self.ranks), self.program] + self.args

    def path(self, what):
        return os.path.join(self.folder, "%s-%s.hbdb" % (self.name, what))


def lines_by_rank(text):
    """Lines begin with the rank of who printed them, but for the farm's, which only rank 0 prints."""
    ranks = collections.defaultdict(list)
    for line in text.splitlines():
        ranks[line.split(" ")[0] if line[:1].isdigit() else ""].append(line)
    return dict(ranks)


def numbers(told):
    found = re.search(r"(\d+) of (\d+) wildcard receives are kept", told)
    if not found:
        raise Failed("it is not said how many receives are kept:\n" + told)
    return int(found[1]), int(found[2])


def record(job, level, status=0):
    text, told = run([HBDB, "record", "--shake", SHAKE, "-l", level, "-o", job.path(level), "--"] +
                     job.command(job.recorded), status)
    return lines_by_rank(text), told


def replay(job, what, expected, times, status=0):
    run([HBDB, "verify", job.path(what)])
    for _ in range(times):
        text, told = run([HBDB, "replay", job.path(what), "--"] +
                         job.command(dict(job.replayed, HBDB_SHAKE=SHAKE)), status)
        again = lines_by_rank(text)
        if again != expected:
            rank = next(r for r in sorted(set(expected) | set(again)) if expected.get(r) != again.get(r))
            raise Failed("%s: a replay differs at rank %s:\n  recorded %s\n  replayed %s\n%s" % (
                what, rank, expected.get(rank), again.get(rank), told))
        if "no difference" not in told:
            raise Failed("the replay does not say that there was no difference:\n" + told)


def uv(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def unpacked(data):
    """One zstd frame; at most what it says."""
    size = ZSTD.ZSTD_getFrameContentSize(data, len(data))
    out = ctypes.create_string_buffer(size + 1)
    if ZSTD.ZSTD_decompress(out, size, data, len(data)) != size:
        raise Failed("a frame that cannot be unpacked")
    return out.raw[:size]


def read_ctf(path):
    """Messages that raced, of one sender: (number, receiver, lane, event)."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"HBDBCTF2":
        raise Failed(path + " is no list of messages")
    data = unpacked(data[8:])
    n, at = uv(data, 0)
    out, number, event = [], 0, 0
    while len(out) < n:
        times, at = uv(data, at)
        step, at = uv(data, at)
        to, at = uv(data, at)
        lane, at = uv(data, at)
        further, at = uv(data, at)
        for _ in range(times):
            number, event = number + step, event + (further >> 1 ^ -(further & 1))
            out.append((number, to, lane, event))
    if at != len(data) or len(out) != n:
        raise Failed(path + " goes on after its last message")
    return out


def check_ctf(job, kept):
    """Every message that raced stands in the file of its sender, in the order of sending."""
    found = []
    for rank in range(job.ranks):
        path = os.path.join(job.path("racing"), "rank.%d.ctf" % rank)
        mine = read_ctf(path) if os.path.exists(path) else []
        if mine != sorted(mine):
            raise Failed("%s is not in the order of sending" % path)
        found += [(to, lane, event) for _, to, lane, event in mine]
        if len(mine) > 1000 and os.path.getsize(path) > 2 * len(mine):
            raise Failed("%s takes more than 2 bytes a message" % path)
    if any(to >= job.ranks for to, _, _ in found):
        raise Failed("a receiver is no process of the run")
    # a call that is kept for its races has at least one message that raced
    if len(set(found)) > kept:
        raise Failed("%d calls raced, but %d are kept" % (len(set(found)), kept))


def both_ways(job, times=3, most=None):
    """Recorded at level racing, and at events and minimized. most: receives that may be kept, None: any number.
    Returns how many were kept of how many in both."""
    expected, told = record(job, "racing")
    kept = numbers(told)
    check_ctf(job, kept[0])
    replay(job, "racing", expected, times)
    wanted, _ = record(job, "events")
    told, said = run([HBDB, "minimize", job.path("events"), "-o", job.path("min")])
    less = numbers(told)
    reasons = [(int(n), why) for n, why in re.findall(r"^  (\d+) (.*)$", told, re.M)]
    if "every wildcard receive is kept" not in said and sum(n for n, _ in reasons) != less[0]:
        raise Failed("%d receives are kept, and the reasons are:\n%s" % (less[0], told))
    job.reasons = [why for _, why in reasons]
    replay(job, "min", wanted, times)
    info, _ = run([HBDB, "info", job.path("min")])
    if "level         racing" not in info or "%d of %d wildcard receives are stored" % less not in info:
        raise Failed("hbdb info does not tell the level and the receives:\n" + info)
    for what, n in (("racing", kept), ("min", less)):
        if most is not None and n[0] > most:
            raise Failed("%s: %d of %d receives are kept, %d expected at most" % (what, *n, most))
    return kept, less


def free_runs_differ(job, tries=6):
    """Without a record the order is another one: what is compared can differ."""
    first, _ = run(job.command({}))
    for _ in range(tries):
        again, _ = run(job.command({}))
        if lines_by_rank(again) != lines_by_rank(first):
            return
    raise Failed("%d free runs print the same" % (tries + 1))


# ---- the tests: generators of (name, function) ----

def told(both):
    return "racing %d of %d, minimized %d of %d" % (both[0] + both[1])


def farm(folder, mpi):
    job = Job(folder, mpi, "farm", 4 if mpi == "openmpi" else 2)

    def test():
        both = both_ways(job, 1 if mpi == "mpich" else 2)
        if mpi == "openmpi" and not all(0 < kept <= 1000 < of for kept, of in both):
            raise Failed("of the farm's receives those of the workers cannot race: " + told(both))
        return told(both)
    yield job.name, test


def traffic(folder, mpi, seeds):
    for seed in range(1, seeds + 1):
        ways = ["", "rtaz", "fed", "nw", "yok", "picr", "q"][(seed - 1) % 7]
        ranks = 4 if mpi == "openmpi" else 2
        job = Job(folder, mpi, "traffic", ranks, [str(seed), "6" if ranks == 4 else "10"] + ([ways] if ways else []))
        yield job.name, lambda job=job: told(both_ways(job))
    if mpi == "openmpi":
        job = Job(folder, mpi, "traffic", 4, ["99", "8"])
        yield job.name + "-free", lambda: free_runs_differ(job)


def nothing_races(folder, mpi):
    for name in ("stencil", "chain", "ask"):
        job = Job(folder, mpi, "cases", 4 if mpi == "openmpi" else 2, [name])
        yield job.name, lambda job=job: told(both_ways(job, 1, 0))


def late_messages(folder, mpi):
    """A replay meets the other order for certain; a free run takes it."""
    for name, ranks, recorded, replayed in (("behind", 4, "3", "1"), ("half", 3, "2", "1"), ("half", 3, "1", "2")):
        job = Job(folder, mpi, "cases", ranks, [name], {"LATE": recorded}, {"LATE": replayed})
        job.name += "-" + recorded

        def test(job=job):
            both = both_ways(job, 1)
            first, _ = run(job.command(job.recorded))
            other, _ = run(job.command(job.replayed))
            if lines_by_rank(first) == lines_by_rank(other):
                raise Failed("the other order is not met")
            return told(both)
        yield job.name, test


def killed(folder, mpi):
    job = Job(folder, mpi, "cases", 3, ["killed"])

    def test():
        expected, said = record(job, "racing", None)
        kept, of = numbers(said)
        if kept != of or "every wildcard receive is kept: a process did not return from MPI_Finalize" not in said:
            raise Failed("a run that was killed is not kept whole:\n" + said)
        zero = {"0": [line for line in expected["0"] if " tag 9" not in line]}
        text, said = run([HBDB, "replay", job.path("racing"), "--"] + job.command({"HBDB_SHAKE": SHAKE}), None)
        again = [line for line in lines_by_rank(text).get("0", []) if " tag 9" not in line]
        if again != zero["0"] or len(again) != 10 or "no difference" not in said:
            raise Failed("the replay of a killed run:\n  recorded %s\n  replayed %s\n%s" % (zero["0"], again, said))
        return "%d of %d" % (kept, of)
    yield job.name, test


def reasons(folder, mpi):
    """Why receives are kept that did not race: told with numbers."""
    for case, ranks, wanted in (("threads", 3, r"40 of 40 .*\n  40 are those of 1 process in which several threads call MPI: .*\(\d+ could have got"),
                                ("failing", 2, r"5 of 5 .*\n  5 others are in 1 process in which a receive, a probe or a wait failed")):
        job = Job(folder, mpi, "cases", ranks, [case])

        def test(job=job, wanted=wanted):
            record(job, "events", None)
            told, said = run([HBDB, "minimize", job.path("events"), "-o", job.path("min")])
            if not re.search(wanted, told):
                raise Failed("minimize says\n%s%s" % (told, said))
            return " ".join(told.split()[1:5])
        yield job.name, test


def no_larger(folder, mpi):
    """Left out where it has no pattern, what was received takes more room than all of it."""
    job = Job(folder, mpi, "cases", 3, ["sometimes"])

    def test():
        _, said = run([HBDB, "record", "-l", "racing", "-o", job.path("racing"), "--"] + job.command({}), seconds=10 * TIMEOUT)
        kept, of = numbers(said)
        size = os.path.getsize(os.path.join(job.path("racing"), "rank.0.log"))
        if of < 12000 or size > 1000:
            raise Failed("%d of %d are kept, in %d bytes" % (kept, of, size))
        return "%d of %d in %d bytes" % (kept, of, size)
    yield job.name, test


def refusals(folder):
    def test():
        job = Job(folder, "openmpi", "cases", 2, ["chain"])
        job.name += "-refused"
        record(job, "order")
        for what in ("order", "nothing"):
            text, said = run([HBDB, "minimize", job.path(what), "-o", job.path("x")], None)
            if text or "level order" not in said and "no recording of this name" not in said:
                raise Failed("minimize of %s says:\n%s%s" % (what, text, said))
            if os.path.exists(job.path("x")):
                raise Failed("minimize of %s leaves something behind" % what)
    yield "minimize-refuses", test


def build(folder, mpis):
    for name, source in SOURCES.items():
        for mpi in mpis:
            run(["mpicc." + mpi] + FLAGS + [os.path.join(TOP, source), "-o", os.path.join(folder, "%s-%s" % (name, mpi))])


def one(name, test):
    try:
        return "ok %s%s" % (name, ": %s" % (said,) if (said := test()) else "")
    except Failed as why:
        return "FAIL %s: %s" % (name, why)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--mpi", choices=sorted(LAUNCH))
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    mpis = [options.mpi] if options.mpi else turn.either("racing", ("openmpi", "mpich"))
    folder = tempfile.mkdtemp(prefix="hbdb-racing.")
    os.environ["XDG_STATE_HOME"] = folder  # the last recording of the user stays
    build(folder, mpis)
    tests = list(refusals(folder)) if "openmpi" in mpis else []
    for mpi in mpis:
        tests += list(nothing_races(folder, mpi)) + list(late_messages(folder, mpi)) + list(killed(folder, mpi))
        tests += list(reasons(folder, mpi)) + (list(no_larger(folder, mpi)) if mpi == "openmpi" else [])
        tests += list(farm(folder, mpi)) + list(traffic(folder, mpi, options.seeds if mpi == "openmpi" else 1))
    tests = [t for t in tests if options.only in t[0]]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for line in pool.map(lambda t: one(*t), tests):
            failed += line.startswith("FAIL")
            print(line, flush=True)
    if options.keep or failed:
        print("what was recorded is in " + folder)
    else:
        shutil.rmtree(folder)
    print("%d passed, %d failed" % (len(tests) - failed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
