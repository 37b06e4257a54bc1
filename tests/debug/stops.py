#!/usr/bin/python3
"""Stops by events: cuts are reached exactly, back, next event, who waits for whom, bookmarks, level order."""
import os
import socket
import subprocess
import sys
import time

from lib import LAUNCH, LIMIT, TOP, Place, check, finish, has, lacks, objects, parts, same, turn

SIZE = {"openmpi": 8, "mpich": 3}


def stands(out):
    """(life, event) by rank as the last status of --json tells."""
    last = {}
    for o in objects(out, "status"):
        last[o["rank"]] = o
    return last


def as_cut(p, out, event):
    """Whether the processes stand where the cut of the event says."""
    cut, now = [o for o in objects(out, "cut") if o["of"] == event], stands(out)
    wrong = []
    for c in cut:
        o = now[c["rank"]]
        wanted = c["event"] - (c["stop"] == "inside") if c["stop"] != "nothing" else 1
        if c["stop"] != "end" and (o["event"] != wanted or o["inside"] != (c["stop"] == "inside")):
            wrong.append((c, o))
    return check("%s: all stand at the cut of %s" % (p.mpi, event), cut and not wrong, "%r\n%s" % (wrong, out))


def cuts(p):
    n = SIZE[p.mpi]
    for event in ("0:2", "%d:4" % (n - 1), "1:8"):
        status, out, err = p.debug(["cone " + event, "status"], "--json", "--at", event, "ring.hbdb")
        check("%s: --at %s" % (p.mpi, event), status == 0, err)
        as_cut(p, out, event)
    status, out, err = p.debug(["stop at 1:6", "cont"], "--json", "ring.hbdb")
    as_cut(p, out, "1:6")
    status, out, err = p.debug(["goto 0:5", "goto 1:6", "goto 0:3", "stop off", "cont"], "--json", "ring.hbdb")
    same("%s: goto begins again only for what lies behind" % p.mpi,
         [(o["event"], o["reached"], o["restarted"]) for o in objects(out, "goto")],
         [("0:5", True, False), ("1:6", True, False), ("0:3", True, True)])
    same("%s: stop off and cont run to the end" % p.mpi, {o["life"] for o in stands(out).values()}, {"exited"})
    check("%s: and tell of it" % p.mpi, status == 0 and "total" in out, out + err)


def after_a_step(p):
    """Who has left the event by a step is brought back to it, from the beginning."""
    status, out, err = p.debug(["goto 1:6", "[1] step", "goto 1:6", "[1] expect after 1:6", "[1] expect is held", "[1] next 3", "goto 1:6",
                                "[1] expect after 1:6", "[1] expect is held", "[0] next", "goto 0:3", "[0] expect after 0:3"],
                               "--json", "ring.hbdb")
    same("%s: goto what was stepped past" % p.mpi, [(o["event"], o["reached"], o["restarted"]) for o in objects(out, "goto")],
         [("1:6", True, False), ("1:6", True, True), ("1:6", True, True), ("0:3", True, True)])
    check("%s: and it stands there" % p.mpi, status == 0, out + err)


def farm(p):
    """Wildcards: which message comes first decides the cut."""
    n = min(SIZE[p.mpi], 4)
    with open(TOP + "/examples/farm.c") as f:
        source = f.read().replace("TASKS = 1000", "TASKS = 30")
    with open(p.path + "/farm.c", "w") as f:
        f.write(source)
    subprocess.run(["mpicc." + p.mpi, "-g", "-o", p.path + "/farm", p.path + "/farm.c"], check=True)
    status, out, err = p.run("record", "-o", "farm.hbdb", "--", *p.command(n, program="./farm"))
    for event in ("0:21", "1:4"):  # a worker has at least one task
        status, out, err = p.debug(["cone " + event, "status"], "--json", "--at", event, "farm.hbdb")
        as_cut(p, out, event)
    status, out, err = p.debug(["race", "[0] race", "stop off", "cont"], "farm.hbdb", "--at", "0:%d" % (n + 1))
    check("%s: race without an event needs one process" % p.mpi, status == 2 and "one process" in err, out + err)
    status, out, err = p.debug(["[0] race", "race 1:3", "[0] events 2"], "farm.hbdb", "--at", "0:%d" % (n + 1))
    has("%s: race" % p.mpi, out, "MPI_Recv  farm.c:71", "0:%d got " % (n + 1), "or ",
        "1:3 did not race", "> 0:%d" % (n + 1), "MPI_Recv(count=2")


def moving(p):
    n = SIZE[p.mpi]
    status, out, err = p.debug(["[0] next event", "[1] next event", "[1] next event 2", "[1] back", "expect [1] after 1:4", "back 2",
                                "[1] expect after 1:2"], "ring.hbdb", "--at", "0:3")
    has("%s: next event and back" % p.mpi, out, "at the cut of 0:3", "[0] held after 0:4  MPI_Send", "[1] held after 1:4  MPI_Recv",
        "[1] blocked in MPI_Recv from 0, which is stopped after 0:4\n", "at the cut of 1:4, ", " from the beginning",
        "[1] after 1:4, as expected", "at the cut of 1:2", "[1] after 1:2, as expected")
    same("%s: next event and back: fine" % p.mpi, (status, err), (0, ""))
    status, out, err = p.debug(["stop at 0:3", "cont", "[1] next event 3", "[0] next event", "[1] cont", "status"], "ring.hbdb")
    lacks("%s: nobody dies of being stopped" % p.mpi, out, "dead")
    status, out, err = p.debug(["back", "[0] back 2", "[0] back"], "ring.hbdb")
    check("%s: nothing before the first event" % p.mpi, status == 1 and "back needs an event to start from" in err, out + err)
    status, out, err = p.debug(["[0] next event 2", "[0] back", "[0] back 9"], "ring.hbdb")
    check("%s: back of one process" % p.mpi, "at the cut of 0:" in out and "cannot go back 9: there are not that many events before 0:" in err, out + err)
    status, out, err = p.debug(["stop at 1:3", "cont", "stop at 1:2"], "ring.hbdb")
    has("%s: a stop that lies behind is told" % p.mpi, out, "the cut of 1:2", "past it: goto 1:2 starts again from the beginning")
    same("%s: and is no mistake" % p.mpi, status, 0)


def bookmarks(p):
    status, out, err = p.debug(["bookmark a 1:4", "bookmark b 0:2", "bookmark", "goto a", "[1] expect after 1:4", "goto b",
                                "[0] expect after 0:2", "cone a"], "ring.hbdb")
    check("%s: bookmarks" % p.mpi, status == 0, out + err)
    has("%s: bookmarks are listed" % p.mpi, out, "a is 1:4", "a            1:4\nb            0:2\n", "[1] after 1:4, as expected",
        "[0] after 0:2, as expected", "the cut of 1:4")


def never(p):
    """What a process waits for comes from one that stands: told, not waited for for ever."""
    n = SIZE[p.mpi]
    status, out, err = p.debug(["[0:%d] cont" % (n - 2), "[0:%d] status" % (n - 2), "[0] expect is blocked",
                                "[%d] expect is held" % (n - 1)], "ring.hbdb")
    has("%s: a process that never arrives" % p.mpi, out, "[0] blocked in MPI_Recv from %d, which is stopped in MPI_Init" % (n - 1))
    status, out, err = p.debug(["set timeout 60", "[0:%d] cont" % (n - 2), "[0] expect is blocked", "[%d] cont" % (n - 1), "wait",
                                "expect is exited"], "ring.hbdb")
    check("%s: and it goes on when the other does" % p.mpi, status == 0 and "total" in out, out + err)


def hang(p):
    """A recorded hang: at the end everybody stands where it hung."""
    n = 2
    # who is in MPI_Finalize is given 20 s before hbdb calls it blocked
    how, call = ("hang", "MPI_Finalize") if "--all" in sys.argv[1:] or turn.has("in MPI_Finalize", 4) else ("cycle", "MPI_Recv")
    record = p.start("record", "-o", "hang.hbdb", "--", *p.command(n, 2, how), stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL)
    end = time.monotonic() + LIMIT
    while time.monotonic() < end and "rank 1  %s(" % call not in p.run("hang", "hang.hbdb")[1]:
        time.sleep(0.1)
    record.terminate()
    record.wait(LIMIT)
    status, out, err = p.debug(["set timeout 60", "cont", "status"], "hang.hbdb")
    has("%s: a recorded hang" % p.mpi, out, "[0] blocked in MPI_Recv", "[1] blocked in " + call)
    lacks("%s: is stopped, not dead" % p.mpi, out, "[0] dead", "[0] exited")


def order(p):
    p.run("record", "--level", "order", "-o", "order.hbdb", "--", *p.command(2, 2))
    status, out, err = p.debug(["status", "goto 0:3"], "order.hbdb")
    check("%s: level order: no events to stop at, and it says so" % p.mpi, status == 1 and "level order" in err
          and "record at level events" in err and "[0:1] held in MPI_Init" in out, out + err)
    status, out, err = p.run("debug", "--at", "0:3", "order.hbdb")
    check("%s: level order: nor to go to" % p.mpi, status == 2 and "record at level events" in err, out + err)
    status, out, err = p.debug(["cont", "expect is exited"], "order.hbdb")
    check("%s: level order: it is replayed all the same" % p.mpi, status == 0 and "total" in out, out + err)


def live(p):
    n = SIZE[p.mpi] if p.mpi == "openmpi" else 2
    status, out, err = p.live(["stop at 1:4", "cont", "[1] expect after 1:4", "stop off", "goto 1:2"], n, 3)
    has("%s: a live run stops one process" % p.mpi, out, "only [1] stops, after 1:4", "[1] held after 1:4", "[1] after 1:4, as expected")
    check("%s: and says why it cannot go to an event" % p.mpi, status == 1 and "the recording of this run is not finished" in err, err)
    check("%s: its recording is told at the end" % p.mpi, "live-0.hbdb" in err, err)
    status, out, err = p.run("verify", "live-0.hbdb")
    check("%s: and is whole" % p.mpi, status == 0, out + err)
    status, out, err = p.live(["cont", "expect is exited"], n, 3)
    check("%s: a live run to its end" % p.mpi, status == 0 and "total" in out, out + err)
    status, out, err = p.debug(["goto 1:6"], p.name("live").replace("live-2", "live-1"))
    check("%s: is a recording to debug" % p.mpi, status == 0 and "at the cut of 1:6" in out, out + err)


def other(p):
    """NAME -- COMMAND: the same recording with another command line."""
    subprocess.run(["cp", p.path + "/steps", p.path + "/other"], check=True)
    status, out, err = p.debug(["goto 1:4", "[1] expect after 1:4"], "ring.hbdb", "--",
                               *p.command(SIZE[p.mpi], 3, program="./other"))
    check("%s: another program that does the same" % p.mpi, status == 0, out + err)
    status, out, err = p.debug(["cont", "status"], "ring.hbdb", "--", *p.command(SIZE[p.mpi], 1))
    check("%s: one that differs: status 1" % p.mpi, status == 1 and "differs" in out + err, out + err)


def secret(p):
    """What processes are believed for stands nowhere where another user could read it; who does not know it is not heard."""
    d = p.start("debug", "--listen", "127.0.0.1", "-x", "-", "-o", "secret.hbdb", "--", *p.command(2, 3), stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    d.stdin.write("stop at 1:4\ncont\nfocus\n")
    d.stdin.flush()
    text = ""
    while "focus [*]" not in text and (line := d.stdout.readline()):
        text += line
    files = [f for f in os.listdir(p.path + "/secret.hbdb") if "secret" in f]
    check("%s: a run over TCP stops" % p.mpi, "[1] held after 1:4" in text and len(files) == 1, text + str(files))
    path = os.path.join(p.path, "secret.hbdb", files[0]) if files else "/dev/null"
    with open(path) as f:
        digits = f.read().strip()
    lines, where = [], None
    for pid, _ in p.processes():
        with open("/proc/%d/cmdline" % pid, errors="replace") as f:
            lines.append(f.read().replace("\0", " "))
        with open("/proc/%d/environ" % pid, errors="replace") as f:
            where = next((v[len("HBDB_CONTROL=tcp:"):] for v in f.read().split("\0") if v.startswith("HBDB_CONTROL=tcp:")), where)
    check("%s: the secret is in a file that only its owner can read" % p.mpi, len(digits) == 32 and os.stat(path).st_mode & 0o777 == 0o600)
    check("%s: and in no command line" % p.mpi, len(lines) > 3 and not [li for li in lines if digits in li or "SECRET=" in li], lines)
    with socket.create_connection((where.split(":")[0], int(where.split(":")[1])), timeout=300) as s:
        s.sendall(b"hello 1 %s 0 2 1 record here\n" % (b"0" * 32))
        out, _ = d.communicate("stop off\ncont\nexpect is exited\n", timeout=100)
        same("%s: who does not know it is hung up on" % p.mpi, s.recv(100), b"")
    check("%s: the others are not disturbed" % p.mpi, d.returncode == 0 and "exited, as expected" in out, out)
    same("%s: the file is gone" % p.mpi, os.path.exists(path), False)


def main():
    for mpi in LAUNCH:
        with Place(mpi) as p:
            p.record("ring.hbdb", SIZE[mpi], 3)
            for part in parts(mpi, (cuts, after_a_step, farm, moving, bookmarks, never, hang, order, live, other, secret)):
                part(p)
    finish()


main()
