"""Disks that are full or may not be written: the program does not notice, the record says what it lacks."""
import os
import re
import shlex
import subprocess

from lib import HBDB, Skipped, preload_of, test

ROUNDS = 33000  # of two processes: more than 2e5 calls


def inside(t, script, *files):
    """Runs a shell script in a mount namespace of its own; what it leaves in t.dir stays, its mounts go."""
    if os.geteuid() or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        raise Skipped("mounting needs root")
    os.makedirs(t.path("m"), exist_ok=True)
    done = t.run(["unshare", "-m", "sh", "-c", "set -u; M=%s K=%s\n%s" % (shlex.quote(t.path("m")), shlex.quote(t.dir), script)],
                 seconds=60)
    t.want(done.status == 0, "the script failed\n" + done.tail())
    return [open(t.path(f), errors="replace").read() for f in files]


def quoted(command):
    return " ".join(shlex.quote(word) for word in command)


@test("disk/full")
def full(t):
    command = t.launch(2, t.program("process"), "plain", str(ROUNDS))
    bare = t.run(command, seconds=60)
    out, err, status, listing, info = inside(t, """
        mount -t tmpfs -o size=1m none $M || exit 1
        %s record -o $M/r.hbdb -- %s >$K/out 2>$K/err; echo $? >$K/status
        ls -la $M/r.hbdb >$K/listing; df $M >>$K/listing
        %s info $M/r.hbdb >$K/info 2>&1
        cp -r $M/r.hbdb $K/r.hbdb""" % (HBDB, quoted(command), HBDB), "out", "err", "status", "listing", "info")
    t.want(sorted(out.splitlines()) == bare.lines(), "prints something else: %s\n%s" % (out, err))
    t.want(int(status) == bare.status, "status %s, alone %d\n%s" % (status, bare.status, err))
    for rank in (0, 1):
        said = [line for line in err.splitlines() if line.startswith("hbdb: rank %d:" % rank)]
        t.want(len(said) == 1 and "No space left" in said[0], "rank %d should say once that the disk is full: %r" % (rank, said))
    lost = re.search(r"not stored +(\d+) events: No space left", info)
    t.want(lost and int(lost[1]), "info does not say how many events were lost\n%s" % info)
    t.want(re.search(r"No space left on device; %s events are missing" % lost[1], err), "record does not say that %s events were lost\n%s" % (lost[1], err))
    summary = t.all_events(lost=True)
    t.want(summary["events"] > 20000, "only %d events fitted into 1 MiB\n%s" % (summary["events"], listing))
    t.want(len(t.dump("--rank", "0")) == summary["processes"][0]["events"], "dump does not show all that is stored")
    verified = t.verify()
    t.want(verified.status == 3 and "recording stopped (No space left" in verified.err, "verify: status %d\n%s" % (verified.status, verified.tail()))
    replayed = t.replay(seconds=120)  # MPICH spins: slow on a busy machine
    t.want(replayed.status == 0 and "recording ends here" in replayed.err, "replay: status %d\n%s" % (replayed.status, replayed.tail()))


@test("disk/full-from-the-start")
def full_from_the_start(t):
    """No room for a log at all, though there was for the folder."""
    command = t.launch(2, t.program("process"), "plain", "200")
    bare = t.run(command)
    out, err, status, rest = inside(t, """
        mount -t tmpfs -o size=128k none $M || exit 1
        head -c 65536 /dev/zero >$M/ballast
        %s record -o $M/r.hbdb -- %s >$K/out 2>$K/err; echo $? >$K/status
        ls -R $M >$K/rest""" % (HBDB, quoted(command)), "out", "err", "status", "rest")
    t.want(sorted(out.splitlines()) == bare.lines(), "prints something else: %s\n%s" % (out, err))
    t.want(int(status) == bare.status, "status %s, alone %d\n%s" % (status, bare.status, err))
    t.want("No space left" in err, "nothing says that the disk is full\n%s" % err)


@test("disk/full-when-sealing")
def full_when_sealing(t):
    """The raw logs just fit: there is no room for the sealed ones beside them, so the raw ones stay."""
    command = t.launch(2, t.program("process"), "plain", "6000")
    out, status, listing, err = inside(t, """
        mount -t tmpfs -o size=8m none $M || exit 1
        sh -c 'while [ ! -s $0/r.hbdb/rank.1.log ]; do sleep 0.02; done; head -c 16m /dev/zero >$0/ballast 2>/dev/null' $M &
        %s record -o $M/r.hbdb -- %s >$K/out 2>$K/err; echo $? >$K/status
        wait
        ls -la $M/r.hbdb >$K/listing; rm $M/ballast
        cp -r $M/r.hbdb $K/r.hbdb""" % (HBDB, quoted(command)), "out", "status", "listing", "err")
    t.want(int(status) == 0, "status %s\n%s" % (status, err))
    t.all_events(lost=True)
    leftovers = [f for f in os.listdir(t.path("r.hbdb")) if not re.fullmatch(r"manifest\.json|rank\.\d+\.log", f)]
    t.want(not leftovers, "half written files are left: %r" % leftovers)
    t.want(t.verify().status == 0 or "No space" in t.verify().err, "verify:\n" + t.verify().tail())


@test("disk/read-only")
def read_only(t):
    """The recording goes elsewhere, and that is said; with no other place either the program is not started."""
    command = t.launch(2, t.program("process"), "plain", "200")
    bare = t.run(command)
    os.mkdir(t.path("elsewhere"))
    out, err, status, out2, err2, status2 = inside(t, """
        mount -t tmpfs -o size=1m none $M && mount -o remount,ro $M || exit 1
        TMPDIR=$K/elsewhere %s record -o $M/r.hbdb -- %s >$K/out 2>$K/err; echo $? >$K/status
        TMPDIR=$M %s record -o $M/r.hbdb -- %s >$K/out2 2>$K/err2; echo $? >$K/status2""" % (
            HBDB, quoted(command), HBDB, quoted(command)), "out", "err", "status", "out2", "err2", "status2")
    t.want(sorted(out.splitlines()) == bare.lines() and int(status) == 0, "status %s\n%s%s" % (status, out, err))
    told = re.search(r"cannot create the folder .*/m/r\.hbdb: Read-only file system; recording to (\S+)", err)
    t.want(told and os.path.dirname(told[1]) == t.path("elsewhere"), "where it recorded is not said: %s" % err)
    t.want(t.info(os.path.join("elsewhere", os.path.basename(told[1])))["events"] == 1254, "that is not the whole recording")
    t.want(int(status2) == 2 and not out2, "record should not start: status %s\n%s%s" % (status2, out2, err2))
    t.want("Read-only file system" in err2 and len(err2.splitlines()) <= 2, "a clear line is wanted: %s" % err2)


@test("disk/read-only-log")
def read_only_log(t):
    """The folder was made, the processes cannot write into it (another machine, another user)."""
    program = [t.program("process"), "plain", "200"]
    bare = t.run(t.launch(2, *program))
    out, err, status = inside(t, """
        mount -t tmpfs -o size=1m none $M && mount -o remount,ro $M || exit 1
        %s >$K/out 2>$K/err; echo $? >$K/status""" % quoted(t.launch(2, "env", "LD_PRELOAD=" + preload_of(t.mpi), "HBDB_MODE=record",
                                                                   "HBDB_DIR=" + t.path("m"), *program)), "out", "err", "status")
    t.want(sorted(out.splitlines()) == bare.lines(), "prints something else: %s\n%s" % (out, err))
    t.want(int(status) == 0, "status %s\n%s" % (status, err))
    said = [line for line in err.splitlines() if line.startswith("hbdb:")]
    t.want(len(said) == 2 and all("Read-only file system" in line for line in said), "one line of each process is wanted: %s" % err)


@test("disk/folder-removed")
def folder_removed(t):
    """Somebody removes the recording while it is written."""
    command = t.launch(2, "sh", "-c", "%s plain 9000 && rm -rf %s" % (t.program("process"), t.path("r.hbdb")))
    bare = t.run(t.launch(2, t.program("process"), "plain", "9000"))
    done = t.record(command)
    t.want(done.lines() == bare.lines() and done.status == 0, "status %d\n%s" % (done.status, done.tail()))
    t.want("nothing was recorded" in done.err or "rank" in done.err, "hbdb should say that there is nothing: %s" % done.err)


@test("disk/file-size-limit")
def file_size_limit(t):
    """ulimit -f: growing the log must not bring SIGXFSZ upon the program."""
    command = t.launch(2, t.program("process"), "filesize")
    bare = t.run(command)
    done = t.record(command)
    t.same_run(bare, done)
    t.want(t.all_events(lost=True)["events_not_stored"] > 0, "the limit had no effect: the test shows nothing")
    t.want("File too large" in done.err, "hbdb should say why it stopped: %s" % done.err)
