#!/usr/bin/python3
"""hbdb gdbserver under gdb's command line: forwards, backwards, to events. See README.md."""
import sys

sys.dont_write_bytecode = True

import os
import re
import socket
import subprocess
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HBDB = os.path.join(TOP, os.environ.get("BUILD", "build"), "hbdb")
HERE = os.path.join(TOP, "tests", "reverse", "programs")
LIMIT = 120  # seconds of one gdb: the longest takes 4
NO_MORE = r"No more reverse-execution history|Reached end of recorded history"  # before gdb 16, and since
FLUSH = ["maintenance flush register-cache", "maintenance flush dcache"]
passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("ok" if good else "FAIL", name, flush=True)
    if not good:
        print("\n".join("    " + line for line in str(detail).splitlines()[-60:]))


def gdb(folder, program, commands, arguments=(), options=()):
    """What gdb and the program print, in one text."""
    server = " ".join([HBDB, "gdbserver", *options, "--", "./" + program, *arguments])
    words = ["gdb", "-nx", "-batch"]
    for command in ["set pagination off", "set width 0", "file ./" + program, "target remote | " + server, *commands]:
        words += ["-ex", command]
    try:
        done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=LIMIT, check=False)
        return done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as e:
        return (e.stdout or b"").decode(errors="replace") + "\n%d s and not done" % LIMIT


def in_order(name, text, *patterns):
    """Each pattern, behind the one before it."""
    at = 0
    for pattern in patterns:
        match = re.compile(pattern, re.M).search(text, at)
        if not match:
            check(name, False, "not found: %s\n%s" % (pattern, text))
            return
        at = match.end()
    check(name, True)


def line_of(program, what):
    with open(os.path.join(HERE, program + ".c"), encoding="utf-8") as f:
        return next(n for n, text in enumerate(f, 1) if what in text)


def crash(folder):
    """From the crash back to the store that made the pointer bad."""
    store = line_of("wild", "it->name[i] =")
    text = gdb(folder, "wild", ["continue", "p items[2].value == &numbers[2]", "watch items[2].value", "reverse-continue", "reverse-continue",
                                "reverse-continue", "p i", "p items[2].value == &numbers[2]", "bt 1", "reverse-continue", "p items[2].value",
                                "delete", "continue"])
    in_order("from a crash to the stores that ruined its pointer, the last one first", text, r"SIGSEGV", r"^\$1 = 0$",
             r"Hardware watchpoint 1", r"wild\.c:%d" % store, r"wild\.c:%d" % store, r"wild\.c:%d" % store, r"^\$2 = 8$", r"^\$3 = 1$",
             r"#0 .* label \(.*n=11\)", r"Old value = \(int \*\) 0x[0-9a-f]+ <numbers\+8>\nNew value = \(int \*\) 0x0", r"^\$4 = .*0x0$", r"SIGSEGV")
    check("what it printed before the crash was printed once", text.count("begin\n") == 1, text)


def steps(folder):
    first, second, third = (line_of("calls", t) for t in ("int a =", "int b =", "f = fib"))
    text = gdb(folder, "calls", ["break %d" % third, "continue", "p b", "reverse-next", "p a", "p b", "reverse-next", "next", "next", "p b",
                                 "reverse-step", "bt 2", "reverse-finish", "bt 1", "stepi", "stepi", "reverse-stepi", "reverse-stepi", "p a"])
    in_order("reverse-next, reverse-step, reverse-finish and reverse-stepi", text, r"^\$1 = 16$", r"^%d\b" % second, r"^\$2 = 8$",
             r"^\$3 = 0$", r"^%d\b" % first, r"^%d\b" % second, r"^%d\b" % third, r"^\$4 = 16$", r"^#0  twice \(x=8\)", r"^#1 .* in main",
             r"^#0 .* main .*calls\.c:%d" % second, r"^\$5 = 8$")
    check("every step back found its place", "did not come by" not in text, text)


def instructions(folder):
    """A hundred instructions forward, as many back: the same addresses in the opposite order."""
    n = 100
    text = gdb(folder, "calls", ["break twice", "continue", "delete"] + ["p $pc", "stepi"] * n + ["p $pc"] + ["reverse-stepi", "p $pc"] * n)
    places = re.findall(r"^\$\d+ = .*(0x[0-9a-f]+)", text, re.M)
    check("%d instructions forward and back" % n, len(places) == 2 * n + 1 and places[:n + 1] == places[n:][::-1],
          "%d places\n%s" % (len(places), text[-3000:]))


def recursion(folder):
    text = gdb(folder, "calls", ["break %d" % line_of("calls", "for (int i"), "continue", "p f", "reverse-next", "p f", "next", "reverse-step",
                                 "reverse-step", "bt", "delete", "break fib", "reverse-continue", "reverse-continue"])
    in_order("over a function that calls itself, and into it", text, r"^\$1 = 8$", r"^%d\b" % line_of("calls", "f = fib"), r"^\$2 = -1$",
             r"^#0 .*fib \(n=6\)|^#0 .*fib \(n=", r"in main .*calls\.c", r"Breakpoint 2, fib", r"Breakpoint 2, fib")


def neighbours(folder):
    """More points than the processor has places for: that of fib stands in memory, and the place where a search ends is the instruction behind it."""
    lower = ("_init", "_start", "deregister_tm_clones", "register_tm_clones", "frame_dummy")  # gdb tells of points in this order
    text = gdb(folder, "calls", ["break main", "continue", *["break *" + f for f in lower], "tbreak *(fib + 1)", "continue", "break *fib",
                                 "p $rip == (long) fib + 1", "reverse-stepi", "p $rip == (long) fib", "delete 8", "tbreak *(fib + 1)", "continue",
                                 "tbreak *(fib + 1)", "continue", "break *fib", "reverse-stepi", "p $rip == (long) fib"])
    in_order("back from behind a point in memory", text, *(r"^\$%d = 1$" % n for n in range(1, 4)))


def loops(folder):
    place = line_of("calls", "total += i")
    text = gdb(folder, "calls", ["break calls.c:%d if i == 4321" % place, "continue", "p i", "p total", "delete", "break calls.c:%d" % place,
                                 "reverse-continue", "p i", "reverse-continue", "p i", "delete", "tbreak calls.c:%d if i == 4300" % place,
                                 "reverse-continue", "p i", "p total", "continue"])
    in_order("the last hit of thousands, one before it, and one by its condition", text, r"^\$1 = 4321$", r"^\$2 = %d$" % sum(range(4321)),
             r"^\$3 = 4320$", r"^\$4 = 4319$", r"^\$5 = 4300$", r"^\$6 = %d$" % sum(range(4300)), r"exit with status 3",
             NO_MORE)
    check("its line was printed once", text.count("12497500\n") == 1, text)


def watched_steps(folder):
    """A step back over a store to what is watched tells of it, as a step forwards does."""
    text = gdb(folder, "calls", ["break turn if i == 3", "continue", "delete", "watch total", "continue", "p total", "reverse-stepi", "p total", "stepi",
                                 "p total", "reverse-step", "p total", "reverse-continue", "p total"])
    told = r"Hardware watchpoint 2: total\n\nOld value = %d\nNew value = %d"
    in_order("by an instruction and by a line, back over a store to what is watched", text, told % (3, 6), r"^\$1 = 6$", told % (6, 3), r"^\$2 = 3$",
             told % (3, 6), r"^\$3 = 6$", told % (6, 3), r"^\$4 = 3$", told % (3, 1), r"^\$5 = 1$")


# Stands before the store of turn(3) to total, which is watched as point 2. $store and $behind: its instruction and the next one.
AT_STORE = ["break turn if i == 3", "continue", "delete", "watch total", "continue", "set $behind = (long) $pc", "reverse-stepi", "set $store = (long) $pc"]


def points_at_stores(folder):
    """An instruction at which a breakpoint stands stores to what is watched. In the search the breakpoint stands in memory, on the way to what was
    found it has a place of the processor: both count the same hits."""
    lower = ("_init", "_start", "deregister_tm_clones", "register_tm_clones", "frame_dummy")  # gdb tells of points in this order
    for n in range(len(lower) + 1):
        text = gdb(folder, "calls", [*AT_STORE, *["break *" + f for f in lower[:n]], "break *$store", *["continue"] * 5, "p total",
                                     *["reverse-continue", "p total"] * 4, "reverse-continue", "p $pc == $store"])
        in_order("back over stores at a breakpoint, with %d others" % n, text, *(r"^\$%d = %d$" % (k + 1, v) for k, v in enumerate((15, 10, 6, 3, 1))))


def points_behind_stores(folder):
    """A breakpoint at the instruction behind a store is met before the store by whoever comes back."""
    text = gdb(folder, "calls", [*AT_STORE, "stepi 2", "stepi", "break *$behind", *["reverse-continue", "p (long) $pc - $store", "p total"] * 3])
    in_order("back to a breakpoint behind a store, and to the store", text, r"Breakpoint 3, ", r"^\$1 = 7$", r"^\$2 = 6$", r"Old value = 6", r"^\$3 = 0$", r"^\$4 = 3$",
             r"Breakpoint 3, ", r"^\$5 = 7$", r"^\$6 = 3$")


def points_in_a_row(folder):
    """Breakpoints in memory, one right behind the other, on the way to an event: both are met."""
    lower = ("_init", "_start", "deregister_tm_clones", "register_tm_clones", "frame_dummy")  # gdb tells of points in this order
    text = gdb(folder, "clock", ["monitor goto 10", *FLUSH, *["break *" + f for f in lower], "break *event", "break *((char *) event + 1)",
                                 *["reverse-continue", "p (long) $pc - (long) event", "p hb_alone_clock.events"] * 3], ["20", "1", "10"])
    in_order("back to each of two breakpoints in a row", text, *(r"^\$%d = %d$" % (k + 1, v) for k, v in enumerate((1, 9, 0, 9, 1, 8))))


def ends(folder):
    text = gdb(folder, "calls", ["info registers rip", "break main", "reverse-continue", "continue", "reverse-continue", "info registers rip",
                                 "reverse-stepi", "info registers rip", "delete", "continue", "continue", "p total", "monitor goto START",
                                 *FLUSH, "info registers rip", "monitor goto END", *FLUSH, "p total"])
    begin = re.search(r"^rip +(0x[0-9a-f]+)", text, re.M)
    begin = begin[1] if begin else "no address"
    in_order("before the first instruction and behind the last one there is nothing", text, begin, NO_MORE, r"Breakpoint 1, main",
             NO_MORE, begin, NO_MORE, begin, r"exit with status 3", NO_MORE, NO_MORE,
             r"= 12497500", r"at the start", begin, r"at the end: exit status 3", r"= 12497500")


def files(folder):
    names = ["written.txt", "appended.txt", "read.txt"]
    for name in names:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write("a1b2c3d4e5" if name == "read.txt" else "before\n" if name == "appended.txt" else "")
    loop = line_of("files", 'put(1, "printed")')
    text = gdb(folder, "files", ["break %d" % loop, "continue", "ignore 1 3", "continue", "p line", "reverse-continue", "p line", "p in",
                                 "reverse-continue", "p line", "p in", "delete", "continue"], names)
    in_order("back to where less had been read", text, r"^\$1 = 5$", r"^\$2 = 4$", r'^\$3 = "c3', r"^\$4 = 3$", r'^\$5 = "b2',
             r"exit with status %d" % ord("e"))
    for name, word in (("written.txt", "written"), ("appended.txt", "appended")):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            found = f.read()
        wanted = ("before\n" if word == "appended" else "") + "".join("%s %d\n" % (word, n) for n in range(1, 6))
        check("%s once" % word, found == wanted, found)
    printed = re.findall(r"^printed \d$", text, re.M)
    check("printed once", printed == ["printed %d" % n for n in range(1, 6)], text)


def signals(folder):
    text = gdb(folder, "signals", ["handle SIGUSR1 nostop noprint", "continue", "bt", "watch handled", "reverse-continue", "p handled", "bt 1",
                                   "reverse-continue"])
    in_order("back over a handler, from an abort", text, r"SIGABRT", r"in main", r"Old value = 10\nNew value = 0", r"^\$1 = 0$",
             r"^#0 .*on_signal", NO_MORE)
    check("a copy has the number of the process", "handled 10 sender 1\n" in text, text)


def children(folder):
    """A program starts another one while a breakpoint is in the code that both share for a moment."""
    # four have places of the processor, which a child does not inherit; the others stand in the memory
    many = ["break " + f for f in ("on_signal", "abort", "raise", "getppid", "perror", "execve", "getuid", "geteuid", "mkfifo", "syslog", "qsort")]
    text = gdb(folder, "signals", ["handle SIGUSR1 nostop noprint", "break after", "continue", "delete", *many, "continue"], ["child"])
    in_order("a program that starts another one", text, r"^Breakpoint 12 at ", r"exit with status 7")
    text = gdb(folder, "lends", ["handle SIGCHLD nostop noprint", "break puts", "continue", "delete", "continue"], ["500"])
    in_order("one that starts many", text, r"^Breakpoint 1, ", r"^all ran", r"exit with status 0")


def talk(port, *packets, before=None, after=None):
    """Sends packets as gdb does; the last answer. A packet may be a function that tells it when its turn comes. A byte 3 is sent 0.2 s after the packet before it, which goes on until then; `before` and `after` are
    called when it is."""
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT) as s:
        answer = b""
        for packet in packets:
            packet = packet() if callable(packet) else packet
            s.sendall(b"$" + packet + b"#%02x" % (sum(packet) & 255))
            if packet == b"vCont;c":
                if before:
                    before()
                time.sleep(0.2)
                s.sendall(b"\3")
                if after:
                    after()
            answer = b""
            while not re.search(rb"\$(OK|[^#O]*)#..$", answer):
                part = s.recv(4096)
                if not part:
                    return answer
                answer += part
        return answer


def interrupts(folder):
    with subprocess.Popen([HBDB, "gdbserver", "--listen", "0", "--", "./clock", "1000000000", "1", "1000"], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        port = int(re.search(rb"localhost:(\d+)", server.stderr.readline())[1])
        answer = talk(port, b"qSupported:swbreak+", b"vCont;c")
        server.wait(timeout=LIMIT)
    check("a running process stops when gdb says so", b"T02" in answer, answer)
    lent, go = os.path.join(folder, "lent"), os.path.join(folder, "go")
    os.mkfifo(go)

    def until_lent():
        for _ in range(LIMIT * 20):
            if os.path.exists(lent):
                return
            time.sleep(0.05)

    def end_of_loan():
        """When the server waits for the thread to stop: half a second later. If that is not enough the test shows less, but does not fail."""
        time.sleep(0.5)
        with open(go, "wb"):
            pass

    with subprocess.Popen([HBDB, "gdbserver", "--listen", "0", "--", "./lends"], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        port = int(re.search(rb"localhost:(\d+)", server.stderr.readline())[1])
        try:
            answer = talk(port, b"qSupported:swbreak+", b"vCont;c", before=until_lent, after=end_of_loan)
        except TimeoutError:
            answer = b"no answer"
        server.kill()
    check("so does one whose child has its memory", b"$T02" in answer, answer)


def asleep(folder):
    """Stopped in a system call that was taken back; all places of the processor are taken, so that the guard stands in the memory of that call."""
    with subprocess.Popen([HBDB, "gdbserver", "--listen", "0", "--", "./naps"], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        port = int(re.search(rb"localhost:(\d+)", server.stderr.readline())[1])
        place = []
        try:
            answer = talk(port, b"qSupported:swbreak+", b"vCont;c", lambda: b"Z2,%x,20" % place[0], b"bc",
                          before=lambda: place.append(int(server.stdout.readline(), 16)))
        except TimeoutError:
            answer = b"no answer"
        server.kill()
    check("back to a store from a call in which it sleeps", b"$T05" in answer and b"watch:%x" % place[0] in answer and b"$O" not in answer, answer)


def events(folder):
    work = ["1000", "1", "10"]
    text = gdb(folder, "clock", ["monitor event", "monitor goto 500", "monitor event", *FLUSH, "p hb_alone_clock.events", "bt 1", "monitor goto END",
                                 "monitor back", "monitor back 9", *FLUSH, "p hb_alone_clock.events", "monitor goto 10", "monitor goto 900", *FLUSH,
                                 "watch value", "reverse-continue", "p hb_alone_clock.events", "delete", "reverse-stepi", "reverse-step",
                                 "monitor goto 2000", "monitor goto x", "monitor checkpoints"], work)
    in_order("to events in both directions, and back inside of one", text, r"No events are counted", r"there, after event 500,", r"^after event 500$",
             r"^\$1 = 500$", r"^#0  hb_alone_reached", r"at the end: signal 6, after event 1000", r"there, after event 999",
             r"there, after event 990", r"^\$2 = 990$", r"there, after event 10,", r"there, after event 900", r"Old value = ", r"^\$3 = 899$",
             r"there is no event 2000", r"goto needs the number", r"\d+ checkpoints")
    check("every step back found its place", "did not come by" not in text, text)
    check("its line was printed once", len(re.findall(r"^last \d+$", text, re.M)) == 1, text)


def told_late(folder):
    """Marks between the count of an event and its telling are places like others to come from."""
    text = gdb(folder, "clock", ["monitor goto 3", *FLUSH, "p $pc", "p $sp", "reverse-stepi", "reverse-stepi", "p $pc", "stepi", "stepi", "p $pc", "p $sp"],
               ["5", "1", "10", "2000"])
    places = re.findall(r"^\$\d+ = .*(0x[0-9a-f]+)", text, re.M)
    check("back from where an event was told long after it was counted", len(places) == 5 and places[:2] == places[3:] and places[0] != places[2]
          and "did not come by" not in text, text)


def changed(folder):
    """What the user changes is undone when he goes back."""
    text = gdb(folder, "calls", ["break %d" % line_of("calls", "int b ="), "continue", "p twice(21)", "set var a = 5", "next", "p b", "reverse-stepi", "stepi",
                                 "p a", "p b"])
    in_order("a changed process goes on changed, and back as it was", text, r"^\$1 = 42$", r"^\$2 = 10$", r"is undone", r"^\$3 = 8$", r"^\$4 = 0$")


def budget(folder):
    text = gdb(folder, "clock", ["monitor goto END", "monitor checkpoints", "monitor goto 700", "monitor checkpoints"], ["1000", "64", "20000"],
               ["--checkpoints", "24M"])
    sums = [float(s) for s in re.findall(r"checkpoints, ([0-9.]+) MB", text)]
    check("checkpoints stay within their budget", len(sums) == 2 and 0 < max(sums) <= 25.2, text)


def threads(folder):
    text = gdb(folder, "threads", ["monitor goto 3", "break last", "continue", "info threads", "p hb_alone_clock.events", "reverse-stepi",
                                   "monitor goto 2", *FLUSH, "p hb_alone_clock.events", "monitor goto START", *FLUSH, "delete", "continue"])
    in_order("a process with threads goes back by running again", text, r"there, after event 3", r"threads of its own", r"hit Breakpoint 1, last",
             r"^\* 1 ", r"^  2 ", r"^\$1 = 8$", r"has several threads", r"it ran again .* took [0-9.]+ s", r"after event 2", r"^\$2 = 2$",
             r"at the start", r"^done$", r"exit with status 0")


def manners(folder):
    def run(*words):
        done = subprocess.run([HBDB, "gdbserver", *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=LIMIT, check=False)
        return done.returncode, done.stderr.decode()

    check("a program that is not there", run("--", "./nothing") == (2, "hbdb: cannot run the program: ./nothing: No such file or directory\n"),
          run("--", "./nothing"))
    check("only this machine", run("--listen", "0.0.0.0:99", "--", "./calls")[0] == 2, "")
    check("a size that is none", run("--checkpoints", "many", "--", "./calls")[0] == 2, "")
    with subprocess.Popen([HBDB, "gdbserver", "--listen", "0", "--", "./calls"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as server:
        port = re.search(r"localhost:(\d+)", server.stderr.readline().decode())
        text = subprocess.run(["gdb", "-nx", "-batch", "-ex", "file ./calls", "-ex", "target remote localhost:%s" % (port[1] if port else 0),
                               "-ex", "break twice", "-ex", "continue", "-ex", "reverse-stepi", "-ex", "bt 1", "-ex", "kill"], cwd=folder, capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, timeout=LIMIT, check=False).stdout
        server.wait(timeout=LIMIT)
    in_order("over a port of this machine", text, r"Breakpoint 1, twice", r"^#0 ")


TESTS = [crash, steps, instructions, recursion, neighbours, loops, watched_steps, points_at_stores, points_behind_stores, points_in_a_row, ends, files, signals, children, interrupts, asleep, events, told_late, changed, budget, threads, manners]


def main():
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(os.listdir(HERE)):
            subprocess.run(["gcc", "-g", "-O0", "-pthread", "-o", os.path.join(folder, name[:-2]), os.path.join(HERE, name)], check=True)
        for test in TESTS:
            if not wanted or test.__name__ in wanted:
                test(folder)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
