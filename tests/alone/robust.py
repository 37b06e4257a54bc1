#!/usr/bin/python3
"""One process alone, where something is wrong: processes that crash or are killed, contents that end early, are cut or were not kept,
other programs, tools in front of the program, several threads, bad input.

usage: robust.py [--only TEXT] [--mpi openmpi|mpich]
"""
import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TOP, "tests/robust"), os.path.join(TOP, "tests")]
import lib
from disk import inside, quoted
from lib import HBDB, Context, Failed, Skipped, test
import processes
import turn

lib.TESTS.clear()
lib.HERE, lib.BUILT = HERE, os.path.join(TOP, "build/tests/alone")
lib.PROGRAMS = {
    "again": (["requests/again.c"], []),
    "at_once": (["requests/at_once.c"], []),
    "ends": (["ends.c"], []),
    "ends-asan": (["ends.c"], ["-fsanitize=address"]),
    "late": (["late.c"], []),
    "stream": (["stream.c"], []),
    "table": (["table.c"], []),
    "threads": (["threads.c"], ["-pthread"]),
}
TO_FILE = 'exec "$@" > "$OUT.${OMPI_COMM_WORLD_RANK-$PMI_RANK}"'


def record(t, *command, options=(), name="r.hbdb"):
    """At level data; what each rank prints goes into a file of its own."""
    t.env["OUT"] = t.path("out")
    return t.record(t.launch(2, "/bin/bash", "-c", TO_FILE, "x", t.program(command[0]), *command[1:]), "--level", "data", *options, name=name)


def printed(t, rank):
    with open(t.path("out.%d" % rank), errors="replace") as f:
        return f.read()


def alone(t, rank, *options, name="r.hbdb", command=None):
    return t.replay("--alone", str(rank), *options, name=name, command=command)


def same(t, rank, status=0, says="no difference", **more):
    done = alone(t, rank, **more)
    t.want(done.out == printed(t, rank), "rank %d prints otherwise\nthen: %r\nnow: %r\n%s" % (rank, printed(t, rank)[-300:], done.out[-300:], done.tail()))
    t.want(done.status == status, "rank %d: status %d, not %d\n%s" % (rank, done.status, status, done.tail()))
    t.want(re.search(says, done.err), "rank %d does not say %r\n%s" % (rank, says, done.tail()))
    return done


def one_line(t, done, status, words):
    t.want(done.status == status, "status %d, not %d\n%s" % (done.status, status, done.tail()))
    t.want(len(done.said.splitlines()) == 1 and words in done.said, "not one line with %r:\n%s" % (words, done.said))


# ---- processes that do not come to their end ----

@test("crash")
def crash(t):
    record(t, "ends", "segv", "300")
    t.want("signal 11: address" in printed(t, 1), "it did not crash")
    same(t, 1, 139, "rank 1 ended inside MPI, as in the recording")  # what it prints has the address and the instruction
    same(t, 0, 0, "the recording ends here")


@test("crash-in-gdb", mpis=("openmpi",))
def crash_in_gdb(t):
    record(t, "ends", "segv", "300")
    pc = re.search(r"instruction (0x\w+)", printed(t, 1))[1]
    with open(t.path("commands"), "w") as f:
        f.write("set confirm off\nset debuginfod enabled off\nset startup-with-shell off\nhandle SIGSEGV stop nopass\nrun\ninfo line *$pc\nx/i $pc\nkill\n")
    done = alone(t, 1, "--under", "gdb -batch -x %s --args" % t.path("commands"))
    at = re.search(r"=> (0x\w+)", done.out)
    t.want(at and at[1] == pc, "gdb stops at %s, it crashed at %s\n%s" % (at and at[1], pc, done.out[-800:] + done.tail()))


@test("at-once")
def at_once(t):
    """What collectives of one process bring is there when they begin: one handle stands for many of them."""
    for words in (("1",), ("2", "moved")):
        record(t, "at_once", *words, name=words[-1] + ".hbdb")
        for rank in 0, 1:
            same(t, rank, name=words[-1] + ".hbdb")
    dump = "\n".join(t.dump("--data", name="moved.hbdb"))
    t.want(re.search(r"MPI_Igather\([^\n]*\n0:\d+  data request 0: 1 MPI_INT: \d", dump), "what a collective brought at once has its type\n" + dump[:3000])


@test("killed")
def killed(t):
    record(t, "ends", "kill", "150")
    same(t, 1, 137, "as in the recording")
    same(t, 0, 0, "the recording ends here")


@test("left")
def left(t):
    record(t, "ends", "leave", "100")
    same(t, 1, 5, "as in the recording")


def streams(t, pid):
    """Whether it is one of this test; who is gone meanwhile is none."""
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as command, open("/proc/%d/environ" % pid, "rb") as environment:
            return b"stream" in command.read() and t.dir.encode() in environment.read()
    except OSError:
        return False


@test("all-killed")
def all_killed(t):
    """With hbdb itself: nothing is sealed."""
    t.env["OUT"] = t.path("out")
    data = t.path("r.hbdb/rank.1.data")

    def during(child):
        end = time.time() + 60
        while time.time() < end and not (os.path.exists(data) and os.path.getsize(data) > 3000000):
            time.sleep(0.02)
        for pid in [child.pid] + processes.in_session(child.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
    t.record(t.launch(2, "/bin/bash", "-c", TO_FILE, "x", t.program("stream"), "10000000", "4096"), "--level", "data", during=during)
    end = time.time() + 100  # a daemon of the launcher may be in another session, and ends its processes when it sees it
    while time.time() < end and any(streams(t, pid) for pid, _, fields in processes.everyone() if fields[0] != "Z"):
        time.sleep(0.2)
    t.want(os.path.getsize(data) > 1000000, "no contents")
    done = alone(t, 1)
    t.want(done.status == 0 and "the recording ends here" in done.err, "status %d\n%s" % (done.status, done.tail()))
    more = done.out[len(printed(t, 1)):]  # a call may have returned, and nothing come out of it
    t.want(done.out.startswith(printed(t, 1)) and more.count("\n") < 2 and done.out.count("round") > 5, "prints otherwise: %r, then %r" % (done.out[-200:], printed(t, 1)[-200:]))


# ---- contents that are not whole ----

@test("disk-full")
def disk_full(t):
    command = t.launch(2, "/bin/bash", "-c", TO_FILE, "x", t.program("stream"), "600", "4096")
    t.env["OUT"] = t.path("out")
    err, = inside(t, """
        mount -t tmpfs -o size=1m none $M || exit 1
        %s record --level data -o $M/r.hbdb -- %s 2>$K/err
        cp -r $M/r.hbdb $K/r.hbdb""" % (HBDB, quoted(command)), "err")
    t.want(printed(t, 1).count("round") == 30, "the program did not come to its end\n" + err)
    t.want(re.search(r"rank 1 stopped keeping contents after [\d.]+ MB: No space left on device; its events are whole", err), "not said:\n" + err)
    done = alone(t, 1)
    t.want(done.status == 0, "status %d\n%s" % (done.status, done.tail()))
    t.want(printed(t, 1).startswith(done.out) and 0 < done.out.count("round") < 30, "prints otherwise: %r" % done.out[-200:])
    event = re.search(r"rank 1, event (\d+): what comes into this process was kept up to here only \(No space left on device\)", done.err)
    last = re.search(r"up to event (\d+) of 602 of its first thread: no difference up to there; what was kept", done.err)
    t.want(event and last and int(event[1]) == int(last[1]) + 1, "does not say where the contents end\n" + done.tail())
    same(t, 0)


@test("full-then-comm")
def full_then_comm(t):
    """A communicator that is made when contents are no longer kept: the log has it as it is, so that the whole run replays."""
    command = t.launch(2, t.program("late"))
    err, = inside(t, """
        mount -t tmpfs -o size=1m none $M || exit 1
        %s record --level data --inputs off -o $M/r.hbdb -- %s 2>$K/err
        cp -r $M/r.hbdb $K/r.hbdb""" % (HBDB, quoted(command)), "err")
    t.want("stopped keeping contents" in err, "the disk was not full\n" + err)
    done = t.replay()
    t.want(done.status == 0 and "replayed 2 processes, 1210 events: no difference" in done.err, done.tail())


@test("cut")
def cut(t):
    """A file that is shorter than it was: what is there is given, or one line says why not."""
    record(t, "stream", "60", "4096", options=["--keep-raw"])
    record(t, "stream", "60", "4096", name="sealed.hbdb")
    ended = 0
    for name in ("r", "sealed"):
        path = t.path("%s.hbdb/rank.1.data" % name)
        whole = open(path, "rb").read()
        for part in (0, 1, 40, 200, 0.2, 0.5, 0.9, 0.999):
            with open(path, "wb") as f:
                f.write(whole[:part if part >= 1 or not part else int(len(whole) * part)])
            done = alone(t, 1, name=name + ".hbdb")
            what = "%s cut to %g: status %d\n%s" % (name, part, done.status, done.tail())
            t.want(done.status in (0, 1, 3), what)
            t.want(printed(t, 1).startswith(done.out), "prints otherwise: %r\n%s" % (done.out[-200:], what))
            if done.out != printed(t, 1):
                ended += 1
                t.want(done.status, "what is missing is not said: " + what)
            if done.status == 3:
                t.want(len(done.said.splitlines()) == 1 and re.search(r"rank[ .]1", done.said), "not one line: " + what)
        with open(path, "wb") as f:
            f.write(whole)
    t.want(ended > 5, "only %d cuts took something away" % ended)


@test("not-kept")
def not_kept(t):
    record(t, "ends", "no", "10", options=["--data-ranks", "1"])
    one_line(t, alone(t, 0), 2, "has what came into other processes, but not into rank 0: record with a --data-ranks that has it")
    same(t, 1)
    for level in ("order", "racing", "events"):
        t.record(t.launch(2, t.program("ends"), "no", "10"), "--level", level, name=level + ".hbdb")
        one_line(t, alone(t, 1, name=level + ".hbdb"), 2, "does not have what came into rank 1: record with --level data to replay it alone")


# ---- what is asked for ----

@test("bad-input")
def bad_input(t):
    record(t, "ends", "no", "10")
    for name, words in (("7", "has no rank 7; its ranks are 0-1"), ("x", "has no process x"), ("-1", "has no process -1"),
                        ("0,1", "it is one process that is replayed alone"), ("", "needs a value")):
        one_line(t, alone(t, name), 2, words)
    one_line(t, alone(t, 0, command=t.launch(2, t.program("ends"), "no", "10")), 2, "give the program without its launcher")
    one_line(t, alone(t, 0, name="nothing.hbdb"), 3, "there is no recording of this name")
    one_line(t, t.replay("--under", "valgrind"), 2, "give --alone PROCESS or --task TASK, too")
    one_line(t, alone(t, 0, "--under", "no-such-tool -q"), 127, "cannot run no-such-tool")
    one_line(t, alone(t, 0, command=["./no-such-program"]), 127, "cannot run ./no-such-program")


@test("another-program")
def another(t):
    record(t, "ends", "no", "10")
    done = alone(t, 1, command=[t.program("stream"), "30", "512"])
    t.want(done.status == 1 and "the program differs from the recording" in done.err and "is not the recorded program" not in done.out,
           "status %d\n%s" % (done.status, done.tail()))
    done = alone(t, 1, command=["/bin/true"])
    t.want(done.status and "no process followed its recording" in done.err, "status %d\n%s" % (done.status, done.tail()))
    done = alone(t, 1, command=[t.program("ends", t.other()), "no", "10"])
    t.want(done.status == 0 and done.out == printed(t, 1) and "replayed 1 process, 62 events: no difference" in done.err,
           "under %s: status %d\n%s" % (t.other(), done.status, done.tail()))


@test("another-later")
def another_later(t):
    """What comes as before is compared as what comes first is: each call of a round, when all rounds before were as recorded."""
    record(t, "again")
    rounds, calls = 24, ["MPI_Send", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Sendrecv"]
    same(t, 0)
    same(t, 1)
    data, other = "it sends different data than in the recording", "the program differs from the recording (%s)"
    for what, call, why, status in (("send", "MPI_Send", data, 0), ("isend", "MPI_Isend", data, 0), ("sendrecv", "MPI_Sendrecv", data, 0),
                                    ("tag", "MPI_Send", other % "tag", 1), ("wait", "MPI_Waitall", other % "another function", 1)):
        for wrong in (1, rounds // 2, rounds - 1):
            done = alone(t, 0, command=[t.program("again"), str(wrong), what])
            event = 2 + len(calls) * wrong + calls.index(call)
            t.want(done.status == status and "rank 0, event %d: " % event in done.err and why in done.err and call + "(" in done.err,
                   "%s in round %d: status %d, not said of event %d\n%s" % (what, wrong, done.status, event, done.tail()))
            t.want(status or "no difference in the calls; 1 of 72 contents that were compared differ" in done.err, done.tail())


@test("another-name")
def another_name(t):
    """The program built anew is called otherwise: what the system told it is given to it all the same, also under a script."""
    record(t, "table")
    renamed = t.path("table-anew")
    shutil.copy(t.program("table"), renamed)
    same(t, 1, command=[renamed])
    same(t, 1, command=["/bin/sh", "-c", "read nothing < /dev/null; exec " + renamed])


# ---- tools ----

@test("valgrind")
def valgrind(t):
    if not shutil.which("valgrind"):
        raise Skipped("valgrind is not there")
    record(t, "ends", "over", "10")
    done = alone(t, 1, "--under", "valgrind --error-exitcode=0")
    t.want("Invalid write of size 1" in done.err and "ends.c" in done.err, "memcheck does not find the error\n" + done.tail())
    t.want("no difference" in done.err, done.tail())
    t.want("sigprocmask" not in done.err, "hbdb itself is found fault with\n" + done.tail())


@test("asan")
def asan(t):
    record(t, "ends", "over", "10")
    done = alone(t, 1, command=[t.program("ends-asan"), "over", "10"])
    t.want("heap-buffer-overflow" in done.err and "ends.c" in done.err, "the address sanitizer does not find the error\n" + done.tail())


# ---- threads ----

@test("threads")
def threads(t):
    record(t, "threads", "apart")
    for rank in (0, 1):
        same(t, rank)


@test("threads-share")
def threads_share(t):
    """What they share comes in another order: that must be seen, or be the same."""
    record(t, "threads", "share")
    for rank in (0, 1):
        done = alone(t, rank)
        t.want(done.out == printed(t, rank), "prints otherwise: %r\n%s" % (done.out, done.tail()))  # it follows from what came
        told = re.search(r"(\d+) of 400 contents that were compared differ", done.err)
        t.want(told or re.search("events: no difference$", done.err, re.M), "neither a difference nor none\n" + done.tail())
        if told:
            t.want("memory that threads share" in done.err, "not said:\n" + done.tail())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--mpi", choices=lib.MPIS)
    options = parser.parse_args()
    passed = failed = 0
    for mpi in [options.mpi] if options.mpi else lib.MPIS:
        for name, said in lib.build(mpi).items():
            print("FAIL %s %s: does not compile\n%s" % (name, mpi, said))
            failed += 1
    for name, function, mpis in lib.TESTS:
        for mpi in mpis:
            if options.only not in name or mpi not in ([options.mpi] if options.mpi else turn.either(name, mpis)):
                continue
            t = Context(mpi)
            try:
                function(t)
                passed += 1
            except Skipped as why:
                print("skipped %s %s: %s" % (name, mpi, why))
            except Failed as why:
                print("FAIL %s %s: %s" % (name, mpi, why), flush=True)
                failed += 1
            finally:
                t.close()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
