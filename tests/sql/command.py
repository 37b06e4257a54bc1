"""hbdb sql as a command: operands, forms of the answer, what is refused, recordings that are not whole."""
import json
import os
import re
import shutil
import subprocess

import lib
import rawlog
from lib import check, has, same

STARTED = "2023-11-14T22:13:19.000Z"  # just before what rawlog's processes say


def operands(place):
    query = "SELECT count(*) FROM events"
    for args, given in ((("sql", "one", query), None), (("sql", "one"), query), (("sql", "one", "-"), query),
                        (("sql", "one.hbdb", query + ";"), None), (("sql", "--", "one", "-- a comment\n" + query), None),
                        (("sql", "-f", "query.sql", "one"), None), (("sql", query), None), (("sql",), query)):
        with open(place.path + "/query.sql", "w") as f:
            f.write(query + "\n")
        status, out, err = place.run(*args, input=given)
        same("operands %s" % (args[1:],), (status, out), (0, "25\n"))
    for args, code, words in (
            (("sql", "one", query, "more"), 2, "more"), (("sql", "-f", "query.sql", "one", query), 2, "on the command line"),
            (("sql", "nothing"), 3, "no recording of this name"), (("sql", "nothing", query), 3, "no recording"),
            (("sql", "-f", "none.sql", "one"), 2, "none.sql"), (("sql", "-f", ".", "one"), 2, "."),
            (("sql", "one", " "), 2, "empty"), (("sql", "--csv", "--json", "one", query), 2, "one of --table"),
            (("sql", "--header", "--no-header", "one", query), 2, "not both")):
        status, out, err = place.run(*args)
        check("refused: %s" % (args[1:],), status == code and words in err and err.count("\n") == 1 and not out,
              (status, out, err))


def forms(place):
    query = "SELECT 1 AS n, 'a,\"b\tc' AS text, NULL AS gone, 0.25 AS part, x'01ff' AS bytes; SELECT 'second' AS s"
    for option, wanted in (
            ("--tsv", "1\ta,\"b\\tc\t\t0.25\tx'01ff'\nsecond\n"),
            ("--csv", 'n,text,gone,part,bytes\n1,"a,""b\tc",,0.25,x\'01ff\'\ns\nsecond\n'),
            ("--json", '{"n":1,"text":"a,\\"b\\u0009c","gone":null,"part":0.25,"bytes":"x\'01ff\'"}\n{"s":"second"}\n'),
            ("--table", "n  text     gone  part  bytes\n-  -------  ----  ----  -------\n"
                        "1  a,\"b\\tc        0.25  x'01ff'\n\ns     \n------\nsecond\n")):
        status, out, err = place.run("sql", option, "one", query)
        same("form %s" % option, (status, re.sub(" +\n", "\n", out), err), (0, re.sub(" +\n", "\n", wanted), ""))
    long = "'%s'" % ("x" * 70000)
    rows = [json.loads(r) for r in place.run("sql", "--json", "one", "SELECT %s, 2 AS b" % long)[1].splitlines()]
    same("a column with a long name", rows, [{long: long[1:-1], "b": 2}])
    same("--header with tabs", place.run("sql", "--header", "one", "SELECT 1 AS a, 2 AS b")[1], "a\tb\n1\t2\n")
    same("--no-header", place.run("sql", "--csv", "--no-header", "one", "SELECT 1 AS a, 2 AS b")[1], "1,2\n")
    numbers = place.run("sql", "one", "SELECT 0.1 + 0.2, 1e-9, 12345.000000001, 1e20, -2.5, 3.0, 1e-12, 9e999")[1]
    same("numbers", numbers, "0.3\t0.000000001\t12345.000000001\t1e+20\t-2.5\t3.0\t1e-12\tInfinity\n")
    table = place.run("sql", "--table", "one", "SELECT event, enter FROM events LIMIT 3")[1].splitlines()
    same("numbers stand to the right, decimals below each other", table,
         ["event       enter", "-----  ----------", "    1  0.00000010", "    2  0.00000025", "    3  0.00000040"])
    long = place.run("sql", "--table", "one", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)"
                     "SELECT i FROM n")[1].splitlines()
    check("a long table has one header", len(long) == 2502 and long[-1] == "2500", long[-3:])


def refused(place):
    before = sorted(os.listdir(place.path))
    for query in ("ATTACH 'x.db' AS x", "VACUUM INTO 'x.db'", "PRAGMA temp_store_directory = '/tmp'",
                  "PRAGMA writable_schema = 1", "SELECT load_extension('x')", "CREATE VIRTUAL TABLE x USING fts5(a)",
                  "DELETE FROM events", "INSERT INTO messages(tag) VALUES (1)", "UPDATE events SET rank = 1",
                  "DROP TABLE events", "SELECT readfile('/etc/passwd')", "SELECT writefile('x', 'y')"):
        status, out, err = place.run("sql", "one", query)
        check("refused: " + query, status == 2 and not out and err.startswith("hbdb: sql: ") and err.count("\n") == 1,
              (status, out, err))
    same("nothing was written", sorted(os.listdir(place.path)), before)
    same("tables and views in memory are allowed", place.run("sql", "one", """
        CREATE TABLE t AS SELECT call, count(*) AS n FROM events GROUP BY call;
        CREATE VIEW v AS SELECT * FROM t WHERE n > 2; CREATE INDEX i ON t(n);
        INSERT INTO t VALUES ('x', 9); SELECT * FROM v ORDER BY n DESC, call""")[1],
         "x\t9\nMPI_Isend\t3\n")
    for query, words in (("SELECT absent FROM events", "no such column: absent"), ("SELECT * FROM event", "--columns"),
                         ("SELEC 1", "syntax error"), ("SELECT 'open", "unrecognized token"), ("SELECT * FROM (", "incomplete"),
                         ("SELECT 1; SELECT no", "no such column"), ("SELECT '\n' || \"\n\n\" || x", "no such column")):
        status, out, err = place.run("sql", "one", query)
        check("wrong: %r" % query, status == 2 and words in err and err.count("\n") == 1, (status, err))
    same("what came before the error is printed", place.run("sql", "one", "SELECT 1; SELECT no")[1], "1\n")


def page(place):
    """The man page and --columns say the same."""
    text = open(lib.TOP + "/docs/man/hbdb-sql.1.scd").read()
    told = place.run("sql", "--columns")[1]
    tables = re.findall(r"^(\w+): (.*)$", told, re.M)
    check("there are tables", len(tables) >= 6, told[:300])
    for name, _ in tables:
        own = re.search(r"^%s: .*\n((?:  .*\n)+)" % name, told, re.M).group(1)
        section = re.search(r"^## %s\n(.*?)^#" % name, text, re.M | re.S)
        same("the page has the columns of " + name,
             re.findall(r"^\*(\w+)\* (\w+)\n\t(.+)$", section.group(1), re.M) if section else None,
             [(c, t.lower(), h.strip().replace("(not in SELECT *)", "(hidden)")) for c, t, h in
              re.findall(r"^  (\w+) +(\w+) +(.*)$", own, re.M)])
        visible = [c for c, h in re.findall(r"^  (\w+) +\w+ +(.*)$", own, re.M) if "(not in SELECT *)" not in h]
        status, out, err = place.run("sql", "--csv", "one", "SELECT * FROM %s LIMIT 0" % name)
        same("SELECT * of " + name, (status, out.strip().split(",")), (0, visible))


def not_whole(place, mpi):
    """A log missing, cut, damaged, foreign: said first, answered all the same, exit status 3."""
    def variant(name, change):
        shutil.copytree(place.path + "/%s.hbdb" % mpi, place.path + "/%s.hbdb" % name)
        change(place.path + "/%s.hbdb/rank.1.log" % name)
        return place.run("sql", name, "SELECT count(*), sum(rank = 1) > 0 FROM events; SELECT state FROM processes WHERE rank = 1;"
                         "SELECT sum(state = 'received') > 0, sum(sender = 1 AND state = 'received') > 0 FROM messages;"
                         "SELECT count(*) > 0, max(uncertain) FROM races WHERE rank = 0")

    def cut(path):
        data = open(path, "rb").read()
        with open(path, "wb") as f:
            f.write(data[:len(data) * 2 // 3])

    def foreign(path):
        with open(path, "wb") as f:
            f.write(b"something else" * 1000)

    for name, change, state in (("missing", os.remove, "missing"), ("cut", cut, None), ("foreign", foreign, "missing")):
        status, out, err = variant(name + "-" + mpi, change)
        lines = out.split("\n")
        check("%s: a log that is %s: status and a first line" % (mpi, name), status == 3 and len(lines) >= 4 and
              re.search(r"rank 1|rank\.1\.log", err.splitlines()[0]), (status, out, err))
        check("%s: a log that is %s: the rest is answered" % (mpi, name), lines[2].startswith("1\t") and
              (state is None or lines[0].endswith("\t0") and lines[1] == state), (out, err))


def levels(place):
    folder = place.path + "/order.hbdb"
    rawlog.manifest(folder, level="order", started=STARTED)
    log = rawlog.Log(level=0)
    log.function("MPI_Recv", rawlog.RECV)
    log.comm(0, -1, 0, 0, 0, [0])
    log.event("MPI_Recv", (), (0, 5, 4))
    log.write(folder)
    same("level order: events without times", place.run("sql", "order", "SELECT call, source, source_tag, enter, exit, choice "
                                                        "FROM events"), (0, "MPI_Recv\t0\t5\t\t\t1\n", ""))
    status, out, err = place.run("sql", "order", "SELECT * FROM messages")
    check("level order: no messages, said so", status == 2 and not out and "level" in err and err.count("\n") == 1,
          (status, out, err))


def pipe(place):
    done = subprocess.run(["bash", "-c", "%s sql one 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * "
                           "FROM n' | head -1; echo ${PIPESTATUS[0]}" % lib.HBDB], cwd=place.path, env=place.env,
                          capture_output=True, text=True, timeout=60)
    check("an endless answer ends when nobody reads on", done.stdout == "1\n0\n" and not done.stderr,
          (done.stdout[-200:], done.stderr))


def run(place):
    rawlog.manifest(place.path + "/one.hbdb", started=STARTED)
    rawlog.example().write(place.path + "/one.hbdb")
    events = [json.loads(line) for line in place.run("dump", "--json", "one")[1].splitlines()]
    rows = [json.loads(line) for line in place.run("sql", "--json", "one", "SELECT * FROM events")[1].splitlines()]
    same("every shape of result is a row", [(r["event"], r["call"]) for r in rows],
         [(e["event"], e["function"]) for e in events])
    operands(place)
    forms(place)
    refused(place)
    page(place)
    levels(place)
    pipe(place)
