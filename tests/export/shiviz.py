"""Reads the log with the pattern in its first line, as ShiViz does, and checks its rules; then that each clock is the one
that follows from the reference's order."""
import collections
import json
import re

from lib import check, same

Point = collections.namedtuple("Point", "host clock time place at kind")  # kind: enter, exit, or both


def read(path):
    lines = open(path).read().split("\n")
    pattern = re.compile(re.sub(r"\(\?<(\w+)>", r"(?P<\1>", lines[0]))
    assert lines[1] == "", "the second line separates executions: there is one"
    points = []
    for line in lines[2:-1]:
        found = pattern.fullmatch(line)
        assert found, "the pattern does not read: " + line
        text = found["event"]
        kind = "both"
        if text.startswith(("enter ", "exit ")):
            kind, text = text.split(" ", 1)
        rank, lane, event = re.match(r"(\d+)(?:\.(\d+))?:(\d+) ", text).groups()
        points.append(Point(found["host"], json.loads(found["clock"]), float(found["time"]), found["place"],
            (int(rank), int(lane or 0), int(event)), kind))
    return points


def rules(name, points):
    """What ShiViz asks of any log."""
    of_host = collections.defaultdict(list)
    for p in points:
        of_host[p.host].append(p)
    hosts = {h: sorted(ps, key=lambda p: p.clock[h]) for h, ps in of_host.items()}
    same(name + ": the own component counts from 1 without gaps",
            {h: [p.clock[h] for p in ps] for h, ps in of_host.items()},
            {h: list(range(1, len(ps) + 1)) for h, ps in of_host.items()})
    bad = [p for p in points for h, n in p.clock.items() if h not in hosts or not 1 <= n <= len(hosts[h])]
    check(name + ": clocks name events that are there", not bad, bad)
    # a clock is the maximum of those it names: nothing is missing from the past of the past
    bad = [p for p in points for h, n in p.clock.items() if not bad and p is not hosts[h][n - 1] and
            any(p.clock.get(k, 0) < m for k, m in hosts[h][n - 1].clock.items())]
    check(name + ": clocks hold the clocks of what they name", not bad, bad)
    places = {id(p): i for i, p in enumerate(points)}
    bad = [p for p in points for h, n in p.clock.items() if h != p.host and places[id(hosts[h][n - 1])] == places[id(p)]]
    check(name + ": no event names itself under another host", not bad, bad)


def host_of(line):
    return "rank%d" % line[0] if not line[1] else "rank%d.%d" % line


def compare(name, points, run, wanted=lambda at: True):
    """The clocks against the reference: exactly these, for each point that is wanted."""
    cache, numbers = {}, collections.defaultdict(list)
    first = {"enter": "enter", "both": "enter", "exit": "exit"}
    last = {"enter": "enter", "both": "exit", "exit": "exit"}
    events = {(rank, lane, e["event"]): e for (rank, lane), es in run.events.items() for e in es}
    same(name + ": each call is there, once or as enter and exit",
        collections.Counter(at for p in points for at in [p.at] if p.kind != "exit"),
        collections.Counter(at for at in events if wanted(at)))
    same(name + ": each enter has its exit", sorted(p.at for p in points if p.kind == "enter"),
        sorted(p.at for p in points if p.kind == "exit"))
    for p in points:
        numbers[p.at[:2]].append(p)
    wrong = []
    for p in points:
        end = last[p.kind] if not events[p.at].get("never_returned") else "enter"
        past = run.past(p.at + (end,), cache)
        clock = {}
        for line, others in numbers.items():
            n = 0
            for q in others:
                # an enter counts when it is in the past; an exit only where the line went on from it
                if q.at[2] < past[line] or (q.at[2] == past[line] and first[q.kind] == "enter") or (
                        q.at == p.at and (q is p or p.kind == "exit")):
                    n += 1
            if n:
                clock[host_of(line)] = n
        if clock != p.clock:
            wrong.append("%s %s\n    is  %s\n    not %s" % (p.at, p.kind, p.clock, clock))
    check(name + ": %d clocks are those of the reference" % len(points), not wrong, "\n".join(wrong))
    by_at = collections.defaultdict(dict)
    for p in points:
        by_at[p.at][p.kind] = p
    bad = concurrent = 0
    for send, receive in run.messages:
        if not receive or not wanted(send.at) or not wanted(receive.done):
            continue
        s = by_at[send.at].get("enter") or by_at[send.at]["both"]
        r = by_at[receive.done].get("exit") or by_at[receive.done]["both"]
        bad += r.clock.get(s.host, 0) < s.clock[s.host]
        concurrent += not s.clock.get(r.host, 0) >= r.clock[r.host]
    check(name + ": every message goes forward, none back", not bad and
        concurrent == len([m for m in run.messages if m[1] and wanted(m[0].at) and wanted(m[1].done)]), (bad, concurrent))
