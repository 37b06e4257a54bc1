"""Replays that stand still, and replays in which nothing is replayed: what is said of them is so."""
import json
import os
import re
import shutil
import signal
import struct
import time

import processes
from lib import HBDB, LAUNCH, test

# a buffer for messages that are not small, by options of the launcher
TCP = ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]
BUFFERS = ["--mca", "btl_tcp_eager_limit", "400000", "--mca", "btl_tcp_rndv_eager_limit", "400000"]


@test("replays/slow-operation")
def slow_operation(t):
    """All processes are inside one call for longer than patience: the recording took long there, too."""
    command = t.launch(2, t.program("waits"), "operation", "3")
    t.want(t.record(command).status == 0, "record")
    done = t.replay("--patience", "1", seconds=60)
    t.want(done.status == 0 and "sum 2" in done.out, "it was ended: status %d\n%s" % (done.status, done.tail()))
    t.want("no difference" in done.said and "got stuck" not in done.said, done.said)
    t.want(re.search(r"has been in MPI_Allreduce for \d+ s \(it took [\d.]+ s in the recording\)", done.said), done.said)


@test("replays/stuck", mpis=("openmpi",))
def stuck(t):
    """Who waits for whom is known from the recording: there is nothing to wait for."""
    record = LAUNCH[t.mpi] + TCP + BUFFERS + ["-n", "2", t.program("waits"), "heads", "100000"]
    replay = LAUNCH[t.mpi] + TCP + ["-n", "2", t.program("waits"), "heads", "100000"]
    t.want(t.record(record).status == 0, "record")
    done = t.replay("--patience", "1", command=replay, seconds=60)
    t.want(done.status == 1, "status %d\n%s" % (done.status, done.tail()))
    for rank in 0, 1:
        t.want("rank %d, event 2: waits in MPI_Send for event 3 of rank %d, which will never happen" % (rank, 1 - rank)
               in done.said, done.said)
    t.want("the recording shows that none can" in done.said, done.said)


@test("replays/handler")
def handler(t):
    """The job is ended for what rank 1 sends: what a handler of SIGTERM calls then is no difference."""
    t.want(t.record(t.launch(2, t.program("waits"), "handler", "4")).status == 0, "record")
    done = t.replay(command=t.launch(2, t.program("waits"), "handler", "5"), seconds=60)
    t.want(done.status == 1 and "rank 1, event 2: the program differs from the recording (tag)" in done.said, done.tail())
    t.want("rank 0" not in done.said and "differs in 1 of 2 processes" in done.said, done.said)


def replayed_otherwise(t, mode, n, first, then):
    """What the other run prints, of a recording that ends with the death of rank 0: processes move in another order, and make the same calls."""
    for folder in "recorded", "replayed":
        os.mkdir(t.path(folder))
    recorded = t.record(t.launch(n, t.program("died"), mode, t.path("recorded"), first), seconds=100)
    t.want("died first" in t.run([HBDB, "info", t.path("r.hbdb")]).out, "rank 0 did not die\n" + recorded.tail())
    return recorded, t.replay("--patience", "2", command=t.launch(n, t.program("died"), mode, t.path("replayed"), then), seconds=100)


def comes_to_its_end(t, done):
    t.want(done.status in (0, 134, 6) and "differs" not in done.said and "stuck" not in done.said,
           "status %d\n%s" % (done.status, done.tail()))


@test("replays/open-receive")
def open_receive(t):
    """A receive with wildcards whose end is not recorded had a message: in the replay it does not take that of the receive behind it, which comes first."""
    recorded, done = replayed_otherwise(t, "open", 3, "1", "2")
    comes_to_its_end(t, done)
    told = "the open one has 1, the other 2"
    t.want(told in recorded.out, "recorded:\n" + recorded.tail())
    t.want(told in done.out, "replayed:\n" + done.tail())


@test("replays/short-of-the-end")
def short_of_the_end(t):
    """The same with a receive that hbdb does not look at (MPI_Startall of several): a call that returned does not, and one whose record ends is not to blame."""
    done = replayed_otherwise(t, "started", 3, "1", "2")[1]
    t.want(done.status == 1 and "the replay got stuck: rank 0 did not return from MPI_Recv, its event" in done.said,
           "status %d\n%s" % (done.status, done.tail()))
    t.want("the recording ends here, so hbdb ended the job" not in done.said, done.said)


@test("replays/behind-the-end")
def behind_the_end(t):
    """Who was killed outside of MPI makes no further call in the replay: what it would send others could receive."""
    done = replayed_otherwise(t, "behind", 2, "0", "1")[1]
    comes_to_its_end(t, done)
    t.want("rank 1 sent" not in done.out, "a message that was not sent in the recorded run\n" + done.tail())
    t.want("did not send" in done.out or "recording ends here" in done.said, done.tail())


@test("replays/program-gone")
def program_gone(t):
    """Of a run that crashed: when the program does not start, nothing was replayed; when it ends early, that is said."""
    program = t.path("waits")
    shutil.copy(t.program("waits"), program)
    recorded = t.record(t.launch(2, program, "crash"), seconds=60)
    lax = t.mpi == "mpich"  # its launcher returns 0 or not when a process dies of a signal
    t.want((recorded.status != 0 or lax) and "ended inside MPI" in recorded.said, recorded.tail())
    done = t.replay(seconds=60)
    t.want((done.status != 0 or lax) and "ended inside MPI, as in the recording" in done.said, done.tail())
    early = t.replay(command=t.launch(2, program, "crash", "1"), seconds=60)
    t.want(early.status != 0 and "as in the recording" not in early.said and re.search("ended after event [12]", early.said), early.tail())
    os.rename(program, program + ".gone")
    gone = t.replay(seconds=60)
    t.want(gone.status != 0, "status %d\n%s" % (gone.status, gone.tail()))
    t.want("nothing was replayed" in gone.said and "no difference" not in gone.said, gone.said)


@test("replays/damaged-raw")
def damaged_raw(t):
    """Whatever bit of a raw log changes after its process has ended: verify sees it, or it reads the same."""
    t.want(t.record(t.launch(2, t.program("waits"), "operation", "0"), "--keep-raw").status == 0, "record")
    t.want(t.verify().status == 0, t.verify().tail())
    log, whole = t.path("r.hbdb/rank.1.log"), t.dump()
    with open(log, "rb") as f:
        bytes_of = f.read()
    used = [i for i, b in enumerate(bytes_of) if b]
    for k in range(24):
        at = used[k * len(used) // 24]
        changed = bytearray(bytes_of)
        changed[at] ^= 1 << k % 8
        with open(log, "wb") as f:
            f.write(changed)
        if t.verify().status == 0:
            t.want(t.dump() == whole, "byte %d changed: verify passes, and it reads differently" % at)


@test("replays/check-of-killed")
def check_of_killed(t):
    """A recording without --check of a run that died is not called free of errors."""
    t.record(t.launch(2, t.program("waits"), "crash"), seconds=60)
    done = t.run([HBDB, "check", t.path("r.hbdb")])
    t.want(done.status == 1 and "no errors" not in done.out + done.err, "status %d\n%s" % (done.status, done.tail()))
    t.want("did not end by themselves: killed by a signal" in done.err or "rank 0 died first" in done.err, done.err)


def held(t, n, child):
    """The processes, by rank, when hbdb waits for the ends of n: each holds a lock in its log, at offset 4096, with a bit that says so."""
    end = time.time() + 100
    while time.time() < end and child.poll() is None:
        pids = []
        for rank in range(n):
            try:
                with open(t.path("r.hbdb/rank.%d.log" % rank), "rb") as f:
                    head = f.read(4100)
            except OSError:
                break
            if len(head) == 4100 and struct.unpack_from("<I", head, 4096)[0] >> 31:
                pids.append(struct.unpack_from("<I", head, 32)[0])
        if len(pids) == n:
            return pids
        time.sleep(0.02)
    return None


def stands(pid):
    """Whether all of its threads stand: SIGSTOP takes a moment to reach each."""
    return set(processes.states(pid)) == {"T"}


def marked(t, n):
    """Whether the kernel has marked the locks of n processes that have ended."""
    for rank in range(n):
        with open(t.path("r.hbdb/rank.%d.log" % rank), "rb") as f:
            if not struct.unpack_from("<I", f.read(4100), 4096)[0] & 0x40000000:
                return False
    return True


@test("replays/killed-in-doubt")
def killed_in_doubt(t):
    """Who died first is not said when several were dying before hbdb could look."""
    def during(child):
        pids = held(t, 3, child)
        if not pids:
            return child.terminate()
        os.kill(child.pid, signal.SIGSTOP)
        while not stands(child.pid):
            time.sleep(0.02)
        os.kill(pids[2], signal.SIGKILL)
        end = time.time() + 100
        while not marked(t, 3) and time.time() < end:
            time.sleep(0.02)
        os.kill(child.pid, signal.SIGCONT)
    t.record(t.launch(3, t.program("waits"), "stand"), during=during, seconds=200)
    t.want("died_first" not in t.info(), t.info())
    text = t.run([HBDB, "info", t.path("r.hbdb")]).out
    t.want("which of them died first is not known" in text and "died first," not in text, text)


@test("replays/first-thread-ended")
def first_thread_ended(t):
    """A process whose first thread has ended is not said to have died first: the others went on."""
    t.record(t.launch(2, t.program("waits"), "thread"), seconds=60)
    t.want(t.info().get("died_first") != 0, t.info())


@test("replays/who-was-killed")
def who_was_killed(t):
    """One of three that wait is killed with signal 9, the launcher ends the others: which was which is said, and nobody says that all was well."""
    def during(child):
        pids = held(t, 3, child)
        if not pids:
            return child.terminate()
        os.kill(pids[2], signal.SIGKILL)
    for _ in range(20):  # on a busy machine another one may be dying before hbdb can look
        shutil.rmtree(t.path("r.hbdb"), ignore_errors=True)
        done = t.record(t.launch(3, t.program("waits"), "stand"), during=during)
        t.want(done.status in (9, 137), "record: status %d\n%s" % (done.status, done.tail()))
        if "died_first" in t.info():
            break
    t.want(t.info().get("died_first") == 2, t.info())
    text = t.run([HBDB, "info", t.path("r.hbdb")]).out
    t.want(re.search(r"^ +2 .*  died first$", text, re.M) and len(re.findall(r"^ +[01] .*  ended inside MPI$", text, re.M)) == 2, text)
    # MPICH's launcher says it by 9, which a program that exits with 9 has, too
    how = "by signal 9 (Killed)" + (" or with exit status 9" if done.status == 9 else "") + " as the launcher says; "
    t.want("rank 2 died first, " + how in text and "ranks 0-1 ended after that" in text, text)
    done = t.run([HBDB, "check", t.path("r.hbdb")])
    t.want(done.status == 1 and "no errors" not in done.out + done.err, "status %d\n%s" % (done.status, done.tail()))
    t.want("rank 2 died first, by signal 9" in done.err and "recorded without --check" in done.err, done.err)
    summary = json.loads(t.run([HBDB, "check", "--json", t.path("r.hbdb")]).out.splitlines()[-1])
    t.want(summary["died"] == "0-2" and "rank 2 died first" in summary["ending"] and not summary["remarks"], summary)
    t.run([HBDB, "check", "--sarif", t.path("s.sarif"), "--junit", t.path("j.xml"), t.path("r.hbdb")])
    with open(t.path("s.sarif")) as f:
        told = [n["message"]["text"] for n in json.load(f)["runs"][0]["invocations"][0]["toolExecutionNotifications"]]
    t.want(len(told) == 2 and "rank 2 died first" in told[0] and "without --check" in told[1], told)
    with open(t.path("j.xml")) as f:
        text = f.read()
    t.want('failures="1"' in text and '<failure message="rank 2 died first' in text and "without --check" in text, text)


@test("replays/check-of-cut-off", mpis=("mpich",))
def check_of_cut_off(t):
    """hbdb itself was killed, and nobody runs any more: that is not called free of errors either."""
    def during(child):
        pids = held(t, 2, child)
        if not pids:
            return child.terminate()
        child.kill()
        for pid in pids: # those that the launcher has not ended
            try:
                os.kill(pid, signal.SIGKILL)
                while processes.lives(pid):
                    time.sleep(0.02)
            except OSError:
                pass
    t.record(t.launch(2, t.program("waits"), "stand"), during=during)
    done = t.run([HBDB, "check", t.path("r.hbdb")])
    t.want(done.status == 1 and "no errors" not in done.out + done.err, "status %d\n%s" % (done.status, done.tail()))
    t.want("ranks 0-1 did not end by themselves" in done.err and "hbdb was killed" in done.err, done.err)


@test("replays/all-communicators", mpis=("mpich",))
def all_communicators(t):
    """hbdb takes none of a library's communicators from the program. (Open MPI has so many that it takes minutes.)"""
    command = t.launch(1, t.program("limit"))
    bare = t.run(command)
    t.want(bare.status == 0 and "communicators" in bare.out, "alone: status %d\n%s" % (bare.status, bare.tail()))
    t.same_run(bare, t.record(command))
    done = t.replay()
    t.want(done.status == 0 and done.lines() == bare.lines(), "replay: status %d, %s, alone %s\n%s" % (
        done.status, done.lines(), bare.lines(), done.said))
