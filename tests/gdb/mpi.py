"""Processes of MPI programs, inside the library."""
import os
import re
import time

import lib
from lib import Driver, check


def look(driver, pids, title, library):
    """Stacks of all ranks but the one that sleeps."""
    blocked = 0
    for i in range(len(pids)):
        stack = driver.ask("stack %d 64" % i).text
        functions = [f.split()[1] for f in stack]
        check(functions[-1] == "main", "%s: a stack down to main: %s" % (title, " ".join(functions)))
        if "receive" not in functions:
            continue
        blocked += 1
        first = functions.index("receive")
        check(all(f.endswith(" ours") for f in stack[:first]) and not any(f.endswith(" ours") for f in stack[first:]),
              "%s: what is inside the library is not the program's" % title)
        check(first > 0 and any(re.search(library, f) for f in stack[:first]), "%s: the library is named" % title)
        check("int unused = " in "\n".join(driver.ask("variables %d %d" % (i, first)).text), "%s: its variables" % title)
        said = "\n".join(driver.ask("variables %d %d" % (i, len(stack) - 1)).text)
        check("int argc = <optimized out>" in said and "int value = 1" in said, "%s: some are optimized out" % title)
    return blocked


def waits(driver, who):
    """Whether it is inside of MPI_Recv: not only on its way there."""
    return "receive" in [f.split()[1] for f in driver.ask("stack %d 64" % who).text][1:]


def settle(driver, n):
    """They said their numbers before the call in which they are looked at: lets them go on until all but one are in it."""
    end = time.monotonic() + 300
    while sum(waits(driver, i) for i in range(n)) < n - 1 and time.monotonic() < end:
        for i in range(n):
            driver.ask("go %d 0 continue" % i)
        time.sleep(0.1)
        for i in range(n):
            driver.ask("interrupt %d" % i)
    driver.events.clear()


def one_job(place, mpi, n, before=(), env=None, title=None, library=r"\[/\S*lib(mpi|mpich)\."):
    title = title or mpi
    job, pids = place.job(mpi, n, before, env)
    driver = Driver()
    driver.ask("open")
    said = driver.attach(pids)
    check(said.ok, "%s: %d processes attached: %s" % (title, n, said.status))
    settle(driver, n)
    blocked = look(driver, pids, title, library)
    check(blocked == n - 1, "%s: %d are blocked in MPI_Recv" % (title, blocked))
    rank = [int(driver.ask("evaluate %d 0 reduced" % i).text[0]) for i in range(n)]
    root = rank.index(max(rank))
    # a function of the program that the library calls is the program's
    driver.ask("break %d 0 t sum" % root)
    driver.ask("go %d 0 continue" % root)
    driver.wait_for("^! %d breakpoint" % root)
    stack = driver.ask("stack %d 64" % root).text
    check(not stack[0].endswith(" ours") and stack[1].endswith(" ours") and not stack[-1].endswith(" ours"),
          "%s: a callback is the program's, what called it is not" % title)
    driver.ask("go %d 0 finish" % root)
    driver.wait_for("^! %d stepped" % root)
    driver.ask("break %d 0 t usleep" % root)
    driver.ask("go %d 0 continue" % root)
    driver.wait_for("^! %d breakpoint" % root)
    driver.ask("go %d 0 finish" % root)
    driver.wait_for("^! %d stepped" % root)
    for _ in range(3):
        driver.ask("go %d 0 step" % root)
        event = driver.wait_for("^! %d stepped" % root)
        check(" blocked.c:" in event, "%s: a step does not go into MPI: %s" % (title, event[-60:]))
    for i in range(n):
        driver.ask("go %d 0 continue" % i)
    check(driver.ask("await 1").ok and job.poll() is None, "%s: all go on" % title)
    check(driver.close() == 0, "%s: the end" % title)
    place.end()


def test_openmpi(place):
    one_job(place, "openmpi", 4)


def test_mpich(place):
    one_job(place, "mpich", 2)


def test_recorded(place):
    """Under hbdb: its library is not the program's, either."""
    hbdb = os.path.join(lib.BUILD, "hbdb")
    if not check(os.access(hbdb, os.X_OK), hbdb):
        return
    one_job(place, "openmpi", 2, before=[hbdb, "record", "-o", "run.hbdb", "--"], title="recorded", library=r"\[/\S*libhbdb-")
