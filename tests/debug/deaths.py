#!/usr/bin/python3
"""Processes that die, hbdb that is killed, two sessions at once: nothing stays stopped, nothing stays behind."""
import os
import signal
import subprocess
import time

from lib import LAUNCH, LIMIT, Place, check, finish, has, lacks, mark, parts, same

SIZE = {"openmpi": 8, "mpich": 3}


def crashes(p):
    n = SIZE[p.mpi]
    status, out, err = p.live(["set timeout 60", "cont", "expect [2] is held", "[2] where", "[2] print how", "[0] where 1", "[2] cont", "wait",
                               "expect [2] is dead", "[2] where"], n, 2, "segv", 2)
    has("%s: a crash stops with its stack" % p.mpi, out, "[2] SIGSEGV (Segmentation fault), after 2:", "about to die",
        "[2]\n  #0  end_badly (steps.c:%d)\n  #1  main" % mark("segv"), "\"segv\"", "#0  main", "[2] dead: SIGSEGV",
        "[2] dead, as expected", "[2] dead: SIGSEGV")
    check("%s: who is dead cannot be looked at" % p.mpi, status == 1, out + err)
    status, out, err = p.live(["set timeout 60", "cont", "[2] where", "[2] print how"], n, 2, "abort", 2)
    has("%s: abort stops, too" % p.mpi, out, "[2] SIGABRT (Aborted), after 2:", "#0  end_badly", "how = ")
    same("%s: and leaving it there is fine" % p.mpi, status, 0)
    status, out, err = p.live(["set timeout 60", "cont", "wait", "expect [2] is dead", "status"], n, 2, "kill", 2)
    # the launcher may reap the process before anybody can ask what it died of; MPICH's kills the others, too
    has("%s: kill -9 cannot be stopped, and is told" % p.mpi, out, "[2] dead, as expected")


def one_dies(p):
    """The rest stays usable."""
    n = SIZE[p.mpi]
    p.record("segv.hbdb", n, 2, "segv", 2)
    status, out, err = p.debug(["goto 2:4", "cont", "[0] print total", "[0] where 1", "goto 1:3", "[1] expect after 1:3", "expect is held",
                                "cont", "[2] where 1"], "segv.hbdb")
    has("%s: a recorded crash is replayed" % p.mpi, out, "at the cut of 2:4", "[2]", "at the cut of 1:3", "from the beginning", "[1] after 1:3")
    status, out, err = p.debug(["set timeout 60", "cont", "[2] where", "expect [2] is held", "[0] print total"], "segv.hbdb")
    check("%s: and stops before it dies" % p.mpi, status == 0 and "end_badly" in out, out + err)


def wait_for(condition, seconds=LIMIT):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not condition():
        time.sleep(0.05)
    return condition()


def start_held(p, *more):
    """hbdb with a job that is held in the middle; its standard output tells when."""
    d = p.start("debug", "-x", "-", "ring.hbdb", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True)
    return d, ask(d, "goto 1:6", *more)


def ask(d, *commands):
    """What it says to these."""
    d.stdin.write("".join(c + "\n" for c in commands) + "focus\n")
    d.stdin.flush()
    text = ""
    while "focus [*]" not in text:
        line = d.stdout.readline()
        if not line:
            break
        text += line
    return text


def killed(p):
    """hbdb dies: nobody stays stopped, and nothing of it stays."""
    for name, sig, more in (("kill -9", signal.SIGKILL, ()), ("kill -9 with gdb", signal.SIGKILL, ("print total", "[1] break add", "[0] up")),
                            ("SIGTERM", signal.SIGTERM, ("print total",)), ("SIGHUP", signal.SIGHUP, ())):
        d, text = start_held(p, *more)
        check("%s: a job under way" % p.mpi, "at the cut of 1:6" in text and len(list(p.processes())) > SIZE[p.mpi], text)
        d.send_signal(sig)
        d.communicate(timeout=LIMIT)
        check("%s: %s of hbdb ends the job" % (p.mpi, name), p.alive() == [], p.alive(1))
        check("%s: %s leaves no folder" % (p.mpi, name), p.folders() == [], p.folders(1))
        same("%s: %s: exit status" % (p.mpi, name), d.returncode, -sig if sig == signal.SIGKILL else 128 + sig)


def two(p):
    """Two sessions of the same recording at once."""
    a, text_a = start_held(p, "[0] print total")
    b, text_b = start_held(p, "[0] next event")
    check("%s: two sessions stand" % p.mpi, "at the cut" in text_a and "at the cut" in text_b, text_a + text_b)
    out_a, _ = a.communicate("[1] expect after 1:6\nstop off\ncont\nexpect is exited\n", timeout=LIMIT)
    out_b, _ = b.communicate("[1] expect after 1:6\n[1] print total\nstop off\ncont\nexpect is exited\n", timeout=LIMIT)
    check("%s: the first one runs to its end" % p.mpi, a.returncode == 0 and "exited, as expected" in out_a, out_a)
    check("%s: and so does the second" % p.mpi, b.returncode == 0 and "exited, as expected" in out_b, out_b)


def child_killed(p):
    """A process of the job is killed from outside while it is held; gdb is killed."""
    d, _ = start_held(p, "[1] print total")
    steps = [pid for pid, _ in p.processes() if os.readlink("/proc/%d/exe" % pid) == p.path + "/steps"]
    same("%s: all processes are there" % p.mpi, len(steps), SIZE[p.mpi])
    os.kill(max(steps), signal.SIGKILL)
    # Its connection ends with the last of its threads, perhaps a moment after it has become a zombie.
    check("%s: its death is seen" % p.mpi, wait_for(lambda: "dead" in ask(d, "status")))
    out, _ = d.communicate("set timeout 30\nwait\nstatus\nexpect [dead] is dead\nset onerror continue\n[held] print total\nrun\nexpect is held\n", timeout=LIMIT)
    has("%s: a held process is killed" % p.mpi, out, "dead", *(["total = "] if p.mpi == "openmpi" else []), "held in MPI_Init",
        "held, as expected")
    d, _ = start_held(p, "[1] print total")
    gdbs = [pid for pid, _ in p.processes() if os.path.basename(os.readlink("/proc/%d/exe" % pid)).startswith("gdb")]
    for pid in gdbs:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    out, _ = d.communicate("set onerror continue\nset timeout 30\n[1] print total\n[1] print total\nstatus\nrun\n[1] print total\nexpect is held\n", timeout=LIMIT)
    check("%s: gdb is killed: the session goes on" % p.mpi, gdbs and "held, as expected" in out, out)


def left(p):
    """Files that the processes of leaves.c left behind; takes them away."""
    names = [n for n in os.listdir(p.path) if n.startswith("left.")]
    for n in names:
        os.remove(os.path.join(p.path, n))
    return names


def stands_and_dies(p):
    """However a job is ended: a process that stands does not execute another instruction."""
    p.build("leaves")
    p.record("leaves.hbdb", 2, program="./leaves")
    check("%s: the program leaves files when nothing stops it" % p.mpi, len(left(p)) == 2)
    at_break = ["break leave", "stop off", "cont", "expect is broken"]
    for how in (at_break + ["kill"], at_break + ["quit"], at_break + ["exit 3"], at_break, at_break + ["run", "expect is held"],
                at_break + ["expect is dead"], at_break + ["goto 0:1"], ["goto 0:2", "kill"], ["goto 0:2", "[0] where", "quit"],
                ["goto 0:2", "step", "back", "expect is held"], ["goto 0:2", "[0] step", "goto 1:1"], ["goto 0:2", "[1] step"]):
        status, out, err = p.debug(how, "leaves.hbdb")
        good = 3 if "exit 3" in how else 1 if "expect is dead" in how else 0
        check("%s: ended by %s: nothing more was executed" % (p.mpi, how[-1]), left(p) == [] and status == good, out + err)
        # Open MPI's may tell that it goes on (SIGCONT) before it sees that it has to end
        said = (out + err).replace("mpirun.openmpi: Forwarding signal 18 to job", "")
        lacks("%s: and the launcher says nothing" % p.mpi, said, "mpirun", "mpiexec", "signal", "BAD TERM")


def main():
    for mpi in LAUNCH:
        with Place(mpi) as p:
            p.record("ring.hbdb", SIZE[mpi], 3)
            for part in parts(mpi, (crashes, one_dies, stands_and_dies, killed, two, child_killed)):
                part(p)
    finish()


main()
