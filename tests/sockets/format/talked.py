"""A second reader of what hbdb-recording(5) says in SOCKETS, from that page alone, on top of the second reader of logs. Test code."""
import collections
import glob
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "checks"))
import second_reader

STREAM, DATAGRAM, CONNECTION, READY, FAMILY = range(16, 21)
CLASSES = {STREAM: "stream", DATAGRAM: "datagram", CONNECTION: "connection", READY: "ready", FAMILY: "family"}
REPEATED = {DATAGRAM: 3, READY: 3}
GIVE = ("send", "sendto", "sendmsg", "sendmmsg", "write", "writev", "sendfile", "splice_to")
TAKE = ("recv", "recvfrom", "recvmsg", "recvmmsg", "read", "readv", "splice_from")
Event = collections.namedtuple("Event", "process lane number enter leave cls function arguments values more")


def named(log, pairs):
    """Names with what was told: texts for their numbers, -1 as none; unsigned integers as such."""
    out = {}
    for kind, name, value in pairs:
        if kind == "text":
            value = None if value < 0 else log.texts[value].decode()
        out[name.decode()] = value % 2**64 if kind == "unsigned" else value
    return out


def event(log, process, lane, number, row):
    cls, name, arguments = log.defs[1][row.slot.function]
    if not STREAM <= cls <= FAMILY:
        return None
    fields = [({2: "text", 3: "unsigned"}.get(t, "number"), n) for t, n in log.values[row.slot.function]]
    told = {9: "text"}
    given = named(log, [(told.get(k, "number"), n, v) for (k, n), v in zip(arguments, row.slot.args)])
    once = fields[:len(fields) - REPEATED.get(cls, 0)]
    again = fields[len(once):]
    values = named(log, [(k, n, v) for (k, n), v in zip(once, row.results)])
    rest, more = row.results[len(once):], []
    while again and rest:
        more.append(named(log, [(k, n, v) for (k, n), v in zip(again, rest)]))
        rest = rest[len(again):]
    if rest and not again and len(row.results) > len(fields):
        raise ValueError("more results than values")
    ns = (log.last_mono - log.mono) / log.last_tick if log.last_tick and log.last_mono > log.mono else log.tick_fs / 1e6
    return Event(process, lane, number, log.mono + row.enter * ns, log.mono + row.leave * ns, cls, name.decode(), given, values, more)


class Recording:
    """events: of all processes; names of processes as WORLDS says, of programs without MPI."""

    def __init__(self, folder):
        logs = []
        for path in glob.glob(os.path.join(folder, "rank.*.log")):
            with open(path, "rb") as f:
                logs.append(second_reader.Log(f.read()))
        logs.sort(key=lambda log: [place[:2] for place in log.place])
        self.events, self.pids, seen = [], {}, collections.Counter()
        self.networks = {(log.host, log.network) for log in logs}
        for log in logs:
            program = os.path.basename(log.program.decode())
            seen[program] += 1
            name = program + (f"#{seen[program]}" if seen[program] > 1 else "")
            self.pids[log.pid] = name
            for number, lane in sorted(log.lanes.items()):
                rows = (event(log, name, number, n + 1, row) for n, row in enumerate(lane.rows))
                self.events += [e for e in rows if e]

    def pairs(self):
        """Who got what of whom: (process, lane, event) twice, of streams, datagrams and connections."""
        return self.streams() | self.datagrams() | self.connections()

    def streams(self):
        given, taken, found = collections.defaultdict(list), collections.defaultdict(list), set()
        for e in sorted(self.events, key=lambda e: e.enter):
            if e.cls == STREAM and e.values["bytes"] > 0 and e.function in GIVE + TAKE:
                end = e.arguments["end"]
                way = end if e.function in GIVE else other(end)
                (given if e.function in GIVE else taken)[way].append((e, e.values["bytes"]))
        for way, takes in taken.items():
            at, sends = 0, stretches(given[way])
            for e, n in takes:
                found |= {(where(s), where(e)) for s, a, b in sends if a < at + n and b > at}
                at += n
        return found

    def datagrams(self):
        sent, found = collections.defaultdict(list), set()
        every = [(e, d) for e in self.events if e.cls == DATAGRAM and e.function in GIVE + TAKE for d in e.more if d["bytes"] >= 0]
        for e, d in sorted((x for x in every if x[0].function in GIVE), key=lambda x: x[0].enter):
            sent[target(e, d), d["bytes"], d["hash"]].append(e)
        for e, d in sorted((x for x in every if x[0].function in TAKE), key=lambda x: x[0].leave):
            queue = sent[own(e), d["bytes"], d["hash"]] if d["hash"] else []
            if queue:
                found.add((where(queue.pop(0)), where(e)))
        return found

    def connections(self):
        asked, found = collections.defaultdict(list), set()
        for e in sorted((e for e in self.events if e.cls == CONNECTION and e.values["result"] in (0, -115)), key=lambda e: e.enter):
            if e.function == "connect" and " > " in e.arguments["end"] and not e.arguments["end"].startswith(("udp", "unixgram")):
                asked[e.arguments["end"]].append(e)
            elif e.function.startswith("accept") and asked[other(e.values["new"])]:
                found.add((where(asked[other(e.values["new"])].pop(0)), where(e)))
        return found


def where(e):
    return e.process, e.lane, e.number


def stretches(sends):
    at, out = 0, []
    for e, n in sends:
        out.append((e, at, at + n))
        at += n
    return out


def other(end):
    """The name that the end of the same connection has in the other process."""
    kind, _, rest = end.partition(" ")
    if " > " not in rest:
        return end
    mine, _, peer = rest.partition(" > ")
    peer, blank, path = peer.partition(" ") if kind == "unix" else (peer, "", "")
    return f"{kind} {peer} > {mine}{blank}{path}"


def own(e):
    return e.arguments["end"].partition(" ")[2].partition(" > ")[0]


def target(e, told):
    return told.get("peer") or e.arguments["end"].partition(" > ")[2]
