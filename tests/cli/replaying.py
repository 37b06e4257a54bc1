#!/usr/bin/python3
"""hbdb replay without MPI: programs that write the reports of a replay as the capture library would."""
import os
import signal
import subprocess
import time

import lib
import rawlog
from lib import HBDB, check, has, same

# Its arguments are what each rank reports; "sleep" keeps the job alive.
REPORTER = r"""import os, sys, time
where, script = os.environ["HBDB_DIR"], os.environ["HBDB_SCRIPT"]
assert os.environ["HBDB_MODE"] == "replay" and os.path.exists(script + "/rank.1.log")
print("contents", os.environ["HBDB_CONTENTS"], os.environ["HBDB_DIVERGENCE"])
sys.stdout.flush()
status = 0
for word in sys.argv[1:]:
    if word == "sleep":
        time.sleep(60)
    elif word.startswith("status"):
        status = int(word[6:])
    elif word == "log":
        for rank in range(2):
            name = "/rank.%d.log" % rank
            with open(script + name, "rb") as f, open(os.environ["HBDB_REPLAY_LOG"] + name, "wb") as g:
                g.write(f.read())
    elif word == "pause":
        time.sleep(0.3)
    else:
        name, _, text = word.partition("=")
        with open("%s/.%s" % (where, name), "w") as f:
            f.write(text + "\n")
        os.rename("%s/.%s" % (where, name), "%s/%s" % (where, name))
sys.exit(status)
"""


class Replays:
    def __init__(self, place):
        self.place = place
        with open(place.path + "/reporter.py", "w") as f:
            f.write(REPORTER)
        place.script("app", "exec /usr/bin/python3 %s/reporter.py \"$@\"\n" % place.path)
        rawlog.manifest(place.path + "/two.hbdb", processes=2, command=["./app", "done.0", "done.1"], folder=place.path)
        for rank in range(2):
            rawlog.example(rank, 2).write(place.path + "/two.hbdb")

    def run(self, *args, options=(), **more):
        status, out, err = self.place.run("replay", *options, "two", "--mpi", "openmpi", "--", "./app", *args, **more)
        left = [f for f in os.listdir(self.place.path) if f.startswith(".hbdb")]
        if left:
            check("no session stays behind", False, left)
        return status, out, err


def endings(r):
    status, out, err = r.run("done.0", "done.1")
    same("all done: fine", status, 0)
    has("and said so", err, "replayed 2 processes, 50 events: no difference in the calls; contents not compared: "
        "those of 2 processes that ended before hbdb could ask for them\n")
    same("the job's own status", r.run("done.0", "done.1", "status4")[0], 4)
    status, _, err = r.run("done.0")
    same("a silent process is no success", status, 1)
    has("and is named", err, "not replayed: rank 1 did not get through MPI_Init")
    status, _, err = r.run()
    same("nobody followed the record", (status, "nothing was replayed" in err), (1, True))
    begin = time.time()
    status, _, err = r.run("done.0", "end.1=rank 1, event 25: the recording ends here", "sleep")
    same("the record ends: the job is ended, fine", status, 0)
    has("and said where", err, "rank 1, event 25: the recording ends here", "hbdb ended the job")
    check("at once", time.time() - begin < 10, time.time() - begin)
    status, _, err = r.place.run("replay", "--trust", "two")
    same("the recorded command is the default", status, 0)
    status, _, err = r.run("done.0", "done.1", "done.7")
    same("a rank too many", (status, "rank 7 started" in err), (1, True))


def divergences(r):
    begin = time.time()
    status, _, err = r.run("divergence.1=rank 1, event 3: differs\n  at @%s+0x1@" % HBDB,
            "divergence.0=rank 0, event 4: differs", "sleep")
    same("a difference: 1", status, 1)
    has("with both reports, places filled in", err, "hbdb: rank 1, event 3: differs\nhbdb:   at hbdb+0x1\n",
            "rank 0, event 4")
    check("the first one first", err.index("rank 1, event 3") < err.index("rank 0, event 4"), err)
    check("and the job is ended", time.time() - begin < 10, time.time() - begin)
    status, _, err = r.run("divergence.1=first", "pause", "divergence.1=first\nsecond", "done.0", "done.1", "status0",
                           options=("--on-divergence", "warn"))
    same("warn: the job goes on, the answer is 1 still", status, 1)
    same("and each line is printed once", [err.count("hbdb: first\n"), err.count("hbdb: second\n")], [1, 1])
    status, out, err = r.run("contents.1=other contents", "done.0", "done.1", options=("--contents", "warn"))
    same("contents under warn change nothing", status, 0)
    has("but are printed", err, "other contents", "no difference in the calls; 1 of")
    has("contents: on", out, "contents warn stop")
    has("default", r.run("done.0", "done.1")[1], "contents warn stop")
    has("for who wants it", r.run("done.0", "done.1", options=("--contents", "stop"))[1], "contents stop stop")
    err = r.run("done.0", "done.1", "looked.0=40 0 2 0 0 0 0 0 0", "looked.1=2 0 1 0 1 0 3 0 0")[2]
    has("what was not compared", err, "no difference in the calls, nor in the 42 contents that were compared; contents not "
        "compared: 3 with datatypes that have holes, 1 in memory that only the MPI library reads, 3 one-sided\n")
    err = r.run("done.0", "done.1", "looked.0=40 0 2 0 0 0 0 0 0")[2]
    has("one was killed before it told", err, "contents that were compared; contents not compared: those of 1 process that ended "
        "before hbdb could ask for them, 2 with datatypes that have holes\n")
    err = r.run("done.0", "done.1", "looked.0=40 0 0 0 0 0 0 0 0", "looked.1=2 0 0 0 0 0 0 0 0")[2]
    has("everything was", err, "events: no difference\n")
    err = r.run("done.0", "done.1", "suspect.0=the buffer changed")[2]
    check("what may explain differences is told when there are any", "the buffer changed" not in err, err)
    err = r.run("done.0", "done.1", "contents.1=other contents", "suspect.0=the buffer changed")[2]
    has("and then it is", err, "other contents", "the buffer changed")
    out = r.place.run("replay", "two", "--mpi", "mpich", "--", "./app", "done.0", "done.1")[1]
    has("another MPI: contents warn", out, "contents warn stop")
    _, _, err = r.run("note.0=threads are not ordered", "note.1=threads are not ordered", "done.0", "done.1")
    same("the same note once", err.count("threads are not ordered"), 1)


def ending_a_job(r):
    """A script dies and would leave its children; a process may not want to die."""
    child = "sleep 61%d" % os.getpid()  # which nobody else runs on this machine
    r.place.script("stubborn", "trap '' TERM\n./app divergence.0=x &\n%s &\nwhile :; do sleep 0.1; done\n" % child)
    begin = time.time()
    status = r.place.run("replay", "two", "--mpi", "openmpi", "--", "./stubborn")[0]
    # it has no end of its own: however late, that it is over is hbdb's doing
    check("a job that ignores SIGTERM is killed", status == 1 and 2 < time.time() - begin, (status, time.time() - begin))
    text = subprocess.run(["ps", "ax", "-o", "args"], capture_output=True, text=True).stdout
    check("and its children with it", child not in text.splitlines(), text)
    job = subprocess.Popen([HBDB, "replay", "two", "--mpi", "openmpi", "--", "./app", "sleep"], cwd=r.place.path,
            env=r.place.env,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                           start_new_session=True)
    job.stdout.readline()
    job.send_signal(signal.SIGTERM)
    job.communicate(timeout=300)
    left = [f for f in os.listdir(r.place.path) if f.startswith(".hbdb")]
    same("a replay that is interrupted cleans up", (job.returncode, left), (143, []))


def others(r):
    r.place.script("bin/mpirun.openmpi", "shift 4\nexec \"$@\"\n")
    status, _, err = r.place.run("replay", "two", "--", "bin/mpirun.openmpi", "-n", "3", "./app")
    same("another number of processes is refused", (status, "2 processes, but the command starts 3" in err), (2, True))
    status, _, err = r.run("log", "done.0", "done.1", options=("-o", "again.hbdb"))
    same("-o records the replay", status, 0)
    same("and that is a recording", r.place.run("verify", "again")[0], 0)
    same("of the same events", r.place.run("dump", "--plain", "again")[1], r.place.run("dump", "--plain", "two")[1])
    has("that knows its origin", r.place.run("info", "again")[1],
            "replay of     %s/two.hbdb" % os.path.realpath(r.place.path))
    same("an existing one stays", r.run("done.0", "done.1", options=("-o", "again.hbdb"))[0], 2)
    with open(r.place.path + "/changed", "w") as f:
        f.write("#!/bin/sh\n")
    same("an unknown name", r.place.run("replay", "none")[0], 3)
    same("an unknown choice", r.place.run("replay", "--contents", "never", "two")[0], 2)


def changed(place):
    place.script("prog", "exec /usr/bin/python3 - <<E\nimport sys\nsys.path.insert(0, %r)\nimport os, rawlog\n"
                 "rawlog.example().write(os.environ['HBDB_DIR'])\nE\n" % os.path.dirname(os.path.abspath(__file__)))
    has("recorded", place.run("record", "-o", "c.hbdb", "--mpi", "mpich", "./prog")[2], "c.hbdb: 1 process, 25 events")
    place.script("prog", "echo other\n")
    has("a program that changed is said", place.run("replay", "c")[2], "prog has changed since it was recorded")


def main():
    with lib.Place() as place:
        r = Replays(place)
        endings(r)
        divergences(r)
        ending_a_job(r)
        others(r)
        changed(place)
    lib.finish()


main()
