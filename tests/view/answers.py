"""Every answer, compared with what the commands say of the same recording."""
import itertools

from viewer import View, check, same


def name_of(call):
    lane = ".%d" % call["lane"] if call.get("lane") else ""
    return "%d%s:%d" % (call["rank"], lane, call["event"])


def some(things, n):
    things = list(things)
    step = max(1, len(things) // n)
    return things[::step] + things[-1:]


def run_answer(label, run, calls):
    same(label + ": run: events", run["events"], len(calls))
    per_line = {}
    for call in calls:
        key = name_of(call).split(":")[0]
        per_line[key] = max(per_line.get(key, 0), call["event"])
    same(label + ": run: lines", {line["name"]: line["events"] for line in run["lines"] if line["events"]}, per_line)
    check(label + ": run: functions", {c["function"] for c in calls} <= set(run["functions"]) and run["functions"] == sorted(run["functions"]), run)
    check(label + ": run: ready", run["ready"] and run["progress"] == 1 and run["failed"] is None, run)


def events(label, view, run, calls, n):
    wrong, logical = [], {}
    for call in some(calls, n):
        at = name_of(call)
        got = view.get("event?at=" + at)
        logical[at] = got["x"]["logical"]
        physical = [call["enter_ns"], call.get("exit_ns", call["enter_ns"])]
        near = all(abs(a - b) <= 1 for a, b in zip(got["x"]["physical"], physical))
        line = next(i for i, x in enumerate(run["lines"]) if x["name"] == at.split(":")[0])
        count = run["lines"][line]["events"]
        neighbours = [at.split(":")[0] + ":%d" % (call["event"] + d) for d in (1, -1)]
        expected = [neighbours[0] if call["event"] < count else None, neighbours[1] if call["event"] > 1 else None]
        if got["call"] != call or got["at"] != at or got["line"] != line or got["event"] != call["event"] or not near or \
                [got["next"], got["previous"]] != expected or (got["file"], got["row"]) != (call.get("file"), call.get("line", 0)) or \
                not got["text"].startswith(at + "  "):
            wrong.append((at, got, call))
    check("%s: event: as dump --json, %d of them" % (label, len(logical)), not wrong, wrong[:1])
    same(label + ": event: none beyond the end", view.ask("event?at=0:99999999")[0], 404)
    same(label + ": event: not an event", view.ask("event?at=x")[0], 404)
    same(label + ": event: at is needed", view.ask("event")[0], 400)


def matches(label, view, place, recording, calls):
    """Both ends of a message name each other, as `hbdb order` proves."""
    wrong, seen = [], 0
    for call in some((c for c in calls if c["class"] == "send"), 12):
        at = name_of(call)
        got = view.get("event?at=" + at)
        for message in got["messages"]:
            if message["send"] != at or message["receive"] is None:
                continue
            seen += 1
            other = view.get("event?at=" + message["receive"])
            if at not in [m["send"] for m in other["messages"]] or message["source"] != call["rank"] or \
                    message["dest"] != other["call"]["rank"]:
                wrong.append((at, message, other))
            order = place.lines("order", at, message["receive"], recording)
            if order and order[0]["order"] not in ("before", "together"):
                wrong.append((at, order))
    check("%s: messages: both ends, %d of them" % (label, seen), seen and not wrong, wrong[:1])


def cones(label, view, place, recording, run, calls, n):
    wrong = []
    lines = {line["name"]: i for i, line in enumerate(run["lines"])}
    for call in some(calls, n):
        at = name_of(call)
        got = view.get("cone?at=" + at)
        cut = {lines[str(c["rank"]) + (".%d" % c["lane"] if c["lane"] else "")]: (c["event"] or 0, c["stop"])
               for c in place.lines("cone", at, recording) if "lane" in c}
        future = {lines[str(c["rank"]) + (".%d" % c["lane"] if c["lane"] else "")]: c["event"]
                  for c in place.lines("cone", at, recording, "--future") if c.get("event")}
        if {c["line"]: (c["event"], c["stop"]) for c in got["cut"]} != cut or {c["line"]: c["event"] for c in got["future"]} != future:
            wrong.append((at, got, cut, future))
    check("%s: cone: as hbdb cone, %d of them" % (label, n), not wrong, wrong[:1])


def races(label, view, run, told):
    got = view.get("races?limit=10000")
    by_event = {}
    for race in told:
        by_event.setdefault(race["event"], []).append(race)
    same(label + ": races: number", (run["races"], got["found"]), (len(told), len(told)))
    same(label + ": races: by place", sum(p["races"] for p in got["places"]), len(told))
    same(label + ": races: events", {r["at"] for r in got["races"]}, set(by_event))
    wrong = []
    for at, expected in itertools.islice(by_event.items(), 15):
        race = view.get("event?at=" + at)["race"]
        sends = {a["event"] for r in expected for a in r["alternatives"][:4]}
        if race is None or {a["send"] for a in race["alternatives"]} != sends or race["n"] != sum(len(r["alternatives"]) for r in expected):
            wrong.append((at, race, expected))
    check(label + ": races: alternatives", not wrong, wrong[:1])
    got = view.get("races?limit=1")
    check(label + ": races: limit", len(got["races"]) == min(1, len(told)) and got["more"] == (len(told) > 1), got)


def pictures(label, view, run, calls):
    for axis in ("logical", "physical"):
        first, last = run["span"][axis]
        got = view.get("view?axis=%s&columns=300" % axis)
        dense = sum(d[1] for d in got["densities"])
        same("%s: view %s: all events" % (label, axis), got["events"], len(calls))
        same("%s: view %s: drawn and hidden" % (label, axis), (len(got["boxes"]) + got["hidden"], dense), (len(calls), got["hidden"]))
        middle = (first + last) // 2
        half = view.get("view?axis=%s&columns=300&from=%d&to=%d" % (axis, first, middle))
        check("%s: view %s: half of it" % (label, axis), 0 < half["events"] <= got["events"] and
              all(b[2] <= middle + 1 and b[3] >= first - 1 for b in half["boxes"]), half["events"])  # shown times are rounded to nanoseconds
    if run["lines"][1:]:
        one = view.get("view?axis=logical&columns=300&lines=1")
        same(label + ": view: one line", ({b[0] for b in one["boxes"]} | {d[0] for d in one["densities"]}, one["events"]),
             ({1}, run["lines"][1]["events"]))
    name = calls[-1]["function"]
    count = sum(c["function"] == name for c in calls)
    only = view.get("view?axis=logical&columns=300&function=" + name)
    same(label + ": view: one function", only["events"], count)
    for bad in ("axis=x", "columns=0", "from=x", "lines=9999", "lines=0,x", "from=5&to=4", "group=99999", "tag=x", "columns=99999999"):
        same("%s: view: %s is refused" % (label, bad), view.ask("view?" + bad)[0], 400)


def sources(label, view, calls):
    call = next((c for c in calls if c.get("file")), None)
    if not call:
        return
    with open(call["file"], encoding="utf-8") as f:
        rows = f.read().split("\n")
    got = view.get("event?at=" + name_of(call))
    check(label + ": source: of an event", got["source"] and
          all(rows[r["row"] - 1] == r["text"] for r in got["source"]) and call["line"] in [r["row"] for r in got["source"]], got["source"])
    got = view.get("source?file=%s&row=%d&around=2" % (call["file"], call["line"]))
    same(label + ": source: rows", [(r["row"], r["text"]) for r in got["rows"]],
         [(n, rows[n - 1]) for n in range(call["line"] - 2, call["line"] + 3)])
    for other in ("/etc/passwd", call["file"] + "/../" + call["file"].rsplit("/", 1)[1], "../" * 9 + "etc/passwd", ""):
        same("%s: source: %r is not read" % (label, other), view.ask("source?file=" + other)[0], 404)


def all_of(label, place, recording, binary, n=40):
    calls = place.lines("dump", recording)
    told = place.lines("races", recording)
    with View(place, recording, binary=binary) as view:
        run = view.ready()
        run_answer(label, run, calls)
        events(label, view, run, calls, n)
        matches(label, view, place, recording, calls)
        cones(label, view, place, recording, run, calls, 6)
        races(label, view, run, told)
        pictures(label, view, run, calls)
        sources(label, view, calls)
        import search
        search.all_of(label, view, run, calls, {r["event"] for r in told})
        same(label + ": ends with Ctrl-C", view.end()[0], 0)
