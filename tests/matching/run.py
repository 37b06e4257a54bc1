#!/usr/bin/python3
"""Confirms the matching of messages: records with HBDB_CARRY=serial, where every message carries the number of its
send, and compares what each receive found in its message with the send that the model gives it.

usage: run.py [--all] [--only PATTERN] [--mpi openmpi|mpich] [--keep]

By default a selection of tests/programs and LAMMPS; --all: every program, under both MPIs, with all its numbers of ranks.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
TOP = os.path.dirname(TESTS)
sys.path[:0] = [os.path.join(TESTS, "programs"), os.path.join(TESTS, "apps")]
import inputs  # noqa: E402
import run as programs  # noqa: E402

COMPARE = os.environ.get("HBDB_COMPARE", os.path.join(TOP, "build/tests/matching/compare"))
LAMMPS = "/usr/bin/lmp"
# Folders of tests/programs where messages are: all with one number of ranks under Open MPI, some under MPICH.
QUICK = {"openmpi": ("p2p/", "nonblocking/", "probe/", "complete/", "persistent/", "comm/", "errors/truncate",
                     "threads/", "races/", "fortran/requests", "fortran/probe", "cxx_python/farm"),
         "mpich": ("p2p/wildcard", "p2p/sendrecv", "p2p/tags", "nonblocking/irecv_wait", "probe/improbe", "complete/mixed",
                   "complete/isendrecv", "persistent/several", "comm/inter", "threads/hand_over")}
SLOW = ("probe/million_polls",)  # few messages
# What a library tells wrongly; the model must say so, and give no message to another receive.
KNOWN = {"complete/isendrecv mpich": "MPICH 4.0 answers MPI_Isendrecv from any source with an empty status"}
NOT_CARRIED = ("comm/session", "comm/spawn")  # messages on communicators of sessions, and of spawned worlds, carry nothing
COUNTS = ("same", "wrong", "unposted", "doubted-same", "doubted-wrong", "lost", "unconfirmed")


class Case:
    """A command to be recorded."""

    def __init__(self, title, mpi, command, status=0, env=None, prepare=None, seconds=90):
        self.title, self.mpi, self.command, self.status, self.seconds = title, mpi, command, status, seconds
        self.env, self.prepare, self.doubtful = env or {}, prepare, False

    def run(self, keep):
        """What the comparison printed, and its counts."""
        folder = tempfile.mkdtemp(prefix="hbdb-matching.")
        recording = os.path.join(folder, "run.hbdb")
        if self.prepare:
            self.prepare(folder)
        try:
            programs.run("record", [programs.HBDB, "record", "-o", recording, "--"] + self.command(folder),
                         dict(self.env, HBDB_CARRY="serial", HB_SCRATCH=folder, PYTHONDONTWRITEBYTECODE="1"),
                         self.status, self.seconds)
            done = subprocess.run([COMPARE, recording], capture_output=True, text=True, timeout=120)
            found = re.search("^" + " ".join(r"%s (\d+)" % name for name in COUNTS) + "$", done.stdout, re.M)
            if not found:
                raise programs.Failed("compare: exit status %d\n%s" % (done.returncode, done.stderr or done.stdout))
            return done.stdout, dict(zip(COUNTS, map(int, found.groups())))
        finally:
            if not keep:
                shutil.rmtree(folder, ignore_errors=True)
            else:
                print("    kept in", folder)


def program_cases(options):
    for program in programs.read_programs():
        for mpi in program.mpis:
            quick = program.name.startswith(QUICK[mpi]) and not program.name.startswith(SLOW)
            if not (options.all or options.only or quick) or (program.suffix == ".py" and not programs.has_mpi4py(mpi)):
                continue
            for n in program.ranks[mpi] if options.all else program.ranks[mpi][:1]:
                env = {"PYTHONPATH": os.environ["MPI4PY_MPICH"]} if program.suffix == ".py" and mpi == "mpich" else {}
                yield program, Case("%s %s %d" % (program.name, mpi, n), mpi,
                                    lambda folder, p=program, m=mpi, k=n: p.command(m, k), program.exit, env)


def lammps():
    def prepare(folder):
        with open(os.path.join(folder, "in.melt"), "w") as f:
            f.write(inputs.MAKERS["in.melt"](4))

    def command(folder):
        return programs.LAUNCH["openmpi"] + ["-n", "4", LAMMPS, "-in", os.path.join(folder, "in.melt"), "-log", "none"]
    return Case("lammps openmpi 4", "openmpi", command, prepare=prepare, env={"OMP_NUM_THREADS": "1"})


def threads(mpi):
    """Two threads send, or receive, on one channel: most of it must be called ambiguous."""
    binary = os.path.join(programs.BUILT, mpi, "matching_threads")
    done = subprocess.run(["mpicc." + mpi] + programs.COMPILE_FLAGS[".c"] + [os.path.join(HERE, "threads.c"), "-o", binary],
                          capture_output=True, text=True)
    case = Case("threads %s 2" % mpi, mpi, lambda folder: programs.LAUNCH[mpi] + ["-n", "2", binary])
    case.doubtful = True
    return case, done.stderr if done.returncode else None


def without_checksums(log):
    """The same raw log as older versions wrote it: no checksum of the header, no unit closed (hbdb-recording(5))."""
    log = bytearray(log)
    log[952:960] = bytes(8)
    for at in range(0, len(log), 4096):
        if log[at:at + 4] == b"HBDU":
            log[at + 16:at + 20] = bytes(4)
    return bytes(log)


def finds_wrong(case):
    """Whether the comparison sees it when one serial is changed."""
    folder = tempfile.mkdtemp(prefix="hbdb-matching.")
    log = folder + "/a.hbdb/rank.0.log"
    try:
        programs.run("record", [programs.HBDB, "record", "--keep-raw", "-o", folder + "/a.hbdb", "--"] + case.command(folder),
                     {"HBDB_CARRY": "serial"})
        with open(log, "rb") as f:
            whole = f.read()
        changed = re.sub(rb"(serial \w+ \S+ )1(\.0:)", rb"\g<1>2\2", whole, count=1)
        with open(log, "wb") as f:
            f.write(without_checksums(changed))
        out = subprocess.run([COMPARE, folder + "/a.hbdb"], capture_output=True, text=True, timeout=120)
        return changed != whole and out.returncode == 1 and " wrong 1 unposted 0 " in out.stdout
    except programs.Failed:
        return False
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def options_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", help="programs whose name contains this")
    parser.add_argument("--mpi", choices=programs.MPIS)
    parser.add_argument("--keep", action="store_true", help="keep the recordings")
    return parser.parse_args()


def judge(case, text, counts):
    """Why the case fails, or None."""
    known = KNOWN.get(case.title.rsplit(" ", 1)[0])
    wrong = [line for line in text.splitlines() if line.startswith("wrong")]
    if known and wrong and "\ntrouble: " in "\n" + text and all("matched with nothing" in line for line in wrong):
        print("known %s: %d messages without a send: %s" % (case.title, len(wrong), known))
        counts["wrong"] = 0
        return None
    bad = [line for line in text.splitlines() if line.startswith(("wrong", "unposted", "unconfirmed"))]
    if case.title.startswith(NOT_CARRIED):
        counts["unconfirmed"] = 0
    if case.doubtful and not counts["doubted-same"] + counts["doubted-wrong"]:
        return "no message is called ambiguous"
    if counts["wrong"] or counts["unposted"] or counts["unconfirmed"]:
        return "%d wrong, %d not posted, %d not confirmed\n%s" % (
            counts["wrong"], counts["unposted"], counts["unconfirmed"], "\n".join(bad[:12]))
    return None


def main():
    options = options_of()
    for needed in (programs.HBDB, COMPARE):
        if not os.access(needed, os.X_OK):
            sys.exit("%s is not there: ./dev build" % needed)
    pairs = [(p, c) for p, c in program_cases(options)
             if options.mpi in (None, c.mpi) and (not options.only or options.only in c.title)]
    broken = programs.compile_all(list(dict.fromkeys((p, c.mpi) for p, c in pairs)), 2)
    cases = [(c, broken.get((p.path, c.mpi))) for p, c in pairs]
    if options.mpi != "mpich" and (not options.only or options.only in "lammps"):
        cases.insert(0, (lammps(), None if os.access(LAMMPS, os.X_OK) else "needs %s (package lammps)" % LAMMPS))
    cases += [threads(mpi) for mpi in programs.MPIS
              if options.mpi in (None, mpi) and (not options.only or options.only in "threads")]
    total = dict.fromkeys(COUNTS, 0)
    passed = failed = 0
    for case, why in cases:
        if case.title.startswith("races/task_pool openmpi"):
            good = not why and finds_wrong(case)
            print("ok" if good else "FAIL", "a serial that is changed is found", flush=True)
            passed, failed = passed + good, failed + (not good)
            break

    def work(item):
        case, why = item
        if why:
            return case, why, None
        try:
            text, counts = case.run(options.keep)
            return case, judge(case, text, counts), counts
        except (programs.Failed, subprocess.TimeoutExpired) as failure:
            return case, str(failure), None

    # MPICH spins: one of its runs at a time, beside those of the other.
    pools = {mpi: concurrent.futures.ThreadPoolExecutor(1 if mpi == "mpich" else 2) for mpi in programs.MPIS}
    for done in concurrent.futures.as_completed([pools[c.mpi].submit(work, (c, why)) for c, why in cases]):
        case, why, counts = done.result()
        passed, failed = passed + (not why), failed + bool(why)
        for name in counts or ():
            total[name] += counts[name]
        if why:
            print("FAIL %s %s" % (case.title, why.replace("\n", "\n    ")), flush=True)
        else:
            doubted = counts["doubted-same"] + counts["doubted-wrong"]
            print("ok %s: %d messages%s%s" % (case.title, counts["same"], ", %d ambiguous" % doubted if doubted else "",
                                              ", %d lost their serial" % counts["lost"] if counts["lost"] else ""), flush=True)
    print("%d messages matched as they were sent, %d wrong; %d called ambiguous, of which %d are others than shown; "
          "%d lost their serial (truncated)" % (total["same"], total["wrong"], total["doubted-same"] +
                                                total["doubted-wrong"], total["doubted-wrong"], total["lost"]))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
