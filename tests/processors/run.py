#!/usr/bin/python3
"""Programs of several processors in one run: recorded into one recording, matched in one graph, replayed; each under qemu-user.

usage: run.py [--messages N] [--replays N] [--built]

talk.c is built for this machine and for each processor of scripts/processors. Its messages carry who sent them and as which one: what each process prints
of what came is what the matches of the recording are held against.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
HBDB = os.path.join(BUILD, "hbdb")
SOURCE = os.path.join(HERE, "talk.c")
# the name of the platform, of its runner, of its compiler; what info says of it
PROCESSORS = {
    "aarch64": ("qemu-aarch64", "aarch64-linux-gnu", "little", 64),
    "riscv64": ("qemu-riscv64", "riscv64-linux-gnu", "little", 64),
    "s390x": ("qemu-s390x", "s390x-linux-gnu", "big", 64),
    "ppc64": ("qemu-ppc64", "powerpc64-linux-gnu", "big", 64),
    "arm": ("qemu-arm", "arm-linux-gnueabihf", "little", 32),
}
PORT = 7300
passed = failed = 0


def check(good, what, more=""):
    global passed, failed
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good or not more else ": " + str(more)[-1500:]))
    passed, failed = passed + bool(good), failed + (not good)
    sys.stdout.flush()
    return good


def run(command, folder, seconds=300, **more):
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=seconds, check=False, errors="replace", **more)


def hbdb(folder, *arguments, seconds=300, env=None):
    return run([HBDB, *arguments], folder, seconds, env=dict(os.environ, **(env or {})))


def build():
    subprocess.run([os.path.join(TOP, "dev"), "build", "--processors"], check=True, stdout=subprocess.DEVNULL)


def compile_all(folder):
    subprocess.run(["gcc", "-g", "-O1", "-o", os.path.join(folder, "talk.x86"), SOURCE], check=True)
    for name, (_, triplet, _, _) in PROCESSORS.items():
        done = run([triplet + "-gcc", "-g", "-O1", "-o", os.path.join(folder, "talk." + name), SOURCE], folder)
        check(done.returncode == 0, "talk.c is built for " + name, done.stderr)


def write_script(folder, messages):
    """Process 0 is of this machine, the others each of another processor."""
    lines = ["#!/bin/sh"]
    n = 1 + len(PROCESSORS)
    for i, (name, (runner, triplet, _, _)) in enumerate(PROCESSORS.items(), 1):
        lines.append("%s -L /usr/%s ./talk.%s %d %d %d %d >out.%d &" % (runner, triplet, name, n, i, PORT, messages, i))
    lines += ["./talk.x86 %d 0 %d %d >out.0" % (n, PORT, messages), "wait", ""]
    path = os.path.join(folder, "go.sh")
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(lines))
    os.chmod(path, 0o755)


def outputs(folder):
    texts = []
    for i in range(1 + len(PROCESSORS)):
        with open(os.path.join(folder, "out.%d" % i), encoding="ascii") as f:
            texts.append(f.read())
    return texts


def events_of(folder, recording):
    """{process: [event]}, and {(rank, world): process}."""
    done = hbdb(folder, "dump", "--json", recording)
    by, names = {}, {}
    for line in done.stdout.splitlines():
        e = json.loads(line)
        if "event" in e and "function" in e:
            by.setdefault(e["process"], []).append(e)
            names[e["rank"], e.get("world", 0)] = e["process"]
    return by, names


def matches_of(folder, recording, names):
    """{(receiver, event of the receive, its function): [(sender, event of the send)]}"""
    words = ("SELECT state, sender, sender_world, send_event, receiver, receiver_world, done_event, done_call, ambiguous FROM messages")
    done = hbdb(folder, "sql", "--json", recording, words)
    rows = [json.loads(line) for line in done.stdout.splitlines()] if done.stdout.lstrip().startswith("{") else json.loads(done.stdout)
    found, other, ambiguous = {}, 0, 0
    for r in rows:
        if r["state"] != "received":
            other += 1
            continue
        ambiguous += bool(r["ambiguous"])
        key = names[r["receiver"], r["receiver_world"]], r["done_event"]
        found.setdefault(key, []).append((names[r["sender"], r["sender_world"]], r["send_event"]))
    return found, other, ambiguous


def of_kind(events, function, bytes_of):
    def size(e):
        b = e["arguments"].get("bytes")
        return b[0] if isinstance(b, list) else b
    return [e for e in events if e["function"] == function and size(e) == bytes_of]


def check_matches(folder, recording, messages):
    by, names = events_of(folder, recording)
    found, other, ambiguous = matches_of(folder, recording, names)
    process = ["talk.x86"] + ["talk." + name for name in PROCESSORS]
    right = wrong = 0
    first = ""
    datagrams, pieces = {}, {}
    for i, name in enumerate(process):
        for to in range(len(process)):
            peer = "127.0.0.1:%d" % (PORT + to)
            datagrams[i, to] = [e["event"] for e in of_kind(by[name], "sendto", 16) if peer in e["arguments"]["peer"]]
        pieces[i] = [e["event"] for e in of_kind(by[name], "send", 16)]
        # it talks to the greater ones in their order first, and then to whoever comes
        check(len(pieces[i]) == messages * (len(process) - 1), "%s sent its pieces" % name, len(pieces[i]))
    for i, text in enumerate(outputs(folder)):
        told = [line.split() for line in text.splitlines()]
        receives = {"datagram": of_kind(by[process[i]], "recvfrom", 16), "stream": of_kind(by[process[i]], "read", 16)}
        for kind, events in receives.items():
            lines = [t for t in told if t[0] == kind]
            if not check(len(lines) == len(events), "%s: an event for each %s that came" % (process[i], kind), (len(lines), len(events))):
                continue
            for (_, sender, _, serial), event in zip(lines, events):
                got = found.get((process[i], event["event"]), [])
                sender, serial = int(sender), int(serial)
                if kind == "datagram":
                    good = got == [(process[sender], datagrams[sender, i][serial])]
                else:
                    # the pieces of one conversation stand together: its serial is the place in it
                    good = len(got) == 1 and got[0][0] == process[sender] and got[0][1] in pieces[sender] and \
                        pieces[sender].index(got[0][1]) % messages == serial
                right, wrong = right + good, wrong + (not good)
                first = first or ("" if good else "%s:%d got %s, and its text says %s %d" % (process[i], event["event"], got, process[sender], serial))
    check(right and not wrong, "%d messages between %d processors are matched, 0 wrong" % (right, len(process)), (wrong, first))
    check(not other and not ambiguous, "no message is left over or ambiguous", (other, ambiguous))
    return by


def check_lines(by):
    """Call sites are where the source has the calls."""
    with open(SOURCE, encoding="ascii") as f:
        source = f.readlines()
    for name in ["x86"] + list(PROCESSORS):
        wrong = []
        for e in by["talk." + name]:
            line = e.get("line")
            # a call that goes over several lines may be told by any of them
            text = "".join(source[line - 1:line + 1]) if line else ""
            if os.path.basename(e.get("file") or "") != "talk.c" or not re.search(r"\b%s\(" % e["function"], text):
                wrong.append((e["function"], line))
        check(not wrong, "talk.%s: all %d call sites are lines of the source that call the function" % (name, len(by["talk." + name])), wrong[:5])


def check_info(folder, recording):
    done = hbdb(folder, "info", "--json", recording)
    told = {p["name"]: (p.get("processor"), p.get("byte_order"), p.get("word")) for p in json.loads(done.stdout)["processes"]}
    for name, (_, _, order, word) in PROCESSORS.items():
        check(told.get("talk." + name) == (name, order, word), "info says what processor talk.%s is for" % name, told.get("talk." + name))
    check(told.get("talk.x86") == (None, None, None), "nothing is told of the usual one")
    text = hbdb(folder, "info", recording).stdout
    check(re.search(r"talk\.s390x .* s390x 64 big", text) and re.search(r"talk\.x86 .* x86_64 64", text), "info shows it in a column", text)


def check_verbs(folder, recording):
    done = hbdb(folder, "verify", recording)
    check(done.returncode == 0, "verify finds nothing wrong", done.stdout + done.stderr)
    done = hbdb(folder, "races", recording)
    check("recvfrom: " in done.stdout and "talk.c:" in done.stdout, "races are found across processors", done.stdout + done.stderr)
    done = hbdb(folder, "graph", recording, "-o", "graph.svg")
    check(done.returncode == 0 and os.path.getsize(os.path.join(folder, "graph.svg")) > 1000, "the graph is drawn", done.stderr)


def check_order(folder, recording, by):
    """A datagram that was sent from one processor was sent before it came to another, of another byte order."""
    sent = [e for e in by["talk.x86"] if e["function"] == "sendto" and "127.0.0.1:%d" % (PORT + 3) in e["arguments"]["peer"]][0]
    got = [e for e in by["talk.s390x"] if e["function"] == "recvfrom" and "127.0.0.1:%d" % PORT in e["arguments"]["peer"]][0]
    done = hbdb(folder, "order", "talk.x86:%d" % sent["event"], "talk.s390x:%d" % got["event"], recording)
    check("before" in done.stdout and "concurrent" not in done.stdout, "order between two byte orders", done.stdout + done.stderr)


def check_replays(folder, recording, replays):
    was = outputs(folder)
    for i in range(replays):
        done = hbdb(folder, "replay", "--trust", recording)
        check(done.returncode == 0 and "no difference" in done.stderr and outputs(folder) == was, "replay %d: the same output, no difference" % (i + 1),
              done.stderr)


def check_alone(folder):
    """A process of another processor alone: it is begun by what runs such programs, which the recording's command does not show."""
    done = hbdb(folder, "record", "--level", "data", "-o", "data.hbdb", "--", "./go.sh")
    check(done.returncode == 0, "recorded with contents", done.stderr)
    was = outputs(folder)
    for i, (name, (_, _, _, word)) in enumerate(PROCESSORS.items(), 1):
        if word == 64:
            done = hbdb(folder, "replay", "--trust", "--alone", "talk." + name, "data.hbdb")
            check(done.returncode == 0 and "no difference" in done.stderr and done.stdout == was[i], "talk.%s alone: the same output, no difference" % name,
                  done.stderr + done.stdout[:200])


def check_without_library(folder):
    """A runner for whose processor nothing is built."""
    own = os.path.join(folder, "config/hbdb/platforms")
    os.makedirs(own)
    with open(os.path.join(own, "qemu-s390x.platform"), "w", encoding="ascii") as f:
        f.write("processor = s390x\nrunner = qemu-s390x\nlibrary = nowhere\n")
    done = hbdb(folder, "record", "-o", "without.hbdb", "--", "./go.sh", env={"XDG_CONFIG_HOME": os.path.join(folder, "config")})
    check(done.returncode == 0 and "what qemu-s390x runs is not recorded" in done.stderr, "without a library the program runs, and that is said", done.stderr)
    by, _ = events_of(folder, "without.hbdb")
    check("talk.ppc64" in by and not any("s390x" in name for name in by), "the others are recorded", list(by))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--messages", type=int, default=20)
    p.add_argument("--replays", type=int, default=3)
    p.add_argument("--built", action="store_true", help="take what is built as it is")
    a = p.parse_args()
    if not a.built:
        build()
    folder = tempfile.mkdtemp(prefix="hbdb-processors.")
    compile_all(folder)
    write_script(folder, a.messages)
    done = hbdb(folder, "record", "-o", "talk.hbdb", "--", "./go.sh")
    if check(done.returncode == 0, "recorded", done.stderr):
        check_info(folder, "talk.hbdb")
        by = check_matches(folder, "talk.hbdb", a.messages)
        check_lines(by)
        check_verbs(folder, "talk.hbdb")
        check_order(folder, "talk.hbdb", by)
        check_replays(folder, "talk.hbdb", a.replays)
        check_alone(folder)
        check_without_library(folder)
    shutil.rmtree(folder)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
