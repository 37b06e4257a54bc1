#!/usr/bin/env python3
"""What consoles print, and where to: full disks, readers that are gone, closed descriptors, colour, JSON for others than hbdb, times."""
import json
import os
import re
import select
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import HBDB, PATIENCE, Complex, check, finish, until

ODD = b"an odd\xff \"name\"\n\xe6\x97\xa5"


def begin(c, *args, **how):
    return subprocess.Popen([HBDB, *args], cwd=c.path, env=c.env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **how)


def ended(child):
    """(status, stderr); (None, ...): it did not end."""
    try:
        _, err = child.communicate(timeout=PATIENCE)
        return child.returncode, err
    except subprocess.TimeoutExpired:
        child.kill()
        return None, child.communicate()[1]


def unwritten(c):
    for status, args in ((3, ["ps"]), (3, ["ps", "--json"]), (3, ["events"]), (3, ["nodes"]), (3, ["program"]), (3, ["metrics"]), (3, ["ps", "-h"]), (3, ["help", "ps"]),
                         (3, ["--version"]), (2, ["nodes", "run", "n1", "--", "seq", "100000"])):
        with open("/dev/full", "w", encoding="ascii") as full:
            got, err = ended(begin(c, *args, stdout=full))
        check(got == status and "No space left" in err, "hbdb %s on a full disk says so: status %d" % (" ".join(args), status), (got, err))
    for status, args in ((3, ["ps"]), (2, ["nodes", "run", "n1", "--", "seq", "10"])):
        done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', HBDB, *args], cwd=c.path, env=c.env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              timeout=PATIENCE)
        check(done.returncode == status and "Bad file descriptor" in done.stderr, "hbdb %s without an output says so" % args[0], (done.returncode, done.stderr))
    done = subprocess.run(["sh", "-c", 'exec "$0" nodes run n1 -- seq 5 <&-', HBDB], cwd=c.path, env=c.env, capture_output=True, text=True, timeout=PATIENCE)
    check((done.returncode, done.stdout) == (0, "1\n2\n3\n4\n5\n"), "without an input a command on a node runs", (done.returncode, done.stdout, done.stderr))


def followed(c):
    """hbdb events -f ends when nobody reads it, also when nothing happens."""
    child = begin(c, "events", "-f", "--since", "0", stdout=subprocess.PIPE)
    check("node n1 is up" in child.stdout.readline() + child.stdout.readline(), "events are followed")
    child.stdout.close()
    child.stdout = None
    got, err = ended(child)
    check(got == 0 and not err, "hbdb events -f ends when its reader is gone", (got, err))
    with open("/dev/full", "w", encoding="ascii") as full:
        got, err = ended(begin(c, "events", "-f", "--since", "0", stdout=full))
    check(got == 3 and "No space left" in err, "... and on a full disk, which it says", (got, err))
    child = begin(c, "nodes", "run", "n1", "--", "yes", stdout=subprocess.PIPE)
    child.stdout.read(100)
    child.stdout.close()
    child.stdout = None
    check(ended(child) == (128 + signal.SIGPIPE, ""), "hbdb nodes run ends as by SIGPIPE when its reader is gone")


def since(c):
    """More events than one answer has room for."""
    w = c.wire()
    for _ in range(1200):
        w.ask("note", text="x" * 1900)
    last = c.rows("events")[-1]["event"]
    child = begin(c, "events", "-f", "--since", "0s", stdout=subprocess.PIPE)

    def comes():
        w.ask("note", text="now")
        return select.select([child.stdout], [], [], 0.2)[0]

    until(comes)
    line = child.stdout.readline()
    check(int(line.split()[0]) > last, "--since 0s with -f begins with what happens from now on", line)
    child.send_signal(signal.SIGINT)
    child.stdout.close()
    child.stdout = None
    check(ended(child)[0] == 0, "... and ends by SIGINT")
    w.close()
    check(c.run("events", "--since", "0s")[:2] == (0, ""), "of the last 0 s nothing has happened")
    check(len(c.rows("events", "--since", "1h")) > 1200, "of the last hour all is there")
    for wrong in ("0x5", "1e3", "1.5", ".", "5m", "-1", ""):
        status, out, err = c.run("events", "--since", wrong)
        check(status == 2 and not out and err, "--since %r is refused" % wrong, (status, out, err))


def coloured(c):
    status, out, _ = c.run("events", "--color", "always", "--since", "0")
    lines = [line for line in out.splitlines() if "\x1b" in line]
    check(status == 0 and lines and "\\x1b" not in out and all(re.search(r"\x1b\[[\d;]+m\w+ *\x1b\[0m", line) for line in lines), "colours are colours", out[-500:])
    check("\x1b" not in c.run("events", "--since", "0")[1], "into a file there are none")


def for_others(c):
    c.do("program", "add", "odd", "--node", "n1", "--", "sh", "-c", "exit 3", ODD)
    c.do("program", "begin", "odd")
    check(until(lambda: c.event("note", "at ")), "a reaction is due", c.run("events")[1])
    text = c.event("note", "at ")["text"]
    check(re.search(r": at \d{16} of event \d+ with 3$", text), "{time} has all of its digits, and no exponent", text)
    for args in (["ps", "--all"], ["program"], ["nodes"], ["events", "--since", "0"]):
        done = subprocess.run([HBDB, *args, "--json"], cwd=c.path, env=c.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        try:
            rows = [json.loads(line.decode("utf-8", "strict")) for line in done.stdout.splitlines()]
        except ValueError as e:
            rows, done.stderr = [], repr(e)
        check(rows, "hbdb %s --json is JSON in UTF-8" % args[0], done.stderr)
        check(not re.search(rb'"(?:time|since|start)":(?!\d+[,}]|null)', done.stdout), "... and its times are whole numbers",
              re.findall(rb'"(?:time|since)":[^,]*', done.stdout)[-20:])
        if args[0] == "program":
            check(rows and rows[0]["command"][-1] == ODD.decode("utf-8", "replace"), "a word of a command that is no text is shown as far as it is", rows)


def main():
    with Complex(reactions='when program odd fails do note "at {time} of event {event} with {status}", run sh -c "cat >> told"\n') as c:
        with open(c.path + "/typo", "w", encoding="utf-8") as f:
            f.write("\ufeff# a mark of an editor before it\nwhen finding HB-DEADLOK-CYCLE do note\n")
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        until(lambda: c.rows("nodes")[0]["state"] == "up")
        c.do("nodes", "add", "gone", "--address", "nowhere.invalid")
        until(lambda: c.event("node", "gone is down"))
        followed(c)
        coloured(c)
        for_others(c)
        c.do("program", "add", "lives", "--node", "n1", "--", "sleep", "1000")
        c.do("program", "begin", "lives")
        until(lambda: c.program("lives")["state"] == "running")
        unwritten(c)
        status, _, err = c.run("program", "release")
        check(status == 2 and 'a number as "#12", in quotes' in err, "a number of a process that a shell took for a comment is thought of", err)
        status, _, err = c.run("manager", "--check-only", "--reactions", "typo")
        check(status == 2 and "typo:2:14: there is no finding HB-DEADLOK-CYCLE" in err and "did you mean 'HB-DEADLOCK-CYCLE'?" in err,
              "a finding that there is not is refused", err)
        told = until(lambda: open(c.path + "/told", encoding="utf-8").read() if c.event("reaction") else "")
        check(re.search(r'"time":\d{16},', told) and json.loads(told), "a command is told the event as JSON with whole numbers", told)
        since(c)
    finish()


main()
