#!/usr/bin/python3
"""hbdb sql: the command, every table and the queries of docs/queries.md, on recordings of mixed.c under both MPIs."""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "cli")]

import command  # noqa: E402
import damage  # noqa: E402
import lib  # noqa: E402
import narrow  # noqa: E402
import queries  # noqa: E402
import tables  # noqa: E402
from lib import check, same  # noqa: E402
from reference import Recording  # noqa: E402

ROUNDS = int(os.environ.get("ROUNDS", 10))  # of damaged recordings; more by hand
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca",
                "mpi_yield_when_idle", "1", "-n", "4"],
    "mpich": ["mpirun.mpich", "-n", "3"],
}


def record(place, mpi, name, *args, timeout=60):
    subprocess.run(["mpicc." + mpi, "-std=gnu17", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
                    "-Wno-stringop-overflow", "-Wno-stringop-overread", "-o", place.path + "/mixed-" + mpi,
                    HERE + "/mixed.c"], check=True)
    # the library that writes the log: of the build, not of the sanitised one
    done = subprocess.run([os.path.join(lib.TOP, "build/hbdb"), "record", "-o", name + ".hbdb", "--", *LAUNCH[mpi],
                           place.path + "/mixed-" + mpi, *args], cwd=place.path, env=place.env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=timeout)
    return done.returncode, done.stdout + done.stderr


def hanging(place):
    """A call that never returned is an event without an end, and a receive without a message."""
    import rawlog
    folder = place.path + "/hang.hbdb"
    rawlog.manifest(folder, started=command.STARTED)
    log = rawlog.example(0, 2, state=0)
    log.never_returned("MPI_Recv", (1, 0, 1, 77, 0))
    log.write(folder)
    status, out, err = place.run("sql", "hang", "SELECT event, call, exit, duration, returned, peer, tag FROM events "
                                 "WHERE returned = 0; SELECT inside, state FROM processes WHERE rank = 0;"
                                 "SELECT post_event, done_event, asked_source, tag FROM messages WHERE state = 'unsatisfied' "
                                 "AND post_event > 25")
    lines = out.split("\n")
    same("an event that never ended", lines[0].split("\t")[:5], ["26", "MPI_Recv", "", "", "0"])
    same("its process", lines[1], "1\tinside")
    check("its receive, and the missing rank", status == 3 and lines[2] == "26\t\t1\t77" and "rank 1" in err, (out, err))


def pending(place):
    """A message whose receive was posted, and of that no end is known: neither received nor unreceived."""
    import rawlog
    folder = place.path + "/pending.hbdb"
    rawlog.manifest(folder, processes=2, started=command.STARTED)
    message = (*rawlog.MESSAGE, ("peer", rawlog.RANK), ("tag", rawlog.TAG), *rawlog.COMM_ARGS)
    for rank, name, cls, peer in ((0, "MPI_Recv", rawlog.RECV, "source"), (1, "MPI_Send", rawlog.SEND, "dest")):
        log = rawlog.Log(rank, 2, state=0)
        log.function(name, cls, *((peer if a == "peer" else a, k) for a, k in message))
        log.datatype(0, 4, "MPI_INT")
        log.comm(0, -1, 0, 0, rank, [0, 1])
        if rank:
            log.event(name, (1, 0, 0, 77, 0))
        else:
            log.never_returned(name, (1, 0, 1, 77, 0))
        log.write(folder)
    same("a message whose receive has no end", place.run("sql", "pending", "SELECT state, sender, send_event, receiver, "
         "post_event, done_event FROM messages")[1], "pending\t1\t1\t0\t1\t\n")


def remarks(place):
    """The golden log with remarks, in the place of a recording: what a remark says, a row for each field."""
    folder = place.path + "/remarked.hbdb"
    os.mkdir(folder)
    shutil.copy(lib.TOP + "/tests/golden/sealed-remarks.log", folder + "/rank.0.log")
    rows = [line.split("\t") for line in place.run("sql", "remarked", "SELECT lane, event, number, field, value FROM remarks "
                                                   "WHERE kind = 'leak' AND field <> 'site' AND field <> 'made'")[1].splitlines()]
    first = rows[0][2] if rows else ""
    same("what a remark tells", [row[:2] + row[3:] for row in rows if row[2] == first],
         [["0", "9", "fn", "MPI_Finalize"], ["0", "9", "what", "comm"], ["0", "9", "madefn", "MPI_Comm_dup"], ["0", "9", "numbers", "2"]])
    same("two leaks, and accesses that are alike", place.run("sql", "remarked", "SELECT kind, count(DISTINCT number) FROM remarks "
         "WHERE kind IN ('leak', 'rma', 'rma+') GROUP BY kind ORDER BY kind; SELECT DISTINCT value FROM remarks WHERE "
         "field = 'target' AND kind = 'rma'; SELECT typeof(value), value FROM remarks WHERE kind = 'rma+' AND field = 'd' LIMIT 1; "
         "SELECT count(*) FROM remarks WHERE rank = 1; SELECT lane IS NULL, event IS NULL FROM remarks WHERE kind = 'on' LIMIT 1")[1],
         "leak\t2\nrma\t2\nrma+\t11\n1\n0\ninteger\t3\n0\n1\t1\n")


def main():
    with lib.Place(libraries=False) as place:
        command.run(place)
        hanging(place)
        pending(place)
        remarks(place)
        for mpi in LAUNCH:
            status, said = record(place, mpi, mpi)
            check("recorded under " + mpi, status == 0, said)
            recording = Recording(place, mpi)
            check("the dump of it has events", recording.status == 0 and len(recording.events) > 60, recording.events[:3])
            tables.run(place, mpi, recording)
            narrow.run(place, mpi, recording)
            queries.run(place, mpi, recording)
            command.not_whole(place, mpi)
            damage.run(place, mpi, ROUNDS)
        damage.golden(place)
        narrow.large(place)
    lib.finish()


main()
