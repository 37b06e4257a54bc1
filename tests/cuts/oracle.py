"""Happened-before of a recording from what `hbdb dump --json` says of it, by nothing but the rules of docs/ORDER.md: messages matched,
what the exit of each call needs, a search. And what a library may make a call wait for although the standard does not: the receive of a
standard send, everybody in a collective, the others in MPI_Finalize. For programs as steps.c, whose threads share no communicator."""
import collections

PROC_NULL = -2
ORDER = {"Barrier": "all", "Allreduce": "all", "Alltoall": "all", "Allgather": "all", "Reduce_scatter_block": "all",
         "Comm_dup": "all", "Comm_split": "all", "Bcast": "out", "Scatter": "out", "Reduce": "in", "Gather": "in",
         "Scan": "scan", "Exscan": "scan"}
NO_DATA = ("Bcast", "Reduce", "Allreduce", "Scan", "Exscan")


def plain(function):
    """The name without MPI_ and the I of nonblocking forms."""
    name = function[4:]
    return name[1:].capitalize() if name[0] == "I" and name[1:].capitalize() in ORDER else name


class Unknown(Exception):
    """The recording does not say who the members of a communicator are: one of them was killed before its call that made it had returned."""


class Request:
    def __init__(self, kind, event, **more):
        self.kind, self.event = kind, event
        self.__dict__.update(more)


class Order:
    def __init__(self, events):
        self.unknown = set()
        self.needs, self.may_need = collections.defaultdict(list), collections.defaultdict(list)
        self.last, self.never = {}, set()
        self.sends, self.receives = collections.defaultdict(list), collections.defaultdict(list)
        self.posts = collections.defaultdict(list)  # by lane: receives in the order of posting
        self.probes, self.collectives, self.requests, self.counted = [], {}, {}, collections.Counter()
        self.ranks = sorted({e["rank"] for e in events})
        self.find_communicators(events)
        for e in events:
            line = e["rank"], e["lane"]
            self.last[line] = max(self.last.get(line, 0), e["event"])
            if e.get("never_returned"):
                self.never.add(line + (e["event"],))
            try:
                self.read(e, line + (e["event"],))
            except IndexError:  # a member that made no such communicator
                raise Unknown("%d.%d:%d" % (line + (e["event"],)))
        self.match()
        self.join(events)
        began = {(e["rank"], e["lane"]): e["enter_ns"] for e in events if e["event"] == 1}
        self.start_of = {line: sum(1 for e in events if e["rank"] == line[0] and e["lane"] == 0 and
                                   e.get("exit_ns") is not None and e["exit_ns"] <= began[line])
                         for line in began if line[1]}
        over = {}
        for e in events:
            over[e["rank"], e["lane"]] = e.get("exit_ns")
        self.joined_of = {line: next((e["event"] for e in events if e["rank"] == line[0] and e["lane"] == 0 and
                                      over[line] is not None and e["enter_ns"] >= over[line]), None)
                          for line in began if line[1]}

    # ---- communicators

    def find_communicators(self, events):
        """number[rank, number in it] -> key; members[key] -> ranks. Made by a parent, as its k-th, with a colour."""
        self.number = {(r, 0): ("W",) for r in self.ranks}
        self.number.update({(r, 1): ("S", r) for r in self.ranks})
        self.members = {("W",): self.ranks}
        self.members.update({("S", r): [r] for r in self.ranks})
        made, split = collections.Counter(), collections.defaultdict(list)
        for e in events:
            if e["function"] not in ("MPI_Comm_dup", "MPI_Comm_split") or "new_comm" not in e:
                continue
            parent = self.number[e["rank"], e["comm"]]
            k = made[e["rank"], parent]
            made[e["rank"], parent] += 1
            key = parent + (k, e["arguments"].get("color"))
            self.number[e["rank"], e["new_comm"]] = key
            split[key].append((e["arguments"].get("key", 0), e["rank"], parent))
        for key in sorted(split, key=len):
            parent = self.members[split[key][0][2]]
            self.members[key] = [r for _, _, r in sorted((k, parent.index(r), r) for k, r, _ in split[key])]

    def comm(self, e):
        return self.number[e["rank"], e["comm"]]

    # ---- what calls begin and end

    def send(self, at, key, dest, tag, how):
        if dest == PROC_NULL:
            return None
        s = Request("send", at, how=how, receive=None, done=None)
        self.sends[key, at[0], self.members[key][dest], tag].append(s)
        return s

    def receive(self, at, key):
        r = Request("receive", at, key=key, source=None, tag=None, done=None, begun=None)
        self.posts[at[:2]].append(r)
        return r

    def got(self, r, at, source, tag):
        if source == PROC_NULL:
            return
        r.source, r.tag, r.done = self.members[r.key][source], tag, at

    def read(self, e, at):
        name, f, a = plain(e["function"]), e["function"], e["arguments"]
        line, posting = at[:2], e.get("posting")
        if "Sendrecv" in f:
            key = self.comm(e)
            s = self.send(at, key, e["peer"], e["tag"], "standard")
            r = self.receive(at, key)
            if s:
                s.done = at
            if at not in self.never:
                source = e["source"] if a["source"] == "ANY" else a["source"]
                self.got(r, at, source if source != "PROC_NULL" else PROC_NULL, e.get("source_tag", a["recvtag"]))
        elif name in ORDER and "comm" in e:
            self.enter(e, at, name, posting)
        elif e["class"] == "send" and "peer" in e:
            self.begin_send(e, at, f, posting)
        elif f in ("MPI_Recv", "MPI_Irecv", "MPI_Recv_init", "MPI_Mprobe", "MPI_Improbe") and e["peer"] != PROC_NULL:
            self.begin_receive(e, at, f, posting)
        elif f in ("MPI_Probe", "MPI_Iprobe") and at not in self.never:
            source = self.members[self.comm(e)][e.get("source", e["peer"])]
            self.probes.append((at, len(self.posts[line]), (self.comm(e), source, at[0], e.get("source_tag", e["tag"]))))
        elif f in ("MPI_Start", "MPI_Startall"):
            for i, answer in enumerate(e["answers"]):
                template = self.requests[line, answer["posting"]]
                while template.kind == "started":
                    template = template.template
                self.start(line, at, posting + i, template)
        elif f == "MPI_Mrecv" and "answers" in e:
            message = self.requests.get((line, e["answers"][0]["posting"]))
            if message:
                message.of.begun = at
        elif "answers" in e and f not in ("MPI_Cancel", "MPI_Request_free"):
            for answer in e["answers"]:
                self.complete(line, at, answer)

    def begin_send(self, e, at, f, posting):
        how = "synchronous" if "sync" in f.lower() or "ssend" in f.lower() else \
            "buffered" if "bsend" in f.lower() else "standard"
        if f.endswith("_init"):
            self.requests[at[:2], posting] = Request("send template", at, key=self.comm(e), dest=e["peer"], tag=e["tag"],
                                                     how=how)
            return
        s = self.send(at, self.comm(e), e["peer"], e["tag"], how)
        if s and posting is None:
            s.done = at
        elif s:
            self.requests[at[:2], posting] = s

    def begin_receive(self, e, at, f, posting):
        if f == "MPI_Recv_init":
            self.requests[at[:2], posting] = Request("receive template", at, key=self.comm(e), peer=e["peer"],
                                                     asked=e["tag"])
            return
        r = self.receive(at, self.comm(e))
        r.peer, r.asked = e["peer"], e["tag"]
        if f == "MPI_Irecv":
            self.requests[at[:2], posting] = r
        elif at not in self.never:
            self.got(r, at, e.get("source", e["peer"]), e.get("source_tag", e["tag"]))
        if f in ("MPI_Mprobe", "MPI_Improbe") and posting is not None:
            self.requests[at[:2], posting] = Request("message", at, of=r)

    def start(self, line, at, posting, template):
        if template.kind == "send template":
            item = self.send(at, template.key, template.dest, template.tag, template.how)
        else:
            item = self.receive(at, template.key)
            item.peer, item.asked = template.peer, template.asked
        self.requests[line, posting] = Request("started", at, template=template, item=item)

    def complete(self, line, at, answer):
        r = self.requests.get((line, answer.get("posting")))
        if r and r.kind == "started":
            r = r.item
        if not r or answer.get("status") not in ("as posted", "message"):
            return
        if r.kind == "send":
            r.done = at
        elif r.kind == "receive":
            self.got(r, at, answer.get("source", r.peer), answer.get("tag", r.asked))
        elif r.kind == "collective":
            r.joined["left"][at[0]] = at

    def enter(self, e, at, name, posting):
        key = self.comm(e)
        number = self.counted[at[0], key]
        self.counted[at[0], key] += 1
        c = self.collectives.setdefault((key, number), {"name": name, "enter": {}, "left": {}, "root": None, "data": False})
        c["enter"][at[0]] = at
        # what is counted by a datatype of no size is not made here
        c["data"] |= e["arguments"].get("count", 1) != 0
        if "root" in e["arguments"]:
            c["root"] = self.members[key][e["peer"]]
        if posting is not None and e["class"] == "collective":
            self.requests[at[:2], posting] = Request("collective", at, joined=c)
        elif at not in self.never:
            c["left"][at[0]] = at

    # ---- edges

    def match(self):
        for line in self.posts:
            for r in self.posts[line]:
                if r.done:
                    self.receives[r.key, r.source, line[0], r.tag].append(r)
        for channel, sends in self.sends.items():
            for s, r in zip(sends, self.receives[channel]):
                s.receive = r
                self.needs[r.done].append(s.event)
            for s in sends:
                if s.done and s.receive and s.how == "synchronous":
                    self.needs[s.done].append(s.receive.event)
                    if s.receive.begun:
                        self.may_need[s.done].append(s.receive.begun)
                elif s.done and s.receive and s.how == "standard":
                    self.may_need[s.done] += [s.receive.event] + ([s.receive.begun] if s.receive.begun else [])
                elif s.done and s.how == "standard":
                    self.unknown.add(s.done)
        for at, posted, channel in self.probes:
            k = sum(1 for r in self.posts[at[:2]][:posted]
                    if r.done and (r.key, r.source, at[0], r.tag) == channel)
            if k < len(self.sends[channel]):
                self.needs[at].append(self.sends[channel][k].event)

    def join(self, events):
        for (key, _), c in self.collectives.items():
            order, members = ORDER[c["name"]], self.members[key]
            for rank, left in c["left"].items():
                everybody = [c["enter"][r] for r in members if r in c["enter"] and r != rank]
                self.may_need[left] += everybody
                if c["name"] in NO_DATA and not c["data"]:
                    continue
                if order == "out":
                    everybody = [at for at in everybody if at[0] == c["root"]]
                elif order == "in":
                    everybody = everybody if rank == c["root"] else []
                elif order == "scan":
                    everybody = [at for at in everybody if members.index(at[0]) < members.index(rank)]
                self.needs[left] += everybody
        ends = [(e["rank"], e["lane"], e["event"]) for e in events if e["function"] == "MPI_Finalize"]
        for at in ends:
            self.may_need[at] += [other for other in ends if other != at]

    # ---- answers

    def cut(self, at):
        """(rank, lane) -> (stop, event), as hbdb cone says it."""
        entered, scanned = dict.fromkeys(self.last, 0), dict.fromkeys(self.last, 0)
        entered[at[:2]] = at[2]
        again = [(at[:2], at[2])]
        while again:
            line, to = again.pop()
            found = []
            for other, event in self.by_threads(line, entered[line]):
                # its exit, too
                found.append((other, event))
                for one in range(scanned[other] + 1, event + 1):
                    found += [(n[:2], n[2]) for n in self.needs[other + (one,)]]
                scanned[other] = max(scanned[other], event)
            for event in range(scanned[line] + 1, to + 1):
                if line + (event,) not in self.never:
                    found += [(n[:2], n[2]) for n in self.needs[line + (event,)]]
            scanned[line] = max(scanned[line], to)
            for other, event in found:
                if event > entered[other]:
                    entered[other] = event
                    again.append((other, event - 1))
        return {line: (self.stop(line, event, entered), event) for line, event in entered.items()}

    def by_threads(self, line, entered):
        """What a thread's being there takes: that its first thread had started it; that those it waited for were over."""
        if line[1]:
            return [((line[0], 0), self.start_of[line])] if entered else []
        return [(other, self.last[other]) for other, event in self.joined_of.items()
                if other[0] == line[0] and event and event <= entered]

    def stop(self, line, event, entered):
        if not event:
            return "nothing"
        if line + (event,) in self.never or any(n[2] > entered[n[:2]] for n in self.needs[line + (event,)]):
            return "inside"
        return "end" if event == self.last[line] else "after"

    def waits_for(self, at, reached):
        """What the call at this event is without: 'needed' by the order, 'wanted' by the library perhaps, or None. reached: events entered
        by lane."""
        for kind, edges in (("needed", self.needs), ("wanted", self.may_need)):
            if any(n[2] > reached[n[:2]] for n in edges.get(at, ())):
                return kind
        return "wanted" if at in self.unknown else None
