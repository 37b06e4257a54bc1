"""The ten queries of docs/queries.md, each with what a recording must answer, from hbdb dump --json."""
import collections
import json
import os
import re

import lib
from lib import check, same
from reference import near, seconds

PAGE = os.path.join(lib.TOP, "docs/queries.md")
WAITS = {"recv", "complete", "probe", "collective"}


def read_page():
    """number -> (title, statement)"""
    text = open(PAGE).read()
    return {int(n): (title, sql) for n, title, sql in
            re.findall(r"^## (\d+)\. ([^\n]+)\n(?:(?!^## ).)*?```sql\n(.*?)```", text, re.M | re.S)}


class Asked:
    """Runs the queries of the page on one recording."""

    def __init__(self, place, name, recording):
        self.place, self.name, self.recording = place, name, recording
        self.page = read_page()
        self.messages = recording.messages()

    def rows(self, number, change=lambda sql: sql):
        status, out, err = self.place.run("sql", "--json", self.name, change(self.page[number][1]))
        check("%s: query %d, %s" % (self.name, number, self.page[number][0]), status == 0 and not err, (status, err))
        return [json.loads(line) for line in out.splitlines()]

    def same(self, what, got, wanted):
        same("%s: %s" % (self.name, what), got, wanted)


def close(got, wanted):
    """Lists of lists, numbers in them nearly the same."""
    return len(got) == len(wanted) and all(
        near(x, y, 1e-6) if isinstance(x, float) and isinstance(y, float) else x == y
        for a, b in zip(got, wanted) for x, y in zip(a, b))


def took(e):
    return seconds(e["exit_ns"] - e["enter_ns"])


def waits_most(a):
    sums = collections.defaultdict(lambda: [0, 0.0])
    for e in a.recording.events:
        if e["class"] in WAITS and "exit_ns" in e:
            s = sums[e["rank"], e["function"], a.recording.place(e)]
            s[0] += 1
            s[1] += took(e)
    rows = a.rows(1)
    wanted = sorted((s[1] for s in sums.values()), reverse=True)[:10]
    check(a.name + ": the ten greatest sums", close([[r["seconds"]] for r in rows], [[w] for w in wanted]), (rows, wanted))
    check(a.name + ": each is that of its line", all(
        near(r["seconds"], sums[r["rank"], r["call"], r["place"]][1], 1e-6) and
        r["times"] == sums[r["rank"], r["call"], r["place"]][0] for r in rows), rows)


def matrix(a):
    sums = collections.defaultdict(lambda: [0, 0])
    for send, _, _ in a.messages:
        if send:
            sums[send["rank"], send["peer"]][0] += 1
            sums[send["rank"], send["peer"]][1] += send["bytes"]
    a.same("the matrix", [(r["sender"], r["receiver"], r["messages"], r["bytes"]) for r in a.rows(2)],
           [(s, d, *sums[s, d]) for s, d in sorted(sums)])


def late_senders(a):
    sums = collections.defaultdict(lambda: [0, 0.0])
    for send, post, done in a.messages:
        if send and done and send["enter_ns"] > done["enter_ns"]:
            s = sums[done["rank"], a.recording.place(done), send["rank"], a.recording.place(send)]
            s[0] += 1
            s[1] += seconds(send["enter_ns"] - done["enter_ns"])
    rows = a.rows(3)
    wanted = sorted((s[1] for s in sums.values()), reverse=True)[:10]
    check(a.name + ": time lost", close([[r["lost"]] for r in rows], [[w] for w in wanted]), (rows, wanted))
    check(a.name + ": by line", all(sums[r["receiver"], r["done_place"], r["sender"], r["send_place"]][0] == r["times"]
                                    for r in rows), (rows, dict(sums)))
    check(a.name + ": the sender that slept is found", any(r["sender"] == 1 and r["lost"] > 0 for r in rows), rows)


def biggest(a):
    found = [(send["bytes"], send["rank"], send["event"], send["peer"], done and done["event"])
             for send, _, done in a.messages if send]
    wanted = sorted(found, key=lambda m: (-m[0], m[1], m[2]))[:10]
    a.same("the biggest", [(r["bytes"], r["sender"], r["send_event"], r["receiver"], r["done_event"]) for r in a.rows(4)],
           wanted)


def racing(a):
    rows = a.rows(5)
    status, out, _ = a.place.run("races", "--json", a.name)
    told = [json.loads(line) for line in out.splitlines()]
    receives = [r for r in rows if r["kind"] == "receive"]
    farm = {a.recording.place(e) for e in a.recording.events if e["function"] == "MPI_Recv" and e["peer"] == -1}
    a.same("the line of the wildcards races", {r["place"] for r in receives}, farm)
    # all messages of the farm were sent before a barrier that followed: every receive that was not the last of its
    # sender's, or had another sender's behind it, could have got that one
    order = [done["source"] for _, _, done in sorted((m for m in a.messages if m[2] and m[1]["peer"] == -1),
                                                     key=lambda m: m[2]["event"]) if done["function"] == "MPI_Recv"]
    later = [len(set(order[i + 1:]) - {s}) for i, s in enumerate(order)]
    a.same("races and alternatives", [(r["races"], r["alternatives"]) for r in receives],
           [(sum(n > 0 for n in later), sum(later))])
    check(a.name + ": hbdb races finds as many", status == 1 and told, (status, out[:300]))


def in_vain(a):
    wanted = []
    for send, post, done in a.messages:
        if send and not done:
            wanted.append(("unreceived", send["rank"], send["event"], send["peer"], None, send["tag"], send["bytes"]))
        elif not send:
            state = "unsatisfied" if post.get("never_returned") else "cancelled"
            wanted.append((state, None, None, post["rank"], post["event"], post["tag"], None))
    rows = a.rows(6)
    a.same("what was in vain", [(r["state"], r["sender"], r["send_event"], r["receiver"], r["post_event"], r["tag"],
                                 r["bytes"]) for r in rows], sorted(wanted, key=lambda w: (w[0], w[1] or -1, w[2] or 0)))


def load(a):
    wanted = {}
    for rank in a.recording.ranks:
        events = [e for e in a.recording.events if e["rank"] == rank and
                  e["function"] not in ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")]
        ended = [e for e in events if "exit_ns" in e]
        wanted[rank] = (len(events), seconds(max(e["exit_ns"] for e in ended) - min(e["enter_ns"] for e in events)),
                        sum(map(took, ended)))
    rows = a.rows(7)
    check(a.name + ": load", len(rows) == len(wanted) and all(
        close([[r["events"], r["seconds"], r["in_mpi"]]], [wanted[r["rank"]]]) and
        abs(r["percent"] - 100 * r["in_mpi"] / r["seconds"]) < 0.06 for r in rows), (rows, wanted))


def wildcards(a):
    counts = collections.Counter((done["rank"], a.recording.place(post), send["rank"])
                                 for send, post, done in a.messages if done and post["peer"] == -1)
    rows = a.rows(8)
    a.same("sources of wildcards", {(r["receiver"], r["post_place"], r["sender"]): r["messages"] for r in rows},
           dict(counts))
    check(a.name + ": the shares", abs(sum(r["percent"] for r in rows) - 100) < 0.5, rows)


def imbalance(a):
    enters = collections.defaultdict(list)  # the n-th Allreduce of all: there is one communicator with them
    for rank in a.recording.ranks:
        own = [e for e in a.recording.events if e["rank"] == rank and e["function"] == "MPI_Allreduce"]
        for n, e in enumerate(own):
            enters[n].append((e["enter_ns"], rank, a.recording.place(e)))
    rows = [r for r in a.rows(9) if r["call"] == "MPI_Allreduce"]
    wanted = [seconds(max(e)[0] - min(e)[0]) for e in enters.values()]
    check(a.name + ": who is waited for", len(rows) == 1 and near(rows[0]["seconds"], sum(wanted), 1e-6) and
          rows[0]["times"] == len(wanted) and near(rows[0]["longest"], max(wanted), 1e-6) and
          rows[0]["latest"] == max(enters[0])[1], (rows, wanted))


def between(a):
    times = sorted(e["enter_ns"] for e in a.recording.events)
    for low, high in ((0.020, 0.040), (seconds(times[len(times) // 3]), seconds(times[len(times) // 2]))):
        rows = a.rows(10, lambda sql: sql.replace("0.040", "%.9f" % high).replace("0.020", "%.9f" % low))
        wanted = [(e["rank"], e["event"]) for e in sorted(a.recording.events, key=lambda e: e["enter_ns"])
                  if e["enter_ns"] <= round(high * 1e9) and e.get("exit_ns", 1 << 62) >= round(low * 1e9)]
        a.same("between two times", sorted((r["rank"], r["event"]) for r in rows), sorted(wanted))
        check(a.name + ": in their order", [r["enter"] for r in rows] == sorted(r["enter"] for r in rows), rows)


def run(place, name, recording):
    asked = Asked(place, name, recording)
    tests = [waits_most, matrix, late_senders, biggest, racing, in_vain, load, wildcards, imbalance, between]
    same("the page has ten queries", sorted(asked.page), list(range(1, len(tests) + 1)))
    for test in tests:
        test(asked)
