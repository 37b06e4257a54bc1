"""A process that stands by SIGSTOP, or by a signal of a terminal, is attached to where it stands, and stands again afterwards unless it was told to go on."""
import os
import signal
import struct
import time

import lib
from lib import Driver, check

ROUNDS = 10


def counts(path):
    with open(path, "rb") as f:
        return struct.unpack("3Q", f.read(24).ljust(24, b"\0"))


def wait_for(what):
    until = time.monotonic() + 120
    while not what() and time.monotonic() < until:
        time.sleep(0.01)
    return what()


def stands(pid):
    """All its threads are in the stop that SIGSTOP made, and no debugger's."""
    return all(lib.state(int(task)) == ("T", 0) for task in os.listdir("/proc/%d/task" % pid))


def standing(place, by=signal.SIGSTOP):
    path = os.path.join(place.folder, "counts." + by.name)
    if os.path.exists(path):
        os.unlink(path)  # of the test before, which this one would take for its own
    # in a group of its own whose parent is in another one of the session: the system does not stop an orphaned group by a signal of a terminal
    process = place.start([os.path.join(place.folder, "counter"), path], process_group=0)
    wait_for(lambda: os.path.exists(path) and all(counts(path)))
    process.send_signal(by)
    check(wait_for(lambda: stands(process.pid)), "it stands by " + by.name)
    return process, path


def test_standing(place):
    process, path = standing(place)
    before, moved, lost = counts(path), 0, 0
    for round_ in range(ROUNDS):
        if round_ == ROUNDS // 2:
            process.send_signal(signal.SIGSTOP)  # one more, which is still to be delivered
        driver = Driver()
        said = driver.ask("standing 0=%d" % process.pid)
        seen = driver.ask("variables 0 0")
        called = driver.ask("evaluate 0 0 twice(4)")
        here = lib.state(process.pid)
        good = said.ok and "turns = 42" in "\n".join(seen.text) and called.text == ["8"] and here and here[0] == "t" and driver.ask("state 0").text == ["stopped"]
        lost += not good
        moved += counts(path) != before
        driver.ask("close") if round_ % 2 else driver.ask("detach 0")
        driver.close()
        lost += not wait_for(lambda: stands(process.pid))
        moved += counts(path) != before
    check(not lost, "gdb stays, shows its values, calls its functions, and leaves it standing: %d of %d did not" % (lost, ROUNDS))
    check(not moved, "it executes nothing meanwhile: %d of %d looks saw that it counted" % (moved, 2 * ROUNDS))
    check(counts(path) == before, "nor afterwards")
    process.kill()  # a process that stands does not take up SIGTERM


def test_let_go_on(place):
    process, path = standing(place)
    driver, before = Driver(), counts(path)
    driver.ask("open")
    said = driver.attach([process.pid])
    check(not said.ok and "stands by SIGSTOP" in said.status and counts(path) == before and stands(process.pid), "a gdb with others does not take it: %s" % said.status)
    driver.ask("close")
    check(driver.ask("standing 0=%d" % process.pid).ok, "one of its own does")
    steps = 0
    for round_ in range(ROUNDS):
        driver.ask("go 0 0 next")
        steps += "stepped" in driver.wait_for("^! 0 (stepped|signal|killed|exited)")
        if round_ % 3 == 2:  # the first steps are those that other threads may spoil
            driver.ask("close")
            steps += wait_for(lambda: stands(process.pid)) and driver.ask("standing 0=%d" % process.pid).ok
    check(steps == ROUNDS + ROUNDS // 3, "it is stepped, and no signal of its standing ends a step: %d of %d" % (steps, ROUNDS + ROUNDS // 3))
    driver.ask("close")
    check(wait_for(lambda: stands(process.pid)), "one that was stepped stands again")
    driver.ask("standing 0=%d" % process.pid)
    before = counts(path)
    driver.ask("go 0 0 continue")
    check(wait_for(lambda: all(a > b for a, b in zip(counts(path), before))), "it goes on where that is asked for")
    check(driver.ask("interrupt 0").ok and driver.ask("state 0").text == ["stopped"], "it is interrupted")
    before = counts(path)
    driver.ask("close")
    driver.close()
    check(wait_for(lambda: all(a > b for a, b in zip(counts(path), before))), "let go of, it runs")


def test_standing_of_terminal(place):
    for by in signal.SIGTSTP, signal.SIGTTIN:
        process, path = standing(place, by)
        driver, before = Driver(), counts(path)
        check(driver.ask("standing 0=%d" % process.pid).ok and driver.ask("evaluate 0 0 twice(4)").text == ["8"] and driver.ask("detach 0").ok,
              "one that a terminal stopped (%s) is attached to and let go of" % by.name)
        check(wait_for(lambda: stands(process.pid)) and counts(path) == before, "... and it has executed nothing, and stands")
        driver.ask("close")
        driver.ask("standing 0=%d" % process.pid)
        driver.ask("go 0 0 next")
        check("stepped" in driver.wait_for("^! 0 (stepped|signal|killed|exited)"), "... it is stepped")
        driver.ask("go 0 0 continue")
        before = counts(path)
        check(wait_for(lambda: all(a > b for a, b in zip(counts(path), before))), "... it goes on")
        driver.ask("interrupt 0")
        driver.ask("go 0 0 continue")
        process.send_signal(by)
        check(by.name in driver.wait_for("^! 0 (stepped|signal|killed|exited)"), "... and meets the next such signal as any process does")
        driver.ask("close")
        driver.close()
        process.kill()
