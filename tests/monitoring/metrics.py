#!/usr/bin/python3
"""hbdb metrics: its text by a strict reader, what grows and what does not, its server, and who gets no answer."""
import http.client
import os
import re
import socket
import stat
import subprocess
import time

import openmetrics
from place import HBDB, TOP, Folder, example, ports
from lib import check, finish, has, same


def printed(place, *options):
    status, out, err = place.run(HBDB, "metrics", "--database", place.file("db"), *options)
    return out if not status else "%d: %s" % (status, err)


def reader():
    """The reader itself: what it has to refuse."""
    good = '# TYPE a counter\n# HELP a What.\na_total{b="c\\"\\\\\\n"} 1\n# EOF\n'
    same("the reader reads", openmetrics.series(good), {("a_total", (("b", 'c"\\\n'),)): 1.0})
    for old, new in (("# EOF\n", ""), ("a_total", "a"), ('"c', '"c"'), ("} 1", "} x"), ("} 1", "} -1"), ("a_total{", "b_total{"), ("counter", "kounter"),
                     ("# HELP", "# UNIT"), ('b="', 'b='), ("} 1", ",} 1"), ("} 1\n", "} 1\na_total{b=\"c\\\"\\\\\\n\"} 2\n")):
        try:
            openmetrics.read(good.replace(old, new, 1))
            check("the reader refuses %r for %r" % (new, old), False)
        except (openmetrics.Wrong, ValueError):
            pass


def text(place, database):
    out = printed(place)
    got = openmetrics.series(out)
    for name, labels, value in (
            ("hbdb_nodes", {"state": "up"}, 1), ("hbdb_nodes", {"state": "unknown"}, 0), ("hbdb_node_up", {"node": "beta"}, 0), ("hbdb_node_load", {"node": "alpha"}, 0.25),
            ("hbdb_node_info", {"node": "alpha", "platform": "local", "machine": "x86_64", "byte_order": "little", "version": "0.1.0"}, 1),
            ("hbdb_node_memory_free_bytes", {"node": "alpha"}, 3 << 20), ("hbdb_node_disk_free_bytes", {"node": "alpha"}, 5 << 30),
            ("hbdb_program_state", {"program": "farm", "hbdb_program_state": "running"}, 1), ("hbdb_program_state", {"program": "farm", "hbdb_program_state": "hangs"}, 0),
            ("hbdb_program_state", {"program": 'a "b" \\ ü\nc', "hbdb_program_state": "hangs"}, 1), ("hbdb_program_wanted", {"program": "farm"}, 1),
            ("hbdb_program_runs_total", {"program": 'a "b" \\ ü\nc'}, 5000000000), ("hbdb_program_failures_total", {"program": "farm"}, 1),
            ("hbdb_processes", {"program": "farm", "state": "running"}, 1), ("hbdb_processes", {"program": "farm", "state": "waiting"}, 1),
            ("hbdb_processes", {"program": "", "state": "gone"}, 1), ("hbdb_program_threads", {"program": "farm"}, 2), ("hbdb_program_memory_bytes", {"program": "farm"}, 4096),
            ("hbdb_program_processor_seconds", {"program": "farm"}, 1.5), ("hbdb_program_recorded_events", {"program": "farm"}, 77),
            ("hbdb_events_total", {"kind": "death", "weight": "error"}, 1), ("hbdb_events_total", {"kind": "hang", "weight": "error"}, 0),
            ("hbdb_program_events_total", {"program": "farm", "kind": "death"}, 1), ("hbdb_program_events_total", {"program": "farm", "kind": "hang"}, 0),
            ("hbdb_reaction_fired_total", {"reaction": "r.hbr:3"}, 2), ("hbdb_reaction_enabled", {"reaction": "r.hbr:3"}, 1), ("hbdb_holds", {}, 0)):
        same("%s%s" % (name, labels or ""), got.get((name, tuple(sorted(labels.items())))), float(value))
    check("a node that told nothing has no load", ("hbdb_node_load", (("node", "beta"),)) not in got)
    # a recording that is there: its bytes
    os.mkdir(place.file("farm.hbdb"))
    for name, size in (("manifest.json", 100), ("rank.0.hbl", 5000)):
        with open(place.file("farm.hbdb/" + name), "wb") as f:
            f.write(b"x" * size)
    database.db.execute("UPDATE program SET recording = ? WHERE program = 1", (place.file("farm.hbdb"),))
    same("bytes of a recording", openmetrics.series(printed(place)).get(("hbdb_program_recorded_bytes", (("program", "farm"),))), 5100.0)
    database.db.execute("INSERT INTO node(name, platform, address) VALUES(CAST(X'61ff62' AS TEXT), 'local', '')")
    has("bytes that are no UTF-8", printed(place), 'hbdb_node_up{node="a\N{REPLACEMENT CHARACTER}b"} 0')
    database.db.execute("DELETE FROM node WHERE node > 2")


def cardinality(place, database):
    """The formula of docs/system/monitoring.md, and that processes and events do not come into it."""
    before = openmetrics.series(printed(place))
    with open(TOP + "/docs/system/monitoring.md") as f:
        base, node, program, reaction = map(int, re.search(r"at most (\d+) \+ (\d+) N \+ (\d+) P \+ (\d+) R series", f.read()).groups())
    # beta told neither load nor memory nor disk, and the second program was not recorded
    same("as many series as the page says", len(before), base + 2 * node - 3 + 2 * program - 1 + reaction)
    database.db.execute("BEGIN")
    for i in range(20000):
        database.add("process", node=1, program=1, pid=1000 + i, began=9, boot="b", name=str(2 + i), rank=2 + i, world=0, state="running", since=0)
        database.event("note" if i % 2 else "finding", "warning", "event %d" % i, node=1, program=1)
    database.db.execute("COMMIT")
    after = openmetrics.series(printed(place))
    same("20,000 processes and events more are only the kinds that are new", sorted(set(after) - set(before)), [("hbdb_events_total", (("kind", "note"), ("weight", "warning")))])
    same("they are counted", after[("hbdb_processes", (("program", "farm"), ("state", "running")))], 20001.0)
    database.db.execute("DELETE FROM process WHERE pid >= 1000")


def ask(to, path="/metrics", method="GET", headers=None, body=None):
    """(status, type, text); to: a port or the path of a socket."""
    connection = http.client.HTTPConnection("127.0.0.1", to if isinstance(to, int) else 80, timeout=60)
    if isinstance(to, str):
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(60)
        connection.sock.connect(to)
    connection.request(method, path, body, headers or {})
    answer = connection.getresponse()
    got = answer.status, answer.getheader("Content-Type"), answer.read().decode()
    connection.close()
    return got


def serve(place, address, *options):
    child = place.start(HBDB, "metrics", "--database", place.file("db"), "--listen", address, *options, stdout=subprocess.PIPE)
    return child, child.stdout.readline().decode().strip()


def counters(place, database, to):
    """They go on while old events are removed."""
    def deaths():
        return openmetrics.series(ask(to, headers={"Accept": "application/openmetrics-text"})[2])[("hbdb_events_total", (("kind", "death"), ("weight", "error")))]
    before = deaths()
    database.event(program=1)
    same("a counter counts", deaths(), before + 1)
    database.db.execute("DELETE FROM event")
    same("... and does not fall when events are removed", deaths(), before + 1)
    database.event(program=1)
    same("... and goes on", deaths(), before + 2)

    def of_farm():
        return openmetrics.series(ask(to, headers={"Accept": "application/openmetrics-text"})[2])[("hbdb_program_events_total", (("kind", "death"), ("program", "farm")))]
    before = of_farm()
    database.event(weight="note", program=1)
    database.event(program=1)
    same("who was told to end with its program has not died", of_farm(), before + 1)


def unix(place, database):
    path = place.file("metrics")
    child, address = serve(place, "unix:" + path)
    same("it says where it listens", address, "unix:" + path)
    same("only its user may connect", stat.S_IMODE(os.stat(path).st_mode), 0o600)
    status, kind, page = ask(path, headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    same("OpenMetrics for who takes it", (status, kind), (200, "application/openmetrics-text; version=1.0.0; charset=utf-8"))
    same("it is what is printed", set(openmetrics.series(page)), set(openmetrics.series(printed(place))))
    status, kind, page = ask(path)
    same("the older text for others", (status, kind, "# EOF" in page, "stateset" in page), (200, "text/plain; version=0.0.4; charset=utf-8", False, False))
    has("... where a family is named as its samples", page, "# TYPE hbdb_events_total counter\n", "# TYPE hbdb_node_info gauge\n")
    for method, where, wanted in (("GET", "/", 404), ("GET", "/metrics/x", 404), ("POST", "/metrics", 405), ("HEAD", "/metrics", 200), ("GET", "/metrics?x=1", 200)):
        same("%s %s" % (method, where), ask(path, where, method)[0], wanted)
    if os.geteuid() == 0:
        code = "import os, socket; os.setuid(65534); s = socket.socket(socket.AF_UNIX); s.connect(%r); s.sendall(b'GET /metrics HTTP/1.1\\r\\n\\r\\n'); print(len(s.recv(10)))"
        os.chmod(place.path, 0o755)
        os.chmod(path, 0o666)
        _, out, err = place.run("python3", "-c", code % path)
        check("another user gets no answer, even if the file lets him connect", out.strip() == "0" or "Connection reset" in err or "Broken pipe" in err, out + err)
    counters(place, database, path)
    # one that asks slowly, and many that ask nothing, hold nobody up
    idle = [socket.socket(socket.AF_UNIX) for _ in range(20)]
    for s in idle:
        s.connect(path)
    begun = time.monotonic()
    same("with 20 silent connections it answers", ask(path)[0], 200)
    check("... at once", time.monotonic() - begun < 10)
    for s in idle:
        s.close()
    for raw in (b"\r\n\r\n", b"x" * 20000, b"GET\r\n\r\n", b"GET /metrics\r\n\r\n", b"GET /metrics HTTP/1.1\r\nA\r\n\r\n", b"GET /\0 HTTP/1.1\r\n\r\n", b"\xff" * 100 + b"\r\n\r\n"):
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(60)
            s.connect(path)
            try:
                s.sendall(raw)
                got = s.recv(100)
            except ConnectionError:
                got = b""
            check("nonsense is refused: %r" % raw[:20], got == b"" or got.startswith(b"HTTP/1.1 4"), got)
    same("it answers still", ask(path)[0], 200)
    child.kill()
    child.wait()
    child, address = serve(place, "unix:" + path)
    same("what a killed one left is taken over", address, "unix:" + path)
    status, _, err = place.run(HBDB, "metrics", "--database", place.file("db"), "--listen", "unix:" + path)
    check("one that lives is not", status == 2 and "in use" in err, (status, err))
    with open(place.file("letter"), "w") as f:
        f.write("kept")
    status, _, err = place.run(HBDB, "metrics", "--database", place.file("db"), "--listen", "unix:" + place.file("letter"))
    with open(place.file("letter")) as f:
        check("nor a file that is no socket, which stays", status == 2 and "in use" in err and f.read() == "kept", (status, err))
    os.rename(place.file("db"), place.file("away"))
    status, _, page = ask(path)
    check("without a database it says why", status == 503 and "No such file" in page, (status, page))
    os.rename(place.file("away"), place.file("db"))
    same("and answers when it is back", ask(path)[0], 200)
    same("it ends when told to", place.end(child), 0)
    check("... and leaves nothing", not os.path.exists(path))


def loopback(place):
    child, address = serve(place, "127.0.0.1:0")
    number = int(re.match(r"^http://127\.0\.0\.1:(\d+)/metrics$", address)[1])
    kept = place.file("state/hbdb/metrics.token")
    same("the token is its user's", stat.S_IMODE(os.stat(kept).st_mode), 0o600)
    token = open(kept).read().strip()
    right = {"Authorization": "Bearer " + token}
    same("with the token it answers", ask(number, headers=right)[0], 200)
    status, _, page = ask(number)
    check("without it does not, and says where it stands", status == 401 and kept in page and token not in page, (status, page))
    for name, headers in (("a wrong token", {"Authorization": "Bearer " + "0" * 32}), ("a part of it", {"Authorization": "Bearer " + token[:31]}), ("more than it", {"Authorization": "Bearer " + token + "0"}),
                          ("another scheme", {"Authorization": "Basic " + token})):
        same(name, ask(number, headers=headers)[0], 401)
    for name, headers in (("another page in a browser", {"Origin": "http://evil.example"}), ("a name that leads here", {"Host": "evil.example:%d" % number}),
                          ("a page of another site", {"Sec-Fetch-Site": "cross-site"})):
        same(name, ask(number, headers=dict(right, **headers))[0], 403)
    same("it ends when told to", place.end(child), 0)
    number = ports.free()
    child, address = serve(place, "127.0.0.1:%d" % number)
    same("a port that was asked for", address, "http://127.0.0.1:%d/metrics" % number)
    same("the token is the same the next time", ask(number, headers=right)[0], 200)
    place.end(child)
    os.chmod(kept, 0o666)
    status, _, err = place.run(HBDB, "metrics", "--database", place.file("db"), "--listen", "127.0.0.1:0")
    check("a token that others could write is refused", status == 2 and "others can write it" in err, (status, err))
    os.chmod(kept, 0o600)


def refused(place):
    for options, wanted in ((["--listen", "0.0.0.0:9464"], "127.0.0.1:PORT"), (["--listen", "127.0.0.1:99999"], "127.0.0.1:PORT"), (["--listen", "127.0.0.1:"], "127.0.0.1:PORT"),
                            (["--listen", "unix:" + "x" * 200], "at most"), (["--listen", "unix:"], "lacks the path"), (["--token", "x"], "--token is for a port"), (["--listen", "unix:y", "--token", "x"], "--token is for a port")):
        status, out, err = place.run(HBDB, "metrics", "--database", place.file("db"), *options)
        check("refused: %s" % " ".join(options), status == 2 and wanted in err and not out, (status, out, err))
    for name, content, wanted in (("none.db", None, "hbdb manager makes it"), ("text.db", b"no database at all, but long enough to be looked at" * 20, "not a database"), ("empty.db", b"", "is it the database of a manager?")):
        if content is not None:
            with open(place.file(name), "wb") as f:
                f.write(content)
        status, out, err = place.run(HBDB, "metrics", "--database", place.file(name))
        check("%s is refused" % name, status == 3 and wanted in err and not out, (status, out, err))


def dashboards(place):
    """What dashboard and rules ask for is there, by its name and its labels."""
    with open(place.file("metrics.txt"), "w") as f:
        f.write(printed(place))
    status, out, err = place.run("python3", TOP + "/tests/monitoring/dashboard.py", place.file("metrics.txt"))
    check("dashboard and rules ask for what there is", status == 0, out + err)


def main():
    reader()
    with Folder() as place:
        database = example(place.file("db"))
        text(place, database)
        cardinality(place, database)
        unix(place, database)
        loopback(place)
        refused(place)
        dashboards(place)
    finish()


main()
