#!/usr/bin/python3
"""hbdb debug --alone: one process of a recording in the debugger's own language, forwards and backwards, under both MPIs.

usage: debugger.py [--all]   all: each end of a recording under both MPIs; else half of them, each under one
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import turn  # noqa: E402
HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
SECONDS = 120
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"], "mpich": ["mpirun.mpich"]}
passed = failed = 0


def want(what, good, text):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(("ok %s" if good else "FAIL %s\n" + text[-3000:].replace("%", "%%")) % what, flush=True)


def in_order(what, text, *patterns):
    at = 0
    for pattern in patterns:
        match = re.compile(pattern, re.M).search(text, at)
        if not match:
            want("%s: %s" % (what, pattern), False, text)
            return
        at = match.end()
    want(what, True, text)


def line_of(program, mark):
    with open(os.path.join(HERE, "programs", program + ".c"), encoding="utf-8") as f:
        return next(n for n, text in enumerate(f, 1) if mark in text)


def run(command, folder):
    try:
        return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired as e:
        return subprocess.CompletedProcess(command, 99, (e.stdout or b"").decode(), (e.stderr or b"").decode() + "too long")


def record(mpi, folder, program, n, name, *options, arguments=()):
    made = os.path.basename(program)
    run(["mpicc." + mpi, "-g", "-O0", "-o", made, os.path.join(HERE, "programs", program + ".c")], folder).check_returncode()
    return run([HBDB, "record", "--level", "data", *options, "-o", name, "--"] + LAUNCH[mpi] + ["-n", str(n), "./" + made, *arguments], folder)


def debug(folder, rank, name, commands, *options):
    done = run([HBDB, "debug", "--alone", str(rank), name, *options, "-c", "; ".join(commands)], folder)
    return done.returncode, done.stdout + done.stderr


def crash(mpi, folder):
    """From the crash to the store that ruined a pointer, with one command, and to events in both directions."""
    crashes, store, receive = line_of("wild", "table.row[1]"), line_of("wild", "table.cell[index] ="), line_of("wild", "MPI_Recv(")
    record(mpi, folder, "wild", 2, "r.hbdb")
    code, text = debug(folder, 0, "r.hbdb", ["status", "goto END", "where", "written table.row", "up", "print i", "back", "goto 0:50", "print i",
                                             "next event 3", "print i", "goto END", "reverse-next", "break store", "reverse-continue",
                                             "print index", "reverse-finish", "reverse-step", "delete *", "reverse-continue", "goto 0:250", "goto END"])
    in_order(mpi + ": from a crash to the store that ruined a pointer, and to events", text, r"^\[0\] after 0:1  MPI_Init",
             r"^at the end, [\d.]+ ms$", r"^\[0\] SIGSEGV .*: main \(wild\.c:%d\), after 0:301; about to die$" % crashes, r"^\[0\] #0  main",
             r"^  table\.row was .*0x7ff.*, and became .* 0xc8 in store \(wild\.c:%d\), after 0:202$" % store, r"#1  main", r"i = 200$",
             r"^at 0:202, ", r"^at 0:50, ", r"^\[0\] after 0:50  MPI_Recv  wild\.c:%d$" % receive, r"i = 48$", r"^at 0:53, ", r"i = 51$",
             r"about to die$", r"stopped: main \(wild\.c:\d+\)$", r"breakpoint 1: store", r"index = 11$", r"stopped: main \(wild\.c:\d+\)$",
             r"at its beginning, after 0:1", r"^at 0:250", r"about to die$")
    want(mpi + ": as it should be is status 0", code == 0, text)


def writers(mpi, folder):
    """Who wrote last: the program, MPI, a handler, the system; a process that ends well."""
    with open(os.path.join(folder, "input.txt"), "w", encoding="utf-8") as f:
        f.write("hello")
    recorded = record(mpi, folder, "writers", 3, "w.hbdb")
    want(mpi + ": recorded", "caught 10 text hello" in recorded.stdout, recorded.stdout + recorded.stderr)
    send = line_of("writers", "MPI_Sendrecv")
    code, text = debug(folder, 1, "w.hbdb", ["goto END", "written total", "goto END", "written field[0]", "goto 1:5", "written field[0]",
                                             "goto END", "written caught", "goto END", "written text", "goto 1:10", "reverse-next", "reverse-next",
                                             "reverse-stepi", "stepi", "step", "reverse-step", "goto END", "cont"])
    in_order(mpi + ": what the program wrote, what MPI, what a handler, what the system", text,
             r"caught 10 text hello", r"^\[1\] at its end, after 1:23: about to exit with status 3$",
             r"total was 171, and became 190 in main \(writers\.c:%d\), after 1:21$" % line_of("writers", "total = add"),
             r"field\[0\] was 18, and became 19 in main \(writers\.c:%d\), inside 1:21  MPI_Sendrecv" % send,
             r"^at 1:5, ", r"field\[0\] was 2, and became 3 in main .*inside 1:5  MPI_Sendrecv",
             r"caught was 0, and became 10 in on_signal", r"^\s+#1  main \(writers\.c:%d\)" % line_of("writers", "raise("),
             r"text was changed by the system, .* between 1:22 and 1:23", r"^at 1:10, ", r"stopped: main \(writers\.c:%d\)$" % send,
             r"stopped: main \(writers\.c:%d\)$" % line_of("writers", "field[1] ="), r"at its end, after 1:23", r"at its end, after 1:23")
    want(mpi + ": what it printed was printed once", text.count("caught 10") == 1 and not code, text)


def between(mpi, folder):
    """A checkpoint that was made on the way to an event is one for the way back, too."""
    record(mpi, folder, "back/between", 2, "b.hbdb")
    code, text = debug(folder, 0, "b.hbdb", ["goto 0:3", "gdb monitor checkpoints", "written total"])
    want(mpi + ": checkpoints between two events", re.search(r"^ *[\d.]+ s, after event 2,", text, re.M), text)
    in_order(mpi + ": a store before the checkpoints", text,
             r"total was 0, and became 7 in main \(between\.c:%d\), after 0:2$" % line_of("back/between", "total = 7"))
    want(mpi + ": a store before the checkpoints: status", code == 0, text)
    run([HBDB, "record", "--level", "data", "-o", "c.hbdb", "--"] + LAUNCH[mpi] + ["-n", "2", "./between", "differ"], folder)
    code, text = debug(folder, 0, "c.hbdb", ["goto 0:3", "written total"])
    want(mpi + ": what cannot be found is not told to be the system's", code != 0 and "changed by" not in text
         and "does not do the same each time" in text and "who wrote total last is not known" in text, text)


def holes(mpi, folder):
    """What an event leaves on the stack is the same whether one stopped there or not; a step from an event ends in the next line, and tells what stops it."""
    behind = line_of("back/holes", "behind the call */")
    record(mpi, folder, "back/holes", 2, "h.hbdb")
    code, text = debug(folder, 0, "h.hbdb", ["goto 0:4", "watch stored", "reverse-stepi", "cont", "cont", "reverse-continue", "reverse-continue", "reverse-continue"])
    in_order(mpi + ": back over an event at which it stopped before", text, r"stored was 101, is 102", r"stored was 102, is 103", r"stored was 102, is 103",
             r"stored was 101, is 102", r"stored was 100, is 101")
    want(mpi + ": every step back found its place", not code and "did not come by" not in text, text)
    code, text = debug(folder, 0, "h.hbdb", ["goto 0:4", "reverse-stepi 3", "stepi 3", "back 2", "goto 0:4", "reverse-stepi 3", "back 2"])
    in_order(mpi + ": back from an event that was stepped to, and from before it", text, r"^\[0\] stopped after 0:4$", r"^\[0\] after 0:4  MPI_Sendrecv",
             r"^at 0:2, ", r"^at 0:4, ", r"^\[0\] stopped after 0:4$", r"^at 0:3, ")
    there, point = r"^\[0\] stopped: talk \(holes\.c:%d\)$" % behind, r"^\[0\] breakpoint 1: talk \(holes\.c:%d\)$" % behind
    code, text = debug(folder, 0, "h.hbdb", ["goto 0:5", "next", "goto 0:5", "step", "goto 0:5", "next 2", "goto 0:5", "step -finish", "break %d" % behind,
                                             "goto 0:5", "next", "goto 0:5", "step -finish", "goto 0:5", "stepi", "goto 0:5", "cont"])
    in_order(mpi + ": from an event to the line that begins behind its call", text, there, there, r"talk \(holes\.c:%d\)$" % (behind + 2),
             r"stopped: main \(holes\.c:\d+\)$", r"breakpoint 1 set", point, point, point, point)
    want(mpi + ": from an event by lines: status", code == 0, text)


def cut(mpi, folder):
    """A process that was killed in a call or between two, or crashed in a function that a call runs: where its recording ends is a place
    like others, from which it goes back."""
    receive, crashes, twice = line_of("cut", "0, 4, MPI_COMM_WORLD"), line_of("cut", "return *nowhere"), line_of("cut", "total = total * 2")
    inside = "at the end of the recording, inside 1:%d  MPI_%s  cut\\.c:%d, which never returned"
    between = "at the end of the recording, after 1:12: the next call is not in it"
    for how, last, end in (("receive", 13, inside % (14, "Recv", receive)), ("abort", 13, inside % (14, "Recv", receive)), ("compute", 12, between),
                           ("handler", 12, inside % (13, "Recv", receive)), ("finalize", 12, inside % (13, "Finalize", line_of("cut", "\tMPI_Finalize"))),
                           ("deleted", 13, "SIGSEGV .*: gone \\(cut\\.c:%d\\), after 1:13; about to die" % crashes)):
        if "--all" not in sys.argv[1:] and not (turn.has(how, 2) and turn.pick(how, list(LAUNCH), 2) == mpi):
            continue
        for name in ("there", "on"):
            if os.path.exists(os.path.join(folder, name)):
                os.remove(os.path.join(folder, name))
        record(mpi, folder, "cut", 2, how + ".hbdb", arguments=[how])
        open(os.path.join(folder, "on"), "w").close()
        if how == "finalize" and "never returned" not in run([HBDB, "dump", "--rank", "1", how + ".hbdb"], folder).stdout:
            end = between
        never = end != between
        steps = ["reverse-next", "cont", "reverse-stepi", "stepi", "stepi"] if "which never" in end or end == between else []
        code, text = debug(folder, 1, how + ".hbdb", [
            "goto END", "written total", "goto END", "written got[0]", "goto 1:%d" % (last + 1) if never else "goto END", "written text", "goto END", "back",
            "next event" if never else "goto END", *steps, "break add", "reverse-continue", "print total", "goto END", "status"])
        end = r"^\[1\] %s$" % end
        store = (r"total was 110, and became 1000 in one \(cut\.c:%d\), after 1:12$" % line_of("cut", "total = 1000") if how == "compute" else
                 r"total was 55, and became 110 in one \(cut\.c:%d\), after 1:%d$" % (twice, last))
        in_order("%s: the end of a recording: %s" % (mpi, how), text, end, store, end, r"got\[0\] was 9, and became 10 in one .* inside 1:12  MPI_Recv",
                 end, r"text was changed by the system, .* between 1:12 and %s:" % ("1:13" if never else "the end"), end, r"^at 1:%d, " % (last if never else 12),
                 end, *([r"stopped: .* \(cut\.c:\d+\)$", end, r"stopped: ", end] if steps else []), r"breakpoint 1 set", r"breakpoint 1: add", r"total = 45$", end, end)
        want("%s: the end of a recording: %s: nothing else is said" % (mpi, how), not code and not re.search("^hbdb: (?!.*running as root)", text, re.M), text)


def fortran(mpi, folder):
    """gdb watches no places in Fortran: they are looked for all the same."""
    run(["mpif90." + mpi, "-g", "-O0", "-o", "sums", os.path.join(HERE, "programs/sums.f90")], folder).check_returncode()
    run([HBDB, "record", "--level", "data", "-o", "f.hbdb", "--"] + LAUNCH[mpi] + ["-n", "2", "./sums"], folder)
    code, text = debug(folder, 1, "f.hbdb", ["goto 1:8", "written total", "written got", "goto 1:5", "written field(2)", "goto 1:7", "reverse-next",
                                             "reverse-next", "print i"])
    in_order(mpi + ": Fortran", text, r"total was 35, and became 48 in sums \(sums\.f90:13\), after 1:7$",
             r"got was 11, and became 13 in sums \(sums\.f90:12\), inside 1:7  MPI_Allreduce", r"field\(2\) was 4, and became 7\.5 in sums",
             r"stopped: sums \(sums\.f90:12\)$", r"stopped: sums \(sums\.f90:11\)$", r"i = 5$")
    want(mpi + ": Fortran's status", code == 0, text)


def same(mpi, folder):
    """At an event everything is the same, whichever way one comes there; a checkpoint or none."""
    commands, looked = [], "gdb output/x $pc; gdb output/x $sp; print field[1]; print total"
    events = [7, 15, 3, 20, 7, 3, 15, 20, 2]
    for event in events:
        commands += ["goto 1:%d" % event, looked]
    code, text = debug(folder, 1, "w.hbdb", commands)
    found = re.split(r"^at 1:(\d+), .*$", text, flags=re.M)[1:]
    states = {}
    for event, state in zip(found[::2], found[1::2]):
        states.setdefault(event, set()).add(state.strip())
    want(mpi + ": at an event it is the same each time", not code and len(found) == 2 * len(events) and all(len(s) == 1 for s in states.values())
         and len({min(s) for s in states.values()}) == len(set(events)), text)


def instructions(mpi, folder):
    """By instructions to and fro inside of the library; on from an event they are the program's own."""
    look = "gdb python print(hex(gdb.newest_frame().pc()))"
    code, text = debug(folder, 1, "w.hbdb", ["goto 1:7", look, "reverse-stepi 3", look, "stepi 2", "stepi", look, "reverse-stepi", "stepi", look,
                                             "goto 1:7", "stepi", "where 1"])
    places = re.findall(r"^\[1\] (0x[0-9a-f]+)$", text, re.M)
    want(mpi + ": instructions forward undo those back", not code and len(places) == 4 and places[0] == places[2] == places[3] != places[1], text)
    want(mpi + ": from an event it steps in the program", re.search(r"stopped: main \(writers\.c:\d+\)$", text, re.M), text)


def objects(mpi, folder):
    code, text = debug(folder, 1, "w.hbdb", ["goto END", "written total", "status"], "--json", "--checkpoints", "64M")
    answers = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    store = [a for a in answers if a.get("answer") == "written"]
    want(mpi + ": as JSON", not code and len(store) == 1 and store[0]["old"] == "171" and store[0]["new"] == "190" and store[0].get("set", store[0].get("rank")) in ("1", 1)
         and any(a.get("answer") == "goto" and a["reached"] for a in answers), text)


def refused(mpi, folder):
    """What only several processes have, and what there is not: one line each."""
    code, text = debug(folder, 0, "w.hbdb", ["set onerror continue", "barrier add", "stop at 0:3", "goto 1:3", "[2] where", "back 3", "detach",
                                             "goto 0:99", "written nothing", "kill", "status", "run", "status"])
    in_order(mpi + ": one process only", text, r"barrier: there is one process only", r"stop at: .*one process only",
             r"1:3 is of another process", r"there is no such rank; the job has rank 0 alone", r"cannot go back 3", r"under gdb only",
             r"there is no 0:99", r"No symbol")
    want(mpi + ": it can be started again", "after 0:1  MPI_Init" in text.rpartition("not running")[2] and code, text)
    run([HBDB, "record", "--data-ranks", "0", "--level", "data", "-o", "some.hbdb", "--"] + LAUNCH[mpi] + ["-n", "2", "./writers"], folder)
    run([HBDB, "record", "-o", "plain.hbdb", "--"] + LAUNCH[mpi] + ["-n", "2", "./writers"], folder)
    for what, arguments, word in (("without contents", ["0", "plain.hbdb"], "--level data"), ("a rank that is not there", ["7", "w.hbdb"], "7"),
                                  ("contents that were not kept", ["1", "some.hbdb"], "data-ranks|contents"),
                                  ("with --attach", ["0", "w.hbdb", "--attach", "1"], "--attach"),
                                  ("a size that is none", ["0", "w.hbdb", "--checkpoints", "much"], "--checkpoints much")):
        done = run([HBDB, "debug", "--alone", *arguments, "-c", "status"], folder)
        lines = [line for line in done.stderr.splitlines() if "running as root" not in line]
        want("%s: %s is refused" % (mpi, what), done.returncode in (2, 3) and re.search(word, done.stderr) and len(lines) == 1 and not done.stdout,
             "%d\n%s" % (done.returncode, done.stdout + done.stderr))
    done = run([HBDB, "debug", "w.hbdb", "-c", "reverse-step"], folder)
    want(mpi + ": all processes do not go back", done.returncode == 1 and "hbdb debug --alone" in done.stderr, done.stdout + done.stderr)


def left(folder):
    found = [n for n in os.listdir(folder) if n.startswith((".hbdb", "hbdb-"))]
    want("nothing stays behind", not found, str(found))


def main():
    for mpi in LAUNCH:
        with tempfile.TemporaryDirectory(prefix="hbdb-alone.") as folder:
            for test in crash, writers, between, holes, cut, fortran, same, instructions, objects, refused:
                test(mpi, folder)
            left(folder)
    if "--all" not in sys.argv[1:]:
        print("ends of recordings: " + turn.told(2))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
