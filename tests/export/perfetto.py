"""Decodes a trace with protoc and compares its slices and flows with hbdb dump and the reference."""
import collections
import os
import re
import subprocess

from lib import check, same

HERE = os.path.dirname(os.path.abspath(__file__))


def parse(text):
    """Text format: {name: [value, ...]}, values are numbers, words, strings or such dictionaries."""
    stack = [collections.defaultdict(list)]
    for line in text.splitlines():
        line = line.strip()
        if line.endswith(" {"):
            inner = collections.defaultdict(list)
            stack[-1][line[:-2]].append(inner)
            stack.append(inner)
        elif line == "}":
            stack.pop()
        else:
            name, value = line.split(": ", 1)
            if value.startswith('"'):
                value = value[1:-1].encode().decode("unicode_escape").encode("latin-1").decode()
            elif re.fullmatch(r"-?\d+", value):
                value = int(value)
            stack[-1][name].append(value)
    assert len(stack) == 1
    return stack[0]


def read(path):
    done = subprocess.run(["protoc", "--decode=perfetto.protos.Trace", "-I" + HERE, HERE + "/perfetto.proto"],
        stdin=open(path, "rb"), capture_output=True, check=True)
    text = done.stdout.decode()
    unknown = re.findall(r"^\s*\d+[:] .*|^\s*\d+ \{", text, re.M)
    assert not unknown and not done.stderr, (unknown[:5], done.stderr)
    return parse(text)["packet"]


class Slice:
    def __init__(self, name, category, begin, place, depth):
        self.name, self.category, self.begin, self.place, self.depth = name, category, begin, place, depth
        self.end, self.flows_out, self.flows_in, self.args, self.correlation = None, [], [], {}, None


def slices(packets):
    """{track name: [Slice, ...]} in the order of their begins; what is interned stands before its use."""
    interned = collections.defaultdict(dict)
    names, tracks, stacks, last = {}, collections.defaultdict(list), collections.defaultdict(list), {}
    for i, p in enumerate(packets):
        assert p["trusted_packet_sequence_id"] == [1] and p["sequence_flags"] == [3 if i == 0 else 2], p
        for kind, entries in (p["interned_data"] or [{}])[0].items():
            for e in entries:
                assert e["iid"][0] not in interned[kind]
                interned[kind][e["iid"][0]] = (e["file_name"][0], (e["line_number"] or [None])[0]) \
                    if kind == "source_locations" else e["name"][0]
        for d in p["track_descriptor"]:
            names[d["uuid"][0]] = d["thread"][0]["thread_name"][0] if d["thread"] else d["process"][0]["process_name"][0]
            assert not d["parent_uuid"] or d["parent_uuid"][0] in names
        for e in p["track_event"]:
            track, time = names[e["track_uuid"][0]], p["timestamp"][0] if p["timestamp"] else 0
            assert time >= last.get(track, 0), "time goes back on a track"
            last[track] = time
            if e["type"] == ["TYPE_SLICE_BEGIN"]:
                place = interned["source_locations"][e["source_location_iid"][0]] if e["source_location_iid"] else None
                s = Slice(interned["event_names"][e["name_iid"][0]],
                        interned["event_categories"][e["category_iids"][0]], time, place, len(stacks[track]))
                tracks[track].append(s)
                stacks[track].append(s)
            else:
                assert e["type"] == ["TYPE_SLICE_END"]
                s = stacks[track].pop()
                s.end = time
            s.flows_out += e["flow_ids"]
            s.flows_in += e["terminating_flow_ids"]
            s.correlation = (e["correlation_id"] or [s.correlation])[0]
            for a in e["debug_annotations"]:
                s.args[interned["debug_annotation_names"][a["name_iid"][0]]] = (a["int_value"] + a["string_value"] + a["double_value"])[0]
    return tracks


def track_of(rank, lane):
    return "rank %d" % rank + (" lane %d" % lane if lane else "")


def compare(name, path, run):
    tracks = slices(read(path))
    same(name + ": a track for each lane", sorted(tracks), sorted(track_of(*line) for line in run.events))
    wrong = []
    for line, events in run.events.items():
        found = sorted(tracks[track_of(*line)], key=lambda s: s.args["event"])
        got = [(s.args["event"], s.name, s.category, s.begin, s.end, s.place) for s in found]
        wanted = [(e["event"], e["function"], e["class"], e["enter_ns"],
            None if e.get("never_returned") else e["exit_ns"],
                (e["file"], e["line"]) if "file" in e else (e["address"], None) if "address" in e else None)
                for e in events]
        wrong += [(g, w) for g, w in zip(got, wanted) if g != w] + ([len(got), len(wanted)] if len(got) != len(wanted)
            else [])
        for s, e in zip(found, events):
            for key, value in e.get("arguments", {}).items():
                if s.args.get(key) != value and not isinstance(value, str):
                    wrong.append((s.args, e))
            if e.get("source") is not None and s.args.get("received.source") != e["source"]:
                wrong.append((s.args, e))
    check(name + ": slices are the calls", not wrong, wrong)
    ends = collections.defaultdict(lambda: [[], []])
    for track, found in tracks.items():
        for s in found:
            for f in s.flows_out:
                ends[f][0].append((track, s.args["event"]))
            for f in s.flows_in:
                ends[f][1].append((track, s.args["event"]))
    check(name + ": each flow has two ends", all(len(a) == 1 and len(b) == 1 for a, b in ends.values()), dict(ends))
    same(name + ": flows are the messages", sorted((a[0], b[0]) for a, b in ends.values()),
        sorted(((track_of(*s.at[:2]), s.at[2]), (track_of(*r.done[:2]), r.done[2])) for s, r in run.messages if r))
    entered = collections.defaultdict(list)
    for key, calls in run.collectives.items():
        for call in calls.values():
            entered[call["enter"]].append(key)
    pairs = set()
    for line in run.events:
        for s in tracks[track_of(*line)]:
            keys = entered.get(line + (s.args["event"],), [])
            pairs.add((s.correlation, keys[0] if len(keys) == 1 else None))
    pairs.discard((None, None))
    check(name + ": the calls of a collective are correlated, no others", None not in [x for p in pairs for x in p] and
        len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs), pairs)
