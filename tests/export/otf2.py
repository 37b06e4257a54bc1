"""Reads an archive back with otf2-print and compares its records with hbdb dump and the reference."""
import collections
import re
import subprocess

from lib import check, same

Record = collections.namedtuple("Record", "kind location time text attributes")
TARGET = re.compile(r"(?:Receiver|Sender): (\d+) \(.*?\), Communicator: \"(.*?)\" <\d+>, Tag: (-?\d+), Length: (\d+)")


def output(archive, *options):
    done = subprocess.run(["otf2-print", *options, archive + "/traces.otf2"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def read(name, archive):
    status, text = output(archive)
    check(name + ": otf2-print reads it", status == 0 and not re.search("warning|error:|==ERROR", text), text[-2000:])
    records = []
    for line in text.splitlines():
        found = re.match(r"([A-Z_]+)\s+(\d+)\s+(\d+)  ?(.*)", line)
        if found:
            records.append(Record(found[1], int(found[2]), int(found[3]), found[4], []))
        elif line.strip().startswith("ADDITIONAL ATTRIBUTES"):
            records[-1].attributes.append(line)
    return records


def definitions(name, archive):
    status, text = output(archive, "-G")
    check(name + ": otf2-print reads its definitions", status == 0 and not re.search("warning|error:|==ERROR", text),
            text[-2000:])
    return text


def regions(records):
    """[(region, number, enter, leave or None, records between)] of a location."""
    stack, done = [], []
    for r in records:
        if r.kind == "ENTER":
            number = int(re.search(r'"event" <\d+>; UINT64; (\d+)', r.attributes[0])[1])
            stack.append([re.search(r'Region: "(.*?)"', r.text)[1], number, r, None, []])
            done.append(stack[-1])
        elif r.kind == "LEAVE":
            assert re.search(r'Region: "(.*?)"', r.text)[1] == stack[-1][0], "a leave of another region"
            stack.pop()[3] = r
        else:
            assert stack, "a record outside a call: %r" % (r,)
            stack[-1][4].append(r)
    return done


def compare(name, archive, run):
    records = read(name, archive)
    text = definitions(name, archive)
    order = sorted(run.events)
    same(name + ": a location for each lane", len(re.findall(r"^LOCATION  ", text, re.M)), len(order))
    found = {line: regions([r for r in records if r.location == i]) for i, line in enumerate(order)}
    wrong = []
    for line, events in run.events.items():
        got = sorted((n, region, enter.time, leave and leave.time) for region, n, enter, leave, _ in found[line])
        wanted = [(e["event"], e["function"], e["enter_ns"], None if e.get("never_returned") else e["exit_ns"])
            for e in events]
        wrong += [(g, w) for g, w in zip(got, wanted) if g != w]
        wrong += [] if len(got) == len(wanted) else [(line, len(got), len(wanted))]
        by_number = {n: enter for _, n, enter, _, _ in found[line]}
        wrong += [e for e in events if "file" in e and
            '"call site" <1>; SOURCE_CODE_LOCATION; "%s:%d"' % (e["file"], e["line"])
            not in by_number[e["event"]].attributes[0]]
    check(name + ": regions are the calls", not wrong, wrong[:10])
    messages(name, run, found)
    requests(name, found)
    collectives(name, run, found)


def comm_of(run, text):
    """The name that hbdb gave the communicator, only as far as the reference knows it, too."""
    return text if text in ("WORLD", "SELF") else "other"


def messages(name, run, found):
    sent, received = collections.Counter(), collections.Counter()
    for line, calls in found.items():
        for _, number, _, _, inner in calls:
            for r in inner:
                if r.kind in ("MPI_SEND", "MPI_ISEND"):
                    peer, comm, tag, size = TARGET.match(r.text).groups()
                    sent[line + (number,), int(peer), comm_of(run, comm), int(tag), int(size)] += 1
                if r.kind in ("MPI_RECV", "MPI_IRECV"):
                    peer, comm, tag, size = TARGET.match(r.text).groups()
                    received[line + (number,), int(peer), comm_of(run, comm), int(tag)] += 1
    wanted_sent, wanted_received, sizes = collections.Counter(), collections.Counter(), {}
    for s, r in run.messages:
        comm = "SELF" if s.comm.name.startswith("SELF") and "/" not in s.comm.name else s.comm.name
        comm = comm_of(run, comm)
        wanted_sent[s.at, s.comm.members.index(s.dest), comm, s.tag] += 1
        if s.bytes is not None:
            sizes[s.at] = s.bytes
        if r:
            wanted_received[r.done, r.comm.members.index(r.source), comm, r.tag] += 1
    cancelled = sum(1 for s in run.sends if s is None)
    got = collections.Counter()
    for key, n in sent.items():
        got[key[:-1]] += n
    # a send that was cancelled has been begun
    same(name + ": sends are those of the run", sum(((got - wanted_sent).values())), cancelled)
    check(name + ": all messages were sent", not wanted_sent - got, wanted_sent - got)
    same(name + ": receives are those of the run", received, wanted_received)
    bad = [key for key in sent if key[0] in sizes and sizes[key[0]] != key[-1] and sum(1 for k in sent if k[0] == key[0])
            == 1]
    check(name + ": sizes are those of the sends", not bad, bad)


def requests(name, found):
    """What is completed was begun, once, in the same location."""
    begins = {"MPI_ISEND": "send", "MPI_IRECV_REQUEST": "receive", "NON_BLOCKING_COLLECTIVE_REQUEST": "collective"}
    ends = {"MPI_ISEND_COMPLETE": "send", "MPI_IRECV": "receive", "NON_BLOCKING_COLLECTIVE_COMPLETE": "collective"}
    wrong = []
    for calls in found.values():
        open_ = {}
        inner = [r for _, _, _, _, inner in calls for r in inner]
        for r in sorted(inner, key=lambda r: (r.time, r.kind in ends)):
            request = re.search(r"Request: (\d+)", r.text)
            if r.kind in begins:
                if request[1] in open_:
                    wrong.append(r)
                open_[request[1]] = begins[r.kind]
            elif r.kind in ends and open_.pop(request[1], None) != ends[r.kind]:
                wrong.append(r)
            elif r.kind == "MPI_REQUEST_CANCELLED" and not open_.pop(request[1], None):
                wrong.append(r)
    check(name + ": requests begin and end once", not wrong, wrong[:10])


def collectives(name, run, found):
    got, wanted = collections.Counter(), collections.Counter()
    for line, calls in found.items():
        for _, number, _, _, inner in calls:
            for r in inner:
                if r.kind in ("MPI_COLLECTIVE_BEGIN", "NON_BLOCKING_COLLECTIVE_REQUEST"):
                    got[line + (number,), "enter"] += 1
                elif r.kind in ("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE"):
                    root = re.search(r"Root: (\w+)", r.text)
                    got[line + (number,), root[1]] += 1
    for (comm, _), calls in run.collectives.items():
        for call in calls.values():
            wanted[call["enter"], "enter"] += 1
            if call["exit"]:
                root = "NONE" if call["root"] is None else str(comm.members.index(call["root"]))
                wanted[call["exit"], root] += 1
    same(name + ": collectives are those of the run", got, wanted)
