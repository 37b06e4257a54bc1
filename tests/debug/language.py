#!/usr/bin/python3
"""The command language: sets, abbreviations, aliases, history, settings, scripts, log, help, exit status."""
import os

from lib import Place, check, finish, has, lacks, objects, same


def mistakes(p, *pairs):
    """Each of these commands says what is wrong with it, and does nothing."""
    status, out, err = p.run("debug", "-x", "-", "r", stdin="set onerror continue\n" + "".join(t + "\n" for t, _ in pairs))
    check("mistakes of usage: status 2", status == 2, "%s %s" % (status, err))
    at = 0
    for text, wanted in pairs:
        found = err.find(wanted, at)
        check("'%s' is a mistake of usage" % text, found >= 0, err[at:])
        at = max(found, at)


def sets(p):
    status, out, err = p.debug(["focus [1:2]", "status", "[0,3] status", "defset ends [0,3]", "focus ends", "status",
                                "viewset ends", "focus [*,-ends]", "[ends,1] status", "undefset ends", "viewset"], "r")
    same("sets: fine", status, 0)
    has("sets: focus, prefix, names, without", out, "focus [1:2]: [1:2], 2 processes\n[1:2] held in MPI_Init\n[0,3] held",
        "ends is [0,3]\nfocus [ends]: [0,3], 2 processes\n[0,3] held in MPI_Init\n", "ends       [0,3]",
        "focus [*,-ends]: [1:2]", "[0:1,3] held", "held       [0:3]", "dead       []")
    same("sets: nothing is said on stderr", err, "")
    has("a focus on a set that is forgotten becomes all", p.debug(["defset x [1]", "focus x", "undefset x", "focus"], "r")[1],
        "focus [*]: [0:3], 4 processes")
    mistakes(p, ("[4] status", "no such rank; the job has ranks 0 to 3"), ("[3:1] status", "ends before it begins"),
             ("[nobody] status", "there is no set [nobody]"), ("[] status", "not a set of processes"),
             ("[1", "has no closing ]"), ("[1]", "there is no command behind the set"), ("defset 1 [1]", "name of a set"),
             ("defset held [1]", "dynamic set"), ("undefset y", "no named set y"))
    status, out, _ = p.debug(["[held] stop off", "[1:2] cont", "[held] expect is held", "[0,3] expect is stopped"], "r")
    check("dynamic sets follow what happens", status == 0 and "[0,3] held" in out, out)


def words(p):
    status, out, err = p.debug(["foc [1]", "alias here status", "here", "alias two \"status; focus [0]\"", "two", "[2] here",
                                "alias", "unalias here", "sta"], "r")
    has("abbreviations and aliases", out, "focus [1]: [1], 1 process\n[1] held in MPI_Init\n[1] held in MPI_Init\nfocus [0]: [0]",
        "[2] held", "bt           where", "here         status")
    check("sta may be several commands", status == 0 or "'sta'" in err)
    mistakes(p, ("s t", "number of repetitions"), ("st", "'st' is ambiguous: it may mean step, stepi, status, stop"), ("frobnicate", "no command 'frobnicate'"),
             ("alias x y; alias y x; x", "in a circle"), ("unalias z", "not defined an alias z"), ("set nothing 5", "no setting"),
             ("set lines many", "lines takes"), ("where x", "number of frames"), ("goto", "takes an event"),
             ("goto 9:1", "9:1"), ("goto nowhere", "no bookmark nowhere"), ("goto 1:9999", "1:9999"),
             ("stop", "stop at EVENT"), ("break", "a place in the source"), ("break add -count x", "-count"),
             ("break add -if", "-if needs a value"), ("exit 999", "status from 0"), ("delete 7", "no breakpoint, barrier or watchpoint 7"),
             ("input nowhere", "nowhere"), ("cont 5", "takes no '5'"), ("!x", "no command in the history"),
             ("help nothing", "no command 'nothing'"))
    status, out, _ = p.debug(["focus [1]  # a remark; focus [2]"], "r")
    check("what stands behind # is a remark", "[2]" not in out and status == 0, out)


def scripts(p):
    path = p.path + "/script"

    def script(*lines, name=path):
        with open(name, "w") as f:
            f.write("\n".join(lines) + "\n")

    script("# a script", "", "focus [1]", "status", "!!", "history", "!2", "!foc", "set", "exit 7")
    status, out, err = p.run("debug", "-x", path, "r")
    same("exit gives the status", status, 7)
    has("history", out, "[1] held in MPI_Init\nstatus\n[1] held in MPI_Init\n", "    1  focus [1]\n    2  status\n    3  status\n    4  history",
        "status\n", "focus [1]\nfocus [1]", "onerror  stop")
    script("focus [1]", "expect is dead", "focus [2]")
    status, out, err = p.run("debug", "--command", path, "r")
    check("a script ends at the first command that fails", status == 1 and "focus [2]" not in out
          and "%s:2: 'expect is dead' failed" % path in err and "[1] is not dead: held in MPI_Init" in out, out + err)
    script("set onerror continue", "expect is dead", "focus [2]", "unset onerror", "expect is held", "expect is dead", "focus [3]")
    status, out, err = p.run("debug", "--command", path, "r")
    check("but not with set onerror continue", status == 1 and "focus [2]" in out and "focus [3]" not in out, out + err)
    script("focus [0]", "input " + path + "2", "status")
    script("focus [3]", name=path + "2")
    status, out, err = p.run("debug", "-c", "input " + path + "; focus", "r")
    has("scripts run scripts", out, "focus [0]", "focus [3]", "[3] held", "focus [3]")
    script("input " + path)
    status, out, err = p.run("debug", "-x", path, "r")
    check("but not themselves for ever", status == 2 and "in a circle" in err)
    status, out, err = p.run("debug", "-x", "-", "r", stdin="focus [1]\nstatus\nexit 3\nfocus [2]\n")
    # behind it the launcher may say that it was let go on
    check("- reads standard input", status == 3 and "[1] held in MPI_Init\n" in out and "[2]" not in out, "%d %s%s" % (status, out, err))
    status, out, err = p.run("debug", "r", stdin="focus [2]\n")
    check("so does no script at all, without a terminal", status == 0 and "focus [2]" in out, out + err)
    script("focus [1]", "set echo on", "status")
    _, out, _ = p.run("debug", "-x", path, "r")
    has("set echo on shows the lines", out, "> status\n[1] held")


def log(p):
    p.debug(["log kept", "focus [1]", "set onerror continue", "frobnicate", "log off", "focus [2]"], "r")
    with open(p.path + "/kept") as f:
        text = f.read()
    has("the log has commands and answers", text, "focus [1]: [1], 1 process")
    lacks("until log off", text, "[2]")
    status, _, err = p.debug(["log /nowhere/x"], "r")
    check("a log that cannot be written is told", status == 1 and "/nowhere/x" in err)


def helps(p):
    status, out, err = p.debug(["help", "help break", "help bt", "help ba"], "r")
    check("help ba may be two", status == 2 and "barrier, back" in err or "back, barrier" in err)
    has("help", out, "focus     choose", "break LOCATION [-if COND]", "-count", "bt is short for where", "where [N] [-all]")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/tool/debug/verbs.def")) as f:
        verbs = [line[5:].split(",")[0] for line in f if line.startswith("VERB(")]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/man/hbdb-debug.1.scd")) as f:
        page = f.read()
    same("the man page explains each command", [v for v in verbs if "*%s*" % v not in page], [])
    status, out, err = p.run("debug", "--help")
    has("hbdb debug --help", out, "--at EVENT|POINT", "--command FILE", "--execute COMMANDS")


def machines(p):
    status, out, err = p.debug(["status", "stop at 1:4", "cont", "focus [2]", "viewset held", "expect is dead"], "--json", "r")
    lines = out.splitlines()
    same("--json: each line is an object", len(objects(out)), len(lines))
    states = objects(out, "status")
    same("--json: status, a line for each process", [(o["rank"], o["life"], o["why"]) for o in states[:4]],
         [(r, "held", "start") for r in range(4)])
    same("--json: the cut", [(o["of"], o["rank"], o["stop"]) for o in objects(out, "cut")][:2], [("1:4", 0, "after"), ("1:4", 1, "after")])
    printed = p.debug(["stop off", "cont"], "--json", "r")[1]
    texts = "".join(o["text"] for o in objects(printed, "output"))
    check("--json: what the job prints is in objects, too", "total " in texts and len(objects(printed)) == len(printed.splitlines()), printed)
    check("--json: what failed is an error", status == 1 and "is not dead" in objects(out, "expect")[-1]["error"], out + err)


def opening(p):
    for args, code, wanted in ((["nowhere"], 3, "nowhere"), (["r", "--at", "x"], 2, "x"), (["r", "--at", "9:1"], 2, "9:1"),
                               (["r", "--stdin", "nowhere"], 2, "nowhere"), (["r", "-x", "nowhere"], 2, "nowhere"),
                               (["r", "--", *p.command(3)], 2, "4 processes"),
                               (["--at", "0:3", "--", *p.command(2)], 2, "is not finished"), (["--", "nowhere"], 127, "nowhere")):
        status, out, err = p.run("debug", *args)
        check("hbdb debug %s" % " ".join(args)[:40], status == code and wanted in err, "%d %s%s" % (status, out, err))
    status, out, err = p.run("debug", "--", "true")
    check("a command without MPI is told", status == 1 and "before its processes had called MPI_Init" in err, out + err)
    with open(p.path + "/words", "w") as f:
        f.write("42\n")
    _, out, err = p.debug(["cont"], "--stdin", "words", "r")
    has("--stdin goes to the job", out, "read 42")
    _, out, err = p.debug(["cont"], "r")
    check("else it has none", "read" not in out and "total" in out, out + err)


def main():
    with Place("openmpi") as p:
        p.record("r.hbdb", 4, 2)
        for part in (sets, words, scripts, log, helps, machines, opening):
            part(p)
    finish()


main()
