"""kill -9 of a rank at a random moment: what had returned before it is in the record."""
import mmap
import os
import random
import re
import signal
import struct
import time

from interrupt import MPICH_KILLED
from lib import Failed, test

SLOT = 64       # bytes of `struct seen`
KILLS = {"openmpi": 30, "mpich": 70}  # what each costs
SEED = int(os.environ.get("ROBUST_SEED", "0")) or int(time.time())


class Seen:
    """The file in which the processes count their calls."""

    def __init__(self, path):
        with open(path, "wb") as f:
            f.truncate(4096)
        self.path, self.file = path, open(path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 4096)

    def of(self, rank):
        """pid, begun, returned, ended"""
        return struct.unpack_from("4q", self.map, rank * SLOT)

    def close(self):
        self.map.close()
        self.file.close()


def expected(rank, size, most):
    """The first lines of the dump of a rank of killed.c."""
    left, right = (rank + size - 1) % size, (rank + 1) % size
    lines, i = ["MPI_Init()"], 0
    while len(lines) < most:
        tag = i % 1000
        posted = " source=%d tag=%d bytes=4" % (left, tag)
        lines += [
            "MPI_Irecv(count=1, datatype=MPI_INT, source=ANY, tag=%d, comm=WORLD)" % tag,
            "MPI_Send(count=1, datatype=MPI_INT, dest=%d, tag=%d, comm=WORLD)" % (right, tag),
            "MPI_Wait() -> #%d%s" % (i, posted),
            "MPI_Bcast(count=1, datatype=MPI_INT, root=%d, comm=WORLD)" % (i % size),
            "MPI_Sendrecv(sendcount=1, sendtype=MPI_INT, dest=%d, sendtag=7, recvcount=2, recvtype=MPI_INT, source=%d, recvtag=7, "
            "comm=WORLD) -> source=%d tag=7 bytes=4" % (right, left, left),
            "MPI_Allreduce(count=1, datatype=MPI_INT, op=MPI_SUM, comm=WORLD)",
        ]
        i += 1
    return lines[:most]


def killer(seen, rank, target, pause):
    """Kills the rank once it made so many calls, plus a moment."""
    def during(child):
        end = time.time() + 100
        while child.poll() is None and time.time() < end:
            pid, begun = seen.of(rank)[:2]
            if pid and begun >= target:
                time.sleep(pause)
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
                return
            time.sleep(0.0005)
    return during


def check_rank(t, rank, size, seen, lines):
    pid, begun, returned, ended = seen.of(rank)
    got = [line.split(" ", 1)[1] for line in lines if re.match(r"%d:\d+ " % rank, line)]
    # Polls aside a line is an event that was stored; the last may be the call that never returned.
    inside = bool(got) and got[-1].endswith("...")
    stored = len(got) - inside
    if stored < returned:
        raise Failed("rank %d: %d calls returned, %d events are read back" % (rank, returned, stored))
    if stored > begun:
        raise Failed("rank %d: %d calls were begun, %d events are read back" % (rank, begun, stored))
    for i, (a, b) in enumerate(zip(got[:stored], expected(rank, size, stored))):
        if a != b and not a.startswith("MPI_Finalize"):
            raise Failed("rank %d, event %d: %s\nexpected: %s" % (rank, i + 1, a, b))
    return returned


def one_kill(t, number, rng, statuses):
    size = 2 if t.mpi == "mpich" or number % 2 else 3
    seen = Seen(t.path("seen.%d" % number))
    try:
        fast, early, raw = rng.random() < 0.4, number % 10 == 9, number % 3 == 0
        n = 4000 if fast else 600
        target = 0 if early else rng.randrange(1, n * (3 if fast else 1))
        rank = rng.randrange(size)
        during = killer(seen, rank, target, rng.random() * (0.08 if early else 0.01))
        command = t.launch(size, t.program("killed"), seen.path, str(n), "0" if fast else "50")
        name = "k%d.hbdb" % number
        what = "kill %d (seed %d)" % (number, SEED)
        try:
            done = t.record(command, *(["--keep-raw"] if raw else []), name=name, during=during, seconds=60 if early else 200)
        except Failed as trouble:
            # Open MPI's launcher loses a process that dies while it connects ("PMIX ERROR: UNREACHABLE"), and then never ends
            if early and "PMIX ERROR" in str(trouble):
                return 0
            raise
        known = sum(seen.of(r)[2] for r in range(size))
        if "nothing was recorded" in done.err and not known:  # the job did not get as far as a call
            return 0
        if not early and done.status not in statuses and done.status:
            raise Failed("%s: status %d, without hbdb %r\n%s" % (what, done.status, statuses, done.tail()))
        lines = t.dump(name=name)
        for r in range(size):
            check_rank(t, r, size, seen, lines)
        # The kill may come when the recorder is done and the program has not yet said so.
        over = sum(re.match(r"\d+:\d+ MPI_Finalize\(\)$", line) is not None for line in lines) == size
        judge_verify(t, what, name, raw, over or all(seen.of(r)[3] for r in range(size)))
        return known
    finally:
        seen.close()
        os.unlink(seen.path)


def judge_verify(t, what, name, raw, all_ended):
    verified = t.verify(name)
    if verified.status:
        raise Failed("%s: verify: status %d\n%s" % (what, verified.status, verified.tail()))
    if not all_ended and "ended inside MPI" not in verified.err:
        raise Failed("%s: verify does not say that a process was cut off\n%s" % (what, verified.tail()))
    sealed = {p["sealed"] for p in t.info(name)["processes"]}
    if sealed != {not raw}:
        raise Failed("%s: sealed: %r" % (what, sealed))


@test("kills")
def kills(t):
    # three runs do not show all that MPICH's launcher may say
    rng, statuses, known = random.Random("%d %s" % (SEED, t.mpi)), set(MPICH_KILLED if t.mpi == "mpich" else ()), 0
    for number in range(3):
        seen = Seen(t.path("seen"))
        during = killer(seen, number % 2, 300, 0)
        statuses.add(t.run(t.launch(2, t.program("killed"), seen.path, "600", "50"), during=during).status)
        seen.close()
    for number in range(KILLS[t.mpi]):
        known += one_kill(t, number, rng, statuses)
    t.want(known > KILLS[t.mpi] * 100, "only %d calls had returned in all runs: the test shows nothing" % known)
