#!/usr/bin/python3
"""The golden recordings of programs that talk, by two readers: events with their meaning, and who got what of whom."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True

import talked
from talked import CLASSES, Recording

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
HBDB = os.path.join(TOP, "build", "asan", "hbdb")
GOLDEN = os.path.join(TOP, "tests", "golden", "sockets")
# What each must hold, so that a golden recording that holds nothing does not pass: pairs that are sure, and functions.
HOLDS = {"tcp": (55, "connect accept4 epoll_wait shutdown close listen"), "udp": (12, "sendmmsg recvmmsg fork wait"), "cut": (0, "recvfrom"), "peek": (8, "peek"),
         "unixgram": (60, "sendto recvfrom"), "pair": (120, "socketpair"), "pipes": (11, "pipe read write waitpid")}
results = []


def check(name, good, why=""):
    results.append(bool(good))
    print(("ok " if good else "FAIL ") + name + ("" if good else f"\n  {str(why)[:2000]}"))


def hbdb(*arguments):
    done = subprocess.run([HBDB, *arguments], capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def as_told(e):
    """An event as hbdb dump --json has it: of what repeats, lists."""
    arguments = {n: v for n, v in {**e.arguments, **e.values}.items() if v is not None}
    for told in e.more:
        for name, value in told.items():
            arguments.setdefault(name, []).append(value)
    return (*talked.where(e), e.function, CLASSES[e.cls], arguments)


def compare(name):
    folder = os.path.join(GOLDEN, name)
    second = Recording(folder)
    ours = [(d["process"], d["lane"], d["event"], d["function"], d["class"], d["arguments"]) for d in hbdb("dump", "--json", folder) if d["layer"] == "sockets"]
    theirs = [as_told(e) for e in second.events]
    order = lambda e: e[:3]
    ours.sort(key=order)
    theirs.sort(key=order)
    different = [pair for pair in zip(ours, theirs) if pair[0] != pair[1]]
    check(f"{name}: both readers tell of the same {len(theirs)} events", theirs and len(ours) == len(theirs) and not different,
          f"{len(ours)} {len(theirs)} {different[:2]}")
    sure, functions = HOLDS[name]
    missing = set(functions.split()) - {e.function for e in second.events}
    check("... among them what it was recorded for", not missing, missing)
    names = {p["world"]: p["name"] for p in hbdb("sql", "--json", folder, "select world, name from processes")}
    rows = hbdb("sql", "--json", folder, "select sender_world, send_lane, send_event, receiver_world, done_lane, done_event from messages where state = 'received' and not ambiguous")
    ours = {((names[r["sender_world"]], r["send_lane"], r["send_event"]), (names[r["receiver_world"]], r["done_lane"], r["done_event"])) for r in rows}
    theirs = second.pairs()
    check(f"... and of the same {len(theirs)} messages", ours == theirs and len(theirs) == sure, f"{len(ours)} {len(theirs)} {sorted(ours ^ theirs)[:4]}")
    forks = [e for e in second.events if e.cls == talked.FAMILY and e.function == "fork"]
    check(f"... {len(forks)} processes made are those of the logs", forks and all(e.values["pid"] in second.pids for e in forks), second.pids)
    check("... all of one host and network namespace", len(second.networks) == 1 and None not in next(iter(second.networks)), second.networks)


def main():
    there = sorted(os.listdir(GOLDEN))
    check("the golden recordings are those that are known here", there == sorted(HOLDS), there)
    for name in there:
        compare(name)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
