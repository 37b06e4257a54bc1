#!/usr/bin/python3
"""Compares the second reader with ours on every golden log, and on what both make of damage.

usage: second_reader_golden.py [DUMP_LOG [LOG...]]
default: build/asan/tests/unit/tools/dump_log, tests/golden/*.log
"""
import sys

sys.path.append(sys.path.pop(0))  # this folder has a warnings.py, which is not the one that others import

import glob
import os
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
        out.append(b"function %d class=%d calls=%d %s(%s)" % (n, cls, calls.get(n, 0), name, args))
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
    return out + [b"note lane=%d event=%d %s" % n for n in log.notes]


def row(number, n, r):
    check = "" if r.check is None else " check=%04x" % r.check
    return "%d:%d function=%d site=%d enter=%d exit=%d polls=%d skipped=%d result=%d%s%s%s" % (
        number, n, r.slot.function, r.slot.site, r.enter if r.enter else 0, r.leave, r.polls, r.skipped, r.result,
        check,
        listed("args", r.slot.args), listed("results", r.results))


def dump(log):
    names = ("sealed rank size pid level state stopped threads library real mono lost recovered").split()
    values = [log.incompatible if n == "sealed" else int(getattr(log, n)) for n in names]
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
    name = os.path.basename(path)
    if a == b and a and done.returncode in (0, 3):
        print("ok %s: both readers print the same %d lines" % (name, len(a)))
        return True
    k = next((k for k, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    print("FAIL %s: line %d differs (status %d)\n  ours   %s\n  second %s" % (
        name, k + 1, done.returncode, a[k:k + 1], b[k:k + 1]))
    return False


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "build/asan/tests/unit/tools/dump_log")
    paths = sys.argv[2:] or sorted(glob.glob(os.path.join(TOP, "tests/golden/*.log")))
    good = [compare(program, p) for p in paths]
    lines = len(open(second_reader.__file__, encoding="utf-8").readlines())
    good.append(lines <= 330)
    print("%s the second reader has %d lines, at most 330" % ("ok" if good[-1] else "FAIL", lines))
    if not paths:
        print("FAIL there are no golden logs")
        good.append(False)
    print("%d passed, %d failed" % (sum(good), len(good) - sum(good)))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
