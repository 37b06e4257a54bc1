#!/usr/bin/env python3
"""Reactions over the death of the manager: what was known before it counts behind it, and nothing is done twice."""
import os
import socket

from lib import Complex, check, finish, until

RULES = """when program once is failed do note "a state"
when process first exits and process second exits within 1h do note "a pair"
when sensor heat over 50 do note "hot {value}"
"""


def notes(c, text):
    return [row for row in c.rows("events", "--since", "0") if row["kind"] == "note" and text in row["text"]]


def again(c):
    c.kill()
    c.begin()
    check(until(lambda: c.rows("nodes")[0]["state"] == "up"), "a manager that was killed begins anew")


def say(c, value):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.connect(c.path + "/run/hbdb/notify")
        s.send(b"hbdb-self 1 %d tripped heat %d hot" % (os.getpid(), value))


def ran(c, name):
    c.do("program", "begin", name)
    until(lambda: c.program(name)["runs"] and c.program(name)["state"] in ("failed", "ended"))


def main():
    with Complex(reactions=RULES) as c:
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        until(lambda: c.rows("nodes")[0]["state"] == "up")
        for name in ("once", "first", "second"):
            c.do("program", "add", name, "--node", "n1", "--", "false" if name == "once" else "true")
        ran(c, "once")
        ran(c, "first")
        say(c, 60)
        check(until(lambda: notes(c, "a state") and notes(c, "hot")), "a state and a sensor make rules due")
        # the mark of a state is written when what was due is done
        until(lambda: c.table("SELECT 1 FROM mark WHERE name LIKE 'holds %' AND value = 1"))
        again(c)
        say(c, 61)
        until(lambda: [row for row in c.rows("events", "--since", "0") if row["kind"] == "sensor" and "61" in row["text"]])
        # two looks at states, a second each
        turns = c.event("note", "a state")
        ran(c, "second")
        check(until(lambda: notes(c, "a pair")), "a happening from before the death and one behind it are a pair")
        until(lambda: c.table("SELECT max(time) - (SELECT time FROM event WHERE event = ?) > 3000000 FROM event", turns["event"])[0][0], 10)
        check(len(notes(c, "a state")) == 1, "a state that held before and still does is no news", notes(c, "a state"))
        check(len(notes(c, "hot")) == 1, "nor is a sensor that was beyond its limit", notes(c, "hot"))
        say(c, 10)
        say(c, 70)
        check(until(lambda: notes(c, "hot 70")), "it is when it was back")
        c.do("program", "add", "once", "--node", "n1", "--", "true")
        ran(c, "once")
        until(lambda: not c.table("SELECT 1 FROM mark WHERE name LIKE 'holds %' AND value = 1"))
        again(c)
        c.do("program", "add", "once", "--node", "n1", "--", "false")
        ran(c, "once")
        check(until(lambda: len(notes(c, "a state")) == 2), "and a state that did not hold meanwhile")
    finish()


if __name__ == "__main__":
    main()
