"""Processes that end, gdbs that end, what is missing."""
import os
import signal
import subprocess
import sys
import time

import lib
from lib import HERE, Driver, check


def opened(place, n):
    workers, driver = place.workers(n), Driver()
    driver.ask("open")
    driver.attach([w.pid for w in workers])
    return driver, workers


def tell(driver, who, what):
    """Lets a worker do something at its next round."""
    driver.ask("interrupt %d" % who)
    driver.ask("evaluate %d 0 what = %d" % (who, what))
    driver.events.clear()
    driver.ask("go %d 0 continue" % who)


def children(pid):
    out = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,comm="], capture_output=True, text=True).stdout.split("\n")
    rows = [line.split(None, 2) for line in out if line]
    found = [(int(r[0]), r[2]) for r in rows if int(r[1]) == pid]
    return found + [x for p, _ in found for x in children(p)]


def gone(pids, seconds=200):
    end = time.time() + seconds
    while time.time() < end and any(lib.state(p) and lib.state(p)[0] != "Z" for p in pids):
        time.sleep(0.05)
    return not any(lib.state(p) and lib.state(p)[0] != "Z" for p in pids)


def free(workers, seconds=200):
    """Whether all run and nobody traces them."""
    end = time.time() + seconds
    while True:
        ends = [w.poll() for w in workers]
        states = [lib.state(w.pid) for w in workers]
        if all(how is None and state and state[1] == 0 and state[0] in "SR" for how, state in zip(ends, states)):
            return True
        if any(how is not None for how in ends) or time.time() > end:
            print("  ended: %s, state and tracer: %s" % (ends, states))
            return False
        time.sleep(0.05)


def test_deaths(place):
    driver, workers = opened(place, 4)
    tell(driver, 0, 1)
    check(" exited number=0 status=3 " in driver.wait_for("^! 0 exited"), "an exit status")
    tell(driver, 1, 2)
    event = driver.wait_for("^! 1 signal")
    check("signal=11 SIGSEGV" in event and " at crash " in event and "meaning=Segmentation fault" in event, "a crash is seen")
    check("main" in driver.ask("stack 1 9").text[-1], "with its stack")
    driver.ask("go 1 0 continue")
    check("signal=11 SIGSEGV" in driver.wait_for("^! 1 killed"), "and then the death")
    tell(driver, 2, 3)
    check("signal=9 SIGKILL" in driver.wait_for("^! 2 killed"), "SIGKILL")
    check([driver.ask("state %d" % i).text[0] for i in range(4)] == ["none"] * 3 + ["stopped"], "only those are gone")
    check(driver.ask("evaluate 3 0 1 + 1").text == ["2"], "the last one is well")
    tell(driver, 3, 5)
    check("signal=10 SIGUSR1" in driver.wait_for("^! 3 signal"), "another signal")
    said = driver.ask("interrupt 0")
    check(not said.ok and "not attached" in said.status, "a process that is gone: " + said.status)
    fresh = place.workers(3)
    said = driver.ask("attach " + " ".join("%d=%d" % (i, w.pid) for i, w in enumerate(fresh)))
    check(said.ok and driver.ask("evaluate 1 0 1 + 2").text == ["3"], "their places are used again")
    os.kill(fresh[0].pid, signal.SIGKILL)
    check("signal=9 SIGKILL" in driver.wait_for("^! 0 killed"), "a process killed while it stands")
    workers[3].kill()
    check(driver.close() == 0, "the end")


def test_detach(place):
    driver, workers = opened(place, 3)
    driver.ask("break 0 0 k step")
    driver.ask("go 0 0 continue")
    driver.wait_for("breakpoint")
    driver.ask("break 1 0 k step if n < 0")
    driver.ask("go 1 0 continue")
    for who in range(3):
        check(driver.ask("detach %d" % who).ok and driver.ask("state %d" % who).text == ["none"], "detached")
    check(free(workers), "all run on their own, whether they stood or ran")
    time.sleep(0.5)
    check(free(workers), "and still do")
    check(driver.attach([w.pid for w in workers]).ok, "attached again")
    driver.ask("go 1 0 continue")
    said = driver.ask("leave 2")
    check(said.ok and said.told == [], "a stop before it was let go is not told: %s" % said.told)
    check(driver.close() == 0 and free(workers), "closing lets go of all")


def test_gdb_dies(place):
    for who, name in (("gdb", "gdb is killed"), ("gdbserver", "gdbserver is killed")):
        driver, workers = opened(place, 2)
        driver.ask("go 0 0 continue")
        pids = [pid for pid, comm in children(driver.process.pid) if comm == who]
        if check(len(pids) == 1, "%s is found" % who):
            os.kill(pids[0], signal.SIGKILL)
        check(driver.wait_for("^! -1 lost"), name)
        said = driver.ask("stack 1 5")
        check(not said.ok and "gdb has ended" in said.status, said.status)
        check(driver.ask("state 0").text == ["none"] and not driver.ask("go 0 0 continue").ok, "no process is attached")
        check(free(workers), "they run")
        check(driver.close() == 0, "the end")
        place.end()
    driver, workers = opened(place, 1)
    driver.process.stdin.write("evaluate 0 0 endless(1)\n")
    driver.process.stdin.flush()
    time.sleep(1)
    os.kill([pid for pid, comm in children(driver.process.pid) if comm == "gdb"][0], signal.SIGKILL)
    said = driver.process.stdout.readline()
    check("lost" in said or "gdb has ended" in said, "in the middle of a call: " + said.strip())
    driver.close()


def busy(driver, how):
    """Has gdb do something that its user is to be killed in the middle of."""
    if how == "breakpoint":
        for i in range(4):  # three are always on their way past a breakpoint
            driver.ask("break %d 0 k step%s" % (i, " if n < 0" if i else ""))
        for i in range(4):
            driver.ask("go %d 0 continue" % i)
        driver.wait_for("breakpoint")
    elif how != "quiet":
        command = {"calling": "evaluate 0 0 endless(1)", "commanding": "command 0 0 python import time; time.sleep(100)"}
        driver.process.stdin.write(command[how] + "\n")
        driver.process.stdin.flush()
        time.sleep(1)


def test_nothing_stays(place):
    """However the program that uses gdb dies."""
    for how in ["quiet", "calling", "commanding"] + 8 * ["breakpoint"] if "HBDB_GDB_AGENT" not in os.environ else ["calling", "breakpoint"]:
        driver, workers = opened(place, 4)
        helpers = [pid for pid, _ in children(driver.process.pid)]
        busy(driver, how)
        driver.process.kill()
        # out of a command of its own gdb comes only by force, which it waits for
        check(len(helpers) >= 2 and gone(helpers, 200), "%s: gdb and gdbserver end" % how)
        check(free(workers), "%s: the processes go on" % how)
        time.sleep(0.3)
        check(free(workers), "%s: and still do" % how)
        for pid in helpers:
            if not gone([pid], 0):
                os.kill(pid, signal.SIGKILL)
        driver.process.wait()
        place.end()


def test_two_gdbs(place):
    one, workers = opened(place, 2)
    two = Driver()
    two.ask("open")
    said = two.attach([workers[0].pid])
    check(not said.ok and "already traced" in said.status and said.text == ["failed 0"], said.status)
    more = place.workers(1)
    check(two.attach([more[0].pid]).ok and two.ask("evaluate 0 0 1 + 1").text == ["2"], "two gdbs at once")
    one.ask("go 0 0 continue")
    two.ask("break 0 0 t step")
    two.ask("go 0 0 continue")
    check(two.wait_for("^! 0 breakpoint") and one.ask("state 0").text == ["running"], "they do not mind each other")
    check(one.close() == 0 and two.close() == 0, "the end")


def test_refusals(place):
    driver = Driver()
    said = driver.ask("open /no/gdb")
    check(not said.ok and "apt-get install gdb" in said.status, "no gdb: " + said.status)
    said = driver.ask("open gdb no-gdbserver")
    check(not said.ok and "apt-get install gdbserver" in said.status, "no gdbserver: " + said.status)
    said = driver.ask("open /bin/true")
    check(not said.ok and "gdb has ended" in said.status, "not a gdb: " + said.status)
    said = driver.ask("open gdb /bin/true")
    check(not said.ok, "not a gdbserver: " + said.status)
    said = Driver(env={"PATH": place.folder})
    check("apt-get install gdb" in said.ask("open").status, "not in PATH")
    said.close()
    driver.ask("open")
    child = subprocess.Popen(["true"])
    while lib.state(child.pid)[0] != "Z":
        time.sleep(0.02)
    said = driver.attach([child.pid])
    check(not said.ok and "is gone" in said.status, said.status)
    child.wait()
    check("is gone" in driver.attach([child.pid]).status, "a pid that is not there")
    worker = place.workers(1)[0]
    said = driver.attach([child.pid, worker.pid])
    check(not said.ok and said.text == ["failed 0"] and driver.ask("state 1").text == ["stopped"], "one of two is gone")
    check(not driver.ask("attach 1=%d" % worker.pid).ok, "attached twice")
    driver.close()
    if os.geteuid() == 0:
        other = Driver(user="65534")
        said = other.ask("open")
        said = other.attach([worker.pid])
        check(not said.ok and "another user" in said.status, said.status)
        other.close()
    check(free([worker]), "the process goes on")


def test_forbidden(place):
    """Where the kernel does not let gdb attach, that is said at once, with what would allow it."""
    worker = place.workers(1)[0]
    ways = [("a filter", [sys.executable, os.path.join(HERE, "no_ptrace.py")], "the system call ptrace is forbidden")]
    if os.geteuid() == 0:
        ways.append(("no capability", ["setpriv", "--bounding-set", "-sys_ptrace", "--"], "capability SYS_PTRACE would allow it"))
    for name, before, wanted in ways:
        driver = Driver(before=before)
        begin = time.monotonic()
        said = driver.ask("open")
        driver.ask("patience 300")
        said = driver.attach([worker.pid]) if said.ok else said
        took = time.monotonic() - begin
        check(not said.ok and wanted in said.status, "%s: %s" % (name, said.status))
        check(took < 100, "%s: without waiting for an answer that does not come: %.1f s" % (name, took))
        driver.close()
    check(free([worker]), "the process goes on")
