#!/usr/bin/python3
"""Recordings of nodes without any: files of nodes made of the logs of a recording, read by every command and by a second reader; clocks that are told.

usage: tests/nodes/quick.py
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "cli"), HERE]
import second_reader  # noqa: E402
from lib import BUILD, HBDB, TOP, check, finish, has, same  # noqa: E402

MAKE = os.path.join(BUILD, "tests", "unit", "tools", "make_node")
# what the clock of a host says in a golden log is of no interest: any two of different names will do
GOLDEN = ["sealed-events", "sealed-notes", "raw-events"]


def hbdb(*words, cwd):
    return subprocess.run([HBDB, *words], cwd=cwd, capture_output=True, text=True, timeout=120, env=dict(os.environ, LC_ALL="C", XDG_STATE_HOME=cwd + "/state"))


def make(path, node, *files):
    subprocess.run([MAKE, path, node, *files], check=True)


def plain_recording(place):
    """A run of three processes without MPI's launchers: each is a program of one rank; and the same of level data."""
    source = os.path.join(TOP, "examples", "events", "queue.c")
    subprocess.run(["cc", "-g", "-O1", "-pthread", "-I", TOP + "/include", "-o", "queue", source], cwd=place, check=True)
    done = hbdb("record", "-o", "plain.hbdb", "--", "sh", "-c", "./queue; ./queue; ./queue", cwd=place)
    if done.returncode:
        raise RuntimeError(done.stderr)


def contained(place):
    """The same recording with its logs in the files of two nodes."""
    shutil.copytree(place + "/plain.hbdb", place + "/nodes.hbdb")
    logs = sorted(glob.glob(place + "/nodes.hbdb/rank.*"))
    make(place + "/nodes.hbdb/node.a.hbn", "a", *logs[:2])
    make(place + "/nodes.hbdb/node.b.hbn", "b", *logs[2:])
    for log in logs:
        os.unlink(log)
    return logs


def test_commands(place):
    plain_recording(place)
    contained(place)
    for words in (["dump", "--plain"], ["dump", "--json"], ["sql", "SELECT count(*), sum(duration) FROM events"], ["races"], ["info", "--json"], ["verify"],
                  ["export", "--to", "csv", "-o", "out"]):
        outs = []
        for name in ("plain.hbdb", "nodes.hbdb"):
            for old in glob.glob(place + "/out.*"):
                os.unlink(old)
            arguments = [words[0], name] + words[1:]
            done = hbdb(*arguments, cwd=place)
            text = (done.stdout + done.stderr).replace(name, "NAME")
            outs.append((done.returncode, text, {os.path.basename(p): open(p).read() for p in glob.glob(place + "/out.*")}))
        check("%s reads it as it reads the plain one" % " ".join(words), outs[0] == outs[1] and outs[0][0] in (0, 1), "%r\n%r" % tuple(outs))
    done = hbdb("replay", "--trust", "nodes.hbdb", cwd=place)
    check("replay", done.returncode == 0, done.stderr)


def test_damage(place):
    path = place + "/nodes.hbdb/node.b.hbn"
    with open(path, "rb") as f:
        whole = f.read()
    with open(path, "r+b") as f:
        f.truncate(len(whole) - 20)
    done = hbdb("verify", "nodes.hbdb", cwd=place)
    check("verify of one that is cut off", done.returncode == 3 and "node.b.hbn" in done.stderr, done.stderr)
    check("... of which dump shows what is there", "queue#3:1" in hbdb("dump", "nodes.hbdb", cwd=place).stdout)
    with open(path, "wb") as f:
        f.write(whole[:-40] + b"x" + whole[-39:])
    check("verify of one whose index is damaged", hbdb("verify", "nodes.hbdb", cwd=place).returncode == 3)
    with open(path, "wb") as f:
        f.write(b"no file of a node")
    done = hbdb("dump", "nodes.hbdb", cwd=place)
    check("one that is none", done.returncode == 3 and "is not the file of a node" in done.stderr, done.stderr)
    with open(path, "wb") as f:
        f.write(whole)


def test_second_reader(place):
    files = [os.path.join(TOP, "tests", "golden", name + ".log") for name in GOLDEN]
    make(place + "/golden.hbn", "a-node", *files)
    node, contents, whole = second_reader.read(place + "/golden.hbn")
    same("the second reader: node", (node, whole), ("a-node", True))
    same("... files", list(contents), [name + ".log" for name in GOLDEN])
    check("... their bytes", all(contents[os.path.basename(f)] == open(f, "rb").read() for f in files))
    data = open(place + "/golden.hbn", "rb").read()
    for cut in (len(data) - 1, len(data) // 2, 200):
        with open(place + "/cut.hbn", "wb") as f:
            f.write(data[:cut])
        node, part, whole = second_reader.read(place + "/cut.hbn")
        check("... of one cut at %d" % cut, not whole and all(contents[name].startswith(piece) for name, piece in part.items()))


def test_clocks(place):
    before = [json.loads(line) for line in hbdb("dump", "--json", "nodes.hbdb", cwd=place).stdout.splitlines() if line.startswith("{")]
    host = json.loads(hbdb("info", "--json", "nodes.hbdb", cwd=place).stdout)["processes"][0]["host"]
    name = "node.b.hbn/" + sorted(second_reader.read(place + "/nodes.hbdb/node.b.hbn")[1])[0]
    with open(place + "/nodes.hbdb/clocks.json", "w") as f:
        json.dump({"format": "hbdb-clocks", "version": 1, "origin": 0, "hosts": [{"host": host, "shift_ns": 5, "rate": 0, "known": True}],
                   "logs": [{"log": name, "shift_ns": 2e9}]}, f)
    done = hbdb("dump", "--json", "nodes.hbdb", cwd=place)
    after = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    key = next(k for k in ("time_ns", "time", "enter_ns", "enter") if k in before[0])
    scale = 1 if key.endswith("_ns") else 1e-9
    by = [(b[key] - a[key]) / scale / 1e9 for a, b in zip(before, after)]
    # times begin with the first event of all, which is in this log when its number, as a text, comes before those of older processes
    moved = {round(one - min(by), 3) for one in by}
    same("a clock that is told is applied", moved, {0.0, 2.0})
    has("info says so", hbdb("info", "nodes.hbdb", cwd=place).stdout, "clocks        of 1 nodes")
    with open(place + "/nodes.hbdb/clocks.json", "w") as f:
        f.write("{")
    done = hbdb("dump", "--plain", "nodes.hbdb", cwd=place)
    check("one that is damaged is said", done.returncode == 0 and "clocks.json is damaged" in done.stderr, done.stderr)


TALKER = """import os, socket, sys, time
a, b = socket.socketpair()
while not os.path.exists(sys.argv[1]):
    a.send(b"x")
    b.recv(1)
    time.sleep(0.01)
"""
SSH = """#!/bin/sh
# n1 is this machine, all others are down
for word; do before=$last last=$word; done
[ "$before" = n1 ] && exec sh -c "$last"
exit 255
"""


def test_kept(place):
    """A run that goes on, of which it is said that it writes on two nodes: one is this machine, by an ssh of the test's own, the other one is down."""
    os.mkdir(place + "/bin")
    with open(place + "/bin/ssh", "w", encoding="utf-8") as f:
        f.write(SSH)
    os.chmod(place + "/bin/ssh", 0o755)
    env = dict(os.environ, LC_ALL="C", XDG_STATE_HOME=place + "/state", PATH=place + "/bin:" + os.environ["PATH"])

    def run(*words):
        return subprocess.run([HBDB, *words], cwd=place, capture_output=True, text=True, timeout=120, env=env, check=False)

    child = subprocess.Popen([HBDB, "record", "-o", "part.hbdb", "--", sys.executable, "-c", TALKER, place + "/go"], cwd=place, env=env,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 120
        while not glob.glob(place + "/part.hbdb/rank.*.log") and time.monotonic() < end:
            time.sleep(0.02)
        with open(place + "/part.hbdb/manifest.json", encoding="utf-8") as f:
            about = json.load(f)
        about["nodes"] = [{"name": n, "host": n, "folder": place + "/part.hbdb", "missing": True} for n in ("n1", "n2")]
        os.mkdir(place + "/apart.hbdb")
        with open(place + "/apart.hbdb/manifest.json", "w", encoding="utf-8") as f:
            json.dump(about, f)
        done = run("record", "--keep", "apart.hbdb")
        check("keep: a recording that names other nodes is not believed", done.returncode == 2 and "--from-elsewhere does so" in done.stderr and
              not os.path.exists(place + "/apart-kept-1.hbdb"), done.stderr)
        done = run("record", "--stop", "apart.hbdb")
        check("stop: neither", done.returncode == 2 and "--from-elsewhere does so" in done.stderr, done.stderr)
        done = run("record", "--keep", "--from-elsewhere", "apart.hbdb")
        check("keep: a node that is down costs its own part", done.returncode == 3 and "the node n2 has not kept its part: " in done.stderr and
              "recorded up to now: the run goes on" in done.stderr, done.stderr)
        same("keep: a file of the other one", sorted(os.listdir(place + "/apart-kept-1.hbdb")), ["manifest.json", "node.n1.hbn"])
        has("keep: info", run("info", "apart-kept-1.hbdb").stdout, "2; missing: n2 (not kept there)", "the run went on")
        done = run("record", "--fetch", "apart-kept-1.hbdb")
        check("keep: it cannot be fetched", done.returncode == 2 and "not there to be fetched" in done.stderr, done.stderr)
        same("keep: the run writes on, and nothing is left beside it", [f for f in os.listdir(place) if f.startswith("hbdb-")], [])
        done = run("record", "--stop", "--from-elsewhere", "apart.hbdb")
        has("stop: a node that is down", done.stderr, "the node n2 is not reached, and its processes are recorded further")
        same("stop: is said by the status", done.returncode, 3)
        check("stop: the processes are told, and go on", os.path.exists(place + "/part.hbdb/stopped") and child.poll() is None)
    finally:
        open(place + "/go", "w").close()
        child.wait(120)


def main():
    place = tempfile.mkdtemp(prefix="hbdb-nodes-")
    try:
        for test in (test_commands, test_damage, test_second_reader, test_clocks, test_kept):
            test(place)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    finish()


if __name__ == "__main__":
    main()
