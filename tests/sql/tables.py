"""Every table, row by row, against hbdb dump --json and hbdb info --json."""
import json

from lib import check, same
from reference import near, seconds


def ask(place, name, query, *options):
    status, out, err = place.run("sql", "--json", *options, name, query)
    if status:
        check("%s: %s" % (name, query), False, err)
    return [json.loads(line) for line in out.splitlines()]


def event_problems(recording, row):
    e = recording.of.get((row["rank"], row["lane"], row["event"]))
    if not e:
        yield "no such event", row
        return
    answers = e.get("answers", [])
    answer = answers[0] if len(answers) == 1 and "status" in answers[0] else {}
    for column, wanted in (
            ("call", e["function"]), ("class", e["class"]), ("place", recording.place(e)), ("file", e.get("file")),
            ("line", e.get("line")), ("peer", e.get("peer")), ("tag", e.get("tag")),
            ("bytes", answer.get("bytes", e.get("bytes"))), ("source", answer.get("source", e.get("source"))),
            ("source_tag", answer.get("tag", e.get("source_tag"))), ("choice", int(e["choice"])),
            ("polls", e.get("polls", 0)), ("error", e.get("result")), ("posting", e.get("posting")),
            ("posts", e.get("posts", 0)), ("completed", answer.get("posting")),
            ("returned", 0 if e.get("never_returned") else 1), ("count", e["arguments"].get("count")),
            ("datatype", e["arguments"].get("datatype")),
            ("arguments", ", ".join("%s=%s" % a for a in e["arguments"].items()))):
        if column == "arguments" and any(isinstance(v, int) and v < 0 for v in e["arguments"].values()):
            continue
        if row[column] != wanted:
            yield column, row[column], wanted, e
    comm = e["arguments"].get("comm")
    if comm is not None and row["comm"] != str(comm):
        yield "comm", row["comm"], comm
    for column, ns in (("enter", e.get("enter_ns")), ("exit", e.get("exit_ns"))):
        if not near(row[column], None if ns is None else seconds(ns)):
            yield column, row[column], ns
    if "exit_ns" in e and not near(row["duration"], seconds(e["exit_ns"] - e["enter_ns"])):
        yield "duration", row, e


def events(place, name, recording):
    rows = ask(place, name, "SELECT *, arguments FROM events")
    same(name + ": a row for each event, in their order", [(r["rank"], r["lane"], r["event"]) for r in rows],
         [(e["rank"], e["lane"], e["event"]) for e in recording.events])
    problems = [p for row in rows for p in event_problems(recording, row)]
    check(name + ": every column of every event", not problems, "\n".join(map(str, problems[:10])))
    check(name + ": wildcards", all(
        r["any_source"] == (None if r["class"] not in ("recv", "probe") else int(r["peer"] == -1)) for r in rows
        if r["call"] in ("MPI_Recv", "MPI_Irecv", "MPI_Probe", "MPI_Iprobe", "MPI_Send", "MPI_Wait")),
          [r for r in rows if r["call"] == "MPI_Recv"][:3])


def messages(place, name, recording):
    got = {(r["sender"], r["send_event"], r["receiver"], r["post_event"], r["done_event"] if r["sender"] is not None else None)
           for r in ask(place, name, "SELECT * FROM messages")}
    wanted = {(s and s["rank"], s and s["event"], p["rank"] if p else s["peer"], p and p["event"], d and d["event"])
              for s, p, d in recording.messages()}
    check(name + ": who got what", got == wanted, "too many: %s\nmissing: %s" % (got - wanted, wanted - got))
    # a join over both ends, with the table of events: the same places and times
    rows = ask(place, name, """SELECT m.*, s.enter AS s_enter, s.place AS s_place, s.bytes AS s_bytes, r.exit AS r_exit,
        r.call AS r_call, p.call AS p_call, p.enter AS p_enter FROM messages AS m
        JOIN events AS s ON s.rank = m.sender AND s.lane = m.send_lane AND s.event = m.send_event
        JOIN events AS r ON r.rank = m.receiver AND r.lane = m.done_lane AND r.event = m.done_event
        JOIN events AS p ON p.rank = m.receiver AND p.lane = m.post_lane AND p.event = m.post_event
        WHERE m.state = 'received'""")
    bad = [r for r in rows if (r["send_enter"], r["send_place"], r["bytes"], r["done_exit"], r["done_call"], r["post_call"],
                               r["post_enter"]) != (r["s_enter"], r["s_place"], r["s_bytes"], r["r_exit"], r["r_call"],
                                                    r["p_call"], r["p_enter"]) or
           not near(r["latency"], r["done_exit"] - r["send_enter"])]
    check(name + ": both ends joined with their events", rows and not bad and
          len(rows) == sum(1 for m in recording.messages() if m[0] and m[2]), bad[:3])


def others(place, name, recording):
    status, out, _ = place.run("info", "--json", name)
    facts = json.loads(out)
    same(name + ": processes", [(r["rank"], r["pid"], r["host"], r["events"], r["lanes"], r["bytes"], r["missing"])
                                for r in ask(place, name, "SELECT * FROM processes")],
         [(p["rank"], p["pid"], p["host"], p["events"], p["lanes"], p["bytes"], 0) for p in facts["processes"]])
    same(name + ": calls", {r["call"]: r["n"] for r in ask(place, name,
                                                           "SELECT call, sum(times) AS n FROM calls GROUP BY call")},
         facts["calls"])
    groups = ask(place, name, "SELECT * FROM communicators WHERE kind <> 'self'")
    n = len(recording.ranks)
    members = sorted(json.loads(g["members"]) for g in groups)
    same(name + ": communicators", members, sorted([list(range(n))] * 2 + [list(range(0, n, 2)), list(range(1, n, 2))]))
    parents = {g["name"]: g["parent"] for g in groups}
    check(name + ": all made from WORLD", parents.pop("WORLD") is None and set(parents.values()) ==
          {next(g["id"] for g in groups if g["name"] == "WORLD")}, groups)
    rows = ask(place, name, "SELECT c.*, e.call AS e_call, e.enter AS e_enter FROM collectives AS c JOIN events AS e "
                            "USING (rank, lane, event)")
    wanted = [e for e in recording.events if e["class"] == "collective" or e["function"].startswith("MPI_Comm_") and
              e["class"] == "comm"]
    check(name + ": parts of collectives", {(r["rank"], r["event"]) for r in rows} >= {
        (e["rank"], e["event"]) for e in wanted if e["class"] == "collective"} and
          all((r["call"], r["enter"]) == (r["e_call"], r["e_enter"]) for r in rows), rows[:3])


def clocks(place, name, recording):
    rows = ask(place, name, "SELECT rank, event, lamport, clock, call FROM events")
    lamport = {(r["rank"], r["event"]): r["lamport"] for r in rows}
    clock = {(r["rank"], r["event"]): json.loads(r["clock"]) for r in rows}
    same(name + ": the own component of a clock", [c[r] for (r, _), c in clock.items()], [e for _, e in clock])
    check(name + ": Lamport times increase", all(lamport[r, e] > lamport[r, e - 1] for r, e in lamport if e > 1), rows)
    pairs = [(s, d) for s, _, d in recording.messages() if s and d]
    check(name + ": a message is received after it was sent", all(
        clock[d["rank"], d["event"]][s["rank"]] >= s["event"] and
        (s["function"] not in ("MPI_Send", "MPI_Isend") or lamport[d["rank"], d["event"]] > lamport[s["rank"], s["event"]])
        for s, d in pairs), pairs[:2])


def races(place, name, recording):
    for table, option in (("races", ()), ("all_races", ("--all",))):
        rows = ask(place, name, "SELECT * FROM %s" % table)
        status, out, _ = place.run("races", "--json", *option, name)
        told = [json.loads(line) for line in out.splitlines()]
        wanted = {(t["kind"], t["event"], t["posted"], t["got"] and t["got"]["event"], a["event"],
                   a["received_by"] and a["received_by"]["event"]) for t in told for a in t["alternatives"]}
        got = {(r["kind"], event(r, "rank", "event"), event(r, "rank", "post_event"), event(r, "got_rank", "got_event"),
                event(r, "could_rank", "could_event"), event(r, "rank", "taken_event" if r["taken_event"] else "taken_post"))
               for r in rows}
        check("%s: %s as hbdb races says" % (name, table), status == 1 and got == wanted,
              "too many: %s\nmissing: %s" % (list(got - wanted)[:5], list(wanted - got)[:5]))
        check("%s: %s: places" % (name, table), rows and all(
            r["place"] == recording.place(recording.of[r["rank"], 0, r["event" if r["kind"] == "choice" else "post_event"]]) and
            r["could_place"] == recording.place(recording.of[r["could_rank"], 0, r["could_event"]]) for r in rows), rows[:2])


def event(row, rank, number):
    return None if row[number] is None else "%d:%d" % (row[rank], row[number])


def run(place, name, recording):
    events(place, name, recording)
    messages(place, name, recording)
    others(place, name, recording)
    clocks(place, name, recording)
    races(place, name, recording)
