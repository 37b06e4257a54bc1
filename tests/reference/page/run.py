#!/usr/bin/python3
"""Runs every command of docs/compare/missing.md and compares what it prints with the page.

usage: run.py [--mpi openmpi|mpich] [--write]      --write: into the page
"""
import argparse
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cli"))
from pages import MPIRUN, TOP, Place  # noqa: E402

PAGE = os.path.join(TOP, "docs/compare/missing.md")
BLOCK = re.compile(r"^```\n(\$ .*?)^```", re.S | re.M)
SECONDS = 600
count = {"passed": 0, "failed": 0}


def mask(line):
    """What differs from run to run: sizes in bytes of what has times in it."""
    return re.sub(r"\b\d+ bytes", "N bytes", line).rstrip()


def follow(place, text, write):
    """Each block with what its commands print in the place of what stands there."""
    def block(match):
        shown = []
        for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", match[1], re.M):
            out = [line.rstrip() for line in place.run(command, SECONDS).splitlines()]
            good = write or sorted(map(mask, out)) == sorted(map(mask, wanted.splitlines()))  # two channels, whose order is free
            count["passed" if good else "failed"] += 1
            print("%s %s" % ("ok" if good else "FAIL", command), flush=True)
            if not good:
                print("printed:\n%s\nwanted:\n%s" % ("\n".join(out), wanted))
            shown += ["$ " + command, *out]
        return "```\n" + "\n".join(shown) + "\n```"
    return BLOCK.sub(block, text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", choices=sorted(MPIRUN), default="openmpi")
    parser.add_argument("--write", action="store_true", help="put what is printed into the page")
    options = parser.parse_args()
    place = Place(options.mpi)
    try:
        with open(PAGE, encoding="utf-8") as f:
            text = f.read()
        page = follow(place, text, options.write)
        if options.write:
            with open(PAGE, "w", encoding="utf-8") as f:
                f.write(page)
    finally:
        place.close()
    print("%d passed, %d failed" % (count["passed"], count["failed"]))
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
