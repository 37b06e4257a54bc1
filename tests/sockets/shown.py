#!/usr/bin/python3
"""What the commands say of a recording of processes that talk (synthetic/make_recording.c): dump, order, races, sql, graph, exports."""
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
passed = failed = 0


def check(good, name, why=""):
    global passed, failed
    print(("ok " if good else "FAIL ") + name)
    if good:
        passed += 1
    else:
        failed += 1
        print("  " + str(why)[:2000])


def run(*words):
    done = subprocess.run([os.path.join(BUILD, "hbdb"), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    return done.returncode, done.stdout


def has(name, text, *words):
    missing = [w for w in words if w not in text]
    check(not missing, name, "%s not in:\n%s" % (missing, text))


def unique(pairs):
    """No key stands twice in an object."""
    assert len({k for k, _ in pairs}) == len(pairs), pairs
    return dict(pairs)


def dumped():
    code, text = run("dump", "talk.hbdb")
    check(code == 0, "dump", text)
    has("values that repeat stand one after the other", text, 'recvmmsg(end="udp 0.0.0.0:53", bytes=8, hash=1001, '
        'peer="127.0.0.1:42000", bytes=8, hash=1000, peer="127.0.0.1:41000")')
    code, text = run("dump", "--json", "talk.hbdb")
    events = [json.loads(line, object_pairs_hook=unique) for line in text.splitlines()]
    poll = next(e for e in events if e.get("function") == "poll")
    check(poll["arguments"]["descriptor"] == [3, 4] and poll["class"] == "ready" and
          poll["arguments"]["end"] == ["tcp 127.0.0.1:7000", "udp 0.0.0.0:53"], "in JSON they are arrays", poll)


def ordered():
    for a, b, *words in (("sh:1", "server:7", "the process made, which began then"),
                         ("client:1", "server:3", "message: 0 bytes, tcp 127.0.0.1:7000\n"),
                         ("client:2", "server:5", "message: 100 bytes, tcp 127.0.0.1:7000 - 127.0.0.1:50001\n"),
                         ("client:4", "server:7", "message: 8 bytes, udp 0.0.0.0:53\n"),
                         ("server:10", "client:7", "the stream ended, as its other side was told"),
                         ("server:11", "sh:5", "then the process ended, for which this one waited"),
                         ("client:8", "sh:4", "message: 6 bytes, pipe 33\n")):
        code, text = run("order", a, b, "talk.hbdb")
        has("order of %s and %s" % (a, b), text, "before %s" % b, *words)
        check(code == 0 and "tag" not in text, "without a tag", text)
    links = [link for pair in (("sh:1", "server:7"), ("server:10", "client:7"), ("server:11", "sh:5"), ("sh:3", "client#2:2"))
             for link in (e.get("link") for e in json.loads(run("order", "--json", *pair, "talk.hbdb")[1])["chain"])]
    check({"fork", "stream", "end"} <= set(links), "words of links", links)
    check(run("order", "client:1", "client#2:1", "talk.hbdb")[1].startswith("client:1 and client#2:1 are concurrent"),
          "two clients are concurrent", run("order", "client:1", "client#2:1", "talk.hbdb")[1])


def raced():
    code, text = run("races", "talk.hbdb")
    has("races", text, "3 of 8 receives, accepts and waits for readiness raced, at 3 places", "accept: 1 of 2 raced", "read: 1 of 2 raced",
        "recvmmsg: 1 of 2 raced", "or client:4, which server:7 received")
    races = [json.loads(line, object_pairs_hook=unique) for line in run("races", "--json", "talk.hbdb")[1].splitlines()]
    check({r["communicator"] for r in races} == {"pipe 33", "tcp 127.0.0.1:7000", "udp 0.0.0.0:53"} and all("tag" not in r for r in races),
          "by what they came through", races)
    code, text = run("check", "talk.hbdb")
    has("check finds no error in them", text, "no errors found, 3 notes")


def asked():
    code, text = run("sql", "talk.hbdb", "SELECT send_call, comm, bytes, tag IS NULL FROM messages WHERE state = 'unreceived' ORDER BY 1")
    check(code == 0 and text.splitlines() == ["sendto\tudp 0.0.0.0:53\t8\t1", "write\tpipe 33\t2\t1"], "sql: what nobody received", text)
    code, text = run("sql", "talk.hbdb", "SELECT count(*) FROM messages WHERE state = 'received'")
    check(text.strip() == "10", "sql: what was received", text)
    code, text = run("info", "talk.hbdb")
    has("processes have the names of their programs", text, "server", "client#2")


def exported():
    for to in ("perfetto", "shiviz", "csv", "otf2"):
        code, text = run("export", "--to", to, "-o", "out." + to, "talk.hbdb")
        check(code == 0, "export --to " + to, text)
    rows = open("out.messages.csv", encoding="utf-8").read()
    has("messages as a table", rows, ",tcp 127.0.0.1:7000 - 127.0.0.1:50001,,100,")
    for kind in ("dot", "svg", "png"):
        code, text = run("graph", "-o", "out." + kind, "talk.hbdb")
        check(code == 0 and os.path.getsize("out." + kind) > 1000, "graph as " + kind, text)
    svg = open("out.svg", encoding="utf-8").read()
    edges = re.findall(r'class="(outside \w+)" data-event="([^"]+)" data-peer="([^"]+)"><title>([^<]*)</title>', svg)
    check(edges == [("outside out", "client:3", "udp 192.0.2.9:53", "client:3: 30 bytes to udp 192.0.2.9:53, who is not recorded"),
                    ("outside out", "client#2:3", "udp 192.0.2.9:53", "client#2:3: 30 bytes to udp 192.0.2.9:53, who is not recorded"),
                    ("outside in", "client#2:4", "udp 192.0.2.9:53", "client#2:4: 2 datagrams, 23 bytes from udp 192.0.2.9:53, who is not recorded")],
          "who is not recorded is a point at the edge", edges or re.findall(r"<g class=.outside[^\n]*", svg))
    check(svg.count(">udp 192.0.2.9:53</text>") >= 2, "with the address beside it", svg.count("192.0.2.9:53"))
    dot = open("out.dot", encoding="utf-8").read()
    check(dot.count('"outside udp 192.0.2.9:53" [shape') == 1 and dot.count('-> "outside udp 192.0.2.9:53" [') == 2 and
          dot.count('"outside udp 192.0.2.9:53" -> "client#2:4"') == 1, "and in dot a node", dot)
    has("the label of a message without a tag", open("out.dot", encoding="utf-8").read(), "100 bytes")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([os.path.join(BUILD, "tests/sockets/synthetic/make_recording"), "talk.hbdb"], check=True)
        for part in (dumped, ordered, raced, asked, exported):
            part()
        os.chdir("/")
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
