#!/usr/bin/python3
"""hbdb import on traces of OpenTelemetry: order between spans against what their parents and links say, lanes, clocks, errors."""
import json
import os
import random
import sys
import tempfile

sys.dont_write_bytecode = True

import reading
from reading import Imported, check

START = 1_700_000_000_000_000_000
KINDS = {"internal": 1, "server": 2, "client": 3, "producer": 4, "consumer": 5}


def span(name, ident, start, end, parent=None, kind="internal", links=(), attributes=None, status=None, trace="ab" * 16):
    s = {"traceId": trace, "spanId": f"{ident:016x}", "name": name, "kind": KINDS[kind], "startTimeUnixNano": str(START + start),
         "endTimeUnixNano": str(START + end), "attributes": [{"key": k, "value": v} for k, v in (attributes or {}).items()],
         "links": [{"traceId": trace, "spanId": f"{to:016x}"} for to in links]}
    if parent is not None:
        s["parentSpanId"] = f"{parent:016x}"
    if status:
        s["status"] = status
    return s


def request(service, *spans, instance=None):
    attributes = [{"key": "service.name", "value": {"stringValue": service}}]
    if instance:
        attributes.append({"key": "service.instance.id", "value": {"stringValue": instance}})
    return {"resourceSpans": [{"resource": {"attributes": attributes}, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def lines(*requests):
    return "".join(json.dumps(r) + "\n" for r in requests).encode()


CALL = (request("front", span("GET /", 1, 0, 900, kind="server", attributes={"http.request.method": {"stringValue": "GET"}, "server.port": {"intValue": "80"}}),
                span("ask", 2, 100, 800, 1, "client")),
        request("back", span("answer", 3, 300, 600, 2, "server", status={"code": 2, "message": "no"})))
FRONT = [("GET /", "begin"), ("ask", "begin"), ("hb_sent", "sent"), ("hb_received", "received"), ("ask", "end"), ("GET /", "end")]
BACK = [("hb_received", "received"), ("answer", "begin"), ("answer", "end"), ("hb_sent", "sent")]


def names(x, process, lane=0):
    return [(e["function"], e["class"]) for e in x.rows if e["process"] == process and e["lane"] == lane]


def before(x, a, b):
    """Whether hbdb order says that the first event of process:number is before the second."""
    status, out, err = reading.hbdb("order", "--json", a, b, x.name)
    return json.loads(out).get("order") if status in (0, 1) else err


def calls(folder):
    for name, data in (("lines", lines(*CALL)), ("an array", json.dumps(CALL).encode()), ("laid out", "".join(json.dumps(r, indent=2) for r in CALL).encode()),
                       ("with a mark", b"\xef\xbb\xbf" + lines(*CALL)), ("of the other names", lines(*CALL).replace(b"resourceSpans", b"resource_spans").replace(b"scopeSpans", b"scope_spans"))):
        x = Imported(folder, data)
        check(f"a call, {name}", x.status == 0 and names(x, "front") == FRONT and names(x, "back") == BACK and not x.whole(), x.out + x.err + str(x.rows))
    first = x.rows[0]
    check("attributes are values", first["arguments"].get("http.request.method") == "GET" and first["arguments"].get("server.port") == "80" and
          first["arguments"]["kind"] == "server" and first["arguments"]["trace"] == "ab" * 16, first)
    end = [e for e in x.rows if e["function"] == "answer" and e["class"] == "end"][0]
    check("so is the status", end["arguments"] == {"status": "error", "message": "no"}, end)
    status, out, err = reading.hbdb("order", "front:2", "back:2", x.name)
    check("the parent begins before the child", status == 0 and "before" in out, out + err)
    status, out, err = reading.hbdb("order", "back:3", "front:5", x.name)
    check("the server ends before its client", status == 0 and "before" in out, out + err)
    shared = [request("s", span("one", 1, 0, 10), instance="a"), request("s", span("two", 2, 0, 10), instance="b")]
    x = Imported(folder, lines(*shared))
    check("two instances of a service are two processes", sorted(x.events) == ["s", "s#2"], x.events)
    x = Imported(folder, lines(request("a/b c", span("one", 1, 0, 10))))
    check("a name that is no name", list(x.events) == ["a_b_c"], x.events)


def relations(folder):
    x = Imported(folder, lines(request("p", span("put", 1, 0, 50, kind="producer")), request("c", span("take", 2, 100, 200, 1, "consumer"))))
    check("a consumer does not answer", names(x, "p") == [("put", "begin"), ("hb_sent", "sent"), ("put", "end")] and
          names(x, "c") == [("hb_received", "received"), ("take", "begin"), ("take", "end")], x.rows)
    x = Imported(folder, lines(request("p", span("a", 1, 0, 50), span("b", 2, 60, 90)), request("c", span("batch", 3, 100, 200, links=(1, 2)))))
    check("links are messages", [n for n, _ in names(x, "c")] == ["hb_received", "hb_received", "batch", "batch"], x.rows)
    x = Imported(folder, lines(request("p", span("ask", 1, 0, 50, kind="client")), request("c", span("late", 2, 20, 80, 1, "server"))))
    check("a server that ends after its client does not answer it", [n for n, _ in names(x, "p")] == ["ask", "hb_sent", "ask"], x.rows)
    x = Imported(folder, lines(request("p", span("a", 1, 0, 100), span("b", 2, 10, 90, 1), span("c", 3, 20, 80, 1), span("d", 4, 30, 70, 3), span("e", 5, 200, 300))))
    lanes = {}
    for e in x.rows:
        if e["class"] == "begin":
            lanes[e["function"]] = e["lane"]
    check("what overlaps has lanes of its own", lanes == {"a": 0, "b": 0, "c": 1, "d": 1, "e": 0}, lanes)
    x = Imported(folder, lines(request("p", span("a", 1, 0, 100, parent=77), span("b", 2, 10, 90, links=(88,)))))
    check("parents that are not there are counted", x.status == 0 and "2 parents and linked spans are not in the file" in x.out, x.out)
    x = Imported(folder, lines(request("p", span("a", 1, 0, 100, 2), span("b", 2, 0, 100, 1), span("c", 3, 0, 10, 3))))
    check("parents in a circle", x.status == 0 and not x.whole() and len([e for e in x.rows if e["class"] == "begin"]) == 3, x.out)
    x = Imported(folder, lines(request("p", span("a", 1, 100, 50))))
    check("an end before its begin", x.status == 0 and "1 span ends before it begins" in x.out and not x.whole(), x.out)
    x = Imported(folder, lines(request("p", span("a", 1, 100, 150), {"name": "none"})))
    check("what is no span is counted", x.status == 0 and "1 span was left out" in x.out, x.out)


def clocks(folder):
    skewed = (request("front", span("ask", 2, 5_000_000, 9_000_000, kind="client")), request("back", span("answer", 3, 1_000_000, 2_000_000, 2, "server")))
    x = Imported(folder, lines(*skewed))
    check("a clock that is behind is set forward", x.status == 0 and "clock of back is set forward by 4.000000 ms" in x.out and
          reading.hbdb("order", "front:1", "back:2", x.name)[0] == 0, x.out)
    apart = (request("a", span("x", 1, 5000, 9000), span("y", 2, 100, 200, 4)), request("b", span("z", 3, 4000, 4500, 1), span("w", 4, 9000, 9500)))
    x = Imported(folder, lines(*apart))
    check("clocks that contradict each other: causes are left out", x.status == 0 and "2 parents and links were left out" in x.out and not x.whole(), x.out)
    many = [request(f"s{i}", span(f"n{i}", i + 1, 0, 10, parent=i if i else None)) for i in range(40)]
    x = Imported(folder, lines(*many))
    check("a chain at one time", x.status == 0 and not x.whole() and reading.hbdb("order", "s0:1", "s39:2", x.name)[0] == 0, x.out)


def random_traces(folder, seeds=30):
    """Trees over services: each begin and end once; spans of a lane lie one in the other; what messages there are is matched."""
    wrong = []
    for seed in range(seeds):
        rng = random.Random(seed)
        services = [f"s{i}" for i in range(rng.randint(1, 6))]
        spans = {s: [] for s in services}
        known, low = [], 10**9
        for ident in range(1, rng.randint(2, 150)):
            parent = rng.choice(known) if known and rng.random() < 0.9 else None
            start = rng.randint(parent[1], max(parent[1], parent[2])) if parent else rng.randrange(10**6)
            end = start + rng.randrange(10**5)
            known.append((ident, start, end))
            low = min(low, start)
            links = [k[0] for k in rng.sample(known, min(len(known), 2)) if k[1] < start and rng.random() < 0.3]
            spans[rng.choice(services)].append(span(rng.choice("abcdef"), ident, start, end, parent and parent[0], rng.choice(list(KINDS)), links))
        x = Imported(folder, lines(*(request(s, *l) for s, l in spans.items())))
        begins = [e for e in x.rows if e["class"] == "begin"]
        ends = [e for e in x.rows if e["class"] == "end"]
        if sorted(e["enter_ns"] for e in begins) != sorted(k[1] - low + 1000 for k in known) or sorted(e["enter_ns"] for e in ends) != sorted(k[2] - low + 1000 for k in known):
            wrong.append(f"seed {seed}: times are not those of the spans")
        sent = [e["arguments"] for e in x.rows if e["class"] == "sent"]
        received = [e["arguments"] for e in x.rows if e["class"] == "received"]
        if len(begins) != len(known) or len(ends) != len(known) or x.whole() or not nested(x):
            wrong.append(f"seed {seed}: {len(known)} spans, {len(begins)} begins, {len(ends)} ends {x.out} {x.err}")
        if sorted(map(str, sent)) != sorted(map(str, received)) or len(set(map(str, sent))) != len(sent):
            wrong.append(f"seed {seed}: {len(sent)} messages sent, {len(received)} received")
        status, out, err = reading.hbdb("sql", x.name, "select count(*) from messages")
        if status or out.split()[-1] != str(len(sent)):
            wrong.append(f"seed {seed}: {len(sent)} messages, matched: {out} {err}")
    check(f"{seeds} random traces", not wrong, "\n".join(wrong))


def nested(x):
    open_spans = {}
    for e in x.rows:
        stack = open_spans.setdefault((e["process"], e["lane"]), [])
        if e["class"] == "begin":
            stack.append(e["function"])
        if e["class"] == "end" and (not stack or stack.pop() != e["function"]):
            return False
    return not any(open_spans.values())


def limits(folder):
    x = Imported(folder, lines(request("p", *(span(f"name {i}", i + 1, 10 * i, 10 * i + 5) for i in range(3000)))))
    more = [e for e in x.rows if e["function"] == "(more)" and e["class"] == "begin"]
    check("thousands of names", x.status == 0 and not x.whole() and len(x.rows) == 6000 and more and more[-1]["arguments"]["name"] == "name 2999", x.out + x.err)
    x = Imported(folder, lines(request("p", *(span("s", i + 1, i, 10**6) for i in range(3000)))))
    check("thousands of lanes", x.status == 0 and not x.whole() and len({e["lane"] for e in x.rows}) == 3000, x.out + x.err)
    whole = lines(*CALL)
    x = Imported(folder, whole + b'{"resourceSpans": [{"resource"')
    check("a file that is cut", x.status == 0 and "not JSON at offset" in x.err and names(x, "front") == FRONT, x.err)
    for name, data, says in (("no span", b'{"resourceSpans": []}', "has no span"), ("JSON of something else", b"[1, 2]", "no resourceSpans"), ("cut at once", whole[:50], "no resourceSpans")):
        x = Imported(folder, data)
        check(name, x.status == 3 and says in x.err and not x.there, x.err)
    x = Imported(folder, whole)
    for words in (["info"], ["races"], ["graph", "-o", os.path.join(folder, "g.svg")], ["check"]):
        status, out, err = reading.hbdb(*words, x.name, program=reading.ASAN)
        check(f"hbdb {words[0]}", status == 0, out + err)
    for to in ("perfetto", "shiviz", "csv", "otf2"):
        status, out, err = reading.hbdb("export", "--to", to, "-o", os.path.join(folder, "out-" + to), x.name)
        check(f"hbdb export --to {to}", status == 0, out + err)
    check("hbdb replay", reading.hbdb("replay", x.name)[0] == 2)


def main():
    with tempfile.TemporaryDirectory(prefix="hbdb-import-") as folder:
        for part in (calls, relations, clocks, random_traces, limits):
            part(folder)
    return reading.finish()


if __name__ == "__main__":
    sys.exit(main())
