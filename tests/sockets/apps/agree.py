"""Whether a recording says of UDP and TCP what a capture of the same run says, and whether its matches are possible.

Datagrams: as many of each (target, length, hash) were sent, and came, as went over the wire. Connections: as many bytes in each direction. A
match of datagrams joins two with the same length and hash; one of streams joins calls that moved the same bytes of a direction, counted here again
from the events, where each end was of one thread, whose calls are in order."""
import collections
import json
import re

END = re.compile(r"(tcp|udp) (\S+)(?: > (\S+))?$")


def plain(address):
    """An address without the number of its interface."""
    return re.sub(r"%\d+", "", address)


class Talk:
    """What the events say: datagrams out and in as [(event, end, peer, bytes, hash)]; streams: {(own, peer): {way: [(event, bytes)]}}."""

    def __init__(self, truths, path):
        self.sent, self.came = [], []
        self.streams = collections.defaultdict(lambda: collections.defaultdict(list))
        self.count = collections.Counter()
        for line in truths.ask("dump", "--json", "--time", path):
            event = json.loads(line, object_pairs_hook=truths.unique_members)
            self.count["events"] += event.get("layer") == "sockets"
            kind = truths.kind_of(event)
            if not kind:
                continue
            end = END.match(str(event["arguments"].get("end", "")))
            if not end:
                continue
            way = "out" if event["function"] in truths.OUT else "in"
            place = (event.get("world", 0), event["rank"], event["lane"], event["event"])
            if kind == "stream":
                for n in truths.moved(event):
                    self.streams[end[2], end[3]][way].append((place, n))
            else:
                self.datagrams(event, end, way, place)

    def datagrams(self, event, end, way, place):
        arguments = event["arguments"]
        columns = [arguments.get(name, []) for name in ("bytes", "hash", "peer")]
        columns = [c if isinstance(c, list) else [c] for c in columns]
        for k, n in enumerate(columns[0]):
            if n >= 0:
                peer = columns[2][k] if k < len(columns[2]) else None
                peer = end[3] if peer in (None, -1, "-1", "", "text#-1") else peer
                (self.sent if way == "out" else self.came).append((place, end[2], peer, n, columns[1][k] & (1 << 64) - 1))


def differences(name, said, seen):
    """Texts: where two counters are not the same."""
    for key in sorted(set(said) | set(seen), key=str):
        if said[key] != seen[key]:
            yield "%s %s: %s in the capture, %s recorded" % (name, " ".join(map(str, key)), said[key], seen[key])


def against_capture(talk, capture):
    problems = []
    wire = collections.Counter((plain(d.target), d.bytes, d.hash) for d in capture.datagrams)
    problems += differences("datagrams sent to", wire, collections.Counter((plain(str(peer)), n, h) for _, _, peer, n, h in talk.sent))
    came = collections.Counter((n, h) for _, _, _, n, h in talk.came if h)
    wire = collections.Counter((d.bytes, d.hash) for d in capture.datagrams)
    problems += ["datagrams of %d bytes, hash %x: %d on the wire, %d came" % (key + (wire[key], n)) for key, n in sorted(came.items()) if n > wire[key]]
    for (a, b), (wire, reset) in sorted(capture.streams().items()):
        out = sum(n for _, n in talk.streams[a, b]["out"])
        back = sum(n for _, n in talk.streams[b, a]["in"])
        if out < wire or (out > wire and not reset):
            problems.append("%s > %s: %d bytes in the capture, %d recorded as sent" % (a, b, wire, out))
        if back > wire:
            problems.append("%s > %s: %d bytes in the capture, %d recorded as received" % (a, b, wire, back))
    return problems


def stream_pairs(talk):
    """(pairs of events that moved the same bytes, all events that are told): of directions whose ends are of one thread each."""
    pairs, told = set(), set()
    for (own, peer), ways in talk.streams.items():
        out, back = ways["out"], talk.streams[peer, own]["in"] if (peer, own) in talk.streams else []
        if len({e[:3] for e, _ in out}) != 1 or len({e[:3] for e, _ in back}) != 1:
            continue
        told.update(e for e, _ in out + back)
        k = begun = came = 0
        for event, n in back:
            came += n
            while k < len(out) and begun < came:
                pairs.add((out[k][0], event))
                if begun + out[k][1] > came:
                    break
                begun += out[k][1]
                k += 1
    return pairs, told


def matches(talk, found):
    """(problems, counts) of [(event, event, ambiguous)]."""
    sent = collections.defaultdict(set)
    for event, _, _, n, h in talk.sent:
        sent[event].add((n, h))
    pairs, told = stream_pairs(talk)
    came = {event for event, *_ in talk.came}
    problems, counts = [], collections.Counter()
    everything = set().union(*sent.values()) if sent else set()
    for event, own, peer, n, h in talk.came:
        from_whom = [(a, doubt) for a, b, doubt in found.get(event, [])]
        counts["datagrams"] += 1
        counts["ambiguous"] += any(doubt for _, doubt in from_whom)
        counts["matched datagrams"] += bool(from_whom)
        if not from_whom and (n, h) in everything:
            problems.append("missing: %s got %d bytes with hash %x at %s from %s, which somebody sent" % (event, n, h, own, peer))
        if from_whom and h and not any((n, h) in sent[a] for a, _ in from_whom):
            problems.append("%s got %d bytes with hash %x of %s, which did not send such" % (event, n, h, from_whom[0][0]))
    seen = {(a, b) for several in found.values() for a, b, doubt in several if b not in came and (a in told or b in told)}
    for a, b in sorted(seen - pairs):
        problems.append("wrong: %s is matched with %s, whose bytes it did not get" % (b, a))
    for a, b in sorted(pairs - seen):
        problems.append("missing: %s got bytes of %s" % (b, a))
    counts["stream pairs"] = len(pairs & seen)
    return problems, counts
