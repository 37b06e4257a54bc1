#!/usr/bin/python3
"""Runs every command of docs/observation.md under both MPIs and compares what it prints with the page; then checks what the
page claims, from --json. The page's times and sizes are those of one run: they are masked.

usage: run.py [--mpi openmpi|mpich] [--show]
"""
import argparse
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
from pages import MPIRUN, TOP, Place  # noqa: E402

PAGE = os.path.join(TOP, "docs/observation.md")
TRIES = 3  # the programs show their order by waiting 0.3 s: a busy machine may be slower
passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("ok" if good else "FAIL", name, flush=True)
    if not good:
        for line in str(detail).splitlines()[:24]:
            print("    " + line)


def commands():
    """[command, lines that it prints] of the page, in order."""
    found = []
    for block in re.findall(r"^```\n(.*?)^```", open(PAGE).read(), re.S | re.M):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def mask(line):
    line = re.sub(r"\+?\d+\.\d{9}", "T", line)
    return re.sub(r"\b\d+ bytes$", "N bytes", line) if line.startswith("hbdb: ") else line


def objects(place, command):
    """The JSON objects that a command prints."""
    return [json.loads(line) for line in place.run(command).splitlines() if line.startswith("{")]


def follow_page(place, mpi, show):
    for command, wanted in commands():
        wanted = [mask(line) for line in wanted]
        for turn in range(TRIES if "record" in command else 1):
            if turn:
                place.run("rm -rf " + re.search(r"-o (\S+)", command)[1])
            out = place.run(command)
            got = [mask(line) for line in out.splitlines()]
            # the program's lines and those of hbdb come by two ways
            if sorted(got) == sorted(wanted) and ("record" in command or got == wanted):
                break
        if show:
            print("$ %s\n%s" % (command, out), end="")
        check("%s: %s" % (mpi, command), sorted(got) == sorted(wanted) and ("record" in command or got == wanted),
              "printed:\n%s\nwanted:\n%s" % ("\n".join(got), "\n".join(wanted)))


def one_order(place, a, b, name):
    return objects(place, "hbdb order --json %s %s %s" % (a, b, name))[0]["order"]


def sends(place, name):
    """Events of the sends as --time lists them."""
    return ["%d:%d" % (e["rank"], e["event"]) for e in objects(place, "hbdb dump --json --time --function Send " + name)]


def claims(place, mpi):
    runs = {name: objects(place, "hbdb races --json " + name) for name in "ab"}
    for this, other in ("ab", "ba"):
        check("%s: the race of run %s names what run %s got" % (mpi, this, other),
              [a["event"] for a in runs[this][0]["alternatives"]] == [runs[other][0]["got"]["event"]], runs)
    seen = {race["event"]: race["got"]["event"].split(":")[0] for race in objects(place, "hbdb races --json o")}
    check("%s: the observers saw different orders" % mpi, seen == {"0:3": "1", "3:3": "2"}, seen)
    check("%s: of events without one" % mpi, one_order(place, "1:3", "2:3", "o") == "concurrent")
    calls = {(e["rank"], e["function"], e.get("peer")): e for e in objects(place, "hbdb dump --json q")}
    asked, heard = calls[0, "MPI_Send", 1], calls[1, "MPI_Recv", 0]
    check("%s: by the clocks the question was heard before it was asked" % mpi, heard["exit_ns"] < asked["enter_ns"],
          (asked, heard))
    check("%s: but it was asked before" % mpi, one_order(place, "0:2", "1:2", "q") == "before")
    check("%s: and the answer after it" % mpi, one_order(place, "1:3", "0:2", "q") == "after")
    check("%s: the listing of the strangers is turned round" % mpi,
          sends(place, "s") == ["0:3", "2:3"] and sends(place, "t") == ["2:3", "0:3"], (sends(place, "s"), sends(place, "t")))
    check("%s: they have no order in either" % mpi, [one_order(place, "0:3", "2:3", name) for name in "st"] ==
          ["concurrent"] * 2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", choices=sorted(MPIRUN))
    parser.add_argument("--show", action="store_true", help="print what the commands print")
    options = parser.parse_args()
    for mpi in sorted(MPIRUN):
        if options.mpi in (None, mpi):
            place = Place(mpi)
            try:
                follow_page(place, mpi, options.show)
                claims(place, mpi)
            finally:
                place.close()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed or not passed else 0)


main()
