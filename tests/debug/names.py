#!/usr/bin/python3
"""Processes without MPI in hbdb debug: by their names, each under control from its first event on."""
import os
import subprocess

from lib import TOP, Place, check, finish, has, lacks, objects, same

with open(TOP + "/tests/events/turns.c", encoding="utf-8") as source:
    LAST = next(n for n, line in enumerate(source, 1) if "hb_event(last)" in line)
LINE = "./turns 1 %d & ./turns 2 %d & ./turns 3 %d & wait"


PRINTER = """
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	int end[2];
	char c = 1;
	pipe(end);
	write(end[1], &c, 1);
	puts("printed");
	fflush(stdout);
	return read(end[0], &c, 1) != 1;
}
"""


def build(p):
    subprocess.run(["gcc", "-g", "-O0", "-I", TOP + "/include", "-o", p.path + "/turns", TOP + "/tests/events/turns.c"], check=True)
    p.run("record", "-o", "turns.hbdb", "--", "sh", "-c", LINE % (60, 30, 0))


def sets(p):
    """Sets and commands take the names, and answers have them."""
    status, out, err = p.debug(["status", "[turns#2] next event"], "turns.hbdb")
    has("all stand before their first events", out, "[turns,turns#2,turns#3] held before its first event", "[turns#2] held after turns#2:1  turn")
    status, out, err = p.debug(["defset late [turns#2,turns#3]", "[late] next event 2", "[*,-late] status", "[late] expect is held", "viewset late",
                                "focus turns#3", "status", "where", "print n", "expect n == 3", "expect after turns#3:2", "[turns] expect is held"],
                               "turns.hbdb")
    same("sets of names", status, 0)
    has("in all answers", out, "late is [turns#2,turns#3]", "[turns#2] held after turns#2:2  turn", "[turns#3] held after turns#3:2  turn",
        "[turns] held before its first event", "[turns#3] held after turns#3:2", "[turns#3] #0", "[turns#3] n = 3")
    for command, wanted in (("[turns#4] status", "[turns#4]: there is no such process; the job has turns, turns#2, turns#3; did you mean 'turns#"),
                            ("[0] status", "[0]: there is no such rank; the job has turns, turns#2, turns#3"),
                            ("[1@1] status", "[1@1]: there is no such process; the job has turns"),
                            ("[turnz] status", "there is no set [turnz], and no process of that name"),
                            ("wait turns#4", "[turns#4]: there is no such process"),
                            ("goto turns#4:1", "has no process turns#4"), ("expect after turns#9:1", "[turns#9]: there is no such process")):
        status, out, err = p.debug([command], "turns.hbdb")
        check("%s is told" % command, status == 2 and wanted in err, out + err)


def events(p):
    """Each stops at an event, steps, goes on, alone or with others; and again from the beginning."""
    status, out, err = p.debug(["goto turns#3:2", "[turns#3] where", "[turns#3] next event", "[turns#3] back", "goto turns#2:3", "[turns#2] next",
                                "cont", "cont"], "turns.hbdb")
    has("goto, where, next event, back, next, cont", out, "at the cut of turns#3:2", "[turns,turns#2] held before its first event",
        "[turns#3] held after turns#3:2  turn  turns.c:", "[turns#3] #0  main (turns.c:", "[turns#3] held after turns#3:3", "at the cut of turns#3:2",
        "at the cut of turns#2:3", "[turns#2] held after turns#2:3  last of 2", "[turns#2] stopped: main (turns.c:", "[turns,turns#2,turns#3] exited")
    status, out, err = p.debug(["break turns.c:%d" % LAST, "[turns#2] cont", "[turns#2] where", "[turns#2] print n", "delete *", "cont", "cont"], "turns.hbdb")
    has("a breakpoint", out, "[turns#2] breakpoint 1: main (turns.c:%d)" % LAST, "[turns#2] n = 2", "exited")
    for order in (0, 30, 60), (30, 0, 60), (60, 30, 0):
        status, out, err = p.debug(["[turns] next event 2", "[turns#2] next event 3", "[turns#3] next event 4", "cont", "cont"], "turns.hbdb", "--",
                                   "sh", "-c", LINE % order)
        has("each follows its own record, begun after %d, %d and %d ms" % order, out, "[turns] held after turns:2  last of 1",
            "[turns#2] held after turns#2:3  last of 2", "[turns#3] held after turns#3:4  last of 3", "exited")
        lacks("and none differs", out + err, "differs")


def printing(p):
    """What the debugger shows of a job comes through a pipe of its own, which is none between the processes."""
    with open(p.path + "/printer.c", "w", encoding="ascii") as f:
        f.write(PRINTER)
    subprocess.run(["gcc", "-g", "-o", p.path + "/printer", p.path + "/printer.c"], check=True)
    p.run("record", "-o", "printer.hbdb", "--", "./printer")
    status, out, err = p.debug(["goto printer:3", "cont"], "printer.hbdb")
    check("a process that prints between its calls does not differ", status == 0 and "held after printer:3  read" in out and "exited" in out and "printed" in out, out + err)
    for how, command in (["--at", "printer:last", "-c"], "status"), (["-c"], "goto printer:last"):
        status, out, err = p.run("debug", *how, command, "printer.hbdb")
        check("the last is the last that returned: %s" % command, status == 0 and "[printer] held after printer:3" in out, out + err)
    for command, wanted in (("goto printer:lasting", "is not an event"), ("goto printer#2:last", "has no process printer#2")):
        status, out, err = p.debug([command], "printer.hbdb")
        check("%s is told" % command, status == 2 and wanted in err, out + err)


def machines(p):
    status, out, err = p.run("debug", "--json", "--at", "turns#2:2", "-c", "cone turns#2:2", "turns.hbdb")
    states = {o["process"]: (o["rank"], o["life"], o["event"]) for o in objects(out, "status")}
    same("in JSON", states, {"turns": (None, "held", 0), "turns#2": (None, "held", 2), "turns#3": (None, "held", 0)})
    same("and in cuts", {o["process"]: o["stop"] for o in objects(out, "cut")}, {"turns": "nothing", "turns#2": "after", "turns#3": "nothing"})


def live(p):
    """Without a recording: each waits for its first go at its first event, and is called as the recording calls it."""
    for i in range(3):
        name = p.name("live")
        status, out, err = p.debug(["wait turns#3", "wait turns#2", "wait turns", "[turns#3] next event 2", "stop at turns:1", "[turns] cont", "[turns#3] where", "cont", "cont"], "-o",
                                   name, "--", "sh", "-c", LINE % (60, 0, 30))
        has("a live run, %d" % i, out, "[turns#3] held after turns#3:2", "only [turns] stops, after turns:1", "[turns] held after turns:1",
            "[turns#3] #0  main (turns.c:", "exited")
        text = p.run("dump", "--plain", name)[1]
        last = {line.split(":")[0]: line.split(" ", 1)[1] for line in text.splitlines()}
        same("and recorded by the same names", last, {"turns": "last of 1()", "turns#2": "last of 2()", "turns#3": "last of 3()"})
        same("nothing else stays in the recording", sorted(n.split(".")[0] for n in os.listdir(p.path + "/" + name)), ["manifest"] + ["rank"] * 3)
        rows = [line for line in text.splitlines() if line.startswith("turns#3:")]
        same("whole", len(rows), 4)


def comments(p):
    """# begins a comment at the start of a line or after a blank only."""
    with open(p.path + "/script", "w") as f:
        f.write("# turns#2 is the second\n\t # so it is\n[turns#2] next event # turns#2:1\n[turns#2]expect after turns#2:1;# all\ngoto turns#2:2\n"
                "bookmark second turns#2:2 #mark\ngoto second\n[turns#2] expect after turns#2:2\n")
    status, out, err = p.run("debug", "-x", "script", "turns.hbdb")
    check("comments", status == 0 and "after turns#2:2, as expected" in out and not err, out + err)


def main():
    with Place("openmpi") as p:
        build(p)
        for part in sets, events, printing, machines, live, comments:
            part(p)
    finish()


main()
