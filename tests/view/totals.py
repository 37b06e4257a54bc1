"""What the run adds up to, compared with sums over `hbdb dump --json`."""
from collections import Counter

from viewer import View, check, same


def line_of(call):
    return str(call["rank"]) + (".%d" % call["lane"] if call.get("lane") else "")


def place_of(call):
    return (call["function"], call.get("file"), call.get("line"), call.get("site"))


def numbers(text):
    found = []
    for part in text.split(","):
        first, _, last = part.partition(":")
        found += range(int(first), int(last or first) + 1)
    return found


def kinds_of(calls, run):
    """The rule of src/view/totals/totals.h, told once more: line -> what it has to have in common with those of its kind."""
    prints = {}
    for line in run["lines"]:
        own = [c for c in calls if line_of(c) == line["name"]]
        places = Counter(place_of(c) for c in own)
        inside = own[-1]["function"] if own and "exit_ns" not in own[-1] else None
        prints[line["name"]] = [line["lane"], frozenset(places), inside, len(own), frozenset(places.items())]
    for lane, where, inside, *_ in list(prints.values()):
        group = [p for p in prints.values() if p[:3] == [lane, where, inside]]
        middle = sorted(p[3] for p in group)[len(group) // 2]
        for p in group:
            p.append("more" if len(group) > 2 and p[3] > 4 * middle else "less" if len(group) > 2 and middle > 4 * p[3] else "as many")
            del p[6:]
    kinds = {}
    for name, (lane, where, inside, _, often, size) in prints.items():
        group = Counter(p[4] for p in prints.values() if p[:3] == [lane, where, inside] and p[5] == size)
        n = sum(group.values())
        apart = sum(k for k in group.values() if 5 * k >= n) * 4 >= 3 * n
        kinds[name] = (lane, where, inside, size, often if apart else None)
    return kinds


def alike(label, run, calls):
    lists = [numbers(text) for text in run["alike"]]
    same(label + ": alike: every line once", sorted(n for one in lists for n in one), list(range(len(run["lines"]))))
    kinds, expected = kinds_of(calls, run), {}
    for i, line in enumerate(run["lines"]):
        expected.setdefault(kinds[line["name"]], []).append(i)
    same(label + ": alike: by what was called where, in the order of the first", lists, sorted(expected.values()))


def profile(label, view, calls):
    for by, key in (("function", lambda c: c["function"]), ("process", line_of)):
        expected = {}
        for c in calls:
            sums = expected.setdefault(key(c), [0, 0])
            sums[0] += 1
            sums[1] += c.get("exit_ns", c["enter_ns"]) - c["enter_ns"]
        got = view.get("profile?limit=100000&by=" + by)
        rows = {r["name" if by == "process" else "function"]: r for r in got["rows"]}
        same("%s: profile: calls by %s" % (label, by), {k: r["calls"] for k, r in rows.items()}, {k: n for k, (n, _) in expected.items()})
        # an end and a beginning may each be a nanosecond off
        far = {k: (r["time"], expected[k]) for k, r in rows.items() if abs(r["time"] - expected[k][1]) > 2 * r["calls"] + 2}
        check("%s: profile: times by %s" % (label, by), not far and all(0 <= r["waited"] <= r["time"] + 1 for r in rows.values()), far)
        check("%s: profile: the longest first" % label, [r["time"] for r in got["rows"]] == sorted((r["time"] for r in got["rows"]), reverse=True), got)
    got = view.get("profile?limit=100000")
    expected = Counter((c["function"], "%s:%d" % (c["file"].rsplit("/", 1)[-1], c["line"])) for c in calls if c.get("file"))
    if expected:
        places = {(r["function"], r["place"]): r["calls"] for r in got["rows"]}
        same(label + ": profile: calls by place", {k: n for k, n in places.items() if k in expected}, dict(expected))
    same(label + ": profile: every call is at a place", sum(r["calls"] for r in got["rows"]), len(calls))
    same(label + ": profile: limit", [len(view.get("profile?limit=1")["rows"]), view.get("profile?limit=1")["found"]], [1, got["found"]])
    same(label + ": profile: by what there is not", view.ask("profile?by=colour")[0], 400)


def matrix(label, view, place, recording):
    rows = place.lines("sql", recording, "SELECT sender, receiver, count(*) AS n, sum(bytes) AS bytes, sum(state <> 'received') AS lost FROM messages "
                       "WHERE sender IS NOT NULL AND state <> 'cancelled' GROUP BY sender, receiver ORDER BY sender, receiver")
    got = view.get("matrix")
    same(label + ": matrix: as hbdb sql", got["cells"], [[r["sender"], r["receiver"], r["n"], r["bytes"], r["lost"]] for r in rows if r["receiver"] is not None])
    same(label + ": matrix: all", [got["messages"], got["bytes"], got["unreceived"]], [sum(r[k] for r in rows) for k in ("n", "bytes", "lost")])
    check(label + ": matrix: some", rows and got["each"] == 1, got)
    tags = place.lines("sql", recording, "SELECT tag, count(*) AS n FROM messages WHERE sender IS NOT NULL AND state <> 'cancelled' GROUP BY tag ORDER BY tag")
    same(label + ": matrix: of a tag", [view.get("matrix?tag=%d" % r["tag"])["messages"] for r in tags], [r["n"] for r in tags])


def all_of(label, place, recording, binary, least):
    """least: kinds of lines that there are to be."""
    calls = place.lines("dump", recording)
    with View(place, recording, binary=binary) as view:
        run = view.ready()
        alike(label, run, calls)
        profile(label, view, calls)
        matrix(label, view, place, recording)
        check(label + ": alike: %d kinds" % len(run["alike"]), least <= len(run["alike"]) <= len(run["lines"]), run["alike"])
