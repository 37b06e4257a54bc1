"""Reads the CSV files and compares them with hbdb dump and the reference."""
import csv

from lib import check, same


def read(path):
    data = open(path, newline="", encoding="utf-8").read()
    lines = data.split("\r\n")
    assert lines.pop() == "" and not any("\n" in line for line in lines), "lines end in CRLF"
    return list(csv.DictReader(data.splitlines(keepends=True), strict=True))


def text(value):
    return "" if value is None else str(value)


def seconds(ns):
    return "%d.%09d" % divmod(ns, 10 ** 9)


def events(name, path, run, wanted=lambda at: True):
    rows = read(path)
    expected = [e for line in sorted(run.events) for e in run.events[line] if wanted(line + (e["event"],))]
    same(name + ": a row for each event", len(rows), len(expected))
    wrong = []
    for row, e in zip(rows, expected):
        returned = not e.get("never_returned")
        want = {"rank": e["rank"], "lane": e["lane"], "event": e["event"], "call": e["function"], "class": e["class"],
            "enter": seconds(e["enter_ns"]), "exit": seconds(e["exit_ns"]) if returned else None, "peer": e.get("peer"),
            "tag": e.get("tag"), "bytes": e.get("bytes"), "source": e.get("source"), "source_tag": e.get("source_tag"),
            "error": e.get("result"), "choice": int(e["choice"]), "polls": e.get("polls", 0),
            "posting": e.get("posting"), "posts": e.get("posts", 0), "returned": int(returned)}
        wrong += [(key, row[key], text(value)) for key, value in want.items() if row[key] != text(value)]
        arguments = " ".join("%s=%s" % pair for pair in e.get("arguments", {}).items())
        wrong += [] if len(row["arguments"].split("=")) == len(arguments.split("=")) else [(row["arguments"], arguments)]
        if "file" in e and row["place"] != "%s:%d" % (e["file"].split("/")[-1], e["line"]):
            wrong.append((row["place"], e["file"]))
    check(name + ": rows are the events", not wrong, wrong[:10])


def messages(name, path, run, wanted=lambda s, r: True):
    rows = read(path)
    times = {line + (e["event"],): e for line, es in run.events.items() for e in es}
    got = sorted((row["source"], row["source_lane"], row["sent_event"], row["dest"], row["posted_event"],
            row["received_event"], row["tag"], row["sent"], row["received"], row["synchronous"], row["state"])
        for row in rows if row["state"] != "cancelled")
    want = sorted(tuple(map(text, s.at + (s.dest, r and r.post[2], r and r.done[2], s.tag,
            seconds(times[s.at]["enter_ns"]), r and seconds(times[r.done]["exit_ns"]), int(s.sync),
            "received" if r else "not received"))) for s, r in run.messages if wanted(s, r))
    same(name + ": rows are the messages", got, want)
