#!/usr/bin/python3
"""Files of contents of a recording, without MPI: sealed after a run, told by info, checked by verify, options of record."""
import json
import os
import shutil
import struct
import subprocess

import rawdata  # first: it tells where the others are
import lib
import rawlog
from lib import check, has, same

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDER = """
import json, os, sys
sys.path.insert(0, %r)
import rawdata, rawlog
folder = os.environ["HBDB_DIR"]
with open("asked", "w") as f:
    json.dump({k: os.environ.get(k) for k in ("HBDB_LEVEL", "HBDB_DATA_RANKS")}, f)
for rank in range(2):
    rawlog.example(rank, 2, **eval(os.environ.get("TEST_HEADER", "{}"))).write(folder)
if not os.environ.get("TEST_NONE"):
    d = rawdata.Data(1, **eval(os.environ.get("TEST_DATA", "{}")))
    fill = bytes(range(256)) * 4000
    for event in (4, 13):
        d.event(event, (1, fill), (64, b"abc"))
    d.call("mpi:MPI_Get_count", 13, (3, rawdata.sv(7)))
    path = d.write(folder)
    with open("raw", "wb") as f:
        f.write(open(path, "rb").read())
""" % HERE
CAME = 2 * (1024000 + 3) + 1


def record(place, name, *options, **env):
    with open(place.path + "/recorder.py", "w") as f:
        f.write(RECORDER)
    place.script("app", "exec /usr/bin/python3 recorder.py\n")
    shutil.rmtree(place.path + "/" + name, ignore_errors=True)
    if "data" in options:
        options += ("--inputs", "off")  # the library for these is not among those that do nothing
    return place.run("record", "--mpi", "openmpi", "-o", name, *options, "./app", env=env)


def records(place):
    status, _, err = record(place, "one.hbdb", "--level", "data", "--data-ranks", "1,3-5")
    same("a run at level data", status, 0)
    same("the target is asked for contents of these ranks", json.load(open(place.path + "/asked")),
         {"HBDB_LEVEL": "data", "HBDB_DATA_RANKS": "1,3-5"})
    sealed = os.path.getsize(place.path + "/one.hbdb/rank.1.data")
    has("the sum tells what came in and what is stored", err, "contents of 1 process: %d bytes came in, and are kept in %d bytes"
        % (CAME, sealed))
    raw = open(place.path + "/raw", "rb").read()
    unpacked = subprocess.run(["zstd", "-dcq", place.path + "/one.hbdb/rank.1.data"], capture_output=True, check=False)
    check("sealed, it is what zstd -d makes the raw form of", sealed < 10000 and unpacked.stdout == raw, unpacked.stderr)
    manifest = json.load(open(place.path + "/one.hbdb/manifest.json"))
    same("the manifest tells level and ranks", (manifest["level"], manifest["data_ranks"]), ("data", "1,3-5"))
    status, out, _ = place.run("info", "one")
    has("info shows level, ranks, sizes and how far", out, "level         data, contents of ranks 1,3-5\n",
        "%d bytes came into 1 process, kept in %d bytes\n" % (CAME, sealed),
        "rank 1: %d bytes came in, kept in %d, to its end\n" % (CAME, sealed))
    processes = json.loads(place.run("info", "--json", "one")[1])["processes"]
    same("info --json", [p.get("contents") for p in processes],
         [None, {"came": CAME, "bytes": sealed, "items": 3, "sealed": True}])
    same("verify", place.run("verify", "one")[:2], (0, "one.hbdb: whole, 2 logs, 50 events, %d bytes of contents\n" % CAME))
    record(place, "raw.hbdb", "--level", "data", "--keep-raw")
    same("--keep-raw keeps it as it was written", open(place.path + "/raw.hbdb/rank.1.data", "rb").read(), raw)
    same("without --data-ranks all are asked", json.load(open(place.path + "/asked"))["HBDB_DATA_RANKS"], None)
    status, out, err = place.run("verify", "raw")
    same("all should have contents then: verify misses those of rank 0", status, 3)
    has("and names them", err, "rank.0.log: the recording is of level data, but there are no contents beside this log")


def refuses(place):
    for words, wanted in ((("--data-ranks", "1"), "is for --level data"),
                          (("--level", "data", "--data-ranks", "1,x"), "takes ranks, as in 3,7-9"),
                          (("--level", "data", "--data-ranks", "5-3"), "takes ranks"),
                          (("--level", "data", "--data-ranks", "1,"), "takes ranks"),
                          (("--level", "data", "--data-ranks", ""), "needs a value")):
        status, _, err = record(place, "no.hbdb", *words)
        check("refused: %s" % " ".join(words), status == 2 and wanted in err, err)
    status, _, err = record(place, "none.hbdb", "--level", "data", "--data-ranks", "7", TEST_NONE="1")
    has("no process has a rank that was asked for", err, "no contents were kept: no process has a rank of --data-ranks 7")


def stops(place):
    _, _, err = record(place, "full.hbdb", "--level", "data", TEST_DATA="{'stopped': 28}")
    has("a full disk is told", err,
        "rank 1 stopped keeping contents after 2.0 MB: No space left on device; its events are whole\n")
    has("info tells it, too", place.run("info", "full")[1], "for the first 2.0 MB: No space left on device",
        "stopped keeping contents after 2.0 MB")
    status, _, err = place.run("verify", "full")
    check("verify calls it incomplete", status == 3 and "is incomplete: contents were kept for the first 2.0 MB only" in err, err)
    _, _, err = record(place, "both.hbdb", "--level", "data", TEST_DATA="{'stopped': 28}",
                       TEST_HEADER="{'stopped': 28, 'lost': 3}")
    check("of events that stopped, too, it is not said that they are whole",
          "stopped keeping contents" in err and "events are whole" not in err, err)
    record(place, "killed.hbdb", "--level", "data", TEST_DATA="{'state': 0}")
    has("a process that was killed", place.run("info", "killed")[1], "until it was killed or ended itself")


def damaged(place):
    path = place.path + "/one.hbdb/rank.1.data"
    whole = open(path, "rb").read()
    raw = open(place.path + "/raw", "rb").read()

    def told(name, content, wanted, status=3):
        with open(path, "wb") as f:
            f.write(content)
        got, _, err = place.run("verify", "one")
        check("verify: %s" % name, got == status and wanted in err, "%d %s" % (got, err))
        got, out, err = place.run("info", "one")
        check("info: %s" % name, got == status and "25" in out, "%d %s" % (got, err))

    told("cut off", whole[:len(whole) // 2], "rank.1.data")
    told("a bit flipped", whole[:300] + bytes([whole[300] ^ 4]) + whole[301:], "rank.1.data")
    told("raw, without its last block", raw[:-65536], "the file ends after")
    told("of another process", raw[:16] + struct.pack("<i", 0) + raw[20:], "is not of the process whose log is")
    told("something else", b"no contents", "header is cut off")
    told("something else of some size", b"no contents" * 100, "is not a file of contents")
    told("of a later version", raw[:8] + struct.pack("<I", 9) + raw[12:], "contents of version 9")
    with open(path, "wb") as f:
        f.write(whole)
    same("whole again", place.run("verify", "one")[0], 0)


def unsealed(place):
    """Contents that make no sense are not sealed: they stay as they are, and the sum says so."""
    _, _, err = record(place, "odd.hbdb", "--level", "data", TEST_DATA="{'pid': 1}")
    has("contents of another process beside a log are told when they are read", place.run("info", "odd")[2],
        "is not of the process")


def reduced(place):
    record(place, "long.hbdb", "--level", "data")
    status, out, err = place.run("minimize", "-o", "short.hbdb", "long")
    check("minimize leaves contents out and says so", status == 0 and "what the messages contained is left out" in out and
          not [n for n in os.listdir(place.path + "/short.hbdb") if n.endswith(".data")], out + err)
    manifest = json.load(open(place.path + "/short.hbdb/manifest.json"))
    same("and its level is racing", (manifest["level"], "data_ranks" in manifest), ("racing", False))


def main():
    with lib.Place() as place:
        records(place)
        refuses(place)
        stops(place)
        damaged(place)
        unsealed(place)
        reduced(place)
    assert rawlog.UNIT == 32768
    lib.finish()


main()
