#!/usr/bin/python3
"""Runs the suites of scripts/suites.txt and adds up their closing lines. Those marked + run three at a time, then the
unmarked ones one after the other, and beside these the ones marked -.

usage: scripts/check.py [-l] [--all] [SUITE...]

--all: where a suite has a longer form (a line that begins with `all:`), that is what runs.

Output of a suite goes to build/check/NAME.log. A suite that crashes, takes too long, prints no
closing line, or reports nothing at all, counts as one failure. With a share of turns (/2) it runs at each second commit
alone, unless it is named, or with --all.
"""
import concurrent.futures
import ctypes
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tests"))
import turn  # noqa: E402

MANNER = re.compile(r"(\d+)([+-]?)(?:/(\d+))?$")
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed\b")
FAILURE = re.compile(r"^\s*(FAIL|not ok)\b")
BESIDE = 3  # suites at a time; those that wait leave the processors to the others
SHOWN = 40  # failure lines of a suite that are repeated on the terminal


def suites(whole=False):
    """(name, seconds allowed, command, mark, share of turns) of each suite; whole: in its longer form."""
    every, longer = [], {}
    with open(os.path.join(TOP, "scripts/suites.txt"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, seconds, command = line.split(None, 2)
                limit, mark, share = MANNER.match(seconds).groups()
                suite = (name.removeprefix("all:"), int(limit), command.strip(), mark, int(share or 1))
                if name.startswith("all:"):
                    longer[suite[0]] = suite
                else:
                    every.append(suite)
    names = [suite[0] for suite in every]
    return [longer.get(s[0], s) if whole else s for s in every] + [s for s in longer.values() if whole and s[0] not in names]


def in_turn(every):
    """Those whose turn it is at this commit. What is chosen by turns inside of such a suite moves on each time that it runs, not with each commit."""
    now = [s for s in every if turn.has(s[0], s[4])]
    left = [s[0] for s in every if s not in now]
    if left:
        print("-- at another commit (HBDB_TURN=%d): %s" % (turn.turn(), ", ".join(left)), flush=True)
    return [(s[0], s[1], ("HBDB_TURN=%d " % (turn.turn() // s[4]) if s[4] > 1 else "") + s[2], *s[3:]) for s in now]


def adopt_orphans():
    """Processes whose parent is gone become children of this one, so that none of a suite outlives it."""
    pr_set_child_subreaper = 36
    if ctypes.CDLL(None, use_errno=True).prctl(pr_set_child_subreaper, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def descendants():
    parent = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open("/proc/%s/stat" % entry, "rb") as f:
                    state, above = f.read().rsplit(b")", 1)[1].split()[:2]
            except OSError:
                continue
            if state != b"Z":
                parent[int(entry)] = int(above)
    found, new = set(), {os.getpid()}
    while new:
        new = {pid for pid, above in parent.items() if above in new} - found
        found |= new
    return found


def end_descendants():
    for sig, patience in ((signal.SIGTERM, 3), (signal.SIGKILL, 1)):
        for pid in descendants():
            try:
                os.kill(pid, sig)
            except OSError:
                pass
        end = time.monotonic() + patience
        while time.monotonic() < end and descendants():
            time.sleep(0.05)


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def environment():
    build = os.path.join(TOP, "build")
    return dict(os.environ, BUILD=build, HBDB=os.path.join(build, "hbdb"), PYTHONDONTWRITEBYTECODE="1",
                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                # spawned jobs of Open MPI 5 talk by TCP, and the machine may have no network
                OMPI_MCA_btl_tcp_if_include=os.environ.get("OMPI_MCA_btl_tcp_if_include", "lo"),
                UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1")


def await_child(child, seconds):
    """Its exit status, or None when the time ran out. Orphans that end meanwhile are asked for at once: a namespace of processes is over only when all of it was."""
    end = time.monotonic() + seconds
    while child.poll() is None:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended and ended.si_pid != child.pid:
            os.waitpid(ended.si_pid, 0)
        elif time.monotonic() > end:
            return None
        else:
            time.sleep(0.05)
    return child.returncode


def run(command, seconds, log):
    """Returns the exit status, or None when the time ran out."""
    adopt_orphans()
    with open(log, "wb") as out:
        child = subprocess.Popen(["bash", "-c", command], cwd=TOP, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.STDOUT, env=environment(), start_new_session=True)
        try:
            return await_child(child, seconds)
        finally:
            end_descendants()
            child.wait()
            reap()


def judge(status, seconds, text):
    """What a suite comes to: (passed, failed, complaint or None)."""
    lines = text.rstrip("\n").split("\n")
    closing = CLOSING.match(lines[-1]) if lines else None
    if status is None:
        return 0, 1, "took longer than %d s" % seconds
    if not closing:
        return 0, 1, "no closing line, exit status %d" % status
    passed, failed = int(closing[1]), int(closing[2])
    if status < 0:
        return passed, failed + 1, "ended by signal %d" % -status
    if passed + failed == 0:
        return 0, 1, "ran nothing"
    if failed == 0 and status != 0:
        return passed, 1, "says that nothing failed, but its exit status is %d" % status
    return passed, failed, None


def show_failures(text, complaint, log):
    lines = text.rstrip("\n").split("\n")
    failures = [line for line in lines if FAILURE.match(line)]
    if complaint and not failures:
        failures = lines[-15:]
    for line in failures[:SHOWN]:
        print("   | " + line)
    if len(failures) > SHOWN:
        print("   | ... %d more" % (len(failures) - SHOWN))
    print("   | the whole output: " + os.path.relpath(log, TOP))


def one(name, seconds, command):
    """Runs a suite in this process: (seconds it took, seconds of processors, passed, failed, complaint)."""
    log = os.path.join(TOP, "build/check", name + ".log")
    before = time.monotonic()
    status = run(command, seconds, log)
    with open(log, encoding="utf-8", errors="replace") as f:
        passed, failed, complaint = judge(status, seconds, f.read())
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - before, used.ru_utime + used.ru_stime, passed, failed, complaint


def apart(suite):
    """The same in a process of its own, so that suites do not end each other's processes."""
    child = subprocess.run([sys.executable, os.path.abspath(__file__), "--one"] + [str(s) for s in suite[:3]],
                           stdout=subprocess.PIPE, check=False)
    return json.loads(child.stdout) if child.returncode == 0 else (0, 0, 0, 1, "could not be run")


def show_table(log):
    """Lines that a suite wants on the terminal begin with `table: `."""
    if os.path.exists(log):
        with open(log, encoding="utf-8", errors="replace") as f:
            for line in f:
                if line.startswith("table: "):
                    print("   " + line[len("table: "):].rstrip("\n"))


def tell(name, took, used, passed, failed, complaint):
    log = os.path.join(TOP, "build/check", name + ".log")
    print("-- %-14s %5d passed, %d failed  %4.0f s, %4.0f s of processors%s"
          % (name, passed, failed, took, used, "  " + complaint if complaint else ""), flush=True)
    show_table(log)
    if failed:
        with open(log, encoding="utf-8", errors="replace") as f:
            show_failures(f.read(), complaint, log)
    sys.stdout.flush()
    return passed, failed


def run_all(every):
    """Yields (passed, failed) of each suite as it ends."""
    def together(mark, beside):
        pool = concurrent.futures.ThreadPoolExecutor(max_workers=beside)
        return {pool.submit(apart, suite): suite[0] for suite in every if suite[3] == mark}

    for marks in ({"+": BESIDE}, {"": 1, "-": 1}):
        waiting = {}
        for mark, beside in marks.items():
            waiting.update(together(mark, beside))
        for done in concurrent.futures.as_completed(waiting):
            yield tell(waiting[done], *done.result())


def main():
    wanted = [word for word in sys.argv[1:] if word != "--all"]
    whole = "--all" in sys.argv[1:]
    if whole:
        os.environ["HBDB_ALL"] = "1"  # tests/turn.py: each part under both MPIs
    every = suites(whole)
    if "-h" in wanted or "--help" in wanted:
        print(__doc__.strip())
        return 0
    if "-l" in wanted:
        for suite in every:
            print("%-14s %s" % (suite[0], suite[2]))
        return 0
    if wanted[:1] == ["--one"]:
        print(json.dumps(one(wanted[1], int(wanted[2]), wanted[3])))
        return 0
    unknown = [name for name in wanted if name not in [s[0] for s in every]]
    if unknown:
        print("check: no such suite: %s (./dev check -l lists them)" % " ".join(unknown), file=sys.stderr)
        return 2
    os.makedirs(os.path.join(TOP, "build/check"), exist_ok=True)
    started, total_passed, total_failed = time.monotonic(), 0, 0
    chosen = [s for s in every if s[0] in wanted] if wanted else every if whole else in_turn(every)
    for passed, failed in run_all(chosen):
        total_passed, total_failed = total_passed + passed, total_failed + failed
    print("-- all suites: %.0f s" % (time.monotonic() - started))
    print("%d passed, %d failed" % (total_passed, total_failed))
    return 1 if total_failed else 0


if __name__ == "__main__":
    sys.exit(main())
