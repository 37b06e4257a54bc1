#!/usr/bin/python3
"""Breakpoints, barriers, watchpoints, steps, stacks and values of 8 processes; a few of them under MPICH."""
import os
import signal
import subprocess
import time

from lib import LAUNCH, Place, check, finish, has, lacks, mark, objects, parts, same

SIZE = {"openmpi": 8, "mpich": 4}


def breaks(p):
    last = SIZE[p.mpi] - 1
    add, total, call = mark("add"), mark("sum"), mark("call")
    others = "[0:2,4:%d]" % last if last > 4 else "[0:2]" if last == 3 else "[0:2,4]"
    status, out, err = p.debug(["break add", "cont", "where", "print a", "up", "print n", "down", "actions", "print n"], "ring.hbdb")
    has("%s: a breakpoint in all" % p.mpi, out, "[0:%d] breakpoint 1 set at add (steps.c:%d)" % (last, add),
        "breakpoint 1: add (steps.c:%d)" % add, "[0:%d]\n  #0  add (steps.c:%d)\n  #1  main (steps.c:%d)\n" % (last, add, call),
        "a = 0\n", "#1  main", "%s n = 100\n[3] n = 101\n" % others, "#0  add", "  1  break    [0:%d] add" % last,
        "stopped %d times" % (last + 1), "No symbol \"n\"")
    same("%s: where it was met is printed once" % p.mpi, out.count("breakpoint 1: add"), 1)
    check("%s: a symbol that is not there is a failure" % p.mpi, status == 1, err)
    status, out, err = p.debug(["[1] break steps.c:%d -if b == 2" % total, "cont", "[1] print b", "expect [1] last.b == 2", "[1] print total",
                                "expect [0] is blocked", "delete 1", "cont", "expect is exited"], "ring.hbdb")
    has("%s: -if" % p.mpi, out, "[1] breakpoint 1 set at add (steps.c:%d)" % total, "[1] breakpoint 1: add (steps.c:%d)" % total, "[1] b = 2\n",
        "last.b == 2, as expected", "[1] total = 1\n", "[0] blocked, as expected", "exited, as expected")
    status, out, err = p.debug(["break add -count 3", "cont", "[2] print total", "[1] expect total == 1", "disable 1", "actions", "cont",
                                "expect is exited"], "ring.hbdb")
    has("%s: -count" % p.mpi, out, "breakpoint 1: add", "[2] total = 21\n", "from the 3. time on", "(disabled)", "exited, as expected")
    status, out, err = p.debug(["[2] break add -stop [0:3]", "cont", "expect [2] is broken", "expect [0:3] is stopped", "actions"], "ring.hbdb")
    has("%s: -stop" % p.mpi, out, "[2] breakpoint 1: add", "[2] broken, as expected", "[0:3] stopped, as expected", "stops [0:3]")
    status, out, err = p.debug(["set onerror continue", "break nowhere", "break steps.c:99999", "watch nothing", "actions"], "ring.hbdb")
    check("%s: places that are not there" % p.mpi, status == 1 and "no breakpoints" in out and out.count("nowhere") and "99999" in out, out + err)


def restarts(p):
    status, out, err = p.debug(["goto 1:4", "break add", "goto 1:3", "expect [0] is held", "cont", "expect is broken", "expect last.a == 0", "run", "cont",
                                "expect is broken"], "ring.hbdb")
    check("%s: breakpoints hold in the next run" % p.mpi, status == 0, out + err)
    status, out, err = p.debug(["break add", "goto 1:6"], "ring.hbdb")
    check("%s: a breakpoint on the way to an event is told" % p.mpi, status == 1 and "1:6 was not reached" in err and "breakpoint 1" in out, out + err)


def barriers(p):
    status, out, err = p.debug(["[0:2] barrier add", "[3] break add", "cont", "expect [0:2] is broken", "cont", "[0] actions", "delete 1",
                                "delete *", "cont", "expect is exited"], "ring.hbdb")
    has("%s: a barrier lets all go when all have come" % p.mpi, out, "[0:2] barrier 1 set at add", "[3] breakpoint 2 set at add",
        "[0:2] broken, as expected", "[0:2] barrier 1: add", "exited, as expected")
    check("%s: a barrier: no failure" % p.mpi, status == 0, err)
    status, out, err = p.debug(["[1,2] barrier add", "[0:1] cont", "expect [1] is broken", "set onerror continue", "[1] cont", "[1] step", "actions",
                                "[2] cont", "[1:2] cont", "expect [1] is running"], "ring.hbdb")
    has("%s: who waits for whom at a barrier" % p.mpi, out, "[1] barrier 1: add", "[1] broken, as expected",
        "[1] waits at barrier 1 for [2]\n", "[1] wait for [2]", "[2] barrier 1: add", "[1] running, as expected")


def steps(p):
    line = mark("add")
    status, out, err = p.debug(["[1:2] break add", "cont", "[1:2] next", "[1:2] next", "[1:2] expect last.b < 11", "[1:2] print sum",
                                "[1:2] step -finish", "[1] stepi", "[1:2] where 1"], "ring.hbdb")
    has("%s: steps" % p.mpi, out, "[1:2] breakpoint 1: add", "[1:2] stopped: add (steps.c:%d)" % (line + 1), "[1:2] stopped: add (steps.c:%d)" % (line + 2),
        "as expected", "[1] sum = 0\n[2] sum = 10\n", "[1:2] stopped: main (steps.c:%d)" % mark("call"), "#0  main")
    status, out, err = p.debug(["[1] step", "[1] where", "[1] step", "[1] step 2", "[3] next", "[1] list", "list", "[1] list 1", "[2] what last",
                                "[1] list add"], "--at", "1:3", "ring.hbdb")
    lacks("%s: a step goes back to the program first" % p.mpi, out, "hb__", "wrappers")
    has("%s: list and what" % p.mpi, out, "[1] stopped: pass (steps.c:", ">", "#include <mpi.h>", "last = struct pair", "static int add")
    status, out, err = p.debug(["[1] assign total 1000", "[1] assign last.b=7", "[1] print last", "[1] print/x total", "[0:1] print total + 1",
                                "[0] gdb info line add", "[0] cont", "[0] step"], "ring.hbdb", "--at", "1:3")
    has("%s: assign and print" % p.mpi, out, "total = 1000", "last.b = 7", "last = {a = 0, b = 7}", "total = 0x3e8", "[0] total + 1 = 1",
        "[1] total + 1 = 1001", "steps.c\" starts at address", "[0] is running; halt stops it")
    check("%s: no step for one that runs" % p.mpi, status == 1, err)


def watching(p):
    status, out, err = p.debug(["[1] watch total", "cont", "[1] print total", "delete 1", "cont", "expect is exited"], "ring.hbdb")
    has("%s: watch" % p.mpi, out, "[1] watchpoint 1 set at total", "[1] watchpoint 1: total was 0, is 1", "[1] total = 1", "exited, as expected")


def fingers(p):
    """Words of gdb: once, until, the machine's view, threads, set var; what failed leaves nothing behind."""
    n, add, call = SIZE[p.mpi] - 1, mark("add"), mark("call")
    status, out, err = p.debug(["[0:1] tbreak add", "actions", "cont", "expect [0:1] is broken", "[1] set var total = 5", "[1] print total",
                                "[1] x/1dw &total", "[1] info frame", "[1] disas", "[1] thread", "[1] thread 1", "[1] until", "[1] until %d" % (add + 3),
                                "[0:1] cont", "actions", "expect is exited"], "ring.hbdb")
    has("%s: gdb's words" % p.mpi, out, "[0:1] breakpoint 1 set at add (steps.c:%d), once" % add, "once", "[0:1] breakpoint 1: add",
        "[1] total = 5", "<total>:\t5", "rip = 0x", "Dump of assembler code for function add", ">1  add (steps.c:%d)" % add,
        "[1] thread 1: add", "[1] stopped: add (steps.c:%d)" % (add + 1), "steps.c:%d" % (add + 3), "no breakpoints", "exited, as expected")
    check("%s: none of them fails, and until takes its point away" % p.mpi, status == 0, out + err)
    status, out, err = p.debug(["set onerror continue", "goto 1:4", "[1] watch nothing", "actions", "[1] watch total", "[1] thread 99", "[1] until nowhere",
                                "actions", "[dead] where", "[dead] print n", "focus dead", "where", "status", "focus *", "frobnicate 5"], "ring.hbdb")
    has("%s: what fails leaves nothing" % p.mpi, out, "[1] nothing: No symbol", "no breakpoints", "[1] watchpoint 1 set at total", "[1] it has ",
        "[1] nowhere: ", "  1  watch    [1] total\n", "no process is in [dead]\nno process is in [dead]\nfocus [dead]: [], 0 processes\n"
        "no process is in [dead]\nno process is in [dead]\nfocus [*]")
    has("%s: a word that is unknown" % p.mpi, err, "no command 'frobnicate'", "gdb frobnicate passes it to gdb")


def spreads(p):
    """Values over processes: least, most and mean, and where."""
    n = SIZE[p.mpi]
    status, out, err = p.debug(["break add -count 2", "cont", "spread b", "[1] spread (double)b/4", "up", "spread n", "spread nothing"],
                               "--json", "ring.hbdb")
    found = {o["expression"]: o for o in objects(out, "spread") if "min" in o}
    b = [10 * ((r + n - 1) % n) + 1 for r in range(n)]
    same("%s: the least and the most value" % p.mpi, [found.get("b", {}).get(k) for k in ("values", "min", "min_set", "max", "max_set", "mean")],
         [n, min(b), "1", max(b), "0", sum(b) / n])
    same("%s: of one process alone" % p.mpi, found.get("(double)b/4", {}).get("mean"), 0.25)
    check("%s: who has no such value says so" % p.mpi, status == 1 and "No symbol" in out, out + err)
    status, out, err = p.debug(["goto 1:6", "spread total", "[0:1] spread *&last@1", "spread \"text\""], "ring.hbdb")
    has("%s: spread in words" % p.mpi, out, "total: least 1 in [1], most ", " in [0], mean ", "of %d values" % n, "*&last@1: least ", "there are no numbers in it")


def attached(p):
    """A job that was started without hbdb: looked into, stopped, stepped, and left as it was."""
    n = SIZE[p.mpi] if p.mpi == "openmpi" else 2
    job = subprocess.Popen(p.command(n, 2, "spin", 1), cwd=p.path, env=p.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while time.monotonic() < end:  # until it spins
        status, out, err = p.run("debug", "--attach", str(job.pid), "-c", "[1] where 1")
        if "end_badly" in out:
            break
        time.sleep(0.2)
    status, out, err = p.run("debug", "-p", str(job.pid), "-c", "expect is running; spread total; [1] where; [1] break %d; halt; expect is broken; [1] list; "
                             "[1] up; [1] print rank; spread rank; [1] set var n = 7; delete *; [1] stepi; go; expect is running" % mark("spin"))
    has("%s: a job that runs without hbdb" % p.mpi, out, "[0:%d] running, as expected" % (n - 1), "total: least ", "of %d values" % n, "#0  end_badly (steps.c:",
        "#1  main", "broken, as expected", "MARK spin", "rank = 1\n", "[0:%d] running, as expected" % (n - 1))
    status, out, err = p.run("debug", "-p", str(job.pid), "-c", "set onerror continue; run; kill; goto 0:3; halt; [1] up; [1] print n")
    has("%s: what cannot be done with it" % p.mpi, err, "cannot restart a job", "quit leaves it running", "there are no events")
    has("%s: and what was set is set" % p.mpi, out, "[1] n = 7\n")
    rank1 = [pid for pid, state in p.processes() if state == "R" and os.readlink("/proc/%d/exe" % pid).endswith("/steps")]
    check("%s: it runs on, also when hbdb was left while it stood" % p.mpi, job.poll() is None and rank1, rank1)
    status, out, err = p.run("debug", "-p", str(rank1[0] if rank1 else 0), "-c", "viewset all")
    has("%s: by the pid of one of its processes" % p.mpi, out, "[0:%d]" % (n - 1))
    # asked to end, Open MPI's launcher now and then waits for ever for processes that are dead
    for pid in [job.pid] + [pid for pid, _ in p.processes()]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    job.wait(60)
    status, out, err = p.run("debug", "-p", str(os.getpid()), "-c", "where")
    check("%s: a process that is no job" % p.mpi, status == 2 and "is no MPI process" in err, err)
    status, out, err = p.run("debug", "-p", "x")
    check("%s: no pid" % p.mpi, status == 2 and "takes the pid" in err, err)


def halted(p):
    """A process that computes is stopped where it is; looking at the others leaves them as they were."""
    n = 4 if p.mpi == "openmpi" else 2
    spin = "[1] break steps.c:%d" % mark("spin")
    status, out, err = p.live(["set onerror continue", spin, "cont", "delete *", "go", "wait 2", "[1] halt", "[1] where", "[1] up", "[1] print rank", "[0] where",
                               "[1] stepi", "expect [1] is broken", "[0] print n", "expect [0] is running", "[1] go", "expect [1] is running"],
                              n, 2, "spin", 1)
    has("%s: halt and where" % p.mpi, out, "[1] stopped: end_badly (steps.c:", "#0  end_badly (steps.c:", "#1  main", "rank = 1", "[0] #0  main",
        "[1] broken, as expected", "[0] n = 100", "[0] running, as expected", "[1] running, as expected")
    check("%s: a wait with a limit fails when it is over" % p.mpi, status == 1 and "not all processes have stopped after 2 s" in err, out + err)
    status, out, err = p.debug(["print total", "expect is held", "[1] cont", "expect [1] is blocked", "[1] print total", "expect [1] is blocked", "detach",
                                "expect [0] is held", "cont", "expect is exited"], "ring.hbdb")
    check("%s: looking leaves a process as it was" % p.mpi, status == 0, out + err)


def machines(p):
    status, out, err = p.debug(["break add", "cont", "where", "print a", "print b", "print n"], "--json", "ring.hbdb")
    frames = objects(out, "where")[0]
    same("%s: --json: where" % p.mpi, [(f["function"], f["line"], f["own"]) for f in frames["frames"]],
         [("add", mark("add"), True), ("main", mark("call"), True)])
    everybody = "0:%d" % (SIZE[p.mpi] - 1)
    prints = [(o["set"], o.get("value"), "error" in o) for o in objects(out, "print")]
    same("%s: --json: print" % p.mpi, [prints[0], prints[1], prints[-1]],
         [(everybody, "0", False), ("0", str(10 * SIZE[p.mpi] - 10), False), (everybody, None, True)])


def main():
    for mpi in LAUNCH:
        with Place(mpi) as p:
            p.record("ring.hbdb", SIZE[mpi], 3)
            for part in parts(mpi, (breaks, restarts, barriers, steps, watching, fingers, spreads, attached, halted, machines)):
                part(p)
    finish()


main()
