#!/usr/bin/python3
"""What came in, as values: hbdb dump --data as text and JSON, hbdb sql, over files written from the manual pages alone."""
import ctypes
import json
import random
import struct
import sys

import rawdata  # first: it tells where the others are
from rawdata import sv, uv
import lib
import rawlog
from rawlog import COLLECTIVE, COMMUNICATOR, COMPLETE, DATATYPE, LOCAL, NUMBER, OP, RANK, RECV, RMA, SPECIAL, TAG, WINDOW
from lib import check, has, same

BYTE, CHAR, INT, FLOAT, DOUBLE, UNSIGNED, DOUBLE_INT, COMPLEX, LONG_DOUBLE, INTEGER = 0, 2, 4, 6, 7, 13, 15, 35, 8, 25
PARTICLE, UNTOLD = 1024, 1025


def log_of(rank):
    log = rawlog.Log(rank, 2)
    message = (("count", NUMBER), ("datatype", DATATYPE), ("source", RANK), ("tag", TAG), ("comm", COMMUNICATOR))
    log.function("MPI_Recv", RECV, *message)
    log.function("MPI_Irecv", RECV, *message)
    log.function("MPI_Waitall", COMPLETE, ("count", NUMBER))
    log.function("MPI_Allreduce", COLLECTIVE, ("count", NUMBER), ("datatype", DATATYPE), ("op", OP), ("comm", COMMUNICATOR))
    log.function("MPI_Recv_init", RECV, *message)
    log.function("MPI_Start", SPECIAL)
    log.function("MPI_Wait", COMPLETE)
    log.function("MPI_Win_fence", RMA, ("assert", NUMBER), ("win", WINDOW))
    log.function("MPI_Comm_size", LOCAL)
    for number, size, name in ((BYTE, 1, "MPI_BYTE"), (CHAR, 1, "MPI_CHAR"), (INT, 4, "MPI_INT"), (FLOAT, 4, "MPI_FLOAT"), (DOUBLE, 8, "MPI_DOUBLE"),
                               (UNSIGNED, 4, "MPI_UNSIGNED"), (DOUBLE_INT, 12, "MPI_DOUBLE_INT"), (COMPLEX, 8, "MPI_COMPLEX"),
                               (LONG_DOUBLE, 16, "MPI_LONG_DOUBLE"), (INTEGER, 8, "MPI_INTEGER"), (PARTICLE, 15, "type#0"), (UNTOLD, 6, "type#1")):
        log.datatype(number, size, name)
    runs = ((INT, 1), (DOUBLE, 1), (CHAR, 3))
    log.defs += rawlog.definition(8, uv(PARTICLE) + uv(5) + uv(77) + uv(3) + b"".join(uv(b) + uv(n) for b, n in runs))
    log.op(0, "MPI_SUM")
    log.comm(0, -1, 0, 0, rank, [0, 1])
    return log


def status(source, tag, size, cancelled=0):
    return (7, sv(source) + sv(tag) + sv(size) + sv(cancelled))


def recv(log, data, datatype, count, content):
    log.event("MPI_Recv", (count, datatype, 1, 5, 0))
    data.event(log.events, status(1, 5, len(content)), (1, content))


def example():
    log, d = log_of(0), rawdata.Data(0)
    d.call("mpi:MPI_Comm_size", 0, (2, sv(2)))
    recv(log, d, DOUBLE, 1000, struct.pack("<1000d", *(0.5 * i for i in range(1000))))              # 1
    recv(log, d, INT, 2, struct.pack("<2i", -7, 2147483647))                                        # 2
    recv(log, d, CHAR, 14, b"say \"hi\"\\\x07\0!\n")                                                # 3
    recv(log, d, PARTICLE, 2, 2 * struct.pack("<id3s", 7, 1.5, b"ab"))                              # 4
    recv(log, d, UNTOLD, 1, bytes(range(250, 256)))                                                 # 5
    recv(log, d, COMPLEX, 2, struct.pack("<4f", 1, -2, 0.25, 0))                                    # 6
    recv(log, d, DOUBLE_INT, 1, struct.pack("<di", float("nan"), 3))                                # 7
    recv(log, d, UNSIGNED, 1, struct.pack("<I", 0xFFFFFFFE))                                        # 8
    recv(log, d, INTEGER, 1, struct.pack("<q", -2**40))                                             # 9, a large INTEGER
    recv(log, d, LONG_DOUBLE, 1, bytes.fromhex("00000000000000c0004000000000cafe"))                 # 10: 3, and padding
    recv(log, d, INT, 1, b"")                                                                       # 11
    log.event("MPI_Irecv", (1, FLOAT, -1, 5, 0))                                                    # 12, #0
    log.event("MPI_Irecv", (3, INT, 1, 5, 0))                                                       # 13, #1
    log.event("MPI_Waitall", (2,), (1, 0, 1, 5, 4, 0, 0))                                           # 14: #0 told, #1 as posted
    d.event(14, (3, sv(1) + sv(5) + sv(4) + sv(0)), (64, struct.pack("<f", 0.1)),
            (3, sv(1) + sv(5) + sv(12) + sv(0)), (65, struct.pack("<3i", 1, 2, 3)))
    log.event("MPI_Allreduce", (1, INT, 0, 0))                                                      # 15
    d.event(15, (2, struct.pack("<i", 42)))
    log.event("MPI_Recv_init", (2, DOUBLE, 1, 5, 0))                                                # 16, #2
    log.event("MPI_Start", (), (2 * 0,))                                                            # 17: refers to #2, posts #3
    log.event("MPI_Wait", (), (0, 0))                                                               # 18: #3
    d.event(18, (2, sv(1) + sv(5) + sv(16) + sv(0)), (64, struct.pack("<2d", 3, 4)))
    log.event("MPI_Waitall", (2,), (3, 0, 14, 1, 5, 0, 4), error=19)                                # 19: of #4, failed
    d.event(19, (64, sv(15)), (64, struct.pack("<i", 9)))
    log.event("MPI_Win_fence", (0, 2))                                                              # 20
    d.event(20, (1 << 20, sv(2)), ((1 << 20) + 1, sv(2) + sv(0) + sv(128)), ((1 << 20) + 2, bytes(range(10))),
            ((1 << 20) + 3, sv(3) + sv(1) + sv(0)), ((1 << 20) + 4, b"\xff"))
    d.call("inputs:gethostname", 20, (1, b"node-a"), (2, bytes([1, 2, 200])))
    return log, d


WANTED = """0:0+  data MPI_Comm_size size: 2
0:1  data status: source=1 tag=5 bytes=8000
0:1  data buf: 1000 MPI_DOUBLE: 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, ... (8000 bytes, digest DIGEST)
0:2  data status: source=1 tag=5 bytes=8
0:2  data buf: 2 MPI_INT: -7, 2147483647
0:3  data status: source=1 tag=5 bytes=13
0:3  data buf: 13 MPI_CHAR: "say \\"hi\\"\\\\\\x07\\0!\\x0a"
0:4  data status: source=1 tag=5 bytes=30
0:4  data buf: 2 type#0: 7, 1.5, "ab\\0", 7, 1.5, "a", ... (30 bytes, digest PARTICLES)
0:5  data status: source=1 tag=5 bytes=6
0:5  data buf: 1 type#1, 6 bytes: fa fb fc fd fe ff
0:6  data status: source=1 tag=5 bytes=16
0:6  data buf: 2 MPI_COMPLEX: (1.0, -2.0), (0.25, 0.0)
0:7  data status: source=1 tag=5 bytes=12
0:7  data buf: 1 MPI_DOUBLE_INT: (nan, 3)
0:8  data status: source=1 tag=5 bytes=4
0:8  data buf: 1 MPI_UNSIGNED: 4294967294
0:9  data status: source=1 tag=5 bytes=8
0:9  data buf: 1 MPI_INTEGER: -1099511627776
0:10  data status: source=1 tag=5 bytes=16
0:10  data buf: 1 MPI_LONG_DOUBLE: 3.0
0:11  data status: source=1 tag=5 bytes=0
0:11  data buf: 0 MPI_INT
0:14  data array_of_statuses of request 0: source=1 tag=5 bytes=4
0:14  data request 0: 1 MPI_FLOAT: 0.10000000149011612
0:14  data array_of_statuses of request 1: source=1 tag=5 bytes=12
0:14  data request 1: 3 MPI_INT: 1, 2, 3
0:15  data recvbuf: 1 MPI_INT: 42
0:18  data status of request 0: source=1 tag=5 bytes=16
0:18  data request 0: 2 MPI_DOUBLE: 3.0, 4.0
0:19  data error of request 0: 15
0:19  data request 0: 4 bytes: 09 00 00 00
0:20  data window 2 of rank 0 at 128: 10 bytes: 00 01 02 03 04 05 06 07 08 09
0:20  data window 3 of rank 1 at 0: 1 byte: ff
0:20+  data inputs:gethostname number 1: 6 bytes: "node-a"
0:20+  data inputs:gethostname number 2: 3 bytes: 01 02 c8"""


def digest_of(content):
    """XXH3, by its library."""
    library = ctypes.CDLL("libxxhash.so.0")
    library.XXH3_64bits.restype = ctypes.c_uint64
    library.XXH3_64bits.argtypes = (ctypes.c_char_p, ctypes.c_size_t)
    return "%016x" % library.XXH3_64bits(content, len(content))


def text(place):
    status, out, err = place.run("dump", "--plain", "--data", "one")
    lines = [line for line in out.splitlines() if "  data " in line]
    wanted = WANTED.replace("DIGEST", digest_of(struct.pack("<1000d", *(0.5 * i for i in range(1000)))))
    wanted = wanted.replace("PARTICLES", digest_of(2 * struct.pack("<id3s", 7, 1.5, b"ab"))).splitlines()
    same("each piece as values of its datatype", (status, lines, err), (0, wanted, ""))
    events = [line for line in out.splitlines() if "  data " not in line]
    same("the other lines are those of dump", events, place.run("dump", "--plain", "one")[1].splitlines())
    order = out.splitlines()
    check("what came with an event stands behind it, calls where they were made",
          order[0] == wanted[0] and order[1].startswith("0:1 MPI_Recv") and order[-1] == wanted[-1], out)
    same("fewer values", [line for line in place.run("dump", "--data=2", "--from", "2", "--to", "4", "one")[1].splitlines() if " data buf" in line],
         ["0:2  data buf: 2 MPI_INT: -7, 2147483647", "0:3  data buf: 13 MPI_CHAR: \"say \\\"hi\\\"\\\\\\x07\\0!\\x0a\"",
          "0:4  data buf: 2 type#0: 7, 1.5, ... (30 bytes, digest %s)" % digest_of(2 * struct.pack("<id3s", 7, 1.5, b"ab"))])
    out = place.run("dump", "--plain", "--data", "--function", "Allreduce", "one")[1]
    same("of chosen events only theirs", len(out.splitlines()), 2)
    _, timed, _ = place.run("dump", "--plain", "--data", "--time", "one")
    same("the same in the order of time", sorted(timed.splitlines()), sorted(order))
    has("without contents that is said", place.run("dump", "--data", "--rank", "1", "one")[2], "there are no contents of these processes")


def objects(place):
    lines = [json.loads(line) for line in place.run("dump", "--json", "--data", "one")[1].splitlines()]
    data = [o for o in lines if "data" in o]
    same("an object for each piece", len(data), len(WANTED.splitlines()))
    same("a buffer", {k: v for k, v in data[2].items() if k != "digest"},
         {"rank": 0, "lane": 0, "event": 1, "data": "buf", "kind": "buffer", "datatype": "MPI_DOUBLE", "elements": 1000, "bytes": 8000, "values": 1000,
          "first": [0.5 * i for i in range(8)]})
    by_event = {(o.get("event"), o["data"]): o for o in data}
    same("characters", by_event[3, "buf"]["first"], ["say \"hi\"\\\x07\0!\n"])
    same("what is no number of JSON is a text", by_event[7, "buf"]["first"], ["(nan, 3)"])
    same("a request", [by_event[14, "request 1"][k] for k in ("request", "datatype", "first")], [1, "MPI_INT", [1, 2, 3]])
    same("a call that is no event", {k: data[0][k] for k in ("behind", "call", "data", "first")},
         {"behind": 0, "call": "mpi:MPI_Comm_size", "data": "size", "first": [2]})


def tables(place):
    def ask(query):
        status, out, err = place.run("sql", "--json", "one", query)
        check("sql: " + query[:60], status == 0 and not err, err)
        return [json.loads(line) for line in out.splitlines()]

    rows = ask("SELECT event, call, piece, what, request, type, elements, bytes, first FROM data")
    same("a row for each piece", len(rows), len(WANTED.splitlines()))
    same("of a buffer", [r for r in rows if r["event"] == 2][1], {"event": 2, "call": None, "piece": 1, "what": "buf", "request": None, "type": "MPI_INT",
                                                                 "elements": 2, "bytes": 8, "first": "-7, 2147483647"})
    same("all bytes", ask("SELECT hex(content) AS h FROM data WHERE event = 8 AND what = 'buf'"), [{"h": "FEFFFFFF"}])
    same("the digest", ask("SELECT digest FROM data WHERE event = 1 AND piece = 1")[0]["digest"],
         digest_of(struct.pack("<1000d", *(0.5 * i for i in range(1000)))))
    same("a row for each value", ask("SELECT count(*) AS n, sum(value) AS s FROM value WHERE event = 1 AND what = 'buf'"), [{"n": 1000, "s": 249750.0}])
    same("numbers and texts by datatype", [(r["number"], r["type"], r["value"]) for r in
                                           ask("SELECT number, type, value FROM value WHERE event = 4 AND piece = 1 AND number < 5")],
         [(0, "MPI_INT", 7), (1, "MPI_DOUBLE", 1.5), (2, "MPI_CHAR", "a"), (3, "MPI_CHAR", "b"), (4, "MPI_CHAR", "\\0")])
    same("pairs", [(r["value"], r["second"]) for r in ask("SELECT value, second FROM value WHERE event = 6 AND what = 'buf'")], [(1.0, -2.0), (0.25, 0.0)])
    same("large unsigned numbers", ask("SELECT value FROM value WHERE event = 8 AND what = 'buf'"), [{"value": 4294967294}])
    same("events that are asked for alone", ask("SELECT what FROM data WHERE event BETWEEN 14 AND 15 AND call IS NULL"),
         [{"what": w} for w in ("array_of_statuses of request 0", "request 0", "array_of_statuses of request 1", "request 1", "recvbuf")])
    same("in the order of events without sorting", [r["event"] for r in ask("SELECT event FROM data ORDER BY rank, lane, event")],
         sorted(r["event"] for r in rows))
    same("a rank without contents has no rows", ask("SELECT count(*) AS n FROM data WHERE rank = 1"), [{"n": 0}])
    same("joined with events", ask("SELECT e.call, sum(d.bytes) AS b FROM events e JOIN data d USING (rank, lane, event) WHERE d.call IS NULL AND d.what = 'recvbuf' "
                                   "GROUP BY e.call"), [{"call": "MPI_Allreduce", "b": 4}])


def damaged(place, data):
    path = place.path + "/one.hbdb/rank.0.data"
    with open(path, "r+b") as f:
        f.truncate(70000)
    status, out, err = place.run("dump", "--plain", "--data", "one")
    check("contents that end early are told, the events are all there", status == 3 and "ends early" in err and len(out.splitlines()) >= 19, (status, err))
    chance, whole = random.Random(5), data.bytes()
    wrong = []
    for _ in range(40):
        spoiled = bytearray(whole)
        for _ in range(3):
            at = chance.choice((chance.randrange(65536, len(whole)), chance.randrange(64), whole.rfind(b"HBDX") + chance.randrange(2000)))
            spoiled[at] = chance.randrange(256)
        with open(path, "wb") as f:
            f.write(spoiled)
        for words in (("dump", "--data", "one"), ("dump", "--data", "--json", "one"), ("sql", "one", "SELECT count(*), max(value) FROM value; SELECT * FROM data"),
                      ("info", "one"), ("verify", "one")):
            status, _, err = place.run(*words)
            if status not in (0, 3) or "ERROR: AddressSanitizer" in err or "runtime error" in err:
                wrong.append((words, status, err[:300]))
    check("damage anywhere is read over or told, and never a crash", not wrong, wrong[:3])
    with open(path, "wb") as f:
        f.write(b"not contents, but something long enough to have a header")
    status, out, err = place.run("sql", "one", "SELECT count(*) FROM data")
    check("sql does not answer with no rows where contents cannot be read", status == 3 and "cannot be read" in err, (status, out, err))


def main():
    with lib.Place(libraries=False) as place:
        folder = place.path + "/one.hbdb"
        rawlog.manifest(folder, level="data", processes=2, started="2023-11-14T22:13:20.000Z")
        log, data = example()
        log.write(folder)
        log_of(1).write(folder)
        data.write(folder)
        text(place)
        objects(place)
        tables(place)
        damaged(place, data)
    lib.finish()


if __name__ == "__main__":
    sys.exit(main())
