"""Recordings of runs that came to no good end, and hbdb itself killed or interrupted."""
import os
import re
import signal
import time

import processes
from lib import HBDB, test

# What MPICH's launcher returns after a signal changes from run to run, without hbdb too.
MPICH_SIGNALLED = (0, 2, 15)
# ... and when ranks were killed it is the signal, 1, or (MPICH 4.2) 0.
MPICH_KILLED = (0, 1, 9)


def children(pid):
    return [(child, name) for child, name, fields in processes.everyone() if int(fields[1]) == pid]


def below(pid):
    for child, name in children(pid):
        yield child, name
        yield from below(child)


def find(pid, name):
    return [child for child, its in below(pid) if its == name]


def after_start(t, action, rank_count=2):
    """Calls action(child) once every rank has printed something."""
    def during(child):
        end = time.time() + 100
        while time.time() < end and child.poll() is None:
            if len([f for f in os.listdir(t.dir) if re.fullmatch(r"events\.\d+", f)]) == rank_count:
                break
            time.sleep(0.01)
        time.sleep(0.1)
        if child.poll() is None:
            action(child)
    return during


def kill_ranks(which):
    def action(child):
        pids = find(child.pid, "process")
        for pid in pids if which is None else pids[which:which + 1]:
            kill(pid)
    return action


def kill(pid):
    """The launcher ends the others when it sees the first die, perhaps before it is their turn here."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_launcher(child):
    # the launcher: hbdb's child
    for pid, _ in children(child.pid):
        kill(pid)


def replays_to_the_end(t, wanted=(0,)):
    done = t.replay()
    t.want(done.status in wanted, "replay: status %d\n%s" % (done.status, done.tail()))
    t.want("differs" not in done.said, "replay differs\n" + done.said)
    t.want(re.search("recording ends here|as in the recording|no difference", done.said), "replay says: " + done.said)
    return done


def cut_short(name, action, mode=("slow", "1000")):
    def run(t):
        command = t.launch(2, t.program("process"), *mode)
        bare = t.run(command, during=after_start(t, lambda child: bare_action(t, child, action)))
        for f in os.listdir(t.dir):
            if re.fullmatch(r"events\.\d+", f):
                os.unlink(t.path(f))
        done = t.record(command, during=after_start(t, action))
        t.want(not done.left, "%d processes outlive hbdb record" % done.left)
        wanted = bare.status if bare.status >= 0 else 128 - bare.status
        accepted = (wanted,) + MPICH_SIGNALLED * (t.mpi == "mpich")
        if t.mpi == "mpich" and wanted in MPICH_KILLED:
            accepted += MPICH_KILLED
        t.want(done.status in accepted, "status %d, alone %d\n%s" % (done.status, wanted, done.tail()))
        t.want("ended inside MPI" in done.said, "hbdb should say that processes were cut off: " + done.said)
        counts, info = t.counted(), t.info()
        for p in info["processes"]:
            t.want(p["events"] >= counts[p["rank"]], "rank %d: %d calls counted, %d events" % (p["rank"], counts[p["rank"]], p["events"]))
        t.want(t.verify().status == 0, "verify: " + t.verify().tail())
        began = time.time()
        replays_to_the_end(t, (0,) + accepted)
        t.want(time.time() - began < 60, "the replay took %.1f s" % (time.time() - began))
    test("interrupted/" + name)(run)


def bare_action(t, child, action):
    """The same done to a run without hbdb: there the launcher is the child itself."""
    if action is kill_launcher:
        child.kill()
    else:
        action(child)


def to_all(which):
    """As a terminal does: the signal goes to every process of the job."""
    def action(child):
        os.kill(child.pid, which) if os.path.basename(HBDB) == comm(child.pid) else os.killpg(child.pid, which)
    return action


def comm(pid):
    with open("/proc/%d/comm" % pid, errors="replace") as f:
        return f.read().strip()


cut_short("one-rank-killed", kill_ranks(1))
cut_short("rank-0-killed", kill_ranks(0))
cut_short("all-ranks-killed", kill_ranks(None))
cut_short("launcher-killed", kill_launcher)
cut_short("terminated", to_all(signal.SIGTERM))
cut_short("deadlock-terminated", to_all(signal.SIGTERM), ("hang",))
cut_short("loop-terminated", to_all(signal.SIGTERM), ("loop",))


def time_is_over(child):
    """Has timeout(1) do what it does when its time is over; by then all are where they stay."""
    time.sleep(1)
    for pid in [child.pid] if comm(child.pid) == "timeout" else find(child.pid, "timeout"):
        os.kill(pid, signal.SIGALRM)


def timed_out(name, mode, inside):
    """Ended by timeout(1), as people do with programs that hang."""
    def run(t):
        command = ["timeout", "1000"] + t.launch(2, t.program("process"), mode)
        bare = t.run(command, during=after_start(t, time_is_over))
        for f in os.listdir(t.dir):
            if re.fullmatch(r"events\.\d+", f):
                os.unlink(t.path(f))
        done = t.record(command, during=after_start(t, time_is_over))
        t.same_status(bare, done)
        info = t.run([HBDB, "info", t.path("r.hbdb")])
        for rank in inside:
            t.want("rank %d never returned from MPI_Recv" % rank in info.out, "info does not say where rank %d hung\n%s" % (rank, info.out))
        began = time.time()
        done = replays_to_the_end(t, (0, bare.status))
        t.want(time.time() - began < 60, "the replay took %.1f s" % (time.time() - began))
        t.want(re.search("recording ends here|ended inside MPI", done.said), "replay does not say that the record ends here: " + done.said)
    test("interrupted/" + name)(run)


timed_out("deadlock", "hang", (0, 1))
timed_out("loop", "loop", (0,))


@test("interrupted/record-killed")
def record_killed(t):
    """SIGKILL of hbdb itself: what it left is a recording."""
    pids = []

    def action(child):
        pids.extend(pid for pid, _ in below(child.pid))
        child.kill()
    command = t.launch(2, t.program("process"), "slow", "1000")
    t.record(command, during=after_start(t, action))
    end = time.time() + 100
    while time.time() < end and any(processes.lives(pid) for pid in pids):
        time.sleep(0.05)
    left = [pid for pid in pids if processes.lives(pid)]
    t.want(not left, "processes of the job are left: %r" % left)
    info, counts = t.info(), t.counted()
    t.want(not any(p["sealed"] for p in info["processes"]), "who sealed it?")
    for p in info["processes"]:
        t.want(p["events"] >= counts[p["rank"]], "rank %d: %d calls counted, %d events" % (p["rank"], counts[p["rank"]], p["events"]))
    t.want(len(t.dump()) >= sum(counts.values()), "dump is shorter than the record")
    t.want(t.verify().status == 0, "verify: " + t.verify().tail())
    replays_to_the_end(t)


def ctrl_c(name, which):
    """A signal to hbdb: the job ends as without it, and the recording is finished."""
    def run(t):
        command = t.launch(2, t.program("process"), "slow", "1000")
        bare = t.run(command, during=after_start(t, to_all(which)))
        for f in os.listdir(t.dir):
            if re.fullmatch(r"events\.\d+", f):
                os.unlink(t.path(f))
        done = t.record(command, during=after_start(t, to_all(which)))
        wanted = bare.status if bare.status >= 0 else 128 - bare.status
        t.want(done.status == wanted or (t.mpi == "mpich" and done.status in MPICH_SIGNALLED),
               "status %d, alone %d\n%s" % (done.status, wanted, done.tail()))
        info, counts = t.info(), t.counted()
        t.want(info["exit_status"] == done.status, "exit status in the manifest: %r" % info["exit_status"])
        for p in info["processes"]:
            t.want(p["sealed"] and p["events"] >= counts[p["rank"]], "rank %d: %r, counted %d\n%s" % (p["rank"], p, counts[p["rank"]], done.tail()))
        replays_to_the_end(t, (0, done.status))
    test("interrupted/" + name)(run)


ctrl_c("sigint", signal.SIGINT)
ctrl_c("sighup", signal.SIGHUP)


@test("interrupted/rank-in-a-session-of-its-own", mpis=("mpich",))
def own_session(t):
    """MPICH's launcher gives each rank one. A rank that outlives it is waited for, and not taken for a daemon at once: it is about to end."""
    script = "setsid %s slow 100000 & while [ ! -e %s/events.0 ]; do sleep 0.05; done" % (t.program("process"), t.dir)
    done = t.record(["sh", "-c", script], "--mpi", "mpich")
    t.want(re.search(r"recorded on: rank 0 \(process (\d+)\)", done.said), "it should say that it lives on\n" + done.tail())
    kill(int(re.search(r"process (\d+)", done.said)[1]))
    t.want(done.seconds >= 2, "nobody waited for it: %.1f s\n%s" % (done.seconds, done.tail()))


@test("interrupted/replay-interrupted")
def replay_interrupted(t):
    command = t.launch(2, t.program("process"), "slow", "100")
    t.want(t.record(command).status == 0, "record failed")
    for f in os.listdir(t.dir):
        if re.fullmatch(r"events\.\d+", f):
            os.unlink(t.path(f))
    # in its own time the program would be over before a busy machine has come to this
    open(t.path("wait"), "w").close()
    done = t.replay(during=after_start(t, lambda child: child.send_signal(signal.SIGINT)))
    t.want(done.status not in (0, 3) and not done.late, "status %d after %.1f s\n%s" % (done.status, done.seconds, done.tail()))
    t.want(not done.left, "%d processes outlive it" % done.left)
    left = [f for f in os.listdir(t.dir) if f.startswith(".hbdb-replay") or f.startswith("hbdb-replay")]
    t.want(not left, "left behind: %r" % left)


SCRIPT = """touch %s/ready
while [ ! -e %s/go ]; do sleep 0.1; done
%s
:
"""


@test("interrupt/replay-killed")
def replay_killed(t):
    """hbdb is killed while the processes of a replay wait for it, behind a script that does not hand that on: nobody stays."""
    with open(t.path("run.sh"), "w") as f:
        f.write(SCRIPT % (t.dir, t.dir, " ".join(t.launch(2, t.program("waits"), "handler", "$1"))))
    command = ["sh", t.path("run.sh")]
    open(t.path("go"), "w").close()
    t.want(t.record(command + ["4"], "--mpi", t.mpi).status == 0, "record")
    os.remove(t.path("go"))
    os.remove(t.path("ready"))
    left = []

    def folders():
        return [n for n in os.listdir(t.dir) if n.startswith(".hbdb-replay")]

    def until(condition):
        end = time.time() + 100
        while not condition() and time.time() < end:
            time.sleep(0.05)
        return condition()

    def during(child):
        until(lambda: os.path.exists(t.path("ready")))
        child.send_signal(signal.SIGSTOP)
        open(t.path("go"), "w").close()
        if until(lambda: any(n.startswith("divergence.") for f in folders() for n in os.listdir(t.path(f)))):
            left.append("differs")
        child.kill()
        if until(lambda: not folders() and not [p for p in processes.in_session(child.pid) if p != child.pid]):
            left.append("gone")
    t.replay("--mpi", t.mpi, command=command + ["5"], during=during, seconds=300)
    t.want(left == ["differs", "gone"], "%s; still there: %s" % (left, folders()))
