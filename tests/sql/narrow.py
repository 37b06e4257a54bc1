"""Conditions that are handed down read less and answer the same."""
import json
import os
import random
import re
import subprocess

import lib
from lib import check, has, same
from reference import Recording
from tables import ask

COLUMNS = {
    "events": ("rank", "lane", "event", "enter", "exit", "call", "class"),
    "messages": ("sender", "receiver", "send_event", "post_event", "done_event", "tag", "bytes", "state"),
    "races": ("rank", "event", "kind"),
    "collectives": ("rank", "collective"),
    "calls": ("rank", "call", "class"),
    "processes": ("rank",),
}
COMPARE = {"=": lambda a, b: a == b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
           ">=": lambda a, b: a >= b}


def literal(value):
    return "'%s'" % value if isinstance(value, str) else repr(value)


def same_answers(place, name, seed):
    """Random conditions, several at once, in one run of hbdb per table; the answer is computed from all rows."""
    draw = random.Random(seed)
    for table, columns in COLUMNS.items():
        all_rows = ask(place, name, "SELECT * FROM %s" % table)
        asked = []
        for _ in range(60):
            terms = []
            for column in draw.sample(columns, draw.randint(1, min(3, len(columns)))):
                value = draw.choice(all_rows)[column]
                value = draw.choice([-1, 0, 0.5, 7, 1000, "x"]) if value is None or draw.random() < 0.1 else value
                if isinstance(value, float):  # SQLite may read a decimal as the number beside it: between two nanoseconds that does not matter
                    value += 5e-10
                terms.append((column, "=" if isinstance(value, str) else draw.choice(sorted(COMPARE)), value))
            asked.append(terms)
        text = ";".join("SELECT %d AS q, t.* FROM %s AS t WHERE %s" % (
            i, table, " AND ".join("%s %s %s" % (c, op, literal(v)) for c, op, v in terms)) for i, terms in enumerate(asked))
        got = [[] for _ in asked]
        for row in ask(place, name, text):
            got[row.pop("q")].append(row)
        wrong = [terms for terms, rows in zip(asked, got)
                 if sorted(map(json.dumps, rows)) != sorted(json.dumps(r) for r in all_rows if matches(r, terms))]
        check("%s: %s: %d random conditions" % (name, table, len(asked)), not wrong, wrong[:5])


def matches(row, terms):
    for column, op, value in terms:
        own = row[column]
        if own is None:
            return False
        if isinstance(own, str) != isinstance(value, str):  # numbers sort before texts
            if not COMPARE[op](1 if isinstance(own, str) else 0, 1 if isinstance(value, str) else 0):
                return False
        elif not COMPARE[op](own, value):
            return False
    return True


def read(place, name, query):
    """Rows that the tables gave for it: table -> number."""
    status, _, err = place.run("sql", "--stats", name, query)
    return {t: int(n) for t, n in re.findall(r"^hbdb: (\w+): (\d+) rows? read$", err, re.M)} if status == 0 else err


def reads_less(place, name, recording):
    e = recording.events
    n, last = len(e), recording.ranks[-1]
    of_last = sum(x["rank"] == last for x in e)
    middle = sorted(x["exit_ns"] for x in e if "exit_ns" in x)[n // 2] / 1e9
    sent = [s for s, _, _ in recording.messages() if s]
    received = sum(1 for _, _, d in recording.messages() if d and d["rank"] == 0 and d["function"] == "MPI_Recv")
    got = next(d for _, p, d in recording.messages() if d and p is d and d["rank"] == 0)
    from_last = sum(s["rank"] == last for s in sent)
    for query, table, most, least in (
            ("SELECT count(*) FROM events", "events", n, n),
            ("SELECT * FROM events WHERE rank = %d" % last, "events", of_last, of_last),
            ("SELECT * FROM events WHERE rank = 0 AND event = 7", "events", 1, 1),
            ("SELECT * FROM events WHERE rank = 0 AND event BETWEEN 5 AND 9", "events", 5, 5),
            ("SELECT * FROM events WHERE rank IN (0, %d) AND event < 3" % last, "events", 4, 4),
            ("SELECT * FROM events WHERE call = 'MPI_Recv'", "events",
             sum(x["function"] == "MPI_Recv" for x in e), 1),
            ("SELECT * FROM events WHERE exit <= %.9f" % middle, "events", n // 2 + 1, n // 2),
            ("SELECT * FROM events WHERE rank > 1000000", None, 0, 0),
            ("SELECT * FROM events WHERE rank = NULL", None, 0, 0),
            ("SELECT * FROM messages WHERE sender = %d" % last, "messages", from_last, from_last),
            ("SELECT * FROM messages WHERE sender = 1 AND send_event = %d" % sent[0]["event"], "messages", 1, 0),
            ("SELECT * FROM messages WHERE receiver = 0 AND done_event = %d" % got["event"], "messages", 1, 1),
            ("SELECT * FROM messages WHERE receiver = 0 AND post_event = %d" % got["event"], "messages", 1, 1),
            ("SELECT * FROM events e JOIN messages m ON e.rank = m.receiver AND e.lane = m.done_lane AND e.event = m.done_event "
             "WHERE e.call = 'MPI_Recv' AND e.rank = 0", "messages", received, received),
            ("SELECT * FROM messages WHERE state = 'unreceived'", "messages", 1, 1)):
        rows = read(place, name, query)
        got = rows.get(table, 0) if isinstance(rows, dict) and table else rows
        check("%s: reads %d to %d: %s" % (name, least, most, query), rows == {} if not table else
              isinstance(got, int) and least <= got <= most, rows)


def asked_again(place, name):
    """A join may ask for the same event again, for a later and for an earlier one."""
    wanted = [5, 5, 6, 9, 5, 2, 2]
    rows = ask(place, name, "WITH want(n, e) AS (VALUES %s) SELECT n, event FROM want CROSS JOIN events ON rank = 0 AND "
               "lane = 0 AND event = e ORDER BY n" % ", ".join(map(str, enumerate(wanted))))
    same(name + ": the same event once more", [r["event"] for r in rows], wanted)


def explained(place, name):
    for query, wanted in (
            ("SELECT * FROM events WHERE rank = 1 AND event > 5", "rank=? AND event>?"),
            ("SELECT * FROM messages WHERE receiver = 1", "receiver=?"),
            ("SELECT * FROM events WHERE call = 'MPI_Send' AND enter >= 0.1", "call=? AND enter>=?")):
        has("%s: EXPLAIN of %s" % (name, query), place.run("sql", name, "EXPLAIN QUERY PLAN " + query)[1],
            "VIRTUAL TABLE INDEX", wanted)
    plan = place.run("sql", name, "EXPLAIN QUERY PLAN SELECT * FROM events ORDER BY rank, lane, event")[1]
    check(name + ": events come in their order", "TEMP B-TREE" not in plan, plan)
    plan = place.run("sql", name, "EXPLAIN QUERY PLAN SELECT * FROM events ORDER BY enter")[1]
    check(name + ": others are sorted", "TEMP B-TREE" in plan, plan)


def large(place):
    """Lanes of several blocks: single events and times that are sought, in sealed logs and in raw ones."""
    for name, options in (("large", ()), ("large-raw", ("--raw",))):
        done = subprocess.run([os.path.join(lib.TOP, "build/bench/generate/generate"), "-o", "%s/%s.hbdb" % (place.path, name),
                               "-p", "random", "-n", "2", "-e", "2.5e5", *options], capture_output=True, text=True)
        check(name + ": generated", done.returncode == 0, done.stderr)
        recording = Recording(place, name)
        draw = random.Random(name)
        picked = draw.sample(recording.events, 40) + [recording.events[0], recording.events[-1]]
        columns = "rank, lane, event, call, enter, exit, peer, tag, bytes, source, source_tag, polls, returned"
        got = ask(place, name, ";".join("SELECT %s FROM events WHERE rank = %d AND lane = %d AND event = %d" % (
            columns, e["rank"], e["lane"], e["event"]) for e in picked))
        same(name + ": single events", [(r["rank"], r["event"], r["call"], r["bytes"], round(r["enter"] * 1e9)) for r in got],
             [(e["rank"], e["event"], e["function"], bytes_of(e), e["enter_ns"]) for e in picked])
        got = ask(place, name, ";".join("SELECT rank, event, choice, posting, completed FROM events WHERE rank = %d AND "
                                        "event = %d" % (e["rank"], e["event"]) for e in picked[:10]))
        same(name + ": what rests on the events before", [(r["choice"], r["posting"], r["completed"]) for r in got],
             [(int(e["choice"]), e.get("posting"), completed(e)) for e in picked[:10]])
        times = sorted(e["exit_ns"] for e in recording.events)
        for low, high in ((0.4, 0.41), (0.9, 0.95), (0.999, 1), (0, 0.001)):
            begin, end = times[int(low * (len(times) - 1))], times[int(high * (len(times) - 1))]
            where = "exit >= %.9f AND exit <= %.9f" % (begin / 1e9, end / 1e9)
            wanted = [(e["rank"], e["event"]) for e in recording.events if begin <= e["exit_ns"] <= end]
            got = ask(place, name, "SELECT rank, event FROM events WHERE " + where)
            check("%s: between two times, %d events" % (name, len(wanted)), [(r["rank"], r["event"]) for r in got] == wanted)
            rows = read(place, name, "SELECT * FROM events WHERE " + where)
            check("%s: no others are read" % name, rows["events"] <= len(wanted) + 2, rows)


def bytes_of(e):
    answers = [a for a in e.get("answers", []) if "status" in a]
    return answers[0].get("bytes", e.get("bytes")) if len(e.get("answers", [])) == len(answers) == 1 else e.get("bytes")


def completed(e):
    answers = [a for a in e.get("answers", []) if "status" in a]
    return answers[0]["posting"] if len(answers) == 1 else None


def run(place, name, recording):
    reads_less(place, name, recording)
    explained(place, name)
    asked_again(place, name)
    same_answers(place, name, "one")
