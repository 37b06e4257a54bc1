"""A program that does something else than its recording is stopped at that call; it never hangs."""
import os
import re
import signal
import time

from lib import HBDB, Failed, test

MOST = 200  # seconds until a replay counts as hung
# mode: (rank of the report, what must stand in it); the last rank of two is the one that differs
MODES = {
    "dest": (1, "MPI_Send(count=2, datatype=MPI_INT, dest=0, tag=5, comm=WORLD)", "MPI_Send(count=2, datatype=MPI_INT, dest=1, tag=5, comm=WORLD)"),
    "count": (1, "MPI_Send(count=2,", "MPI_Send(count=3,"),
    "tag": (1, "dest=0, tag=5,", "dest=0, tag=6,"),
    "type": (1, "datatype=MPI_INT, dest=0", "datatype=MPI_FLOAT, dest=0"),
    "comm": (1, "tag=5, comm=WORLD)", "tag=5, comm=2)"),
    "payload": (1, "different data", "MPI_Send(count=2, datatype=MPI_INT, dest=0, tag=5, comm=WORLD)"),
    "root": (None, "MPI_Bcast(count=4, datatype=MPI_INT, root=0, comm=WORLD)", "MPI_Bcast(count=4, datatype=MPI_INT, root=1, comm=WORLD)"),
    "more-end": (1, "MPI_Finalize(", "MPI_Send(count=1, datatype=MPI_INT, dest=PROC_NULL, tag=3, comm=WORLD)"),
    "less-end": (1, "MPI_Send(count=1, datatype=MPI_INT, dest=PROC_NULL, tag=3, comm=WORLD)", "MPI_Finalize("),
    "more-middle": (1, "tag=8, comm=WORLD)", "MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=5, comm=WORLD)"),
    "less-middle": (1, "MPI_Send(count=2,", "MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=8, comm=WORLD)"),
    "order": (1, "MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=8, comm=WORLD)", "MPI_Recv("),
    "exit": (1, "MPI_Send(count=2,", "ends here"),
}


def recorded(t, mode, *options):
    done = t.record(t.launch(2, t.program("diverge"), mode), *options)
    t.want(done.status == 0, "record: status %d\n%s" % (done.status, done.tail()))


def both_places(t, said, mode):
    """The lines of the calls name places in the source."""
    places = re.findall(r"\((?:.*)\)  (\S+)", said)
    wanted = 1 if mode in ("payload", "exit") else 2
    good = [p for p in places if re.fullmatch(r"(diverge\.c|robust\.h):\d+", p)]
    t.want(len(good) >= wanted, "%d source lines are wanted, there are %r\n%s" % (wanted, places, said))


def differs(name, base, mode, rank, was, now):
    def run(t):
        recorded(t, base)
        stop = ["--contents", "stop"] if mode == "payload" else []
        done = t.replay(*stop, command=t.launch(2, t.program("diverge"), mode), seconds=MOST)
        t.want(done.status == 1, "status %d\n%s" % (done.status, done.tail()))
        for text in (was, now):
            t.want(text in done.said, "%r is not in what replay says\n%s" % (text, done.said))
        t.want(rank is None or "rank %d, event" % rank in done.said, "rank %s should be the first\n%s" % (rank, done.said))
        both_places(t, done.said, mode)
        t.want(not done.left, "%d processes outlive the replay" % done.left)
        t.want(done.seconds < 60, "it took %.1f s" % done.seconds)
    test("diverge/" + name)(run)


for the_mode, (the_rank, the_was, the_now) in MODES.items():
    differs(the_mode, "base", the_mode, the_rank, the_was, the_now)
differs("back-from-more-middle", "more-middle", "base", 1, "tag=5, comm=WORLD)", "tag=8, comm=WORLD)")


@test("diverge/not-at-all")
def not_at_all(t):
    for level in ("events", "order"):
        recorded(t, "base", "--level", level)
        for options in ([], ["--on-divergence", "warn"]):
            done = t.replay(*options)
            t.want(done.status == 0 and "no difference" in done.said, "level %s: status %d\n%s" % (level, done.status, done.tail()))
        t.run(["rm", "-r", t.path("r.hbdb")])


@test("diverge/warn")
def warn(t):
    """Told to go on, the program comes to its end."""
    recorded(t, "base")
    for mode in ("count", "payload", "root", "order", "more-end", "less-end"):
        command = t.launch(2, t.program("diverge"), mode)
        bare = t.run(command)
        done = t.replay("--on-divergence", "warn", command=command, seconds=MOST)
        t.want(done.status == (mode != "payload"), "%s: status %d\n%s" % (mode, done.status, done.tail()))  # contents alone are no divergence here
        t.want(done.lines() == bare.lines(), "%s: it did not come to its end\n%s\n%s" % (mode, done.lines(), done.tail()))
        t.want("MPI_" in done.said, "%s: replay does not say what differs\n%s" % (mode, done.said))


@test("diverge/warn-other-tag")
def warn_other_tag(t):
    """The message that a wildcard got in the recorded run is never sent: another one must be let in."""
    recorded(t, "base")
    command = t.launch(2, t.program("diverge"), "tag")
    bare = t.run(command)
    done = t.replay("--on-divergence", "warn", command=command, seconds=MOST)
    t.want(done.status == 1 and done.lines() == bare.lines(), "status %d\n%s\n%s" % (done.status, done.lines(), done.tail()))


@test("diverge/polls-by-a-clock")
def polls(t):
    """A loop that polls until a time is over: how often is not in the hand of MPI, and replay says so."""
    done = t.record(t.launch(2, t.program("diverge"), "clock", "0.02"))
    t.want(done.status == 0, "record: status %d\n%s" % (done.status, done.tail()))
    for seconds, what in (("0", r"polls less than in the recording: of the (\d+) recorded polls"),
                          ("0.5", r"polls longer than in the recording: the (\d+) recorded polls")):
        command = t.launch(2, t.program("diverge"), "clock", seconds)
        done = t.replay(command=command, seconds=MOST)
        found = re.search(what, done.said)
        t.want(done.status == 1 and found and int(found[1]) > 1, "%s s: status %d\n%s" % (seconds, done.status, done.said))
        t.want("depend on a clock" in done.said and "MPI_Wtime" in done.said and "hbdb replay --on-divergence warn" in done.said and
               "another function" not in done.said, done.said)
        t.want("MPI_Iprobe(source=1, tag=9" in done.said or seconds == "0", done.said)
        t.want(not done.left, "%d processes outlive the replay" % done.left)
    done = t.replay("--on-divergence", "warn", command=command, seconds=MOST)
    t.want(done.status == 1 and done.lines() == t.run(command).lines() and len(re.findall(what, done.said)) == 1,
           "warn: status %d\n%s" % (done.status, done.said))


@test("diverge/polls-by-mpi-wtime")
def polls_wtime(t):
    done = t.record(t.launch(2, t.program("diverge"), "wtime", "0.02"))
    t.want(done.status == 0, "record: status %d\n%s" % (done.status, done.tail()))
    done = t.replay()
    t.want(done.status == 0 and "no difference" in done.said, "status %d\n%s" % (done.status, done.said))


@test("diverge/another-number-of-processes")
def another_number(t):
    recorded(t, "base")
    done = t.replay(command=t.launch(1, t.program("diverge"), "base"), seconds=MOST)
    t.want(done.status == 2 and "same number" in done.said, "status %d\n%s" % (done.status, done.tail()))


@test("diverge/another-program")
def another_program(t):
    recorded(t, "base")
    done = t.replay(command=t.launch(2, t.program("process"), "plain", "100"), seconds=MOST)
    t.want(done.status == 1 and "is not the recorded program" in done.said and "MPI_Comm_dup" in done.said, "status %d\n%s" % (done.status, done.tail()))


@test("diverge/loops-for-ever")
def loops(t):
    """A rank that computes for ever cannot be told from a slow one: replay says who is waited for, and ends when it is told to."""
    recorded(t, "base")
    os.unlink(t.path("events.1"))

    def during(child):
        """Once it computes, which it says itself, and hbdb has looked at it: it does so every half a second."""
        end = time.time() + 100
        while not os.path.exists(t.path("events.1")) and time.time() < end:
            time.sleep(0.05)
        time.sleep(6)
        child.send_signal(signal.SIGINT)
    done = t.run([HBDB, "replay", t.path("r.hbdb"), "--"] + t.launch(2, t.program("diverge"), "loop"), during=during)
    t.want(not done.left, "%d processes outlive the replay" % done.left)
    t.want(re.search(r"rank 1", done.said), "replay does not say that rank 1 makes no further call\n%s" % done.tail())
    t.want(done.status not in (0,), "status 0")


# ---- threads that each do the same every time, in an order that is chance ----

RUNS = 2
# communicators, datatypes and windows of MPI_COMM_WORLD's members have the numbers that they always had before there are threads
FIRST = re.compile(r"MPI_Sendrecv\(sendcount=1, sendtype=type#0, .*comm=WORLD\)")


@test("threads/handles")
def handles(t):
    numbers = set()
    for i in range(RUNS):
        name = "r%d.hbdb" % i
        done = t.record(t.launch(2, t.program("handles")), name=name)
        t.want(done.status == 0, "record: status %d\n%s" % (done.status, done.tail()))
        lines = t.dump("--rank", "0", name=name)
        t.want(any(FIRST.search(line) for line in lines), "the first datatype used is not type#0")
        numbers.add(tuple(re.findall(r"MPI_Comm_split\(comm=(\d+)", "\n".join(lines))))
        done = t.replay(name=name)
        t.want(done.status == 0 and ": no difference in the calls" in done.said and "differs" not in done.said,
               "replay %d: status %d\n%s" % (i, done.status, done.said))
    t.want(len(numbers) > 1, "the threads ran in the same order %d times: nothing was shown" % RUNS)


@test("threads/differs")
def handles_differ(t):
    """What is not the same is told as ever: a thread that takes the communicator of another."""
    done = t.record(t.launch(2, t.program("handles")))
    t.want(done.status == 0, "record: status %d\n%s" % (done.status, done.tail()))
    done = t.replay(command=t.launch(2, t.program("handles"), "other"))
    t.want(done.status == 1 and re.search(r"the program differs from the recording \((comm|sendtype)\)", done.said),
           "status %d\n%s" % (done.status, done.said))
