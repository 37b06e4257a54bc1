#!/usr/bin/python3
"""The pictures of hbdb graph have what dump, sql and races say, and nothing else; what cannot be drawn is refused.

usage: run.py [--keep]
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(TESTS, "cli"))
sys.path.insert(0, HERE)
import lib  # noqa: E402
from lib import TOP, check, has, same  # noqa: E402
from pictures import Png, Svg, shaft  # noqa: E402

MPIRUN = "mpirun.openmpi --oversubscribe --allow-run-as-root --bind-to none --mca mpi_yield_when_idle 1".split()
PROGRAMS = {  # name: (source, processes, arguments, options of record)
    "farm": ("examples/farm.c", 4, [], []),
    "strips": ("examples/bugs/strips.c", 4, [], ["--shake", "3000"]),
    "blocking": ("tests/programs/collective/blocking.c", 3, [], []),
    "modes": ("tests/programs/p2p/send_modes.c", 4, [], []),
    "threads": ("tests/programs/threads/hand_over.c", 4, [], []),
    "waitany": ("tests/programs/nonblocking/irecv_waitany.c", 3, [], []),
    "probe": ("tests/programs/probe/mprobe.c", 3, [], []),
    "calls": (HERE + "/calls.c", 3, ["2"], []),
    "many": (HERE + "/calls.c", 3, ["2000"], []),
    "sensor": ("examples/bugs/sensor.c", 4, [], []),
}


def record(place):
    for name, (source, n, words, options) in PROGRAMS.items():
        source = os.path.join(TOP, source)
        done = subprocess.run(["mpicc.openmpi", "-g", "-O1", "-I" + TESTS + "/programs", "-I" + os.path.dirname(source), "-o", name,
                               source, "-lpthread"], cwd=place.path, capture_output=True, text=True)
        if done.returncode:
            check("building " + name, False, done.stderr)
            continue
        place.run("record", *options, "-o", name + ".hbdb", "--", *MPIRUN, "-n", str(n), "./" + name, *words)
        check("recording " + name, os.path.isdir("%s/%s.hbdb" % (place.path, name)))


def rows(place, name, query):
    status, out, err = place.run("sql", "--json", name + ".hbdb", query)
    if status not in (0, 3):
        check("sql: " + query, False, err)
    return [json.loads(line) for line in out.splitlines()]


def event_name(rank, lane, event):
    return "%d%s:%d" % (rank, ".%d" % lane if lane else "", event)


def events(place, name):
    """{event: (enter, exit of logical time, enter, exit in seconds)} as sql tells them."""
    found, last = {}, {}
    for e in rows(place, name, "SELECT rank, lane, event, enter, exit, lamport, returned FROM events ORDER BY rank, lane, event"):
        line = e["rank"], e["lane"]
        found[event_name(*line, e["event"])] = (last.get(line, 0) + 1, e["lamport"], e["enter"],
                                                e["exit"] if e["returned"] else e["enter"])
        last[line] = e["lamport"]
    return found


def messages(place, name):
    """{(send, completion): call}: those received."""
    return {(event_name(m["sender"], m["send_lane"], m["send_event"]),
             event_name(m["receiver"], m["done_lane"], m["done_event"])): m["send_call"]
            for m in rows(place, name, "SELECT * FROM messages WHERE state = 'received' AND done_event IS NOT NULL")}


def unreceived(place, name):
    return {event_name(m["sender"], m["send_lane"], m["send_event"])
            for m in rows(place, name, "SELECT * FROM messages WHERE state = 'unreceived'")}


def draw(place, name, *options, wanted=0):
    out = name + ".svg"
    status, _, err = place.run("graph", name + ".hbdb", "-o", out, *options)
    if status != wanted:
        check("graph %s %s" % (name, " ".join(options)), False, "status %d\n%s" % (status, err))
        raise SystemExit(lib.finish())
    with open(place.path + "/" + out) as f:
        return Svg(f.read()), err


# ---- the whole ----

def whole(place, name):
    svg, _ = draw(place, name, "--events", "5000")
    known, sent = events(place, name), messages(place, name)
    lines = {event_name(json.loads(l)["rank"], json.loads(l)["lane"], json.loads(l)["event"]) for l in
             place.run("dump", "--json", name + ".hbdb")[1].splitlines()}
    same(name + ": events are those of dump", sorted(svg.events), sorted(lines))
    same(name + ": and of sql", sorted(svg.events), sorted(known))
    drawn = {ends for ends, (_, words) in svg.messages.items() if "unmatched" not in words}
    same(name + ": arrows are the messages of sql", sorted(drawn), sorted(sent))
    same(name + ": messages that nobody received", sorted(a for (a, _), (_, w) in svg.messages.items() if "unmatched" in w),
         sorted(unreceived(place, name)))
    others(place, name, svg)
    titles(place, name, svg)
    return svg


def others(place, name, svg):
    races = [json.loads(line) for line in place.run("races", "--json", name + ".hbdb")[1].splitlines()]
    could = {race["event"]: {a["event"] for a in race["alternatives"]} for race in races}
    drawn = {}
    for a, b in svg.others:
        drawn.setdefault(b, set()).add(a)
    same(name + ": dashed arrows come into the events that raced", sorted(drawn), sorted(e for e in could if could[e]))
    check(name + ": from what they could have got", all(drawn[e] <= could[e] for e in drawn if e in could), (drawn, could))
    check(name + ": all of it up to three", all(len(drawn[e]) >= min(3, len(could[e])) for e in drawn if e in could))
    same(name + ": and these events are marked", sorted(e for e, words in svg.classes.items() if "raced" in words),
         sorted(could))


def titles(place, name, svg):
    lines = {line.split(" ", 1)[0]: line for line in place.run("dump", name + ".hbdb")[1].splitlines()}
    check(name + ": a title is the line of dump", all(svg.titles[e] == lines.get(e) for e in svg.events),
          [(svg.titles[e], lines.get(e)) for e in svg.events if svg.titles[e] != lines.get(e)][:3])


def collectives(place):
    svg = whole(place, "blocking")
    wanted = sorted((e["call"], "0:%d" % e["event"]) for e in rows(
        place, "blocking", "SELECT call, event FROM events WHERE rank = 0 AND class = 'collective' AND comm = 'WORLD'"))
    same("blocking: a shape for each collective", sorted(ring for ring in svg.rings if ring in wanted), wanted)
    barrier = [e for e in svg.events if e.endswith(":2")]
    columns = {tuple(round(x) for x, _, _, _, fill in svg.boxes(e)) for e in barrier}
    check("blocking: parts of a barrier stand under each other", len(columns) == 1 and len(barrier) == 3, columns)


def synchronous(place):
    svg = whole(place, "modes")
    calls = messages(place, "modes")
    marked = {ends for ends, (_, words) in svg.messages.items() if "synchronous" in words}
    same("modes: the messages of Ssend are synchronous", sorted(marked), sorted(e for e, call in calls.items() if call == "MPI_Ssend"))
    for ends in marked:
        (x0, _), (x1, _) = shaft(svg.messages[ends][0])
        same("modes: %s and %s stand under each other" % ends, x0, x1)
    ahead = [shaft(g) for ends, (g, w) in svg.messages.items() if ends not in marked]
    check("modes: other messages go to the right", all(a[0] < b[0] for a, b in ahead), ahead)


# ---- parts ----

def inside(known, axis, low, high):
    return sorted(e for e, x in known.items() if x[2 * axis] <= high and x[2 * axis + 1] >= low)


def parts(place):
    known = events(place, "farm")
    svg, err = draw(place, "farm", "--from", "100", "--to", "140")
    same("part: events from one logical time to another", sorted(svg.events), inside(known, 0, 100, 140))
    has("part: it says what it drew", err, "drew %d of %d events" % (len(svg.events), len(known)), "100 to 140")
    sent = {ends for ends in messages(place, "farm") if ends[0] in svg.events and ends[1] in svg.events}
    check("part: messages between them", sent and sent <= set(svg.messages), sent - set(svg.messages))
    svg, _ = draw(place, "farm", "--from", "0:50", "--to", "0:60")
    same("part: from one event to another", sorted(svg.events), inside(known, 0, known["0:50"][0], known["0:60"][1]))
    middle = known["0:500"]
    svg, _ = draw(place, "farm", "--physical", "--from", repr(middle[2] - 3e-4), "--to", repr(middle[3] + 3e-4))
    wanted = inside(known, 1, middle[2] - 3e-4, middle[3] + 3e-4)
    check("part: by the clock", set(wanted) == set(svg.events) and len(wanted) > 2, set(wanted) ^ set(svg.events))
    svg, err = draw(place, "farm")
    check("part: of a long run some events", 80 <= len(svg.events) <= 160, len(svg.events))
    has("part: around the first race", err, "around 0:5, the first race")
    svg, err = draw(place, "many")
    has("part: without races the middle", err, "in the middle of the run")
    svg, err = draw(place, "farm", "--around", "2:100", "--events", "40")
    check("part: around an event", "2:100" in svg.events and 20 <= len(svg.events) <= 40, svg.events.keys())
    svg, _ = draw(place, "farm", "--ranks", "1,3", "--to", "30")
    same("part: ranks", (svg.lines[:2], {e.split(":")[0] for e in svg.events}), (["1", "3"], {"1", "3"}))
    svg, err = draw(place, "farm", "--physical", "--from", "1000", "--to", "1001")
    same("part: nothing in it", (dict(svg.events), dict(svg.messages)), ({}, {}))
    has("part: and it says so", err, "there is no event in this part")
    svg, _ = draw(place, "farm", "--from", "50", "--to", "50")
    same("part: a single point of time", sorted(svg.events), inside(known, 0, 50, 50))


def cuts(place):
    """What is left of the cut is what cone says."""
    event = "2:100"
    svg, _ = draw(place, "farm", "--around", event)
    cut = next(g for g in svg.root.iter() if g.get("class") == "cut")
    same("cut: of the event", cut.get("data-event"), event)
    draw(place, "farm", "--from", "80", "--to", "110", "--cut", "0:50")
    stops = {}
    for line in place.run("cone", "--json", event, "farm.hbdb")[1].splitlines():
        stop = json.loads(line)
        stops[str(stop["rank"])] = stop
    band = [g for g in svg.root.iter() if g.get("class") == "cut"]
    dots = [tuple(map(float, d.split(","))) for d in band[0].find("{http://www.w3.org/2000/svg}polyline").get("points").split()]
    order = sorted(stops)
    for i, rank in enumerate(order):
        x = dots[2 * i][0]
        for e in [e for e in svg.events if e.split(":")[0] == rank]:
            boxes = [(b[0] - svg.events[e][0][1][0], b[2]) for b in svg.boxes(e)]
            right = max(left + w for left, w in boxes)
            before = int(e.split(":")[1]) <= stops[rank]["event"] - (stops[rank]["stop"] == "inside")
            if (right <= x + 0.01) != before and stops[rank]["event"] != int(e.split(":")[1]):
                check("cut: %s is on its side" % e, False, (right, x, stops[rank]["stop"], stops[rank]["event"]))
                return
    check("cut: events are on the side that cone says", True)


# ---- other formats ----

def png(place, name):
    svg, _ = draw(place, name, "--events", "5000")
    status, _, err = place.run("graph", name + ".hbdb", "-o", name + ".png", "--events", "5000")
    same(name + " as PNG: status", (status, "wrote %s.png" % name in err), (0, True))
    with open("%s/%s.png" % (place.path, name), "rb") as f:
        picture = Png(f.read())
    same(name + " as PNG: size", (picture.width, picture.height), (math.ceil(svg.width * 1.5), math.ceil(svg.height * 1.5)))
    good = seen = 0
    for event in svg.events:
        x, y, w, h, fill = [box for box in svg.boxes(event) if box[4] != "none"][-1]  # the pale part is below it
        if w > 6:
            seen += 1
            good += picture.pixel((x + w - 3) * 1.5, (y + 4) * 1.5) == fill
    check(name + " as PNG: boxes where the SVG has them", seen > 10 and good == seen, (good, seen))
    same(name + " as PNG: a white corner", picture.pixel(0, 0), "#ffffff")


def dot(place, name):
    svg, _ = draw(place, name, "--events", "5000")
    status, out, err = place.run("graph", name + ".hbdb", "--dot", "-o", "-", "--events", "5000")
    same(name + " for Graphviz: status", status, 0)
    done = subprocess.run(["dot", "-Tplain"], input=out, capture_output=True, text=True, timeout=60)
    same(name + " for Graphviz: dot takes it", (done.returncode, done.stderr), (0, ""))
    words = [line.split() for line in done.stdout.splitlines()]
    nodes = {w[1].strip('"') for w in words if w[0] == "node"}
    edges = [(w[1].strip('"'), w[2].strip('"')) for w in words if w[0] == "edge"]
    same(name + " for Graphviz: events", sorted(n for n in nodes if ":" in n), sorted(svg.events))
    sent = {ends for ends, (_, w) in svg.messages.items() if "unmatched" not in w}
    check(name + " for Graphviz: messages", sent <= set(edges), sent - set(edges))
    by_line = {}
    for e in svg.events:
        by_line.setdefault(e.split(":")[0], []).append(int(e.split(":")[1]))
    program = {("%s:%d" % (line, a), "%s:%d" % (line, b)) for line, n in by_line.items() for a, b in zip(sorted(n), sorted(n)[1:])}
    check(name + " for Graphviz: program order", program <= set(edges), program - set(edges))


def spans(place):
    """Bars below their line, from the begin to the end, an inner one below the outer one; clusters for Graphviz."""
    done = subprocess.run(["cc", "-g", "-I" + TOP + "/include", "-o", "spans", HERE + "/spans.c"], cwd=place.path, capture_output=True, text=True)
    same("spans: building", (done.returncode, done.stderr), (0, ""))
    place.run("record", "-o", "spans.hbdb", "--", "./spans")
    process = place.run("dump", "--plain", "spans.hbdb")[1].split(":")[0]
    event = lambda number: "%s:%d" % (process, number)  # noqa: E731
    step, inner, left_open = ("step", event(1), event(6)), ("inner", event(3), event(5)), ("open", event(7), "")
    for options in ([], ["--physical"]):
        svg, _ = draw(place, "spans", *options)
        same("spans %s: which, from where to where" % options, sorted(svg.spans), sorted([step, inner, left_open]))
        bars = {span: next(svg.boxes_of(groups)) for span, groups in svg.spans.items()}
        line = next(svg.boxes(event(1)))
        check("spans %s: below the line, the inner one below the outer one" % options,
              line[1] + line[3] < bars[step][1] == bars[left_open][1] and bars[step][1] + bars[step][3] <= bars[inner][1], bars)
    svg, _ = draw(place, "spans")
    bars = {span: next(svg.boxes_of(groups)) for span, groups in svg.spans.items()}
    ends = {e: (min(b[0] for b in svg.boxes(e)), max(b[0] + b[2] for b in svg.boxes(e))) for e in svg.events}
    for span in (step, inner, left_open):
        first, last = ends[span[1]][0], ends[span[2] or event(8)][1]
        check("spans: %s is as long as its events" % span[0], abs(bars[span][0] - first) < 4 and abs(bars[span][0] + bars[span][2] - last) < 4,
              (bars[span], first, last))
    svg, _ = draw(place, "spans", "--from", event(4), "--to", event(4))
    same("spans: of a part, those that it lies in", sorted(svg.spans), sorted([step, inner]))
    for options, names in (([], ["inner", "open", "step"]), (["--from", event(4), "--to", event(4)], ["inner", "step"])):
        out = place.run("graph", "spans.hbdb", "--dot", "-o", "-", *options)[1]
        done = subprocess.run(["dot", "-Tjson"], input=out, capture_output=True, text=True, timeout=60)
        clusters = {o["label"]: o for o in json.loads(done.stdout)["objects"] if o["name"].startswith("cluster_0_")}
        ids = {o["_gvid"]: o["name"] for o in json.loads(done.stdout)["objects"]}
        same("spans for Graphviz %s: clusters" % options, sorted(clusters), names)
        inside = sorted(ids[i] for i in clusters["step"].get("nodes", []) if ":" in ids[i])
        same("spans for Graphviz %s: its events" % options, inside, [event(4)] if options else [event(i) for i in range(1, 7)])


def outputs(place):
    status, out, err = place.run("graph", "strips.hbdb")
    check("output: SVG to a pipe", status == 0 and out.startswith("<?xml") and len(Svg(out).events) > 20, err)
    done = subprocess.run([lib.HBDB, "graph", "strips.hbdb", "--png"], cwd=place.path, env=place.env, capture_output=True)
    check("output: PNG to a pipe", done.stdout[:8] == b"\x89PNG\r\n\x1a\n", done.stderr)
    subprocess.run(["script", "-qec", "%s graph strips.hbdb" % lib.HBDB, "/dev/null"], cwd=place.path, env=place.env,
                   stdin=subprocess.DEVNULL, capture_output=True)
    check("output: a file when it is a terminal", os.path.exists(place.path + "/strips-graph.svg"))
    for _ in range(2):
        same("output: a file is replaced", place.run("graph", "strips.hbdb", "-o", "again.dot")[0], 0)
    check("output: the suffix names the format", open(place.path + "/again.dot").read().startswith("digraph"))
    status, _, err = place.run("graph", "strips.hbdb", "-o", "nowhere/x.svg")
    check("output: a folder that is not there", status == 3 and "nowhere/x.svg" in err, err)


# ---- what cannot be drawn ----

def refused(place, why, *words, status=2):
    got, out, err = place.run("graph", *words)
    check("refused: " + " ".join(words), got == status and why in err and not out, "status %d\n%s\n%s" % (got, err, out[:200]))


def names(place):
    """Processes without MPI are chosen by their names."""
    subprocess.run(["gcc", "-I", lib.TOP + "/include", "-o", place.path + "/turns", lib.TOP + "/tests/events/turns.c"], check=True)
    place.run("record", "-o", "three.hbdb", "--", "sh", "-c", "./turns 1 & ./turns 2 & ./turns 3 & wait")
    for chosen, wanted in (("turns#2", ["turns#2"]), ("turns, turns#3", ["turns", "turns#3"]), ("*", ["turns", "turns#2", "turns#3"])):
        status, out, err = place.run("graph", "-r", chosen, "-o", "-", "three.hbdb")
        drawn = sorted(set(re.findall(r">(turns(?:#\d)?)<", out)))
        check("--ranks %s" % chosen, status == 0 and drawn == wanted, str(drawn) + err)
    status, out, err = place.run("graph", "--around", "turns#2:2", "-n", "2", "-o", "-", "three.hbdb")
    check("--around an event of one", status == 0 and "turns#2:2" in out, err)
    refused(place, "there is no process 'turns#4'; its processes are turns, turns#2, turns#3; did you mean 'turns#2'", "three.hbdb", "-r", "turns#4")
    refused(place, "there is no such rank at '0'; its processes are turns, turns#2, turns#3", "three.hbdb", "-r", "0")


def refusals(place):
    refused(place, "is not an event", "farm.hbdb", "--around", "nothing")
    refused(place, "there is no 9:1", "farm.hbdb", "--around", "9:1")
    refused(place, "there is no 0:999999", "farm.hbdb", "--cut", "0:999999")
    refused(place, "does not belong to --ranks", "farm.hbdb", "--around", "0:5", "--ranks", "1")
    refused(place, "leave one of them out", "farm.hbdb", "--around", "0:5", "--from", "1")
    refused(place, "lies after --to", "farm.hbdb", "--from", "20", "--to", "10")
    refused(place, "logical time", "farm.hbdb", "--from", "soon")
    refused(place, "seconds", "farm.hbdb", "--physical", "--to", "-3")
    refused(place, "would draw nothing", "farm.hbdb", "--events", "0")
    refused(place, "at most 5000", "farm.hbdb", "--events", "5001")
    refused(place, "not both", "farm.hbdb", "--svg", "--png")
    refused(place, "ends in .png", "farm.hbdb", "--svg", "-o", "x.png")
    refused(place, "--ranks x", "farm.hbdb", "--ranks", "x")
    refused(place, "ranks are 0 to 3", "farm.hbdb", "--ranks", "4:7")
    refused(place, "there is no process 'x'; the ranks are 0 to 3", "farm.hbdb", "--ranks", "0,x")
    refused(place, "narrow it with --from and --to", "many.hbdb", "--from", "0")
    refused(place, "no recording of this name", "nothing-there", status=3)
    place.run("record", "--level", "order", "-o", "order.hbdb", "--", *MPIRUN, "-n", "2", "./calls", "1")
    refused(place, "level order", "order.hbdb")
    check("refused: nothing was written", not os.path.exists(place.path + "/x.png"))


def damaged(place):
    """A log that breaks off: what there is is drawn, and the status tells."""
    shutil.copytree(place.path + "/many.hbdb", place.path + "/cut.hbdb")
    log = place.path + "/cut.hbdb/rank.1.log"
    with open(log, "r+b") as f:
        f.truncate(os.path.getsize(log) // 2)
    svg, err = draw(place, "cut", "--from", "5", "--to", "15", wanted=3)
    check("cut log: the others are drawn", len(svg.events) > 20, err)
    os.remove(log)
    svg, err = draw(place, "cut", "--from", "5", "--to", "15", wanted=3)
    same("missing log: the others are drawn", {e.split(":")[0] for e in svg.events}, {"0", "2"})


def broken(place):
    """A process that dies, others that wait for ever."""
    script = os.path.join(TOP, "examples/bugs/until_fails.sh")
    os.makedirs(place.path + "/bin")
    os.symlink(lib.HBDB, place.path + "/bin/hbdb")
    env = dict(place.env, PATH=place.path + "/bin:" + place.env["PATH"], PATIENCE="5")
    subprocess.run(["mpicc.openmpi", "-g", "-O1", "-o", "transfer", TOP + "/examples/bugs/transfer.c"], cwd=place.path)
    done = subprocess.run(["sh", script, "hang", "20", *MPIRUN, "-n", "3", "./transfer"], cwd=place.path, env=env,
                          capture_output=True, text=True)
    same("hang: it came", done.returncode, 0)
    svg = whole(place, "hang")
    stuck = [e["rank"] for e in rows(place, "hang", "SELECT rank FROM events WHERE returned = 0")]
    drawn = [e for e in svg.events if any(p.get("stroke-dasharray") for p in svg.events[e][0][0].iter())]
    same("hang: calls that never returned are dashed", sorted(int(e.split(":")[0]) for e in drawn), sorted(stuck))
    done = subprocess.run(["sh", script, "crash", "20", *MPIRUN, "-n", "4", "./sensor"], cwd=place.path, env=env,
                          capture_output=True, text=True)
    same("crash: it came", done.returncode, 0)
    svg, _ = draw(place, "crash", "--events", "5000")
    same("crash: a cross where the process ended", svg.ends, 1)


def main():
    with lib.Place(libraries=False) as place:
        record(place)
        for name in ("strips", "threads", "waitany", "probe", "calls", "sensor"):
            whole(place, name)
        collectives(place)
        synchronous(place)
        parts(place)
        cuts(place)
        png(place, "modes")
        for name in ("strips", "blocking", "modes"):
            dot(place, name)
        spans(place)
        outputs(place)
        names(place)
        refusals(place)
        damaged(place)
        broken(place)
        if "--keep" in sys.argv:
            shutil.copytree(place.path, "/tmp/graph-test", dirs_exist_ok=True)
    lib.finish()


main()
