#!/usr/bin/python3
"""The process's side of the control protocol against a session that was written from docs/control.md alone.

usage: run.py [--mpi openmpi|mpich] [--only TEXT]"""
import argparse
import os
import secrets
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1",
                      "--enable-recovery"],
          "mpich": ["mpirun.mpich", "-disable-auto-cleanup"]}
passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(("ok " if good else "FAIL ") + name + ("" if good else "\n    %s" % (detail,)), flush=True)


class Peer:
    """A connection: the lines that came, and what they say."""

    def __init__(self, sock):
        self.sock, self.rest, self.lines, self.open, self.rank = sock, b"", [], True, None

    def tell(self, line):
        try:
            self.sock.sendall(line.encode() + b"\n")
        except OSError:
            pass

    def read(self):
        try:
            data = self.sock.recv(4096)
        except ConnectionResetError:
            data = b""
        self.open = bool(data)
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            words = line.decode("ascii").split(" ")
            if words[0] == "hello":
                self.rank, self.hello = int(words[3]), words
            self.lines.append(words)

    def last(self, word):
        found = [w for w in self.lines if w[0] == word]
        return found[-1] if found else None

    def stands(self, lane=0):
        """Where a lane waits: (event, why), None: it does not."""
        where = None
        for w in self.lines:
            if w[0] == "at" and int(w[1]) == lane:
                where = (int(w[2]), w[3])
            if w[0] == "signal" and int(w[2]) == lane:
                where = (int(w[3]), "signal " + w[1])
            if w[0] == "going" and int(w[1]) == lane:
                where = None
        return where


class Session:
    def __init__(self, mpi, how, n=2, tcp=False, secret=None, preload="", more=None):
        self.folder = tempfile.mkdtemp(prefix="hbdb-control.")
        self.secret = secret or secrets.token_hex(16)
        self.listener = socket.socket(socket.AF_INET if tcp else socket.AF_UNIX)
        name = "@hbdb-test-%d-%s" % (os.getpid(), secrets.token_hex(4))
        self.listener.bind(("127.0.0.1", 0) if tcp else "\0" + name[1:])
        where = "tcp:localhost:%d" % self.listener.getsockname()[1] if tcp else "unix:" + name
        self.listener.listen()
        self.poll = selectors.DefaultSelector()
        self.poll.register(self.listener, selectors.EVENT_READ)
        self.peers = []
        env = {"HBDB_MODE": "record", "HBDB_DIR": self.folder, "HBDB_LEVEL": "events", "HBDB_CONTROL": where,
               "HBDB_CONTROL_SECRET": self.secret, "LD_PRELOAD": preload + BUILD + "/libhbdb-%s.so" % mpi, **(more or {})}
        words = []
        for key, value in env.items():
            words += ["-x", key + "=" + value] if mpi == "openmpi" else ["-genv", key, value]
        self.job = subprocess.Popen(LAUNCH[mpi] + ["-n", str(n)] + words + [programs[mpi], how],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def take(self, seconds):
        for key, _ in self.poll.select(seconds):
            if key.fileobj is self.listener:
                sock, _ = self.listener.accept()
                self.peers.append(Peer(sock))
                self.poll.register(sock, selectors.EVENT_READ, self.peers[-1])
            else:
                key.data.read()
                if not key.data.open:
                    self.poll.unregister(key.fileobj)

    def wait(self, condition, seconds=300):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            self.take(0.05)
        return True

    def rank(self, rank):
        return next((p for p in self.peers if p.rank == rank), None)

    def began(self, n=2):
        return self.wait(lambda: all(self.rank(i) and self.rank(i).stands() for i in range(n)))

    def everybody(self, *lines):
        for p in self.peers:
            for line in lines:
                p.tell(line)

    def lane_events(self, rank):
        """What hbdb dump says the process has done; the recording is complete up to there."""
        done = subprocess.run([BUILD + "/hbdb", "dump", "--plain", "--rank", str(rank), self.folder],
                              capture_output=True, text=True, timeout=300)
        return done.stdout.splitlines()

    def close(self):
        self.job.terminate()
        for p in self.peers:
            p.sock.close()
        self.listener.close()
        try:
            out = self.job.communicate(timeout=300)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            self.job.kill()
            out = "still running: killed"
        shutil.rmtree(self.folder, ignore_errors=True)
        return out

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def test_start_and_stops(mpi, tcp=False):
    with Session(mpi, "rounds", tcp=tcp) as s:
        check("both dial in and wait at the start", s.began(), [p.lines for p in s.peers])
        hello = s.rank(1).hello
        check("hello says who it is", hello[1] == "1" and hello[2] == s.secret and hello[4] == "2" and hello[6] == "record"
              and os.path.exists("/proc/" + hello[5]) and hello[8:] == ["-", "rank.1.log"], hello)
        check("at the start MPI_Init is over", s.rank(0).stands() == (1, "start"), s.rank(0).lines)
        s.rank(0).tell("stop 0 7")
        s.rank(1).tell("stop 0 4")
        s.everybody("go 0")
        check("each stops where it was told", s.wait(lambda: s.rank(1).stands() == (4, "after")) and
              not s.wait(lambda: s.rank(0).stands() == (7, "after"), 0.5), [p.lines for p in s.peers])
        check("no event more is recorded", len(s.lane_events(1)) == 4, s.lane_events(1))
        s.rank(1).tell("stop 0 9")
        s.rank(1).tell("go *")
        check("going further", s.wait(lambda: s.rank(1).stands() == (8, "after") or s.rank(0).stands() == (7, "after")),
              s.rank(0).lines)
        s.everybody("free *", "go *")
        check("free: to the end", s.wait(lambda: all(p.last("bye") for p in s.peers)), [p.lines for p in s.peers])
        check("and a goodbye", all(p.last("bye") == ["bye", "finalized"] for p in s.peers), [p.lines for p in s.peers])
        check("status of the job", s.job.wait(300) == 0, s.job.returncode)


def test_unknown_lines(mpi):
    with Session(mpi, "rounds") as s:
        s.began()
        s.everybody("hop 1 2 3", "", "stop", "stop x", "go", "stop 99999 3", "x" * 5000, "stop 0 3 and more", "go 0 more")
        check("lines that are not known are passed over", s.wait(lambda: all(p.stands() == (3, "after") for p in s.peers)),
              [p.lines for p in s.peers])
        s.everybody("free *", "go *")
        check("... and it goes on", s.wait(lambda: all(p.last("bye") for p in s.peers)))


def test_held_keeps_mpi_going(mpi):
    with Session(mpi, "big") as s:
        s.began()
        s.rank(1).tell("stop 0 2")
        s.everybody("go *")
        check("the sender is held after MPI_Isend", s.wait(lambda: s.rank(1).stands() == (2, "after")), s.rank(1).lines)
        check("its 8 MB arrive all the same", s.wait(lambda: len(s.lane_events(0)) >= 3 or s.rank(0).last("bye")),
              s.lane_events(0))
        s.everybody("free *", "go *")
        check("the end", s.wait(lambda: all(p.last("bye") for p in s.peers)))


def test_poll(mpi):
    with Session(mpi, "poll") as s:
        s.began()
        s.rank(1).tell("stop 0 1")
        s.rank(0).tell("free *")
        s.everybody("go *")
        s.wait(lambda: False, 0.3)
        s.rank(0).tell("stop 0 1")
        check("a process that polls stops at a poll that said no", s.wait(lambda: s.rank(0).stands()), s.rank(0).lines)
        s.everybody("free *", "go *")
        check("the end", s.wait(lambda: all(p.last("bye") for p in s.peers)), [p.lines for p in s.peers])


def test_threads(mpi):
    with Session(mpi, "threads") as s:
        s.began()
        s.everybody("stop 0 1 next", "stop 1 3", "stop 2 0", "go *")
        there = s.wait(lambda: s.rank(1).stands(1) and s.rank(1).stands(2))
        check("threads stop each where it was told", there and s.rank(1).stands(1) == (3, "after") and
              s.rank(1).stands(2) == (0, "after"), s.rank(1).lines)
        check("the first waits for them in no call", not s.rank(1).stands(), s.rank(1).lines)
        s.everybody("free *", "go *")
        check("the end", s.wait(lambda: all(p.last("bye") for p in s.peers)), [p.lines for p in s.peers])


def done(s, rank, lane):
    """How many events a thread has made, as its log says."""
    return sum(line.startswith("%d.%d:" % (rank, lane)) for line in s.lane_events(rank))


def test_taken_in(mpi):
    """A thread that held ones wait for reads what the session says, one at a time: until it has obeyed, another one passes no stop."""
    word = programs["folder"] + "/slow-" + mpi
    with Session(mpi, "threads", preload=programs["slow"] + ":", more={"SLOW_LINE": "stop 2 4", "SLOW_FILE": word}) as s:
        s.began()
        s.everybody("stop 0 1 next", "stop 1 3")
        s.rank(1).tell("stop 2 3")
        s.everybody("go *")
        check("one is held, one waits for a message", s.wait(lambda: s.rank(0).stands(1) and s.rank(1).stands(1) and s.rank(1).stands(2)) and
              s.wait(lambda: done(s, 0, 2) == 3), [p.lines for p in s.peers])
        s.rank(0).tell("stop 2 4")
        check("the line is taken", s.wait(lambda: os.path.exists(word + ".taken")))
        s.rank(1).tell("free *")
        s.rank(1).tell("go *")
        check("the message comes", s.wait(lambda: done(s, 0, 2) >= 4), s.lane_events(0))
        open(word + ".go", "w").close()
        check("and the thread stands", s.wait(lambda: s.rank(0).stands(2) == (4, "after"), 60), s.rank(0).lines)
        s.everybody("free *", "go *")
        check("the end", s.wait(lambda: all(p.last("bye") for p in s.peers)), [p.lines for p in s.peers])


def test_signals(mpi):
    for how, number in (("segv", signal.SIGSEGV), ("abrt", signal.SIGABRT), ("fpe", signal.SIGFPE),
                        ("overflow", signal.SIGSEGV)):
        with Session(mpi, how) as s:
            s.began()
            s.everybody("free *", "go *")
            check(how + ": it is told and waits", s.wait(lambda: s.rank(1).last("signal")), s.rank(1).lines)
            said = s.rank(1).last("signal") or ["", "", "", ""]
            check(how + ": number, lane and event", said[1:] == [str(int(number)), "0", "6"], said)
            pid = int(s.rank(1).hello[5])
            check(how + ": it lives", os.path.exists("/proc/%d/mem" % pid))
            s.rank(1).tell("go *")
            check(how + ": then it dies", s.wait(lambda: not s.rank(1).open), s.rank(1).lines)
            check(how + ": without a goodbye", not s.rank(1).last("bye"), s.rank(1).lines)
            if mpi == "openmpi":  # MPICH's launcher sends the others SIGUSR1, which ends them in a moment
                check(how + ": the other one is still there", s.rank(0).open and os.path.exists("/proc/%s" % s.rank(0).hello[5]))


def test_other_ends(mpi):
    with Session(mpi, "kill") as s:
        s.began()
        s.everybody("free *", "go *")
        check("kill: the connection ends without a goodbye", s.wait(lambda: not s.rank(1).open) and not s.rank(1).last("bye"),
              s.rank(1).lines)
    with Session(mpi, "exit") as s:
        s.began()
        s.everybody("free *", "go *")
        check("exit: bye left", s.wait(lambda: s.rank(1).last("bye") == ["bye", "left"]), s.rank(1).lines)
    with Session(mpi, "abort") as s:
        s.began()
        s.rank(1).tell("stop 0 7")
        s.rank(0).tell("free *")
        s.everybody("go *")
        check("abort: held before it does so", s.wait(lambda: s.rank(1).stands() == (7, "after")), s.rank(1).lines)
        s.rank(1).tell("go *")
        check("abort: bye aborted", s.wait(lambda: s.rank(1).last("bye") == ["bye", "aborted"]), s.rank(1).lines)
    with Session(mpi, "fork") as s:
        s.began()
        s.everybody("free *", "go *")
        check("fork: the child says nothing", s.wait(lambda: all(p.last("bye") for p in s.peers)) and len(s.peers) == 2 and
              [w[0] for w in s.rank(1).lines].count("bye") == 1, [p.lines for p in s.peers])


def test_lost(mpi):
    with Session(mpi, "rounds") as s:
        s.began()
        s.everybody("stop 0 5", "go *")
        s.wait(lambda: s.rank(0).stands() == (5, "after"))
        for p in s.peers:
            s.poll.unregister(p.sock)
            p.sock.close()
        out = s.job.communicate(timeout=300)[0].decode(errors="replace")
        check("lost: the processes run to their end alone", s.job.returncode == 0, out)
        check("lost: and say so", out.count("hbdb has ended") == 2, out)
    nobody = Session(mpi, "rounds")
    nobody.listener.close()
    nobody.poll = selectors.DefaultSelector()
    out = nobody.job.communicate(timeout=300)[0].decode(errors="replace")
    check("no session: they run free and say so", nobody.job.returncode == 0 and out.count("cannot connect to hbdb") == 2, out)
    nobody.close()


TESTS = [test_start_and_stops, test_unknown_lines, test_held_keeps_mpi_going, test_poll, test_threads, test_taken_in, test_signals,
         test_other_ends, test_lost]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mpi", choices=sorted(LAUNCH))
    options.add_argument("--only", default="")
    options = options.parse_args()
    folder = programs["folder"] = tempfile.mkdtemp(prefix="hbdb-control.")
    programs["slow"] = folder + "/slow.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", programs["slow"], HERE + "/slow.c", "-ldl"], check=True)
    for mpi in [options.mpi] if options.mpi else sorted(LAUNCH):
        programs[mpi] = "%s/acts-%s" % (folder, mpi)
        subprocess.run(["mpicc." + mpi, "-g", "-pthread", "-O0", "-o", programs[mpi], HERE + "/acts.c"], check=True)
        for test in TESTS:
            if options.only in test.__name__:
                print("-- %s, %s" % (test.__name__, mpi))
                test(mpi)
        if options.only in "tcp":
            print("-- tcp, %s" % mpi)
            test_start_and_stops(mpi, tcp=True)
    shutil.rmtree(folder)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


programs = {}
if __name__ == "__main__":
    sys.exit(main())
