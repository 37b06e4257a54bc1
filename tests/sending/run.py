#!/usr/bin/python3
"""Recordings that are sent while they are made: hbdb record --send, hbdb receive, under both MPIs; streams that are cut anywhere, and
what is no stream.

usage: run.py [--cuts N]
"""
import sys

sys.dont_write_bytecode = True

import argparse
import os
import random
import shutil
import struct
import subprocess
import tempfile
import time

import ssh

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import turn  # noqa: E402

TOP = os.path.dirname(os.path.dirname(HERE))
HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
SECONDS = 300
MAGIC = b"HBDBSEND"
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"], "mpich": ["mpirun.mpich"]}
passed = failed = 0


def want(what, good, text=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("ok" if good else "FAIL", what, "" if good else "\n" + text[-2000:], flush=True)


def run(folder, *command, given=b""):
    return subprocess.run(command, cwd=folder, input=given, capture_output=True, timeout=SECONDS)


def said(done):
    return (done.stdout + done.stderr).decode(errors="replace")


def events(folder, recording, rank):
    """Its lines of dump."""
    return run(folder, HBDB, "dump", "--plain", "--rank", str(rank), recording).stdout.decode().splitlines()


def frames(stream):
    """(kind, name, offset, bytes) of each."""
    at = len(MAGIC)
    while at < len(stream):
        kind, length = stream[at], stream[at + 1]
        name = stream[at + 2:at + 2 + length].decode()
        offset, n = struct.unpack_from("<QI", stream, at + 2 + length)
        at += 14 + length
        yield kind, name, offset, stream[at:at + n]
        at += n


def frame(name, offset, data, kind=1):
    return bytes([kind, len(name)]) + name.encode() + struct.pack("<QI", offset, len(data)) + data


class Job:
    def __init__(self, mpi, folder):
        self.mpi, self.folder = mpi, folder
        run(folder, "mpicc." + mpi, "-g", "-o", "talk", os.path.join(HERE, "talk.c")).check_returncode()

    def record(self, name, send, *options, program=("0",)):
        return run(self.folder, HBDB, "record", "-o", name, "--send", send, *options, "--", *LAUNCH[self.mpi], "-n", "2", "./talk", *program)

    def arrives(self, what, options, program):
        """The copy says event for event what the recording says."""
        for name in ("here.hbdb", "there.hbdb"):
            shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)
        done = self.record("here.hbdb", HBDB + " receive -o there.hbdb", *options, program=program)
        same = all(events(self.folder, "here.hbdb", rank) == events(self.folder, "there.hbdb", rank) != [] for rank in (0, 1))
        want("%s: %s: nothing that was committed is missing at the other end" % (self.mpi, what), same, said(done))

    def batches(self, *options):
        """How often something of a log was sent: each time its header is, before and behind the rest."""
        self.record("b.hbdb", "cat > stream", *options, program=("1.5",))
        shutil.rmtree(os.path.join(self.folder, "b.hbdb"))
        with open(os.path.join(self.folder, "stream"), "rb") as f:
            return sum(name == "rank.0.log" and offset == 0 for _, name, offset, _ in frames(f.read())) // 2


def whole(job):
    job.arrives("at once", [], ("0",))
    job.arrives("by rules", ["--send-when", "1 10 200, 2 0 50, 3 5 5"], ("0.5",))
    job.arrives("a process that is killed, with much that was not sent then", ["--send-when", "1000 100000 1000000"], ("0", "300"))
    often, once = job.batches(), job.batches("--send-when", "1000 1000000000 1000000000")
    want("%s: at once means many times, a high bound once (%d, %d)" % (job.mpi, often, once), often >= 3 and once == 1)
    done = job.record("gone.hbdb", "head -c 5000 >part; exit 3")
    want(job.mpi + ": the other end goes away: a line says so, the recording here is whole",
         done.returncode == 0 and "is whole" in said(done) and len(events(job.folder, "gone.hbdb", 1)) > 1000, said(done))


def only_begun(stream):
    """Where the log of rank 1 has come as far as the first of its units: what it says of itself is not there yet."""
    at = len(MAGIC)
    for _, name, _, data in frames(stream):
        at += 14 + len(name)
        if name == "rank.1.log":
            return at + 4096
        at += len(data)
    return at


def cuts(job, number):
    """A stream that is cut at any byte holds the first events of each process."""
    done = job.record("c.hbdb", "cat > stream", program=("0.4",))
    with open(os.path.join(job.folder, "stream"), "rb") as f:
        stream = f.read()
    full = [events(job.folder, "c.hbdb", rank) for rank in (0, 1)]
    draw, bad, some = random.Random(4), [], 0
    places = [only_begun(stream)] + [len(stream) * (i + 1) // (number + 1) + draw.randrange(-30, 30) for i in range(number)]
    for cut in places:
        shutil.rmtree(os.path.join(job.folder, "cut.hbdb"), ignore_errors=True)
        got = run(job.folder, HBDB, "receive", "-o", "cut.hbdb", given=stream[:cut])
        there = os.path.isdir(os.path.join(job.folder, "cut.hbdb"))
        parts = [events(job.folder, "cut.hbdb", rank) if there else [] for rank in (0, 1)]
        some += any(0 < len(parts[r]) < len(full[r]) for r in (0, 1))
        # the call that a process is inside of stands behind its events
        first = all(parts[r][:-1] == full[r][:max(len(parts[r]) - 1, 0)] for r in (0, 1))
        if got.returncode != 3 or not first:
            bad.append("cut at %d of %d: status %d, %d and %d events\n%s" % (cut, len(stream), got.returncode, *map(len, parts), said(got)))
    want("%s: %d streams cut anywhere: the first events of each process, and a word that it was cut" % (job.mpi, number),
         not bad and some > number // 4, "%d with some events\n" % some + "\n".join(bad[:3]) + said(done))


def over_ssh(job):
    """What the page promises: ssh HOST hbdb receive. Once to its end, once with a connection that breaks."""
    with ssh.Server(job.folder) as there:
        done = job.record("s.hbdb", there.command(HBDB + " receive -o far.hbdb"), program=("0.3",))
        far = os.path.join(there.home, "far.hbdb")
        same = all(events(job.folder, "s.hbdb", rank) == events(job.folder, far, rank) != [] for rank in (0, 1))
        want(job.mpi + ": over ssh: event for event the same", same and not done.returncode, said(done))
        broken = there.command("(head -c 100000; kill -9 $PPID) | %s receive -o cut.hbdb 2>said; mv said ended" % HBDB)
        done = job.record("w.hbdb", broken, program=("3",))
        until = time.monotonic() + SECONDS
        while not os.path.exists(os.path.join(there.home, "ended")) and time.monotonic() < until:
            time.sleep(0.05)
        here, part = (events(job.folder, name, 0) for name in ("w.hbdb", os.path.join(there.home, "cut.hbdb")))
        want(job.mpi + ": ssh breaks: whole here, and the first events there", "is whole" in said(done) and part and part[:-1] == here[:len(part) - 1]
             and len(part) < len(here) > 1000, "%d of %d events\n" % (len(part), len(here)) + open(os.path.join(there.home, "ended")).read() + said(done))


def bad_streams(folder):
    for what, stream, word in [("no stream", b"hello", "is not from hbdb record"), ("nothing", b"", "is not from hbdb record"),
                               ("only the beginning", MAGIC, "no event had come"),
                               ("a name that leads out", MAGIC + frame("../evil", 0, b"x"), "is not what hbdb record"),
                               ("an absolute name", MAGIC + frame("/tmp/evil", 0, b"x"), "is not what hbdb record"),
                               ("a hidden name", MAGIC + frame(".evil", 0, b"x"), "is not what hbdb record"),
                               ("a folder that leads out", MAGIC + frame("a/../evil", 0, b"x"), "is not what hbdb record"),
                               ("a place beyond all files", MAGIC + frame("rank.0.log", 1 << 60, b"x"), "is not what hbdb record"),
                               ("another kind", MAGIC + frame("rank.0.log", 0, b"x", 7), "is not what hbdb record"),
                               ("a log that is none", MAGIC + frame("rank.0.log", 0, b"x" * 50000) + frame("", 0, b"", 2), "")]:
        shutil.rmtree(os.path.join(folder, "x.hbdb"), ignore_errors=True)
        done = run(folder, HBDB, "receive", "-o", "x.hbdb", given=stream)
        outside = any(os.path.exists(os.path.join(folder, name)) for name in ("evil", ".evil")) or os.path.exists("/tmp/evil")
        want("%s is refused" % what, done.returncode == 3 and word in said(done) and not outside, said(done))


def bad_rules(folder):
    with open(os.path.join(folder, "rules"), "w") as f:
        f.write("# time lower upper\n10 5 50\n\n20 5 zero\n")
    for what, rule, word in [("a word", "1 x 2", "is no rule of sending"), ("an upper bound below the lower", "1 20 10", "is no rule"), ("two numbers", "1 2", "is no rule"),
                             ("times that do not ascend", "10 1 2, 5 1 2", "ascend"), ("a file", "@rules", "rules:4"), ("no file", "@none", "No such file")]:
        done = run(folder, HBDB, "record", "--send", "cat", "--send-when", rule, "--", "true")
        want("rules: %s" % what, done.returncode == 2 and word in said(done), said(done))
    done = run(folder, HBDB, "record", "--send-when", "1 2 3", "--", "true")
    want("rules without --send", done.returncode == 2 and "goes with --send" in said(done), said(done))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=40)
    args = parser.parse_args()
    for mpi in turn.either("sending", LAUNCH):
        with tempfile.TemporaryDirectory(prefix="hbdb-sending-") as folder:
            job = Job(mpi, folder)
            whole(job)
            cuts(job, args.cuts)
            over_ssh(job)
    with tempfile.TemporaryDirectory(prefix="hbdb-sending-") as folder:
        bad_streams(folder)
        bad_rules(folder)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
