#!/usr/bin/python3
"""hbdb dump, info and verify on raw logs written by rawlog.py: every shape of result, everything that can be wrong."""
import json
import os
import re
import shutil
import subprocess

import lib
import rawlog
from lib import HBDB, check, has, same


def dump(place):
    rawlog.manifest(place.path + "/one.hbdb")
    rawlog.example().write(place.path + "/one.hbdb")
    status, out, err = place.run("dump", "--plain", "one.hbdb")
    same("every shape of result as text", (status, out.splitlines()), (0, rawlog.EXPECTED.splitlines()))
    same("the suffix of a name may be left out", place.run("dump", "--plain", "one")[1], out)
    polls = place.run("dump", "--plain", "--polls", "one")[1]
    same("--polls", [line for line in polls.splitlines() if "polls" in line],
         ["0:11 MPI_Iprobe(source=ANY, tag=3, comm=WORLD) -> source=1 tag=3 bytes=400 [polls 17]"])
    status, full, _ = place.run("dump", "one")
    has("with times, and the number of a posting", full, "0:1  0.000000100  +0.000000050  MPI_Irecv(",
            "comm=WORLD) -> #0\n")
    same("--from and --to", place.run("dump", "--plain", "--from", "12", "--to", "13", "one")[1].splitlines(),
         rawlog.EXPECTED.splitlines()[11:13])
    same("--function, without MPI_", len(place.run("dump", "--plain", "--function", "Isend", "one")[1].splitlines()), 3)
    choices = place.run("dump", "--plain", "--choices", "one")[1]
    same("--choices", re.findall(r"0:(\d+) ", choices), ["4", "5", "6", "9", "11", "12"])
    same("--from behind --to", place.run("dump", "--from", "3", "--to", "2", "one")[0], 2)
    same("--rank of nobody", place.run("dump", "--rank", "5", "one")[0], 2)
    same("--rank that is none", place.run("dump", "--rank", "1,x", "one")[0], 2)


def json_lines(place):
    status, out, _ = place.run("dump", "--json", "one")
    events = [json.loads(line) for line in out.splitlines()]
    same("one object per event", [e["event"] for e in events], list(range(1, 26)))
    same("a receive", {k: events[3][k] for k in ("function", "class", "peer", "tag", "comm", "bytes", "source",
            "source_tag", "choice")},
         {"function": "MPI_Recv", "class": "recv", "peer": -1, "tag": -1, "comm": 0, "bytes": 4, "source": 2,
         "source_tag": 5,
          "choice": True})
    same("a completion", events[4]["answers"], [{"posting": 0, "index": 1, "status": "message", "source": 2,
            "tag": 5, "bytes": 36}])
    same("arguments", events[2]["arguments"], {"count": 1, "datatype": "type#1", "dest": 3, "tag": 7, "comm": "WORLD"})
    same("a failure", (events[24]["result"], events[9]["result"]), ("ERR_RANK", "ERR_OTHER"))
    same("postings", [(e["posting"], e["posts"]) for e in events if "posting" in e],
         [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (7, 1)])
    same("times in nanoseconds", (events[1]["enter_ns"], events[1]["exit_ns"]), (250, 300))


def several(place):
    folder = place.path + "/three.hbdb"
    rawlog.manifest(folder, processes=3)
    for rank in range(3):
        rawlog.example(rank, 3).write(folder)
    out = place.run("dump", "--plain", "three")[1].splitlines()
    same("rank after rank", [line.split(":")[0] for line in out], ["0"] * 25 + ["1"] * 25 + ["2"] * 25)
    same("--rank", len(place.run("dump", "--plain", "--rank", "0,2", "three")[1].splitlines()), 50)
    same("--rank with a range", len(place.run("dump", "--plain", "--rank", "1-2", "three")[1].splitlines()), 50)
    times = [float(line.split()[1]) + float(line.split()[2]) for line in place.run("dump", "--time",
            "three")[1].splitlines()]
    check("--time merges in the order of the returns", len(times) == 75 and times == sorted(times), times[:20])
    out = place.run("info", "three")[1]
    has("info", out, "processes     3\n", "events        75 in", "mpirun -n 1 ./app", "finalized", "MPI_Iprobe",
            "made from WORLD", "\nnext: hbdb view three, hbdb races three\n")
    facts = json.loads(place.run("info", "--json", "three")[1])
    same("info --json", (len(facts["processes"]), facts["events"], facts["calls"]["MPI_Iprobe"],
            facts["world_size"]), (3, 75, 54, 3))
    same("a communicator of all is one", [c["seen_in"] for c in facts["communicators"] if c["number"] == 0], [3])


def worlds_of_old(place):
    """Logs of version 1 have the PID in their name when there were two of a rank, and do not say who was spawned."""
    folder = place.path + "/old.hbdb"
    rawlog.manifest(folder)
    rawlog.example().write(folder)
    os.rename(folder + "/rank.0.log", folder + "/rank.0.77.log")
    rawlog.example().write(folder)
    out = place.run("info", "old")[1]
    has("info of version 1: of another world not more is said than is known", out,
        "world 77      one process: which others it belongs to is not known, nor whether a process made it\n")


def remarks(place):
    """What the recorder saw itself: typed, and as the notes that it was in version 1."""
    for name in ("remarks", "notes"):
        rawlog.manifest(place.path + "/%s.hbdb" % name)
        shutil.copy(lib.TOP + "/tests/golden/sealed-%s.log" % name, place.path + "/%s.hbdb/rank.0.log" % name)
    plain = place.run("dump", "--plain", "--remarks", "remarks")[1].splitlines()
    same("dump --remarks: of the process, of an event, of calls that are none", (plain[0], plain[3:5], plain[8:11]),
         ("0 remark on(guard=true, heap=true)",
          ["0:3 remark window(fn=MPI_Win_allocate, make=allocate, win=win#0, size=256, unit=4, rank=0, n=2)",
           "0:3 MPI_Win_allocate(disp_unit=4, comm=WORLD) -> win=win#0"],
          ["0:5 remark rma(fn=MPI_Put, event=false, seq=1, op=put, win=win#0, target=1, runs=[0,4,1,0], type=MPI_INT, ep=fence, k=6)",
           '0:5 remark buffer(fn=MPI_Put, event=false, arg="origin_addr", type=MPI_INT, count=1, frame=-44, sp=-112, bp=-44, '
           'regs=[6], extent=4, map=[4,0,1])',
           "0:5 remark rma+(k=6, d=3)"]))
    same("without it the events alone", [line for line in plain if " remark " not in line], place.run("dump", "--plain", "remarks")[1].splitlines())
    chosen = place.run("dump", "--remarks", "--plain", "--function", "Finalize", "remarks")[1].splitlines()
    same("those of the events that are wanted", [line.split("(")[0] for line in chosen], ["0:9 remark leak"] * 2 + ["0:9 MPI_Finalize"])
    has("with places", place.run("dump", "--remarks", "--from", "9", "remarks")[1], "0:9  remark leak(fn=MPI_Finalize, site=", "made=")
    by_time = place.run("dump", "--remarks", "--plain", "--time", "remarks")[1].splitlines()
    same("also by time", by_time, plain)
    told = [json.loads(line) for line in place.run("dump", "--remarks", "--json", "remarks")[1].splitlines()]
    told = [one for one in told if "remark" in one]
    same("as JSON", (told[0], {k: v for k, v in told[-1].items() if k != "fields"}, told[-1]["fields"]["what"], told[-1]["fields"]["numbers"]),
         ({"rank": 0, "lane": None, "event": None, "remark": "on", "fields": {"guard": True, "heap": True}},
          {"rank": 0, "lane": 0, "event": 9, "remark": "leak"}, "datatype", [1024]))
    old = place.run("dump", "--plain", "--remarks", "notes")[1].splitlines()
    same("of version 1, at the same places", [line.split("(")[0].split()[:3] for line in plain], [line.split("(")[0].split()[:3] for line in old])
    has("info counts them", place.run("info", "remarks")[1], "remarks       %d (hbdb dump" % len(told))
    same("in JSON, too", [json.loads(place.run("info", "--json", name)[1])["remarks"] for name in ("remarks", "notes", "one")], [len(told), len(told), 0])
    status, out, err = place.run("dump", "--remarks", "--plain", "one")
    same("where there are none a line says so", (status, "without --check" in err, out), (0, True, place.run("dump", "--plain", "one")[1]))


def sources(place):
    place.build("#include <unistd.h>\n#include <stdio.h>\n"
                "void f(void)\n{\n\tputs(\"x\");\n}\nint main(void) { f(); return 0; }\n", "prog")
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", place.path + "/prog"], capture_output=True,
            text=True).stdout
    body = text[text.index("<f>:"):].splitlines()
    call = next(i for i, line in enumerate(body) if "call" in line)
    after = int(body[call + 1].split(":")[0], 16)
    log = rawlog.Log()
    log.function("MPI_Barrier", rawlog.COLLECTIVE, ("comm", rawlog.COMMUNICATOR))
    log.module(0, 0x1000, place.path + "/prog")
    log.module(1, 0x1000, place.path + "/prog", "00" * 20)
    log.module(2, 0x1000, "/nowhere/lib.so")
    for site, module in ((1, 0), (2, 1), (3, 2)):
        log.site(site, module, after)
        log.event("MPI_Barrier", (0,), site=site)
    rawlog.manifest(place.path + "/lines.hbdb")
    log.write(place.path + "/lines.hbdb")
    out = place.run("dump", "lines")[1].splitlines()
    check("the line of a call", out[0].endswith("  <stdin>:5"), out)
    check("a program built again gives no lines", out[1].endswith("  prog+0x%x" % after), out)
    check("nor one that is not there", out[2].endswith("  lib.so+0x%x" % after), out)
    event = json.loads(place.run("dump", "--json", "lines")[1].splitlines()[0])
    same("the line in JSON", (event["file"].endswith("<stdin>"), event["line"]), (True, 5))


def killed(place):
    folder = place.path + "/killed.hbdb"
    log = rawlog.example(0, 2, state=0)
    log.never_returned("MPI_Recv", (1, 0, -1, -1, 0))
    log.note("RMA is not replayed")
    rawlog.manifest(folder)
    log.write(folder)
    has("where a killed process stood", place.run("dump", "killed")[1], "0:26  ", "-> never returned")
    has("info says so, and what was not covered", place.run("info", "killed")[1],
            "rank 0 never returned from MPI_Recv, which it called after event 25",
        "ended inside MPI", "RMA is not replayed", "1 of 2", "\nnext: hbdb check killed, hbdb view killed\n")
    status, out, err = place.run("verify", "killed")
    check("verify: the other rank has no log", (status, out) == (3, "") and "rank 1 has no log" in err, (status, out, err))
    shutil.copytree(folder, place.path + "/two words.hbdb")
    has("what to type next is what a shell reads", place.run("info", "two words")[1], "\nnext: hbdb check 'two words', hbdb view 'two words'\n")
    log = rawlog.Log()
    log.function("MPI_Win_lock", rawlog.RMA)
    log.event("MPI_Win_lock")
    rawlog.manifest(place.path + "/locks.hbdb")
    log.write(place.path + "/locks.hbdb")
    has("calls that a replay does not enforce are told", place.run("info", "locks")[1], "the order in which locks are granted")
    check("only when they were called", "locks are granted" not in place.run("info", "one")[1])


def wrong(place):
    status, _, err = place.run("info", "nothing")
    same("a name that does not exist", status, 3)
    os.mkdir(place.path + "/other")
    status, _, err = place.run("info", "other")
    same("a foreign folder", (status, "not an hbdb recording" in err), (3, True))
    status, _, err = place.run("info", "prog")
    same("a file", (status, "is a file" in err), (3, True))
    status, _, err = place.run("info", env={"XDG_STATE_HOME": place.path + "/no"})
    has("no name: the newest here", err, "recording ")
    rawlog.manifest(place.path + "/foreign.hbdb")
    with open(place.path + "/foreign.hbdb/rank.0.log", "wb") as f:
        f.write(b"something else" * 1000)
    for command in ("dump", "info", "verify"):
        status, _, err = place.run(command, "foreign")
        same("%s of a foreign log" % command, (status, "not an hbdb log" in err), (3, True))
    for text, wanted in (('{"format": "hbdb-recording", "version": 9}', "version 9"), ("{", "damaged"), ("{}",
            "not an hbdb manifest")):
        with open(place.path + "/foreign.hbdb/manifest.json", "w") as f:
            f.write(text)
        has("a manifest that is %s" % wanted, place.run("verify", "foreign")[2], wanted)
    rawlog.manifest(place.path + "/missing.hbdb", processes=2)
    rawlog.example(0, 2).write(place.path + "/missing.hbdb")
    same("a log that is gone", place.run("verify", "missing")[0], 3)
    status, out, _ = place.run("verify", "one")
    same("a whole recording", (status, "whole, 1 log, 25 events" in out), (0, True))
    data = rawlog.example().bytes()
    for cut, name in ((len(data) - 32768, "units gone"), (len(data) - 40000, "cut in a unit")):
        rawlog.manifest(place.path + "/cut.hbdb")
        with open(place.path + "/cut.hbdb/rank.0.log", "wb") as f:
            f.write(data[:cut])
        status, _, err = place.run("verify", "cut")
        check("verify: " + name, status == 3 and ("cut" in err or "damaged" in err), (status, err))
    odd = bytearray(data)
    odd[12:16] = (0x80).to_bytes(4, "little")
    with open(place.path + "/cut.hbdb/rank.0.log", "wb") as f:
        f.write(odd)
    status, _, err = place.run("dump", "cut")
    same("an incompatible flag is refused", status, 3)


def ends_early(place):
    """The reader of a pipe goes away."""
    folder = place.path + "/long.hbdb"
    log = rawlog.Log()
    log.function("MPI_Barrier", rawlog.COLLECTIVE, ("comm", rawlog.COMMUNICATOR))
    for _ in range(9000):
        log.event("MPI_Barrier", (0,))
    rawlog.manifest(folder)
    log.write(folder)
    done = subprocess.run(["bash", "-c", "%s dump long | head -1; echo ${PIPESTATUS[0]}" % HBDB], cwd=place.path,
            env=place.env,
                          capture_output=True, text=True, timeout=60)
    lines = done.stdout.splitlines()
    check("dump ends quietly when nobody reads on", lines[-1] == "0" and not done.stderr, (done.stdout, done.stderr))


def main():
    with lib.Place(libraries=False) as place:
        dump(place)
        json_lines(place)
        several(place)
        worlds_of_old(place)
        remarks(place)
        sources(place)
        killed(place)
        wrong(place)
        ends_early(place)
    lib.finish()


main()
