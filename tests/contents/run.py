#!/usr/bin/python3
"""Level data of a program of MPI: what it says that came in is what hbdb dump, hbdb sql, the page and a second reader of the file say.
And of the golden recording, which every later version must read."""
import json
import os
import shutil
import subprocess
import sys

import rawdata  # first: it tells where the others are
import lib
from lib import check, has, same
from second_reader import Reader
from shown import digest_of

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "view"))
from viewer import View  # noqa: E402

GOLDEN = os.path.join(lib.TOP, "tests/golden/contents")
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-n", "3"],
    "mpich": ["mpirun.mpich", "-n", "3"],
}


def objects(place, recording, *options):
    out = place.run("dump", "--json", "--data", *options, recording)[1]
    return [json.loads(line) for line in out.splitlines()]


def rows_of(place, recording):
    """Every piece by rank, as sql has it."""
    status, out, err = place.run("sql", "--json", recording, "SELECT rank, event, call, hex(content) AS content FROM data")
    check(recording + ": sql reads all", status == 0 and not err, err)
    rows = {}
    for line in out.splitlines():
        r = json.loads(line)
        rows.setdefault(r["rank"], []).append((r["event"], r["call"], r["content"].lower()))
    return rows


def second(place, recording, rows):
    """By the reader that was written from the page."""
    folder = recording if os.path.isabs(recording) else place.path + "/" + recording
    for rank in sorted(rows):
        r = Reader("%s/rank.%d.data" % (folder, rank))
        pieces = [(event, call, piece.hex()) for thread in r.streams for event, call, pieces in r.items(thread) for _, piece in pieces]
        same("%s: rank %d: the second reader finds the same" % (os.path.basename(recording), rank), pieces, rows[rank])
        same("%s: rank %d: and as many bytes" % (os.path.basename(recording), rank), sum(len(p) // 2 for _, _, p in pieces), r.came)


def page(place, name, told):
    """The Event panel: of an event what came with it, of a send what its message carried."""
    with View(place, place.path + "/" + name) as v:
        v.ready()
        got = [o for o in told if "data" in o and "event" in o and o["rank"] == 1]
        for event in sorted({o["event"] for o in got})[:12]:
            answer = v.get("event?at=1:%d" % event)
            same("%s: page: event %d" % (name, event), [{k: p[k] for k in ("data", "bytes", "digest") if k in p} for p in answer["data"]],
                 [{k: o[k] for k in ("data", "bytes", "digest") if k in o} for o in got if o["event"] == event])
            same("%s: page: event %d, where" % (name, event), answer["data_at"], "1:%d" % event)
        send = next(o for o in told if o.get("function") == "MPI_Isend" and o["rank"] == 0)
        answer = v.get("event?at=0:%d" % send["event"])
        check("%s: page: what a send carried is what arrived" % name, answer["data_at"] == answer["match"] and
              any(p["bytes"] == send["bytes"] for p in answer["data"]), (answer["data_at"], answer["data"]))
        same("%s: page: ends" % name, v.end()[0], 0)


def program(place, mpi):
    source, binary = HERE + "/brought.c", place.path + "/brought"
    subprocess.run(["mpicc." + mpi, "-g", "-Wno-stringop-overflow", "-o", binary, source], check=True)
    name = mpi + ".hbdb"
    done = subprocess.run([os.path.join(lib.TOP, "build/hbdb"), "record", "--level", "data", "-o", name, "--", *LAUNCH[mpi], "./brought"],
                          cwd=place.path, env=place.env, capture_output=True, text=True, timeout=300)
    check(mpi + ": recorded", done.returncode == 0, done.stderr)
    has(mpi + ": the sum", done.stderr, "contents of 3 processes: ")
    same(mpi + ": whole", place.run("verify", name)[0], 0)
    told = objects(place, name)
    for rank in range(3):
        with open("%s/got.%d" % (place.path, rank)) as f:
            wanted = [bytes.fromhex(line) for line in f]
        got = [(o["bytes"], o["digest"]) for o in told if o.get("kind") == "buffer" and "event" in o and o["rank"] == rank]
        same("%s: rank %d: what came in, in the order of its events" % (mpi, rank), got, [(len(w), digest_of(w)) for w in wanted])
    particles = [o for o in told if o.get("datatype", "").startswith("type#") and o["rank"] == 1]
    same(mpi + ": a derived datatype shows what it consists of", [o["first"] for o in particles], [[0, 0.0, -1.0, "ab\0"]] * 3)
    doubles = [o for o in told if o.get("datatype") == "MPI_DOUBLE" and o["rank"] == 1 and o["elements"] == 5000]
    same(mpi + ": elements and first values of a long one", [o["first"][:3] for o in doubles], [[0.0, 0.125, 0.25], [0.0, 1 / 3, 2 / 3]])
    second(place, name, rows_of(place, name))
    page(place, name, told)
    some = subprocess.run([os.path.join(lib.TOP, "build/hbdb"), "record", "--level", "data", "--data-ranks", "2", "-o", "some.hbdb", "--", *LAUNCH[mpi],
                           "./brought"], cwd=place.path, env=place.env, capture_output=True, text=True, timeout=300)
    files = sorted(f for f in os.listdir(place.path + "/some.hbdb") if f.endswith(".data"))
    check(mpi + ": contents of chosen ranks only", some.returncode == 0 and files == ["rank.2.data"], (files, some.stderr))
    shutil.rmtree(place.path + "/some.hbdb")


def full(place):
    """A disk that contents fill: they stop, the events do not."""
    if os.geteuid() or subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        print("# a full disk: not tried, mounting needs root")
        return
    bench = os.path.join(lib.TOP, "bench/programs")
    subprocess.run(["mpicc.openmpi", "-std=gnu17", "-O1", "-I" + bench, "-I" + os.path.join(lib.TOP, "include"), "-o", place.path + "/halo", bench + "/halo.c", "-lm", "-ldl"],
                   check=True)
    command = ["--", *LAUNCH["openmpi"][:-1], "4", "./halo", "64", "4000"]
    os.mkdir(place.path + "/m")
    record = [os.path.join(lib.TOP, "build/hbdb"), "record", "--level", "data", "-o"]
    wide = subprocess.run(record + ["wide.hbdb", *command], cwd=place.path, env=place.env, capture_output=True, text=True, timeout=300)
    narrow = subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=8m none m && \"$@\"; status=$?; cp -r m/full.hbdb full.hbdb; exit $status", "sh",
                             *record, "m/full.hbdb", *command], cwd=place.path, env=place.env, capture_output=True, text=True, timeout=300)
    check("a full disk: the program does not notice", wide.returncode == 0 and narrow.returncode == 0, narrow.stderr)
    facts = [json.loads(place.run("info", "--json", name)[1]) for name in ("wide", "full")]
    same("a full disk: all events are there", [p["events"] for p in facts[1]["processes"]], [p["events"] for p in facts[0]["processes"]])
    check("a full disk: contents of some are not", any("kept" in p["contents"] for p in facts[1]["processes"]), facts[1]["processes"])
    has("a full disk: the end says so", narrow.stderr, "stopped keeping contents after", "No space left on device; its events are whole")
    same("a full disk: and so does verify", place.run("verify", "full")[0], 3)


def golden(place):
    shutil.copytree(GOLDEN, place.path + "/golden.hbdb")
    same("golden: whole", place.run("verify", "golden")[0], 0)
    text = place.run("dump", "--plain", "--data", "golden")[1]
    has("golden: its values", text, "request 0: 500 MPI_DOUBLE: 1.0, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75, 1.875, ... (4000 bytes, digest ",
        "request 1: 1 type#0: 1, 0.5, -1.0, \"ab\\0\"\n", "recvbuf: 1 MPI_INT: 21\n", "0:0+  data process:command number 2: 11 bytes: \"/tmp/golden\"\n")
    second(place, "golden.hbdb", rows_of(place, "golden.hbdb"))


def main():
    with lib.Place(libraries=False) as place:
        for mpi in LAUNCH:
            program(place, mpi)
        full(place)
        golden(place)
    assert rawdata.BLOCK == 65536
    lib.finish()


main()
