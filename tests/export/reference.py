"""What a run did, worked out from `hbdb dump --json` alone and in another way than hbdb does: messages by counting per
channel, happened-before as a graph over enters and exits. For runs on WORLD, SELF and communicators made by
Comm_dup and Comm_split; anything else raises."""
import collections
import json

ORDERS = {"Barrier": "all", "Allreduce": "all", "Allgather": "all", "Allgatherv": "all", "Alltoall": "all",
    "Alltoallv": "all", "Alltoallw": "all", "Reduce_scatter": "all", "Reduce_scatter_block": "all", "Bcast": "out",
    "Scatter": "out", "Scatterv": "out", "Gather": "in", "Gatherv": "in", "Reduce": "in", "Scan": "scan",
    "Exscan": "exscan", "Comm_dup": "all", "Comm_split": "all"}
EMPTY_IS_NOTHING = {"Allreduce", "Bcast", "Reduce", "Scan", "Exscan"}
UNKNOWN = {"Comm_create", "Comm_create_group", "Intercomm_create", "Intercomm_merge", "Cart_create", "Graph_create",
    "Dist_graph_create", "Comm_spawn", "Win_create", "Win_fence", "Comm_idup", "Cart_sub", "Comm_split_type"}

Comm = collections.namedtuple("Comm", "name members")
Send = collections.namedtuple("Send", "source dest comm tag bytes at sync")
Receive = collections.namedtuple("Receive", "process comm source tag post done")


class Run:
    """events: {(rank, lane): [event, ...]}; messages: [(Send, Receive or None)]; edges between points (rank, lane, event,
    "enter" or "exit")."""

    def __init__(self, text):
        self.events = collections.defaultdict(list)
        for line in text.splitlines():
            event = json.loads(line)
            self.events[event["rank"], event["lane"]].append(event)
        self.ranks = sorted({rank for rank, _ in self.events})
        self.sends, self.receives, self.probes = [], [], []
        self.collectives = collections.defaultdict(lambda: collections.defaultdict(dict))
        self.comms = {rank: {0: Comm("WORLD", tuple(self.ranks)), 1: Comm("SELF%d" % rank, (rank,))}
                for rank in self.ranks}
        self.requests = {rank: {} for rank in self.ranks}
        self.made = collections.defaultdict(list)
        self.completed_sends, self.completed_collectives = [], []
        self.make_comms()
        for rank in self.ranks:
            self.counts = collections.Counter()
            merged = sorted((e for (r, _), events in self.events.items() if r == rank for e in events),
                    key=lambda e: e["enter_ns"])
            for event in merged:
                self.take(rank, event)
        self.match()
        self.order()

    # communicators

    def make_comms(self):
        """Constructors of one communicator are called in the same order everywhere; all processes go on together."""
        waiting = {rank: [e for e in self.events[rank, 0] if e.get("new_comm") is not None or
                    base(e)[0] in ("Comm_split", "Comm_dup")] for rank in self.ranks}
        number = collections.Counter()
        while any(waiting.values()):
            before = sum(map(len, waiting.values()))
            for rank in self.ranks:
                if not waiting[rank]:
                    continue
                event = waiting[rank][0]
                comm = self.comms[rank][event["comm"]]
                calls = {r: waiting[r][0] for r in comm.members
                        if waiting[r] and self.comms[r].get(waiting[r][0]["comm"]) == comm}
                if len(calls) < len(comm.members):
                    continue
                number[comm] += 1
                self.make(comm, calls, number[comm])
                for r in comm.members:
                    waiting[r].pop(0)
            assert sum(map(len, waiting.values())) < before, "constructors do not fit"

    def make(self, comm, calls, number):
        name = base(next(iter(calls.values())))[0]
        assert name in ("Comm_split", "Comm_dup"), name
        for r, event in calls.items():
            colour = event["arguments"].get("color")
            if event.get("new_comm") in (None, -1, "NULL"):
                continue
            members = comm.members if name == "Comm_dup" else tuple(sorted(
                    (q for q in comm.members if calls[q]["arguments"]["color"] == colour),
                    key=lambda q: (calls[q]["arguments"]["key"], comm.members.index(q))))
            self.comms[r][event["new_comm"]] = Comm("%s/%d/%s" % (comm.name, number, colour), members)

    # what a call does

    def take(self, rank, e):
        name, persistent, nonblocking = base(e)
        at = (rank, e["lane"], e["event"])
        a = e.get("arguments", {})
        assert name not in UNKNOWN, name
        if e.get("result") and e["result"] != "ERR_TRUNCATE":
            return
        if name in ("Start", "Startall"):
            for i, answer in enumerate(e["answers"]):
                self.post(rank, (e["lane"], e["posting"] + i), at,
                    self.requests[rank].get((answer.get("lane", e["lane"]), answer["posting"])))
        elif name in ("Mrecv", "Request_free", "Cancel"):
            pass
        elif "answers" in e and name.startswith(("Wait", "Test", "Request_get")):
            for answer in e["answers"]:
                self.complete(rank, at, answer, e["lane"])
        elif name in ("Probe", "Mprobe"):
            self.probe(rank, e, at, name == "Mprobe")
        else:
            what = self.describe(rank, e, a, name)
            if what and persistent:
                self.requests[rank][e["lane"], e["posting"]] = dict(what, started=False)
            elif what and nonblocking:
                self.post(rank, (e["lane"], e["posting"]), at, what)
            elif what:
                self.blocking(rank, at, what, e)

    def describe(self, rank, e, a, name):
        """A dictionary: what the call, or each start of it, does."""
        what = {}
        if name.endswith("end") and name != "Psend" or name.startswith("Sendrecv"):
            if a.get("dest") != "PROC_NULL":
                what["send"] = (self.comms[rank][e["comm"]], a["dest"], a["sendtag" if "sendtag" in a else "tag"],
                        e.get("bytes", 0) if not name.startswith("Sendrecv") else None, name == "Ssend")
        if name == "Recv" or name.startswith("Sendrecv"):
            if a.get("source") != "PROC_NULL":
                what["receive"] = (self.comms[rank][e["comm"]], a["source"], a["recvtag" if "recvtag" in a else "tag"])
        if name in ORDERS:
            order = ORDERS[name]
            if name in EMPTY_IS_NOTHING and e.get("bytes") == 0:
                order = "none"
            what["collective"] = (self.comms[rank][e["comm"]], order, a.get("root"))
        return what

    def collective(self, rank, at, what):
        comm, order, root = what
        key = (comm, self.counts[comm])
        self.counts[comm] += 1
        self.collectives[key][rank] = {"enter": at, "exit": None, "order": order,
                "root": comm.members[root] if root is not None else None}
        return key

    def send(self, rank, at, what):
        comm, dest, tag, size, sync = what
        self.sends.append(Send(rank, comm.members[dest], comm, tag, size, at, sync))
        return len(self.sends) - 1

    def blocking(self, rank, at, what, e):
        if "send" in what:
            i = self.send(rank, at, what["send"])
            if what["send"][4]:
                self.completed_sends.append((i, at))
        if "receive" in what and not e.get("never_returned"):
            comm, source, tag = what["receive"]
            self.receives.append(Receive(rank, comm, comm.members[e.get("source", source)], e.get("source_tag", tag), at,
                    at))
        if "collective" in what:
            key = self.collective(rank, at, what["collective"])
            if not e.get("never_returned"):
                self.collectives[key][rank]["exit"] = at

    def post(self, rank, posting, at, what):
        if what is None:
            return
        q = dict(what, at=at, started=True)
        if "send" in what:
            q["sent"] = self.send(rank, at, what["send"])
        if "receive" in what:
            q["place"] = len(self.receives)
            self.receives.append(None)
        if "collective" in what:
            q["key"] = self.collective(rank, at, what["collective"])
        self.requests[rank][posting] = q

    def complete(self, rank, at, answer, lane):
        if answer["posting"] is None or answer.get("status") in ("null", "unknown"):
            return
        key = (answer.get("lane", lane), answer["posting"])
        q = self.requests[rank].get(key)
        if not q or not q["started"] or q.get("done"):
            return
        q["done"] = True
        if answer.get("status") == "cancelled":
            if "sent" in q:
                self.sends[q["sent"]] = None
            return
        if "place" in q:
            comm, source, tag = q["receive"]
            self.receives[q["place"]] = Receive(rank, comm, comm.members[answer.get("source", source)],
                    answer.get("tag", tag), q["at"], at)
        if "sent" in q and q["send"][4]:
            self.completed_sends.append((q["sent"], at))
        if "key" in q:
            self.collectives[q["key"]][rank]["exit"] = at

    def probe(self, rank, e, at, takes):
        if e.get("source") in (None, "PROC_NULL", -2):
            return
        comm = self.comms[rank][e["comm"]]
        seen = Receive(rank, comm, comm.members[e["source"]], e["source_tag"], at, at)
        if takes:
            self.receives.append(seen)
        else:
            self.probes.append((seen, len(self.receives)))

    # messages and order

    def match(self):
        channels = collections.defaultdict(list)
        for i, s in enumerate(self.sends):
            if s:
                channels[s.comm, s.source, s.dest, s.tag].append(i)
        taken, of_send = collections.Counter(), {}
        self.probed = []
        probes = sorted(self.probes, key=lambda p: p[1])
        for i, r in enumerate(self.receives + [None]):
            while probes and probes[0][1] == i:
                p = probes.pop(0)[0]
                key = (p.comm, p.source, p.process, p.tag)
                # the receives of a process stand together, in the order of posting
                self.probed.append((channels[key][taken[key]], p))
            if not r:
                continue
            key = (r.comm, r.source, r.process, r.tag)
            of_send[channels[key][taken[key]]] = r
            taken[key] += 1
        self.of_send = of_send
        self.messages = [(s, of_send.get(i)) for i, s in enumerate(self.sends) if s]

    def order(self):
        edges = self.edges = collections.defaultdict(set)  # exit or enter -> what comes before it
        for (rank, lane), events in self.events.items():
            before = None
            for e in events:
                point = (rank, lane, e["event"])
                if before:
                    edges[point + ("enter",)].add(before)
                elif lane and self.events[rank, 0]:
                    init = next(x for x in self.events[rank, 0] if base(x)[0].startswith("Init"))
                    edges[point + ("enter",)].add((rank, 0, init["event"], "enter"))
                edges[point + ("exit",)].add(point + ("enter",))
                before = point + ("exit",)
        for send, receive in self.messages:
            if receive:
                edges[receive.done + ("exit",)].add(send.at + ("enter",))
                if receive.post[1] != receive.done[1]:
                    edges[receive.done + ("exit",)].add(receive.post + ("enter",))
        for i, probe in self.probed:
            edges[probe.done + ("exit",)].add(self.sends[i].at + ("enter",))
        for i, at in self.completed_sends:
            if i in self.of_send:
                edges[at + ("exit",)].add(self.of_send[i].post + ("enter",))
        for (comm, _), calls in self.collectives.items():
            for rank, call in calls.items():
                if call["exit"]:
                    edges[call["exit"] + ("exit",)] |= {c["enter"] + ("enter",) for r, c in calls.items()
                            if counts(call, rank, r, comm)}

    def past(self, point, cache):
        """How many events of each line were entered in the PAST of a point."""
        stack = [point]
        while stack:
            p = stack[-1]
            missing = [q for q in self.edges[p] if q not in cache]
            if missing:
                assert len(stack) < 100000, "the order has a cycle"
                stack += missing
                continue
            clock = collections.Counter()
            for q in self.edges[p]:
                clock |= cache[q]
            clock[p[:2]] = max(clock[p[:2]], p[2])
            cache[p] = clock
            stack.pop()
        return cache[point]


def counts(call, rank, other, comm):
    order, root = call["order"], call["root"]
    mine, theirs = comm.members.index(rank), comm.members.index(other)
    return (order == "all" or order == "out" and other == root or order == "in" and rank == root or
        order == "scan" and theirs <= mine or order == "exscan" and theirs < mine)


def base(event):
    """(name without MPI_ and marks, whether it is persistent, whether it is nonblocking)"""
    name = event["function"].replace("MPI_", "", 1)
    name = name[:-2] if name.endswith("_c") else name
    if name.endswith("_init") and event.get("posts"):
        return name[:-5], True, False
    if name.startswith("I") and name not in ("Init", "Init_thread", "Intercomm_create", "Intercomm_merge"):
        name = name[1].upper() + name[2:]
        name = {"Bsend": "Bsend", "Rsend": "Rsend"}.get(name, name)
        return name, False, bool(event.get("posts")) and name not in ("Probe", "Mprobe")
    return name, False, False
