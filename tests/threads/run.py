#!/usr/bin/python3
"""The order between threads: recorded, shown, and repeated, under both MPIs, at every level, alone and under load."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import turn

BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
HBDB = os.path.join(BUILD, "hbdb")
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n"],
          "mpich": ["mpiexec.mpich", "-n"]}
folder = tempfile.mkdtemp(prefix="hbdb-threads.")
count = {"passed": 0, "failed": 0}


def check(good, what, more=""):
    count["passed" if good else "failed"] += 1
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else "\n     " + str(more)[-2000:].replace("\n", "\n     ")), flush=True)
    return good


def run(*command, env=None, timeout=300):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=timeout,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, XDG_STATE_HOME=folder + "/state", **(env or {})))
    done.all = done.stdout + done.stderr
    return done


def compiled(mpi, name, *options):
    compiler = "mpicc." + mpi if mpi else "gcc"
    to = "%s-%s" % (name, mpi or "plain")
    done = run(compiler, "-g", "-O1", "-fopenmp", "-pthread", "-I", os.path.join(TOP, "include"), "-o", to, "%s/programs/%s.c" % (HERE, name), *options)
    check(done.returncode == 0, "%s compiles %s.c" % (compiler, name), done.all)
    return "./" + to


def repeats(what, command, options=(), replays=2, more=((),)):
    """Records, replays, and compares what the program printed. Returns the recording."""
    name = what.replace(" ", "-") + ".hbdb"
    done = run(HBDB, "record", *options, "-o", name, "--", *command)
    if not check(done.returncode == 0 and done.stdout, what + ": is recorded", done.all):
        return name
    check("several threads" not in done.stderr, what + ": nothing is said of an order that is not enforced", done.stderr)
    for extra in more:
        for i in range(replays):
            again = run(HBDB, "replay", *extra, name, env={"HASTE": str(i + 1)})
            check(again.returncode == 0 and "no difference" in again.stderr and again.stdout == done.stdout,
                  "%s: replay %d%s is the recorded run" % (what, i + 1, " ".join(("",) + extra)), done.stdout + again.all)
    return name


def by_locks(mpi):
    program = compiled(mpi, "locks")
    name = repeats(mpi + " locks", LAUNCH[mpi] + ["2", program, "all"])
    rows = [json.loads(line) for line in run(HBDB, "dump", "--json", name).stdout.splitlines()]
    after = [row for row in rows if "after_lane" in row]
    called = {row["function"] for row in after}
    check({"pthread_mutex_lock", "pthread_rwlock_wrlock", "sem_wait", "pthread_spin_lock", "pthread_barrier_wait"} <= called,
          mpi + " locks: what came after what is shown", called)
    check(run(HBDB, "verify", name).returncode == 0, mpi + " locks: the recording is whole")
    return program


def without_enforcement(mpi, program):
    """So that the others do not pass by chance."""
    name, seen = mpi + "-off.hbdb", set()
    done = run(HBDB, "record", "-o", name, "--", *LAUNCH[mpi], "2", program, "mutex")
    for _ in range(3):
        seen.add(run(HBDB, "replay", "--threads", "off", "--on-divergence", "warn", name).stdout)
    check(seen != {done.stdout}, mpi + ": without enforcement the output is another one", seen)
    again = run(HBDB, "record", "--threads", "off", "-o", name + "2.hbdb", "--", *LAUNCH[mpi], "2", program, "mutex")
    check(again.returncode == 0 and "pthread_" not in run(HBDB, "dump", name + "2.hbdb").stdout, mpi + ": --threads off records no order", again.all)
    again = run(HBDB, "replay", name + "2.hbdb")
    check("stuck" not in again.stderr, mpi + ": a replay of a recording without the order goes on", again.all)


def at_levels(mpi, program):
    for level in ("order", "racing"):
        repeats("%s %s" % (mpi, level), LAUNCH[mpi] + ["2", program, "all"], ("--level", level), 1)
    repeats(mpi + " data", LAUNCH[mpi] + ["2", program, "mutex", "trylock", "condition", "once"], ("--level", "data"), 1)
    name = mpi + "-data.hbdb"
    whole = run(HBDB, "replay", name).stdout
    alone = run(HBDB, "replay", "--alone", "0", name)
    check(alone.returncode == 0 and alone.stdout == whole, mpi + " data: rank 0 alone prints the same", alone.all)
    alone = run(HBDB, "replay", "--alone", "1", name)
    check(alone.returncode == 0 and "no difference" in alone.stderr, mpi + " data: rank 1 alone is the recorded one", alone.all)


def by_openmp(mpi):
    program = compiled(mpi, "openmp")
    repeats(mpi + " openmp", LAUNCH[mpi] + ["2", program])


def under_load(mpi, program):
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(3)]
    try:
        repeats(mpi + " load", LAUNCH[mpi] + ["2", program, "mutex", "condition", "barrier"], (), 2)
    finally:
        for one in busy:
            one.kill()
            one.wait()


def ordered(mpi):
    program = compiled(mpi, "handed")
    name = mpi + "-handed.hbdb"
    done = run(HBDB, "record", "-o", name, "--", *LAUNCH[mpi], "2", program)
    rows = [json.loads(line) for line in run(HBDB, "dump", "--json", name).stdout.splitlines()]
    got = [r for r in rows if r.get("function") == "MPI_Recv"]
    told = [r for r in rows if r.get("function") == "handed"]
    sent = [r for r in rows if r.get("function") == "MPI_Send"]
    if not check(done.returncode == 0 and got and told and sent, mpi + " handed: is recorded", done.all):
        return
    event = "1.%d:%d" % (told[0].get("lane", 0), told[0]["event"])
    for first in ("1:%d" % got[0]["event"], "0:%d" % sent[0]["event"]):
        order = run(HBDB, "order", first, event, name)
        check("before" in order.stdout and "concurrent" not in order.stdout, "%s handed: %s comes before %s" % (mpi, first, event), order.all)
    again = run(HBDB, "replay", name)
    check("no difference" in again.stderr, mpi + " handed: is replayed", again.all)


def own_requests(mpi, program):
    """Each thread ends what it posted itself, though the library gives out a handle again before we have heard of its end."""
    answers = []
    for i in range(3):
        name = "%s-own-%d.hbdb" % (mpi, i)
        run(HBDB, "record", "--level", "data", "-o", name, "--", *LAUNCH[mpi], "2", program, "wildcards")
        rows = [json.loads(line) for line in run(HBDB, "dump", "--json", name).stdout.splitlines()]
        answers += [a for row in rows for a in row.get("answers", []) if row["function"] == "MPI_Waitall"]
    others = [a for a in answers if "lane" in a]
    check(len(answers) == 3 * 3 * 30 and not others, mpi + " posts: a thread ends its own requests", "%d, %s" % (len(answers), others[:3]))


def others_requests(mpi):
    """A handle is given out again while the thread that ended its request has not come back: who ends the new one does not end the old one."""
    tool = compiled(mpi, "late", "-shared", "-fPIC")
    program = compiled(mpi, "reused", tool, "-Wl,-rpath," + folder)
    name = mpi + "-reused.hbdb"
    done = run(HBDB, "record", "-o", name, "--", *LAUNCH[mpi], "2", program)
    if not check(done.returncode == 0 and "same handle: " in done.stderr and "same handle: 0 " not in done.stderr,
                 mpi + " reused: the library gives out the handle again", done.all):
        return
    rows = [json.loads(line) for line in run(HBDB, "dump", "--json", name).stdout.splitlines()]
    ended = sorted((a["posting"], a["tag"]) for row in rows if row["function"] == "MPI_Wait" for a in row["answers"])
    check(ended == [(i, i) for i in range(20)], mpi + " reused: each thread ends the request that it has", ended)
    again = run(HBDB, "replay", name)
    check(again.returncode == 0 and "no difference" in again.stderr and again.stdout == done.stdout, mpi + " reused: is replayed", again.all)


PARTS = ["sends", "nonblocking", "modes", "persistent", "receives", "wildcards", "started", "mprobes", "probes", "exchange", "replace"]


def by_posting(mpi):
    """Messages of threads that share a channel, each part by itself and all in a row; other times in each replay."""
    program = compiled(mpi, "posts")
    for level in ("events", "order", "racing", "data"):
        name = repeats("%s posts %s" % (mpi, level), LAUNCH[mpi] + ["2", program, "all"], ("--level", level), 2)
    for part in PARTS:
        repeats("%s %s" % (mpi, part), LAUNCH[mpi] + ["2", program, part], (), 1)
    rows = [json.loads(line) for line in run(HBDB, "dump", "--json", "%s-posts-events.hbdb" % mpi).stdout.splitlines()]
    after = {row["rank"] for row in rows if row.get("function") == "hb_posting" and "after_lane" in row}
    check(after == {0, 1}, mpi + " posts: who posted first is shown", after)
    own_requests(mpi, program)
    whole = run(HBDB, "replay", name).stdout
    for rank in "01":
        alone = run(HBDB, "replay", "--alone", rank, name)
        check(alone.returncode == 0 and "no difference" in alone.stderr and (rank == "1" or alone.stdout == whole),
              "%s posts: rank %s alone is the recorded one" % (mpi, rank), alone.all)
    recorded, seen = run(HBDB, "replay", "%s-posts-events.hbdb" % mpi).stdout, set()
    done = run(HBDB, "minimize", "-o", mpi + "-fewer.hbdb", "%s-posts-events.hbdb" % mpi)
    again = run(HBDB, "replay", mpi + "-fewer.hbdb")
    check(done.returncode == 0 and again.stdout == recorded, mpi + " posts: a reduced recording is replayed", done.all + again.all)
    done = run(HBDB, "record", "--threads", "off", "-o", mpi + "-loose.hbdb", "--", *LAUNCH[mpi], "2", program, "all")
    for _ in range(2):
        again = run(HBDB, "replay", "--on-divergence", "warn", "--contents", "ignore", mpi + "-loose.hbdb")
        seen.add(again.stdout)
    check(seen != {done.stdout}, mpi + " posts: without its record the order is another one", seen)
    check("not the order between threads" in again.stderr, mpi + " posts: ... and that is said", again.stderr)


def stops(mpi):
    """hbdb debug lets those post whom the thread that it stops comes after."""
    name = mpi + "-exchange.hbdb"
    rows = [json.loads(line) for line in run(HBDB, "dump", "--json", name).stdout.splitlines()]
    after = [row for row in rows if row["function"] == "hb_posting" and "after_lane" in row]
    for row in (after[0], after[len(after) // 2], after[-1]):
        at = "%d.%d:%d" % (row["rank"], row["lane"], row["event"] + 1)
        done = run(HBDB, "debug", "-c", "goto %s; quit" % at, name)
        check(done.returncode == 0 and "not reached" not in done.all and "at the cut of " + at in done.stdout, "%s: goto %s" % (mpi, at), done.all)


def goes_on(mpi):
    """From the cut of one thread to that of another one, and to the end: a thread that was inside a call at the cut, or not begun, is not held there later."""
    name = mpi + "-exchange.hbdb"
    recorded = run(HBDB, "replay", name).stdout
    rows = [json.loads(line) for line in run(HBDB, "dump", "--json", name).stdout.splitlines()]
    after = [row for row in rows if row["function"] == "hb_posting" and "after_lane" in row]
    first, last = after[0], after[-1]
    other = [row for row in after if (row["rank"], row["lane"]) != (first["rank"], first["lane"])]
    at, then = ("%d.%d:%d" % (row["rank"], row["lane"], row["event"]) for row in (first, other[len(other) // 2]))
    later = "%d.%d:%d" % (last["rank"], last["lane"], last["event"])
    for script in ("goto %s; cont" % at, "goto %s; cont" % then, "goto %s; next event; goto %s; cont" % (at, then), "goto %s; [0] cont; cont" % at,
                   "goto %s; [1] cont; cont" % at, "goto %s; [0] next event; goto %s; goto %s; next event; stop off; cont" % (at, then, later)):
        done = run(HBDB, "debug", "-c", "set timeout 120; " + script, name, timeout=900)
        check(done.returncode == 0 and recorded in done.stdout and "[0:1] exited" in done.stdout, "%s: %s" % (mpi, script), done.all)


def computes(mpi):
    """The cut of an event needs all that a thread does, which computes for long before the last of it: that is waited for."""
    program = compiled(mpi, "computes")
    name = mpi + "-computes.hbdb"
    done = run(HBDB, "record", "-o", name, "--", *LAUNCH[mpi], "2", program, "5")
    check(done.returncode == 0, mpi + " computes: is recorded", done.all)
    done = run(HBDB, "debug", "-c", "goto 0.1:2; cont", name)
    check(done.returncode == 0 and "[0] held after 0.1:2" in done.stdout and "[1] blocked" not in done.stdout and "[0:1] exited" in done.stdout,
          mpi + " computes: goto waits for the thread", done.all)


def alone_has_no_order(mpi):
    """A thread that no other one is beside is not asked."""
    program = compiled(mpi, "handed")
    done = run(HBDB, "record", "-o", mpi + "-quiet.hbdb", "--", *LAUNCH[mpi], "2", program)
    check(done.returncode == 0 and "hb_posting" not in run(HBDB, "info", mpi + "-quiet.hbdb").stdout, mpi + ": below MPI_THREAD_MULTIPLE no posting is told", done.all)


def comes_to_a_stand(mpi):
    program = compiled(mpi, "crossed")
    name = mpi + "-crossed.hbdb"
    done = run(HBDB, "record", "-o", name, "--", *LAUNCH[mpi], "2", program)
    check(done.stdout == "0 1\n", mpi + " crossed: is recorded", done.all)
    again = run(HBDB, "replay", name)
    check(again.stdout == done.stdout, mpi + " crossed: is replayed", again.all)
    again = run(HBDB, "replay", "--patience", "1", name, env={"CROSSED": "1"})
    check(again.returncode and "rank 1.2, event 0: waits in hb_posting for thread 1.1" in again.stderr and "stuck" in again.stderr,
          mpi + " crossed: a replay that cannot come in the recorded order says so, and ends", again.all)


def parted(mpi):
    program, name = compiled(mpi, "parted"), mpi + "-parted.hbdb"
    done = run(HBDB, "record", "-o", name, "--", *LAUNCH[mpi], "1", program)
    again = run(HBDB, "replay", name, env={"PARTED": "1"})
    check(done.stdout == "done\n" and again.returncode == 1 and "another function; what threads tell each other" in again.stderr and "--threads off" in again.stderr,
          mpi + " parted: that threads take another way is said, and what can be done", done.all + again.all)
    name = mpi + "-parted-free.hbdb"
    done = run(HBDB, "record", "--threads", "off", "-o", name, "--", *LAUNCH[mpi], "1", program)
    again = run(HBDB, "replay", name, env={"PARTED": "1"})
    check(again.returncode == 0 and again.stdout == done.stdout == "done\n", mpi + " parted: recorded without their order it is replayed", done.all + again.all)


def races(mpi):
    program = compiled(mpi, "race")
    name, told = mpi + "-race.hbdb", 0
    done = run(HBDB, "record", "-o", name, "--", *LAUNCH[mpi], "2", program)
    silent = 0
    for _ in range(4):
        again = run(HBDB, "replay", name)
        differs = "differ" in again.stderr
        told += differs
        silent += again.stdout != done.stdout and not differs
    check(not silent, mpi + " race: another result is never taken for the same", silent)


def many(mpi, threads):
    program = compiled(mpi, "many")
    repeats("%s %d threads" % (mpi, threads), LAUNCH[mpi] + ["1", program, str(threads)], (), 1)


def without_mpi():
    program = compiled("", "alone")
    repeats("without MPI", [program, "tells"])
    done = run(HBDB, "record", "-o", "silent.hbdb", "--", program)
    check("pthread_" not in run(HBDB, "dump", "silent.hbdb").stdout, "a program that tells nothing is not recorded because it locks", done.all)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", choices=("openmpi", "mpich", "spread"),
                        help="spread: one of them and half of the parts, the others the next time (../turn.py)")
    parser.add_argument("--threads", type=int, default=10000)
    options = parser.parse_args()
    try:
        both = ("openmpi", "mpich")
        if options.mpi == "spread":
            print("under one MPI, half of the parts, " + turn.told(4))
        for mpi in [turn.pick("threads", both, 2)] if options.mpi == "spread" else [options.mpi] if options.mpi else both:
            program = by_locks(mpi)
            for part in (without_enforcement, at_levels, under_load):
                part(mpi, program)
            halves = ((by_posting, stops, goes_on), (by_openmp, ordered, others_requests, computes, alone_has_no_order, comes_to_a_stand, parted, races))
            for half in (halves[turn.turn() % 2],) if options.mpi == "spread" else halves:
                for part in half:
                    part(mpi)
            many(mpi, options.threads if mpi == "mpich" else 500)
        without_mpi()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("%(passed)d passed, %(failed)d failed" % count)
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
