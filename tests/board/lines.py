#!/usr/bin/python3
"""hbdb import of what boards said: docs/system/subordinate.md, line by line."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "import"))
sys.dont_write_bytecode = True

import reading
from reading import Imported, check

START = 1_700_000_000_000_000_000
HERTZ = 1000  # a tick is a millisecond


def summed(words):
    total = 0
    for byte in words.encode():
        total ^= byte
    return "hb %s *%02x" % (words, total)


class File:
    """What a listener wrote down, put together."""

    def __init__(self):
        self.lines = ["hbdb-board 1"]

    def raw(self, ms, board, line, way="<"):
        self.lines.append("%d %s %s %s" % (START + round(ms * 1e6), board, way, line))
        return self

    def say(self, ms, board, words, way="<"):
        return self.raw(ms, board, summed(words), way)

    def hello(self, ms, board, last=0):
        return self.say(ms, board, "hello 1 program %x %x" % (HERTZ, last))

    def clock(self, asked, answered, board, ticks, ident="1"):
        return self.say(asked, board, "ask %s clock" % ident, ">").say(answered, board, "ok %s %x" % (ident, ticks))

    def data(self):
        return ("\n".join(self.lines) + "\n").encode()


def one(*lines):
    f = File().hello(0, "a")
    for ms, words in lines:
        f.say(ms, "a", words)
    return f


def names(x, process):
    return [(e["function"], e["class"], e["arguments"].get("value", e["arguments"].get("key"))) for e in x.rows if e["process"] == process]


def kinds(folder):
    x = Imported(folder, one((1, "e 1 1 begin work a"), (2, "e 2 2 event point ffffffffffffffff"), (3, "e 3 2 send c 7 10"), (4, "e 4 3 receive c 7 10"),
                             (5, "e 5 9 end work 0")).data())
    check("each kind of event", x.status == 0 and not x.whole() and names(x, "a") == [("work", "begin", 10), ("point", "event", -1), ("hb_sent", "sent", 7),
          ("hb_received", "received", 7), ("work", "end", 0)], x.out + x.err + str(x.rows))
    check("ticks are times", [e["enter_ns"] - x.rows[0]["enter_ns"] for e in x.rows] == [0, 10**6, 10**6, 2 * 10**6, 8 * 10**6], x.times("a"))
    check("nothing is missing", "events are not in it" not in x.out and "spoiled" not in x.out, x.out)


def missing(folder):
    x = Imported(folder, one((1, "e 1 1 event p 1"), (2, "e 5 2 drop 3"), (3, "e 6 3 event p 2")).data())
    check("dropped by the board", "a: 3 events are not in it: the board had no room for them" in x.out and "were lost" not in x.out and len(x.rows) == 2, x.out)
    x = Imported(folder, one((1, "e 1 1 event p 1"), (2, "e 8 2 drop 3"), (3, "e a 3 event p 2")).data())
    check("dropped, and lost on the way", "a: 3 events are not in it: the board had" in x.out and "a: 4 events are not in it: their lines" in x.out, x.out)
    f = one((1, "e 1 1 event p 1")).raw(2, "a", summed("e 2 2 event p 2").replace("p 2", "q 2")).raw(2, "a", "hb e 3 2 ev").raw(2, "a", "U-Boot 2026")
    x = Imported(folder, f.say(3, "a", "e 4 4 event p 3").data())
    check("spoiled and strange lines", "2 lines are spoiled" in x.out and "1 lines are no lines of the protocol" in x.out and "a: 2 events are not in it: their" in x.out, x.out)
    for words in ("e 0 1 event p 1", "e 2 1 event p", "e 2 1 event p 1 1", "e 2 1 event  1", "e 2 1 what p 1", "e 2 1 send c 1", "e 2 ffffffffffffffff event p 1",
                  "e 2 -1 event p 1", "e 2 1 event p 10000000000000000", "e 2 1 event %s 1" % ("n" * 65), "e 1 1 event p 1", "hello 2 p 1 0", "hello 1 p 0 0", "x"):
        x = Imported(folder, one((1, "e 1 1 event p 1"), (2, words)).data())
        check("no line: " + words[:40], x.status == 0 and "1 lines are spoiled" in x.out and len(x.rows) == 1, x.out + x.err)
    x = Imported(folder, File().say(1, "a", "e 1 1 event p 1").data())
    check("without hello nothing", x.status == 3 and "no board told of an event" in x.err and "1 lines are spoiled" in x.err and not x.there, x.err)
    x = Imported(folder, one((1, "e 1 1 event p 1")).data() + b"17000")
    check("a file that is cut", x.status == 0 and "the last line has no end" in x.err and len(x.rows) == 1, x.out + x.err)


def starts(folder):
    f = one((1, "e 1 1 event p 1")).hello(2, "a", 1).say(3, "a", "e 2 2 event p 2").hello(4, "a").say(5, "a", "e 1 1 event p 3")
    x = Imported(folder, f.data())
    check("a board that begins anew is another process", [names(x, n) for n in ("a", "a#2")] == [[("p", "event", 1), ("p", "event", 2)], [("p", "event", 3)]], x.rows)
    x = Imported(folder, File().hello(1, "a", 0x20).say(2, "a", "e 21 9 event p 1").data())
    check("who listens late", "a: 32 events happened before anybody listened" in x.out and "not in it" not in x.out, x.out)


def times_of(x, process):
    return [e["enter_ns"] for e in x.rows if e["process"] == process]


def clocks(folder):
    # b's clock is 5 s ahead of a's; both are asked: a between 10 and 12 ms, b between 10 and 11 ms
    f = File().hello(0, "a").hello(0, "b").clock(10, 12, "a", 1000).clock(10, 11, "b", 6000)
    f.clock(20, 60, "b", 6005, "2").say(100, "a", "e 1 %x event p 1" % 1020).say(100, "b", "e 1 %x event p 1" % 6030)
    x = Imported(folder, f.data())
    check("clocks that were asked for", times_of(x, "b")[0] - times_of(x, "a")[0] == 9_500_000 and "a: its clock is known to 0.001000 s" in x.out and
          "b: its clock is known to 0.000500 s" in x.out, x.out + str(x.rows))
    f = File().hello(0, "a").hello(0, "b").say(30, "a", "e 1 5 event p 1").say(32, "b", "e 1 ff event p 1")
    x = Imported(folder, f.data())
    check("clocks that were not", times_of(x, "b")[0] - times_of(x, "a")[0] == 2_000_000 and "a: its clock was not asked for" in x.out, x.out)
    f = File().hello(0, "a").hello(0, "b").clock(10, 10, "a", 10).clock(10, 10, "b", 10)
    f.say(90, "a", "e 1 20 send c 1 1").say(90, "b", "e 1 1c receive c 1 1")
    x = Imported(folder, f.data())
    check("a message is not received before it was sent", times_of(x, "b")[0] - times_of(x, "a")[0] == 1 and "b: its clock was set forward by 0.004000 s" in x.out, x.out)
    status, out, err = reading.hbdb("order", "a:1", "b:1", x.name)
    check("and its order is known", status == 0 and "a:1 is before b:1" in out, out + err)
    f.say(91, "b", "e 2 1e send d 1 1").say(91, "a", "e 2 21 receive d 1 1")
    x = Imported(folder, f.data())
    check("messages that no clocks can have had", x.status == 0 and "so no clock was set" in x.out and not x.whole(), x.out)


def many_names(folder):
    f = one(*((1, "e %x %x event n%d 1" % (i, i, i)) for i in range(1, 1006)))
    x = Imported(folder, f.data())
    check("names past the thousandth", sum(e["function"] == "(more)" for e in x.rows) == 5 and "5 events have other names" in x.out and not x.whole(), x.out)


def recorded(folder):
    path = os.path.join(HERE, "two.board")
    with open(path, "rb") as f:
        x = Imported(folder, f.read())
    status, out, err = reading.hbdb("sql", "--json", x.name, "SELECT state, ambiguous, sender, send_event, receiver, done_event FROM messages")
    rows = json.loads(out) if out.startswith("[") else [json.loads(line) for line in out.splitlines()]
    by = {(e["rank"], e.get("world", 0), e["event"]): e for e in x.rows}
    check("two boards, as recorded", status == 0 and len(rows) == 12 and all(r["state"] == "received" and not r["ambiguous"] for r in rows) and by, out + err)
    done = subprocess.run([os.path.join(reading.BUILD, "asan", "tests", "import", "mutate"), folder, path], capture_output=True, text=True, check=False)
    check("cut and changed anywhere: " + done.stdout.strip(), done.returncode == 0 and "0 wrong" in done.stdout, done.stdout + done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="hbdb-board-") as folder:
        for part in (kinds, missing, starts, clocks, many_names, recorded):
            part(folder)
    return reading.finish()


if __name__ == "__main__":
    sys.exit(main())
