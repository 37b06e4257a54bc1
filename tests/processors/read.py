#!/usr/bin/python3
"""Logs that programs of other processors left, read here: tests/golden/raw-s390x.log and raw-arm.log are as mini.c left them, tests/golden/README.md.

usage: read.py [HBDB]
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HBDB = sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "build/hbdb")
ROUNDS = 200
LOGS = {"s390x": ("big", 64), "arm": ("little", 32)}
passed = failed = 0


def check(good, what, more=""):
    global passed, failed
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else ": %s" % (more,)))
    passed, failed = passed + bool(good), failed + (not good)


def hbdb(*arguments):
    done = subprocess.run([HBDB, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    return done.stdout, done.stderr


def expected():
    """(function, bytes) of each event of mini.c."""
    yield "bind", None
    yield "socketpair", None
    for i in range(ROUNDS):
        yield from (("sendto", 1 + 3 * i), ("recv", 1 + 3 * i), ("write", 100), ("read", 60), ("read", 40))


def size(event):
    b = event["arguments"].get("bytes")
    return b[0] if isinstance(b, list) else b


def test_log(name, order, word):
    folder = tempfile.mkdtemp(prefix="hbdb-read.")
    recording = os.path.join(folder, "mini.hbdb")
    os.mkdir(recording)
    shutil.copy(os.path.join(TOP, "tests/golden/raw-%s.log" % name), os.path.join(recording, "rank.0.log"))
    out, err = hbdb("info", "--json", recording)
    process = json.loads(out)["processes"][0] if out else {}
    check((process.get("processor"), process.get("byte_order"), process.get("word")) == (name, order, word), "%s: its processor" % name, (process, err))
    out, err = hbdb("dump", "--json", recording)
    events = [e for e in map(json.loads, out.splitlines()) if "function" in e and "event" in e]
    got = [(e["function"], size(e) if e.get("class") in ("stream", "datagram") else None) for e in events]
    check(got == list(expected()), "%s: its %d events" % (name, len(got)), (err, next((x for x in zip(got, expected()) if x[0] != x[1]), len(got))))
    hashes = {k: [e["arguments"].get("hash") for e in events if e["function"] == k] for k in ("sendto", "recv")}
    check(len(set(map(str, hashes["sendto"]))) == ROUNDS and hashes["sendto"] == hashes["recv"], "%s: what was sent is what came" % name)
    times = [(e.get("enter_ns", -1), e.get("exit_ns", -1)) for e in events]
    check(all(a <= b for a, b in times) and all(a[1] <= b[0] for a, b in zip(times, times[1:])), "%s: times go up" % name)
    shutil.rmtree(folder)
    return hashes


def main():
    hashes = [test_log(name, *what) for name, what in LOGS.items()]
    check(hashes[0] == hashes[1], "the hashes of the same contents are the same on both processors")
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
