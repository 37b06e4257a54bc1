#!/usr/bin/python3
"""src/session/gdb on real processes, with the real gdb.

usage: run.py [--agent] [NAME...]    only tests whose name contains one of these; --agent: gdb is run by an agent, as on another node
"""
import os
import subprocess
import sys
import time

import ends
import lib
import mpi
import standing
from lib import Driver, check, processes


def opened(place, n):
    """A driver with n workers attached."""
    workers, driver = place.workers(n), Driver()
    said = driver.ask("open")
    check(said.ok, "gdb starts: %s" % said.status)
    said = driver.attach([w.pid for w in workers])
    check(said.ok and all(lib.state(w.pid)[0] == "t" for w in workers), "%d processes stand: %s" % (n, said.status))
    return driver, workers


def run_to_step(driver, who=0, where="step"):
    """Runs to a temporary breakpoint."""
    driver.ask("break %d 0 t %s" % (who, where))
    driver.ask("go %d 0 continue" % who)
    return driver.wait_for("^! %d breakpoint .* at %s " % (who, where.split()[0]))


def test_stack_and_values(place):
    driver, _ = opened(place, 1)
    said = driver.ask("stack 0 20")
    check(said.ok and " main worker.c:" in said.text[-1] and said.text[-1].endswith(" full") and said.text[0].startswith("#0 "),
          "the stack reaches to main")
    check(len(driver.ask("stack 0 1").text) == 1, "as many frames as asked for")
    run_to_step(driver, 0, "describe")
    driver.ask("go 0 0 next 4")
    driver.wait_for("stepped")
    said = driver.ask("variables 0 0")
    wanted = ["arg struct point * p = 0x", 'arg const char * text = 0x', 'text"', "arg int n = ",
              'char [4] letters = "ab\\n"', "int [5] numbers = {1, 2, 3, 4, 5}", "double half = 0.5"]
    found = "\n".join(said.text)
    for text in wanted:
        check(text in found, "variable " + text)
    said = driver.ask("variables 0 1")
    check('name = "hello \\"you\\"' in "\n".join(said.text) and "weight = {1, 2.5, 3}" in "\n".join(said.text),
          "a structure of another frame")
    check(driver.ask("evaluate 0 1 p.in.weight[1] + 1").text == ["3.5"], "an expression in another frame")
    check(driver.ask("evaluate 0 0 p->next").text == ["0x0"], "a pointer")
    check(driver.ask("evaluate 0 0 n = 41").text == ["41"] and driver.ask("evaluate 0 0 n + 1").text == ["42"], "an assignment")
    said = driver.ask('evaluate 0 0 text[1] == \'e\' && "a\\\\b"[1] == \'\\\\\'')
    check(said.text == ["1"], "quotes and backslashes reach gdb: %s" % said)
    said = driver.ask("evaluate 0 0 nothing")
    check(not said.ok and 'No symbol "nothing" in current context' in said.status, "an unknown name")
    said = driver.ask("evaluate 0 0 *(int *)0")
    check(not said.ok and "Cannot access memory" in said.status, "a bad address")
    said = driver.ask("command 0 0 ptype struct inner")
    check("double weight[3];" in "".join(said.text), "a command of gdb")
    check("rip" in "".join(driver.ask("command 0 0 info registers rip").text), "registers")
    for command in ("quit", "shell ls", "python", "commands 1", "detach", "!ls"):
        check(not driver.ask("command 0 0 " + command).ok, "gdb's %s is refused" % command)
    check(not driver.ask("command 0 0 nonsense").ok, "an unknown command of gdb")
    check(not driver.ask("evaluate 0 99 1").ok and driver.ask("evaluate 0 0 1").ok, "a frame that is not there")
    check(driver.close() == 0, "the end")


def test_calls(place):
    driver, workers = opened(place, 1)
    run_to_step(driver)
    check(driver.ask("evaluate 0 0 add(40, 2)").text == ["42"], "a function is called")
    check(driver.ask("command 0 0 print add(1, 2)").text[0].endswith("= 3\\n"), "also by a command")
    before = driver.ask("stack 0 5").text
    said = driver.ask("evaluate 0 0 crash()")
    check(not said.ok and "signal" in said.status and not said.told, "a function that crashes")
    check(driver.ask("stack 0 5").text == before, "everything is put back")

    def hurried(line):
        driver.ask("patience 2")
        said = driver.ask(line)
        driver.ask("patience 100")
        return said

    said = hurried("evaluate 0 0 endless(1)")
    check(not said.ok and "did not return within 2 s" in said.status, "a function that never returns: " + said.status)
    check(driver.ask("stack 0 5").text == before, "everything is put back")
    said = hurried("evaluate 0 0 locked()")
    check(not said.ok and "did not return" in said.status, "one that blocks SIGINT: " + said.status)
    check(driver.ask("stack 0 5").text == before, "everything is put back")
    said = driver.ask("command 0 0 while 1")
    check(not said.ok, "while is refused")
    said = hurried("command 0 0 python while True: pass")
    check(not said.ok and "did not answer within 2 s" in said.status, "a command that never ends: " + said.status)
    check(driver.ask("evaluate 0 0 1 + 1").text == ["2"], "gdb is well afterwards")
    driver.ask("go 0 0 continue")
    check(driver.close() == 0 and workers[0].poll() is None, "the process goes on")


def test_breakpoints(place):
    driver, _ = opened(place, 3)
    said = driver.ask("break 0 0 k step")
    check(" at step worker.c:" in said.text[0] and said.text[0].endswith(" full"), "a breakpoint tells where it is")
    number = said.number()
    held = driver.ask("break 1 0 k step if n == 77777 || n > 20 && a != 1000000").number()
    second = driver.ask("break 2 4 t add").number()
    for who in reversed(range(3)):
        driver.ask("go %d 0 continue" % who)
    check("number=%d " % number in driver.wait_for("^! 0 breakpoint"), "it stops its process")
    driver.wait_for("^! 1 breakpoint")
    check(int(driver.ask("evaluate 1 0 n").text[0]) > 20, "a condition holds")
    check("number=%d " % second in driver.wait_for("^! 2 breakpoint"), "a temporary one behind its count")
    check(not driver.ask("delete %d" % second).ok, "and it is gone then")
    n = int(driver.ask("evaluate 0 0 counter").text[0])
    driver.ask("go 0 0 continue")
    driver.wait_for("^! 0 breakpoint")
    check(int(driver.ask("evaluate 0 0 counter").text[0]) == n + 1, "it stops every time")
    driver.ask("enable %d 0" % number)
    driver.ask("break 0 0 t describe if n > 5 + 5")
    driver.ask("go 0 0 continue")
    check(" at describe " in driver.wait_for("^! 0 breakpoint"), "a disabled one does not stop")
    driver.ask("enable %d 1" % number)
    driver.ask("go 0 0 continue")
    check(" at step " in driver.wait_for("^! 0 breakpoint"), "an enabled one does")
    check(driver.ask("delete %d" % number).ok and not driver.ask("delete %d" % number).ok, "deleted once")
    for bad, why in (("nowhere", "not defined"), ("worker.c:9999", "line 9999"), ("nothere.c:1", "No source file"),
                     ("step if zzz > 1", 'No symbol "zzz"'), ("step if n + ", "n")):
        said = driver.ask("break 0 0 k " + bad)
        check(not said.ok and why in said.status, "no breakpoint at %s: %s" % (bad, said.status))
    check(not driver.ask("break 7 0 k step").ok, "no such process")
    driver.ask("delete %d" % held)
    driver.ask("go 1 0 continue")
    check(driver.ask("state 1").text == ["running"], "the other runs")
    driver.ask("interrupt 1")
    check(driver.ask("state 1").text == ["stopped"] and driver.ask("state 0").text == ["stopped"], "and stands")
    driver.ask("go 1 0 continue")
    driver.ask("go 0 0 continue")
    check(driver.ask("halt 1").ok and driver.ask("halt 0").ok and driver.wait_for("asked") and driver.wait_for("asked"),
          "two are asked to stop at once")
    late = place.workers(1)[0]
    driver.ask("break 2 0 k add")
    driver.ask("attach 3=%d" % late.pid)
    driver.events.clear()
    driver.ask("go 3 0 continue")
    driver.ask("await 1")
    check(driver.ask("state 3").text == ["running"], "a breakpoint does not stop a process attached later")
    driver.ask("go 2 0 continue")
    check(driver.wait_for("^! 2 breakpoint"), "but its own")
    check(driver.close() == 0, "the end")


def test_condition_survives_attach(place):
    """gdb reads conditions again when a process or a library comes, in the wrong scope."""
    driver, _ = opened(place, 1)
    driver.ask("break 0 0 k step if n > 3 && a != 5")
    for extra in (1, 2):
        worker = place.workers(1)[0]
        driver.ask("attach %d=%d" % (extra, worker.pid))
        driver.ask("go %d 0 continue" % extra)
    driver.events.clear()
    driver.ask("go 0 0 continue")
    check(driver.wait_for("^! 0 breakpoint"), "a condition on a local variable survives later attaches")
    driver.ask("await 1")
    check(driver.ask("state 1").text == driver.ask("state 2").text == ["running"], "and holds in its process only")
    driver.close()


def test_steps(place):
    driver, _ = opened(place, 2)
    run_to_step(driver)
    line = int(driver.ask("stack 0 1").text[0].split("worker.c:")[1].split()[0])

    def at(how, level, function, offset, other=""):
        driver.ask("go 0 %d %s" % (level, how))
        event = driver.wait_for("^! 0 stepped")
        check(" at %s worker.c:%d" % (function, line + offset) in event and other in event, "%s: %s" % (how, event[-60:]))
    at("next", 0, "step", 1)
    at("step", 0, "add", driver_line(driver, "add") - line)
    at("finish", 0, "step", 1, "new=")
    at("next 2", 0, "step", 3)
    pc = driver.ask("evaluate 0 0 $pc").text
    driver.ask("go 0 0 stepi")
    driver.wait_for("^! 0 stepped")
    check(driver.ask("evaluate 0 0 $pc").text != pc, "stepi")
    driver.ask("go 0 0 nexti 2")
    check(driver.wait_for("^! 0 stepped"), "nexti")
    run_to_step(driver, 0, "down if depth == 0")
    driver.ask("go 0 3 finish")
    check(" at down " in driver.wait_for("^! 0 stepped") and driver.ask("evaluate 0 0 depth").text == ["4"],
          "finish out of four frames")
    said = driver.ask("go 0 2 finish")
    check(not said.ok and "outermost" in said.status, "no finish out of main: " + said.status)
    driver.ask("await 1")
    check(driver.ask("state 0").text == ["stopped"], "then it stands as before")
    check(driver.ask("state 1").text == ["stopped"], "the other has not moved")
    driver.close()


def driver_line(driver, function):
    said = driver.ask("command 0 0 info line " + function)
    return int(said.text[0].split("Line ")[1].split()[0])


def test_watch(place):
    driver, _ = opened(place, 2)
    run_to_step(driver)
    said = driver.ask("watch 0 0 counter")
    check(said.ok, "a watchpoint: " + said.status)
    driver.ask("go 1 0 continue")
    driver.ask("go 0 0 continue")
    event = driver.wait_for("^! 0 watchpoint number=%d " % said.number())
    old, new = (int(event.split(" %s=" % w)[1].split()[0]) for w in ("old", "new"))
    check(new == old + 1 and " expression=counter " in event, "it tells old and new value")
    check(driver.ask("state 1").text == ["running"], "and watches its own process only")
    driver.ask("delete %d" % said.number())
    run_to_step(driver, 0, "step if n > 0")
    said = driver.ask("watch 0 0 b")
    driver.ask("go 0 0 continue")
    check(driver.wait_for("^! 0 watchpoint"), "a local variable")
    driver.ask("go 0 0 continue")
    check("meaning=out of scope" in driver.wait_for("^! 0 watchpoint"), "its scope ends")
    said = driver.ask("watch 0 0 wide")
    check(not said.ok and "cannot watch" in said.status, "too wide: " + said.status)
    check(not driver.ask("watch 0 0 nothing").ok, "an unknown name")
    check([driver.ask("watch 0 0 wide[%d]" % i).ok for i in range(4)] == [True] * 4, "four of them")
    said = driver.ask("watch 0 0 wide[5]")
    check(not said.ok and "cannot watch" in said.status, "but no fifth")
    driver.ask("go 0 0 continue")
    check("expression=wide[" in driver.wait_for("^! 0 watchpoint"), "the four still do")
    driver.close()


def test_threads(place):
    driver, workers = opened(place, 1)
    run_to_step(driver)
    driver.ask("evaluate 0 0 what = 9")
    driver.ask("break 0 0 k step if n == -9")
    driver.ask("go 0 0 continue")
    driver.wait_for("^! 0 breakpoint")
    check("other" in driver.ask("stack 0 5").text[1], "a breakpoint in another thread: its stack")
    states = set(processes.states(workers[0].pid))
    check(states == {"t"}, "all threads stand")
    driver.ask("go 0 0 next")
    check(" at step " in driver.wait_for("^! 0 stepped"), "it steps")
    driver.ask("evaluate 0 0 what = 4")
    driver.ask("go 0 0 continue")
    end = time.monotonic() + 300
    while len(processes.states(workers[0].pid)) < 3 and time.monotonic() < end:
        time.sleep(0.02)
    driver.ask("interrupt 0")
    states = processes.states(workers[0].pid)
    check(states == ["t"] * 3, "a thread that came later stands, too")
    driver.ask("evaluate 0 0 what = 0")
    driver.ask("break 0 0 k add")
    driver.ask("go 0 0 continue")
    for _ in range(20):
        driver.wait_for("^! 0 breakpoint")
        driver.ask("go 0 0 continue")
    check(driver.wait_for("^! 0 breakpoint"), "many stops")
    driver.close()


def test_fortran(place):
    process, driver = place.start([os.path.join(place.folder, "values")], stdout=subprocess.PIPE, text=True), Driver()
    process.stdout.readline()  # past the loader
    driver.ask("open")
    driver.attach([process.pid])
    driver.ask("break 0 0 t work if n > 3 .and. n < 1000000")
    driver.ask("go 0 0 continue")
    driver.wait_for("breakpoint")
    driver.ask("go 0 0 next 2")
    driver.wait_for("stepped")
    found = "\n".join(driver.ask("variables 0 0").text)
    for text in ("n = ", "w = 'abcde'", "even = .", ", 2.5, 3.5)"):
        check(text in found, "Fortran's " + text)
    check(driver.ask("evaluate 0 0 a(2) * 2").text == ["5"], "an expression of Fortran")
    check(driver.ask("evaluate 0 0 a(2) = 8.5").ok and driver.ask("evaluate 0 0 a(2)").text == ["8.5"], "an assignment")
    stack = driver.ask("stack 0 9").text
    check(any("values" in f for f in stack) and not stack[0].endswith("ours"), "its stack")
    driver.close()


def main():
    if not os.access(lib.DRIVER, os.X_OK):
        sys.exit(lib.DRIVER + " is not there: ./dev build")
    if "--agent" in sys.argv:
        sys.argv.remove("--agent")
        os.environ["HBDB_GDB_AGENT"] = os.path.join(lib.BUILD, "hbdb")
    place = lib.Place()
    tests = dict(globals())
    tests.update(vars(ends))
    tests.update(vars(mpi))
    tests.update(vars(standing))
    try:
        for name in lib.FLAGS:
            place.build(name)
        for name in [n for n in tests if n.startswith("test_") or (n.startswith("hangs_") and n in sys.argv)]:
            if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
                continue
            print("---", name[5:])
            try:
                tests[name](place)
            except (lib.Broken, IndexError, ValueError, TypeError) as failure:
                check(False, "%s: %r" % (name, failure))
            place.end()
    finally:
        place.remove()
    lib.finish()


if __name__ == "__main__":
    main()
