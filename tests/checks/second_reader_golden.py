#!/usr/bin/python3
"""Compares the second reader with ours on every golden log, and on what both make of damage.

usage: second_reader_golden.py [DUMP_LOG [LOG...]]
default: build/asan/tests/unit/tools/dump_log, tests/golden/*.log and tests/golden/sockets
"""
import sys

sys.path.append(sys.path.pop(0))  # this folder has a warnings.py, which is not the one that others import

import ctypes
import glob
import os
import struct
import subprocess

import second_reader

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def listed(name, values):
    return " %s=[%s]" % (name, ",".join(map(str, values)))


def tick(log):
    if log.last_tick == 0 or log.last_mono <= log.mono:
        return log.tick_fs / 1e6
    return (log.last_mono - log.mono) / log.last_tick


def definitions(log):
    out, calls = [], {}
    for lane in log.lanes.values():
        for f, n in lane.calls.items():
            calls[f] = calls.get(f, 0) + n
    for n, (cls, name, args) in sorted(log.defs[1].items()):
        args = b",".join(b"%s:%d" % (a, k) for k, a in args)
        values = b",".join(b"%s:%d" % (v, t) for t, v in log.values.get(n, []))
        out.append(b"function %d class=%d calls=%d %s:%s(%s)(%s)" % (n, cls, calls.get(n, 0), log.layer(n, cls), name, args, values))
    out += [b"module %d base=%x id=%s %s" % (n, d[0], d[2], d[1]) for n, d in sorted(log.defs[2].items())]
    out += [b"site %d module=%d offset=%x" % (n, *d) for n, d in sorted(log.defs[3].items())]
    for n, d in sorted(log.defs[5].items()):
        line = "comm %d parent=%d index=%d leader=%d rank=%d flags=%d" % (n, *d[:5])
        out.append((line + listed("members", d[5]) + listed("remote", d[6] if len(d) > 6 else [])).encode())
    for n, d in sorted(log.defs[6].items()):
        out.append(b"datatype %d size=%d %s" % (n, *d))
        if n in log.defs[8]:
            elements, digest, runs = log.defs[8][n]
            out.append(("signature %d elements=%d digest=%x" % (n, elements, digest)).encode() +
                       b"".join(b" %d:%d" % run for run in runs))
    out += [b"op %d %s" % (n, *d) for n, d in sorted(log.defs[7].items())]
    if log.process:
        world, made, maker, rank, began = log.process
        out.append(b"process made=%d rank=%d began=%d world=%s maker=%s" % (made, rank, began, world, maker))
    out += [b"ancestor started=%d pid=%d %s" % a for a in log.place]
    out += [b"network %d" % log.network] if log.network else []
    out += [b"processor %s big=%d word=%d" % log.processor] if log.processor else []
    out += [b"text %d %s" % t for t in sorted(log.texts.items())]
    out += [b"bridge comm=%d kind=%d root=%d entered=%d returned=%d port=%s" % b for b in log.bridges]
    out += [b"note lane=%d event=%d %s" % n for n in log.notes]
    return out + [remark(*r, log.told(*r[2:])) for r in log.remarks]


def remark(lane, event, kind, _, told):
    def text(value):
        if isinstance(value, bytes):
            return value
        if isinstance(value, list):
            return b"[%s]" % b",".join(b"%d" % v for v in value)
        return b"%d.%d" % value if isinstance(value, tuple) else b"%d" % value
    out = b"remark lane=%d event=%d kind=%d" % (lane, event, kind)
    if told is None:
        return out + b" left out"
    return b" ".join([out, told[0]] + [b"%s=%s" % (name, text(value)) for name, value in told[1]])


def row(number, n, r):
    check = "" if r.check is None else " check=%04x" % r.check
    return "%d:%d function=%d site=%d enter=%d exit=%d polls=%d skipped=%d result=%d%s%s%s" % (
        number, n, r.slot.function, r.slot.site, r.enter if r.enter else 0, r.leave, r.polls, r.skipped, r.result,
        check,
        listed("args", r.slot.args), listed("results", r.results))


def dump(log):
    names = ("sealed rank size pid level state stopped threads library real mono lost recovered").split()
    values = [log.incompatible & 1 if n == "sealed" else int(getattr(log, n)) for n in names]
    head = " ".join("%s=%d" % pair for pair in zip(names, values))
    out = [("log %s tick=%.9g" % (head, tick(log))).encode()]
    out += [b"host " + log.host, b"version " + log.text, b"program " + log.program] + definitions(log)
    for number, lane in sorted(log.lanes.items()):
        line = "lane %d thread=%d polls=%d skipped=%d events=%d" % (number, lane.thread, lane.polls, lane.skipped,
                                                                     lane.events)
        if lane.inside:
            enter, slot = lane.inside
            line += " inside=%d site=%d enter=%d" % (slot.function, slot.site, enter) + listed("args", slot.args)
        if lane.waits:
            waits, listed_requests, slot = lane.waits
            line += " waits=%d/%s" % (waits, "".join("%x," % r for r in listed_requests))
            line += " polling=%d site=%d" % (slot.function, slot.site) + listed("args", slot.args) if slot else ""
        out.append(line.encode())
        out += [row(number, n + 1, r).encode() for n, r in enumerate(lane.rows)]
        if lane.damaged:
            out.append(b"damaged")
    return out


def theirs(path):
    try:
        return dump(second_reader.Log(open(path, "rb").read()))
    except ValueError:
        return [b"cannot be read"]


def compare(program, path):
    done = subprocess.run([program, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    a, b = done.stdout.split(b"\n")[:-1], theirs(path)
    name = os.path.relpath(path, os.path.join(TOP, "tests/golden"))
    if a == b and a and done.returncode in (0, 3):
        print("ok %s: both readers print the same %d lines" % (name, len(a)))
        return True
    k = next((k for k, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    print("FAIL %s: line %d differs (status %d)\n  ours   %s\n  second %s" % (
        name, k + 1, done.returncode, a[k:k + 1], b[k:k + 1]))
    return False


# ---- digests of contents, by the page alone ----

SEEDED = second_reader.XXH.XXH3_64bits_withSeed
SEEDED.restype, SEEDED.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]


def doubles(*values):
    return struct.pack("<%dd" % len(values), *values)


def of_piece(data):
    return SEEDED(data, len(data), 0) & 0xffff or 1


def of_blocks(*blocks):
    h = 0
    for i, block in enumerate(blocks):
        h = SEEDED(block, len(block), h + i + 1) if block else h
    return h & 0xffff or 1


def both(gives, gets):
    return (gives & 0xff or 1) | (gets >> 8 or 1) << 8


def statuses(results):
    """The checks of codes 6 among the statuses of a wait, with references to its own lane."""
    at = 0
    while at < len(results):
        code = results[at]
        if code == 6:
            yield results[at + 2]
        at += 3 if code == 6 else 2


def foretold():
    """What tests/robust/programs/later.c gave and got at process 1 of 2, mode `same`, when it was recorded: checks of events, checks of waits."""
    def own(rank):
        return doubles(7, *(rank + i for i in range(1, 8)))
    mine, other, total = own(1), own(0), doubles(14, 3, 5, 7)
    four, row = slice(0, 32), doubles(7, 5, 6, 7)
    events = [of_piece(mine[four]), of_blocks(mine[:24], mine[32:]), of_piece(mine[four]), of_piece(other[four]),
              both(of_piece(other[four]), of_piece(other[four])), of_piece(other[four]),
              both(of_blocks(mine[four]), of_blocks(row)), of_piece(mine[32:]), of_piece(mine[four])]
    waits = [of_piece(other[four]), of_piece(total), of_blocks(other[32:], mine[32:]), of_blocks(other[:24], mine[four])]
    waits += [both(of_piece(mine[four]), of_piece(total))] * 3 + [of_blocks(row), of_piece(other[four])]
    return events, waits


def digests(path):
    log = second_reader.Log(open(path, "rb").read())
    names = {n: d[1] for n, d in log.defs[1].items()}
    rows = log.lanes[0].rows
    events = [r.check for r in rows if r.check is not None and b"barrier" not in names[r.slot.function]]
    waits = [c for r in rows if names[r.slot.function] in (b"MPI_Wait", b"MPI_Waitall") for c in statuses(r.results)]
    good = (events, waits) == foretold()
    print("%s %s: %d digests of events and %d of waits are those that the page says" % (
        "ok" if good else "FAIL", os.path.basename(path), len(events), len(waits)))
    if not good:
        print("  read     %s\n  foretold %s" % ((events, waits), foretold()))
    return good


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "build/asan/tests/unit/tools/dump_log")
    golden = os.path.join(TOP, "tests/golden")
    paths = sys.argv[2:] or sorted(glob.glob(golden + "/*.log")) + sorted(glob.glob(golden + "/sockets/*/*.log"))
    good = [compare(program, p) for p in paths]
    good += [digests(p) for p in paths if "digests" in p]
    lines = len(open(second_reader.__file__, encoding="utf-8").readlines())
    good.append(lines <= 400)
    print("%s the second reader has %d lines, at most 400" % ("ok" if good[-1] else "FAIL", lines))
    if not paths:
        print("FAIL there are no golden logs")
        good.append(False)
    print("%d passed, %d failed" % (sum(good), len(good) - sum(good)))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
