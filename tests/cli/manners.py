#!/usr/bin/python3
"""Words that match nothing are errors that say what was meant; colour and the pager are for terminals only."""
import os
import pty
import subprocess

import lib
import rawlog
from lib import HBDB, check, has, same


def recorded(place):
    folder = place.path + "/one.hbdb"
    rawlog.manifest(folder, processes=4)
    for rank in range(4):
        rawlog.example(rank, 4).write(folder)


def refused(place, words, *wanted):
    status, out, err = place.run(*words)
    name = "hbdb " + " ".join(words)
    check(name + " is refused", status == 2 and not out, (status, out, err))
    has(name + " says what to do", err, *wanted)


def meant(place):
    for words, wanted in (
            (["recrod"], ["there is no command 'recrod'; did you mean 'record'?"]),
            (["help", "Dumb"], ["did you mean 'dump'?"]),
            (["xyzzy"], ["there is no command 'xyzzy'; 'hbdb help' lists"]),
            (["help", "HB-DEADLOCK-CICLE"], ["did you mean 'HB-DEADLOCK-CYCLE'?"]),
            (["dump", "--fnction", "Recv", "one"], ["dump has no option --fnction; did you mean '--function'?"]),
            (["dump", "--fnction=Recv", "one"], ["has no option --fnction; did you mean '--function'?"]),
            (["record", "--levle", "order", "--", "x"], ["did you mean '--level'?"]),
            (["record", "--level", "event", "--", "x"], ["not 'event'; did you mean 'events'?"]),
            (["dump", "--color", "alwys", "one"], ["auto|always|never", "did you mean 'always'?"]),
            (["dump", "-f", "Recvv", "one"], ["no process called it; did you mean 'Recv'?", "hbdb info"]),
            (["dump", "-f", "MPI_isnd", "one"], ["did you mean 'MPI_Isend'?"]),
            (["dump", "-f", "Gatherv", "one"], ["no process called it; 'hbdb info'"]),
            (["dump", "-r", "0,99", "one"], ["the recording has no rank 99; its ranks are 0-3"]),
            (["dump", "-r", "4-7", "one"], ["no rank 4-7"]),
            (["dump", "--from", "27", "one"], ["no process has more than 25 events"]),
            (["races", "-r", "9", "one"], ["has no rank 9"]),
            (["races", "--line", "nowhere.c:7", "one"], ["no wildcard receive, probe or choice was called there"]),
            (["export", "--to", "csv", "-r", "0,99", "-o", "x", "one"], ["has no rank 99"]),
            (["check", "--only", "HB-DEADLOK", "one"], ["no finding begins with 'HB-DEADLOK'"]),
            (["check", "--only", "HB-LEAK,", "one"], ["no finding begins with ''"]),
            (["graph", "one", "-o", "out.gif"], ["there is no format .gif", ".svg, .png or .dot"]),
            (["sql", "SELECT 1 AS x", "one"], ["did you mean hbdb sql one 'SELECT 1 AS x'?"])):
        refused(place, words, *wanted)
    check("no file was written", not os.path.exists(place.path + "/out.gif") and not os.path.exists(place.path + "/x"))
    for words in (["dump", "-f", "Recv", "one"], ["check", "--only", "HB-LEAK", "one"], ["dump", "-r", "0,2-3", "one"],
                  ["dump", "--from", "26", "one"], ["graph", "one", "--svg", "-o", "out.gif"], ["sql", "one", "SELECT 1 AS x"]):
        status, _, err = place.run(*words)
        check("hbdb %s is not" % " ".join(words), status != 2, err)


def on_terminal(place, *args, **more):
    """(status, what a terminal gets)"""
    leader, follower = pty.openpty()
    env = dict(place.env, TERM="xterm")
    for name in ("NO_COLOR", "PAGER", "HBDB_PAGER"):
        env.pop(name, None)
    env.update(more)
    child = subprocess.Popen([HBDB, *args], cwd=place.path, env=env, stdin=follower, stdout=follower, stderr=follower)
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(leader)
    return child.wait(timeout=60), shown.decode().replace("\r\n", "\n")


def terminal(place):
    pager = place.script("bin/pager", 'sed "s/^/paged: /"\n')
    env = {"HBDB_PAGER": pager}
    status, plain = on_terminal(place, "dump", "one", HBDB_PAGER="")
    check("a terminal gets colour", status == 0 and "\x1b[33m" in plain, plain[:300])
    check("NO_COLOR takes it away", "\x1b" not in on_terminal(place, "dump", "one", HBDB_PAGER="", NO_COLOR="1")[1])
    check("so does --color never", "\x1b" not in on_terminal(place, "dump", "--color", "never", "one", HBDB_PAGER="")[1])
    check("and a terminal that is dumb", "\x1b" not in on_terminal(place, "dump", "one", HBDB_PAGER="", TERM="dumb")[1])
    out = place.run("dump", "one")[1]
    check("a pipe gets none", out and "\x1b" not in out)
    has("unless --color=always", place.run("dump", "--color=always", "one")[1], "\x1b[33m")
    has("also for messages", place.run("dump", "--color=always", "none")[2], "\x1b[1mhbdb:\x1b[0m")
    for command in (["dump", "one"], ["info", "one"], ["check", "one"], ["races", "one"], ["order", "0:1", "1:2", "one"],
                    ["cone", "0:3", "one"], ["sql", "one", "SELECT * FROM events"], ["help", "dump"],
                    ["help", "findings"], ["help", "HB-LEAK-COMM"]):
        status, shown = on_terminal(place, *command, **env)
        lines = [line for line in shown.splitlines() if not line.startswith(("\x1b[1mhbdb:", "hbdb:"))]
        check("%s is paged" % command[0], lines and all(line.startswith("paged: ") for line in lines), shown[:500])
        check("%s keeps its status" % command[0], status == place.run(*command)[0], status)
        check("%s is not in a pipe" % command[0], "paged:" not in place.run(*command, env=env)[1])
    check("--no-pager", "paged:" not in on_terminal(place, "dump", "--no-pager", "one", **env)[1])
    check("colour passes the pager", "paged: " in on_terminal(place, "dump", "one", **env)[1] and
          "\x1b[33m" in on_terminal(place, "dump", "one", **env)[1])
    has("PAGER is taken when HBDB_PAGER is not set", on_terminal(place, "dump", "one", PAGER=pager)[1], "paged: ")
    same("a pager that is left early ends the command",
         len(on_terminal(place, "dump", "one", HBDB_PAGER="head -1")[1].splitlines()), 1)
    check("an empty HBDB_PAGER turns it off", "paged:" not in on_terminal(place, "dump", "one", HBDB_PAGER="", PAGER=pager)[1])
    check("a recording is never paged", "paged:" not in on_terminal(place, "record", "-o", "new", "--", "/bin/true", **env)[1])


with lib.Place() as here:
    recorded(here)
    meant(here)
    terminal(here)
lib.finish()
