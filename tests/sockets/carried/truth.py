#!/usr/bin/python3
"""What the programs of ../programs say of their messages, and whether a recording says the same.

usage: truth.py FILE              is the file of truth in accord with itself: was all that came sent, and no byte of a stream twice
       truth.py FILE RECORDING    and with a recording: events that are missing, and matches that are wrong

A file of truth is what TRUTH=FILE makes ../programs/carry.h write; its lines are explained there. An event of the recording is known again by its
place: the k-th call of a thread that sent a datagram, received one, or put bytes into, or took them out of, a stream. Two calls belong together
when they moved the same bytes of a channel.
"""
import bisect
import collections
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HBDB = os.environ.get("HBDB") or os.path.join(HERE, "..", "..", "..", "build", "hbdb")
OUT = {"send", "sendto", "sendmsg", "sendmmsg", "write", "writev", "sendfile", "splice_to"}
IN = {"recv", "recvfrom", "recvmsg", "recvmmsg", "read", "readv", "splice_from"}

Item = collections.namedtuple("Item", "bytes place at")  # place: the channel of what was sent, the way of what came


class Truth:
    """items: {(pid, tid): {(way, kind): [Item]}}; pieces: {WAY: sorted [(from, bytes, channel, at)]}; sums: {(pid, way, kind): bytes}."""

    def __init__(self, lines):
        self.items, self.pieces, self.sums = {}, collections.defaultdict(list), collections.Counter()
        for line in lines:
            word, *rest = line.split()
            if word in ("out", "in"):
                pid, tid, kind, n, place, at = rest
                thread = self.items.setdefault((int(pid), int(tid)), {})
                thread.setdefault((word, kind), []).append(Item(int(n), place, int(at)))
            elif word == "is":
                way, start, n, channel, at = rest
                self.pieces[way].append((int(start), int(n), channel, int(at)))
            elif word == "sum":
                self.sums[(int(rest[0]), rest[1], rest[2])] += int(rest[3])
            else:
                raise ValueError("no line of a file of truth: %r" % line)
        for pieces in self.pieces.values():
            pieces.sort()

    def of(self, way):
        """(kind, id, Item) of all that was sent, or came; the id is (pid, tid, way, kind, which)."""
        for (pid, tid), kinds in self.items.items():
            for (direction, kind), items in kinds.items():
                if direction == way:
                    for k, item in enumerate(items):
                        yield kind, (pid, tid, way, kind, k), item

    def parts(self, item):
        """(channel, from, to) of the bytes that came with one call."""
        pieces = self.pieces.get(item.place, [])
        k = max(bisect.bisect_right(pieces, (item.at, float("inf"), "", 0)) - 1, 0)
        while k < len(pieces) and pieces[k][0] < item.at + item.bytes:
            start, n, channel, at = pieces[k]
            a, b = max(start, item.at), min(start + n, item.at + item.bytes)
            if a < b:
                yield channel, at + a - start, at + b - start
            k += 1

    def sent(self):
        """{channel: sorted [(from, to, id)]}"""
        channels = collections.defaultdict(list)
        for _, name, item in self.of("out"):
            if item.bytes:
                channels[item.place].append((item.at, item.at + item.bytes, name))
        for ranges in channels.values():
            ranges.sort()
        return channels

    def pairs(self):
        """{(id of what was sent, id of what came)} and what came of nothing that was sent, as texts."""
        channels, found, orphans = self.sent(), set(), []
        for kind, name, item in self.of("in"):
            for channel, a, b in self.parts(item):
                ranges = channels.get(channel, [])
                k = max(bisect.bisect_right(ranges, (a, float("inf"), ())) - 1, 0)
                reached = a
                while k < len(ranges) and ranges[k][0] < b:
                    if ranges[k][1] > reached and ranges[k][0] <= reached:
                        found.add((ranges[k][2], name))
                        reached = min(ranges[k][1], b)
                    k += 1
                if reached < b and kind == "stream":
                    orphans.append("%s got [%d, %d) of channel %s, which nobody sent" % (name, reached, b, channel))
                elif reached < b and reached == a:
                    orphans.append("%s got a datagram that nobody sent: %s %d" % (name, channel, a))
        return found, orphans


def overlaps(ranges, what):
    """Texts: of sorted (from, to, ...) those that begin before the one before ended."""
    return ["%s: bytes from %d on twice" % (what, b[0]) for a, b in zip(ranges, ranges[1:]) if b[0] < a[1]]


def check(truth):
    """(what is wrong with the file itself, counts)."""
    pairs, problems = truth.pairs()
    for channel, ranges in truth.sent().items():
        problems += overlaps(ranges, "sent on %s" % channel)
    came = collections.defaultdict(list)
    counts = collections.Counter()
    for kind, _, item in truth.of("in"):
        parts = list(truth.parts(item))
        counts["came " + kind] += 1 if kind == "datagram" else item.bytes
        if kind == "stream":
            for channel, a, b in parts:
                came[channel].append((a, b))
            if sum(b - a for _, a, b in parts) != item.bytes:
                problems.append("way %s from %d on: %d bytes, of which %d are known" % (
                    item.place, item.at, item.bytes, sum(b - a for _, a, b in parts)))
    for channel, ranges in came.items():
        problems += overlaps(sorted(ranges), "came of %s" % channel)
    for kind, _, item in truth.of("out"):
        counts["sent " + kind] += 1 if kind == "datagram" else item.bytes
    counts["pairs"] = len(pairs)
    sums = collections.Counter()
    for (_, way, _), n in truth.sums.items():
        sums[way] += n
    if sums["out"] != sums["in"]:
        problems.append("%d bytes of stdio were sent, %d came" % (sums["out"], sums["in"]))
    counts["by stdio"] = sums["out"]
    return problems, counts


class Recorded:
    """events: {(pid, lane): {(way, kind): [(bytes, event)]}}, matches: [(event, event, ambiguous)]; an event is (world, rank, lane, number)."""

    def __init__(self, events, matches):
        self.events, self.matches = events, matches


def unique_members(pairs):
    """A JSON object in which a name may come again (several datagrams of one call): then it has a list."""
    found = {}
    for name, value in pairs:
        if name not in found:
            found[name] = value
        elif isinstance(found[name], Repeated):
            found[name].append(value)
        else:
            found[name] = Repeated([found[name], value])
    return found


class Repeated(list):
    pass


def kind_of(event):
    """stream or datagram; None: it moves no bytes."""
    if event.get("layer") != "sockets" or event["function"] not in OUT | IN:
        return None
    return "datagram" if "hash" in event["arguments"] else "stream"


def moved(event):
    """[bytes] of each thing that the call moved; of an error none."""
    told = event["arguments"].get("bytes")
    told = told if isinstance(told, list) else [] if told is None else [told]
    return [n for n in told if n > 0 or (n == 0 and kind_of(event) == "datagram")]


def ask(*arguments):
    done = subprocess.run([HBDB] + list(arguments), capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError("hbdb %s: exit status %d\n%s" % (" ".join(arguments), done.returncode, done.stderr))
    return done.stdout.splitlines()


def read_recording(path):
    pids = {}
    for line in ask("sql", path, "--json", "SELECT world, rank, pid FROM processes"):
        row = json.loads(line)
        pids[row["world"], row["rank"]] = row["pid"]
    events = {}
    for line in ask("dump", "--json", "--time", path):
        event = json.loads(line, object_pairs_hook=unique_members)
        kind = kind_of(event)
        if not kind:
            continue
        world, rank, lane = event.get("world", 0), event["rank"], event["lane"]
        way = "out" if event["function"] in OUT else "in"
        thread = events.setdefault((pids[world, rank], lane), {})
        for n in moved(event):
            thread.setdefault((way, kind), []).append((n, (world, rank, lane, event["event"])))
    matches = []
    for line in ask("sql", path, "--json", "SELECT sender_world, sender, send_lane, send_event, receiver_world, receiver, done_lane, done_event, "
                    "ambiguous FROM messages WHERE state = 'received'"):
        row = json.loads(line)
        matches.append(((row["sender_world"] or 0, row["sender"], row["send_lane"], row["send_event"]),
                        (row["receiver_world"] or 0, row["receiver"], row["done_lane"], row["done_event"]), bool(row["ambiguous"])))
    return Recorded(events, matches)


def sizes(kinds):
    """What a thread moved, without who it was."""
    return {key: [x[0] for x in moves] for key, moves in kinds.items() if moves}


def first_difference(said, seen):
    """One line on where two threads part."""
    for key in sorted(set(said) | set(seen)):
        a, b = said.get(key, []), seen.get(key, [])
        for k, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return "%s %s number %d: %d bytes, recorded %d" % (key[0], key[1], k, x, y)
        if len(a) != len(b):
            return "%s %s: %d, recorded %d" % (key[0], key[1], len(a), len(b))
    return None


def places(truth, recorded):
    """({id: event}, problems, {pid}): which event is which call; of these processes that is not known. Threads are known by what they moved."""
    found, problems, unknown = {}, [], set()
    by_pid = collections.defaultdict(list)
    for (pid, tid), kinds in truth.items.items():
        by_pid[pid].append((tid, kinds))
    for pid, threads in sorted(by_pid.items()):
        lanes = {lane: kinds for (p, lane), kinds in recorded.events.items() if p == pid}
        for tid, kinds in sorted(threads, key=lambda thread: thread[0]):
            said = sizes(kinds)
            fitting = [lane for lane, seen in sorted(lanes.items()) if sizes(seen) == said]
            if not fitting:
                unknown.add(pid)
                nearest = min(lanes) if lanes else None
                problems.append("process %d thread %d: %s" % (pid, tid, first_difference(said, sizes(lanes[nearest])) if lanes else
                                                              "none of its %d calls is recorded" % sum(map(len, said.values()))))
                continue
            seen = lanes.pop(fitting[0])
            for (way, kind), items in kinds.items():
                for k in range(len(items)):
                    found[pid, tid, way, kind, k] = seen[way, kind][k][1]
    return found, problems, unknown


def compare_sums(truth, recorded):
    for (pid, way, kind), n in sorted(truth.sums.items()):
        seen = sum(b for (p, _), kinds in recorded.events.items() if p == pid for b, _ in kinds.get((way, kind), []))
        if seen != n:
            yield "process %d moved %d bytes %s by stdio, recorded %d" % (pid, n, way, seen)


def compare(truth, recorded, matching=True):
    """(problems, counts): same, wrong, doubted-same, doubted-wrong, missing, doubted-missing (it was called ambiguous who sent it). Without matching the events alone are compared."""
    found, problems, unknown = places(truth, recorded)
    strangers = {event for (pid, _), kinds in recorded.events.items() if pid in unknown for moves in kinds.values() for _, event in moves}
    problems += compare_sums(truth, recorded)
    names = {event: name for name, event in found.items()}
    right = {(found[a], found[b]) for a, b in truth.pairs()[0] if a in found and b in found}
    counts = collections.Counter()
    if not matching:
        return problems, counts
    matched, doubted = set(), set()
    for sent, came, ambiguous in recorded.matches:
        if (sent not in names and came not in names) or any(event in strangers and event not in names for event in (sent, came)):
            continue
        matched.add((sent, came))
        if ambiguous:
            doubted.add(came)
        same = (sent, came) in right
        counts[("doubted-" if ambiguous else "") + ("same" if same else "wrong")] += 1
        if not same and not ambiguous:
            problems.append("wrong: %s came of %s" % (names.get(came, came), names.get(sent, sent)))
    for sent, came in sorted(right - matched):
        if came in doubted:
            counts["doubted-missing"] += 1
            continue
        counts["missing"] += 1
        problems.append("missing: %s came of %s, and is matched with nothing of it" % (names[came], names[sent]))
    return problems, counts


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="ascii") as f:
        truth = Truth(f)
    problems, counts = check(truth)
    print(" ".join("%s %d" % (name.replace(" ", "-"), n) for name, n in sorted(counts.items())))
    if len(sys.argv) == 3:
        more, counts = compare(truth, read_recording(sys.argv[2]))
        problems += more
        print(" ".join("%s %d" % (name, counts[name]) for name in ("same", "wrong", "doubted-same", "doubted-wrong", "missing", "doubted-missing")))
    for problem in problems[:40]:
        print("FAIL", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
