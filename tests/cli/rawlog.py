"""Writes raw logs, from docs/man/hbdb-recording.5 alone: recordings for tests that need no MPI."""
import json
import os
import struct

UNIT = 32768
LOCAL, SEND, RECV, COMPLETE, PROBE, COLLECTIVE, COMM, RMA, IO, SPECIAL = range(10)
NUMBER, RANK, TAG, COMMUNICATOR, DATATYPE, OP, WINDOW, FILE, DIGEST = range(9)


def uv(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def sv(n):
    return uv(((n << 1) ^ (n >> 63)) & 0xFFFFFFFFFFFFFFFF)


def text(s):
    s = s.encode() if isinstance(s, str) else s
    return uv(len(s)) + s


def fixed(s, size):
    s = s.encode() if isinstance(s, str) else s
    return s[:size - 1].ljust(size, b"\0")


def definition(kind, body):
    return uv(1) + bytes([kind]) + uv(len(body)) + body


class Log:
    """One process with one lane; at most one unit of rows and one of definitions."""

    def __init__(self, rank=0, size=1, level=1, state=1, stopped=0, lost=0, library=1):
        self.rank, self.size, self.level, self.state = rank, size, level, state
        self.stopped, self.lost, self.library = stopped, lost, library
        self.defs, self.rows = b"", b""
        self.functions, self.slots = {}, {}
        self.events = self.polls = self.inside = self.sites = 0
        self.calls = {}
        self.host, self.version, self.program = "node-a", "Test MPI 1.0", "/tmp/app"

    def function(self, name, cls, *args):
        number = len(self.functions)
        self.functions[name] = number
        self.defs += definition(1, uv(number) + bytes([cls]) + text(name) + uv(len(args)) +
                                b"".join(bytes([kind]) + text(arg) for arg, kind in args))
        return number

    def module(self, number, base, path, build_id=""):
        self.defs += definition(2, uv(number) + uv(base) + text(path) + text(build_id))

    def site(self, number, module, offset):
        self.defs += definition(3, uv(number) + uv(module) + uv(offset))

    def comm(self, number, parent, index, leader, rank, members, flags=0, remote=()):
        def group(ranks):
            last, out = 0, uv(len(ranks))
            for r in ranks:
                out += sv(r - last)
                last = r
            return out
        self.defs += definition(5,
                uv(number) + sv(parent) + uv(index) + sv(leader) + uv(rank) + uv(flags) + group(members) +
                                (group(remote) if flags & 1 else b""))

    def datatype(self, number, size, name):
        self.defs += definition(6, uv(number) + uv(size) + text(name))

    def op(self, number, name):
        self.defs += definition(7, uv(number) + text(name))

    def array(self, digest, values):
        self.defs += definition(9, uv(digest) + uv(len(values)) + b"".join(sv(v) for v in values))

    def slot(self, name, args=(), site=0):
        key = (name, tuple(args), site)
        if key not in self.slots:
            slot = self.slots[key] = len(self.slots)
            self.rows += definition(4, uv(slot) + uv(self.functions[name]) + uv(site) + uv(0) + uv(len(args)) +
                                    b"".join(sv(a) for a in args))
        return self.slots[key]

    def event(self, name, args=(), results=(), site=0, polls=0, error=0, wait=100, took=50):
        slot = self.slot(name, args, site)
        if polls:
            self.rows += uv(2) + uv(polls)
        if error:
            self.rows += uv(3) + sv(error)
        self.rows += uv(16 + (slot << 1) + (1 if results else 0))
        if self.level:
            self.rows += uv(wait) + uv(took)
        if results:
            self.rows += uv(len(results)) + b"".join(sv(r) for r in results)
        number = self.functions[name]
        self.calls[number] = self.calls.get(number, 0) + 1 + polls
        self.events += 1

    def note(self, line):
        self.rows += uv(4) + text(line)

    def never_returned(self, name, args=()):
        self.inside = 1 + self.slot(name, args)

    def header(self, units):
        return (b"HBDBLOG\n" + struct.pack("<IIII", 1, 0, 0, UNIT) + struct.pack("<ii", self.rank, self.size) +
                struct.pack("<II", 4000 + self.rank, self.level) +
                struct.pack("<QQQQQ", 1000000, 1700000000 * 10**9 + self.rank * 1000, 5 * 10**9, 0, 0) +
                struct.pack("<IIQII", self.state, self.stopped, units, 0, self.library) + fixed(self.host, 64) +
                fixed(self.version, 256) + fixed(self.program, 512) + struct.pack("<Q",
                self.lost)).ljust(UNIT, b"\0")

    def unit(self, kind, lane, payload):
        assert len(payload) <= UNIT - 64, "too much for one unit"
        head = b"HBDU" + struct.pack("<HHIIII", kind, lane, 0, len(payload), 0, 0) + struct.pack("<QQQ", 0, 0,
                0) + bytes(16)
        return (head + payload).ljust(UNIT, b"\0")

    def control(self):
        body = struct.pack("<QQQQQ", 0, self.polls, self.inside, 0, self.events).ljust(256 - 64, b"\0")
        last = max(self.calls, default=-1) + 1
        return self.unit(1, 0, body + b"".join(struct.pack("<Q", self.calls.get(i, 0)) for i in range(last)))

    def bytes(self):
        return self.header(4) + self.control() + self.unit(2, 65535, self.defs) + self.unit(2, 0, self.rows)

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        path = "%s/rank.%d.log" % (folder, self.rank)
        with open(path, "wb") as f:
            f.write(self.bytes())
        return path


def manifest(recording, **more):
    os.makedirs(recording, exist_ok=True)
    out = {"format": "hbdb-recording", "version": 1, "hbdb": "0.1.0", "command": ["mpirun", "-n", "1", "./app"],
           "folder": "/tmp", "started": "2026-01-01T00:00:00.000Z", "mpi": "openmpi", "level": "events",
           "contents": True,
           "aslr": False, "environment": {}, "processes": 1, "exit_status": 0, "seconds": 1.5}
    out.update(more)
    with open(recording + "/manifest.json", "w") as f:
        json.dump(out, f)


COMM_ARGS = (("comm", COMMUNICATOR),)
MESSAGE = (("count", NUMBER), ("datatype", DATATYPE))


def example(rank=0, size=1, **header):
    """A log in which every shape of result occurs; EXPECTED is what `hbdb dump --plain` makes of it."""
    log = Log(rank, size, **header)
    log.function("MPI_Send", SEND, *MESSAGE, ("dest", RANK), ("tag", TAG), *COMM_ARGS)
    log.function("MPI_Isend", SEND, *MESSAGE, ("dest", RANK), ("tag", TAG), *COMM_ARGS)
    log.function("MPI_Recv", RECV, *MESSAGE, ("source", RANK), ("tag", TAG), *COMM_ARGS)
    log.function("MPI_Irecv", RECV, *MESSAGE, ("source", RANK), ("tag", TAG), *COMM_ARGS)
    log.function("MPI_Wait", COMPLETE)
    log.function("MPI_Waitany", COMPLETE, ("count", NUMBER))
    log.function("MPI_Waitsome", COMPLETE, ("incount", NUMBER))
    log.function("MPI_Waitall", COMPLETE, ("count", NUMBER))
    log.function("MPI_Iprobe", PROBE, ("source", RANK), ("tag", TAG), *COMM_ARGS)
    log.function("MPI_Improbe", PROBE, ("source", RANK), ("tag", TAG), *COMM_ARGS)
    log.function("MPI_Mrecv", RECV, *MESSAGE)
    log.function("MPI_Send_init", SEND, *MESSAGE, ("dest", RANK), ("tag", TAG), *COMM_ARGS)
    log.function("MPI_Startall", SPECIAL, ("count", NUMBER))
    log.function("MPI_Start", SPECIAL)
    log.function("MPI_Cancel", SPECIAL)
    log.function("MPI_Comm_split", COMM, *COMM_ARGS, ("color", NUMBER), ("key", NUMBER))
    log.function("MPI_Bcast", COLLECTIVE, *MESSAGE, ("root", RANK), *COMM_ARGS)
    log.function("MPI_Alltoallv", COLLECTIVE, ("sendcounts", DIGEST), ("sendtype", DATATYPE), *COMM_ARGS)
    log.function("MPI_Reduce", COLLECTIVE, *MESSAGE, ("op", OP), ("root", RANK), *COMM_ARGS)
    log.datatype(0, 4, "MPI_INT")
    log.datatype(1, 24, "")
    log.op(0, "MPI_SUM")
    log.op(1, "")
    log.comm(0, -1, 0, 0, rank, list(range(size)))
    log.comm(2, 0, 0, 0, 0, [0])
    log.event("MPI_Irecv", (1, 0, -1, -1, 0))                              # posts #0
    log.event("MPI_Irecv", (9, 0, 2, 5, 0))                                # #1
    log.event("MPI_Isend", (1, 1, 3, 7, 0))                                # #2
    log.event("MPI_Recv", (1, 0, -1, -1, 0), (2, 5, 4))
    log.event("MPI_Waitany", (3,), (1, 1, 0, 2, 5, 36))                    # index 1, message, #0
    log.event("MPI_Waitany", (3,), (-1,))
    log.event("MPI_Wait", (), (0, 2))                                      # as posted, #0 + 1 + 1 = #2
    log.event("MPI_Wait", (), (4,))
    log.event("MPI_Waitsome", (2,), (2, 0, 2, -4, 1, 3, -2, 15, 1, 1, 40))  # #2-2+1=#1 cancelled; #1-1+1=#1 error
    log.event("MPI_Waitall", (2,), (0, -4, 1, 1, 7, 1, 0, 8), error=16)    # #0; lane 0 posting 7 by lane
    log.event("MPI_Iprobe", (-1, 3, 0), (1, 3, 400), polls=17)
    log.event("MPI_Improbe", (-1, -1, 2), (1, 3, 400))                     # #3
    log.event("MPI_Mrecv", (100, 0), (4,))                                 # #0 + 2 + 1 = #3
    log.event("MPI_Send_init", (1, 0, -2, 0, 1))                           # #4
    log.event("MPI_Startall", (1,), (0,))                                  # #4, posts #5
    log.event("MPI_Start", (), (-2,))                                      # #4, posts #6
    log.event("MPI_Isend", (1, 0, 1, 7, -1), error=5)                      # fails: posts nothing
    log.event("MPI_Isend", (1, 0, 1, 7, 2))                                # #7
    log.event("MPI_Cancel", (), (4,))                                      # #4 + 2 + 1 = #7
    log.event("MPI_Comm_split", (0, 1, 0), (2,))
    log.event("MPI_Comm_split", (0, -32766, 0), (-1,))
    log.event("MPI_Bcast", (1, 0, -3, 2))
    log.event("MPI_Alltoallv", (0xBEEF, 1, 0))
    log.event("MPI_Reduce", (1, 0, 1, 0, 0))
    log.event("MPI_Send", (1, 0, 1, 7, 0), error=6)
    return log


EXPECTED = """\
0:1 MPI_Irecv(count=1, datatype=MPI_INT, source=ANY, tag=ANY, comm=WORLD)
0:2 MPI_Irecv(count=9, datatype=MPI_INT, source=2, tag=5, comm=WORLD)
0:3 MPI_Isend(count=1, datatype=type#1, dest=3, tag=7, comm=WORLD)
0:4 MPI_Recv(count=1, datatype=MPI_INT, source=ANY, tag=ANY, comm=WORLD) -> source=2 tag=5 bytes=4
0:5 MPI_Waitany(count=3) -> index=1 #0 source=2 tag=5 bytes=36
0:6 MPI_Waitany(count=3) -> index=UNDEFINED
0:7 MPI_Wait() -> #2
0:8 MPI_Wait() -> null
0:9 MPI_Waitsome(incount=2) -> index=0 #1 cancelled index=1 #1 error=ERR_TRUNCATE source=1 tag=1 bytes=40
0:10 MPI_Waitall(count=2) = ERR_OTHER -> #0 #7 source=1 tag=0 bytes=8
0:11 MPI_Iprobe(source=ANY, tag=3, comm=WORLD) -> source=1 tag=3 bytes=400
0:12 MPI_Improbe(source=ANY, tag=ANY, comm=2) -> source=1 tag=3 bytes=400
0:13 MPI_Mrecv(count=100, datatype=MPI_INT) -> #3
0:14 MPI_Send_init(count=1, datatype=MPI_INT, dest=PROC_NULL, tag=0, comm=SELF)
0:15 MPI_Startall(count=1) -> #4
0:16 MPI_Start() -> #4
0:17 MPI_Isend(count=1, datatype=MPI_INT, dest=1, tag=7, comm=NULL) = ERR_COMM
0:18 MPI_Isend(count=1, datatype=MPI_INT, dest=1, tag=7, comm=2)
0:19 MPI_Cancel() -> #7
0:20 MPI_Comm_split(comm=WORLD, color=1, key=0) -> comm=2
0:21 MPI_Comm_split(comm=WORLD, color=UNDEFINED, key=0) -> comm=NULL
0:22 MPI_Bcast(count=1, datatype=MPI_INT, root=ROOT, comm=2)
0:23 MPI_Alltoallv(sendcounts=~beef, sendtype=type#1, comm=WORLD)
0:24 MPI_Reduce(count=1, datatype=MPI_INT, op=op#1, root=0, comm=WORLD)
0:25 MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=7, comm=WORLD) = ERR_RANK
"""
