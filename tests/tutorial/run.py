#!/usr/bin/python3
"""Runs every command of the pages of docs/tutorial and compares what it prints, and the pictures that it draws, with the page.

usage: run.py [--mpi openmpi|mpich] [--page NAME] [--show] [--write]     --write: into the page, and the pictures beside it
"""
import argparse
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
from pages import MPIRUN, TOP, Place  # noqa: E402

PICTURES = os.path.join(TOP, "docs/tutorial")
PAGES = {"tutorial.md": 3, "sockets.md": 0} # how many pictures it has at least
TRIES = 80   # of a block that records until a program fails: it can fail in other ways than the page's
AGAIN = 3    # of a plain run: on a busy machine a rare order may come by itself
passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("ok" if good else "FAIL", name, flush=True)
    if not good:
        for line in str(detail).splitlines()[:60]:
            print("    " + line)


def blocks(page):
    """Lists of [command, lines that it prints], a list for each block of the page."""
    found = []
    for block in re.findall(r"^```\n(.*?)^```", open(page).read(), re.S | re.M):
        found.append([])
        for line in block.splitlines():
            if line.startswith("$ "):
                found[-1].append((line[2:], []))
            else:
                found[-1][-1][1].append(line)
    return found


def mask(line):
    """What may differ from run to run."""
    line = re.sub(r"\+?\d+\.\d{9}", "T", line)
    line = re.sub(r"\b\d+\.\d\d s\b", "T s", line)
    line = re.sub(r"\b\d+\.\d ms\b", "T ms", line)
    line = re.sub(r"\b0x[0-9a-f]+\b", "ADDRESS", line)
    line = re.sub(r"\b127\.0\.0\.1:\d+", "127.0.0.1:PORT", line)
    line = re.sub(r"^run \d+ failed", "run N failed", line)
    line = re.sub(r"up to \d+ frames", "up to N frames", line)
    line = re.sub(r"\S*/work/(?=\w+\.c$)", "/home/you/", line)
    return line.rstrip()


# What the launcher says of its own end when the job is ended before it is done: it varies.
LAUNCHER = re.compile(r"^\[[\w.-]+:\d{4,}\] |^-{40,}$|^mpirun\.openmpi: |^Primary job  terminated normally|"
                      r"^a non-zero exit code\. Per user-direction|^mpirun\.openmpi noticed|^$|"
                      # and UCX, which catches a crash before the program dies of it
                      r"^\[[\w.-]+:\d+:\d+:\d+\] Caught signal|^={4} backtrace \(tid: *\d+\) ={4}$|^ *\d+  \S+\(\S*\+0x\w+\) \[0x\w+\]$|^={33}$")


def printed(command, text):
    lines = text.splitlines()
    if command.startswith("hbdb debug"):
        lines = [line for line in lines if not LAUNCHER.match(line)]
    return lines


def tries(block):
    if any("until_fails" in command and "no failure in 5 runs" not in wanted for command, wanted in block):
        return TRIES
    return AGAIN if block[0][0].startswith("mpirun") else 1


def same(out, wanted, accept):
    return list(map(mask, out)) == list(map(mask, wanted)) or accept


def run_block(place, block, options):
    """[command, printed, wanted], as they are."""
    # what is tried again must be as on the page, or nothing would be waited for
    accept = options.write and tries(block) == 1
    for _ in range(tries(block)):
        done = []
        for command, wanted in block:
            out = printed(command, place.run(command))
            done.append((command, out, wanted))
            if not same(out, wanted, accept) and tries(block) > 1:
                break
        if len(done) == len(block) and all(same(out, wanted, accept) for _, out, wanted in done):
            break
    if options.show:
        for command, out, _ in done:
            print("$ " + command, *out, sep="\n")
    return done


def masked_picture(path):
    return [mask(line) for line in open(path).read().splitlines()]


def pictures(place, mpi, page, write):
    names = re.findall(r"\]\((\w+\.svg)\)", open(page).read())
    check("%s: the page has its pictures" % mpi, len(names) >= PAGES[os.path.basename(page)])
    for name in names:
        drawn, kept = place.path + "/work/" + name, os.path.join(PICTURES, name)
        if write:
            shutil.copyfile(drawn, kept)
        check("%s: %s is what the command draws" % (mpi, name), masked_picture(drawn) == masked_picture(kept),
              "differs: " + kept)


def write_page(page, done):
    """The outputs of the commands in the place of those of the page."""
    text = open(page).read()
    for block in done:
        old = "```\n" + "".join("$ %s\n%s" % (c, "".join(line + "\n" for line in wanted)) for c, _, wanted in block) + "```"
        new = "```\n" + "".join("$ %s\n%s" % (c, "".join(re.sub(r"\S*/work/(?=\w+\.c$)", "/home/you/", line).rstrip() + "\n"
                                                        for line in out)) for c, out, _ in block) + "```"
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    open(page, "w").write(text)


def follow(place, mpi, page, options):
    done = []
    for block in blocks(page):
        done.append(run_block(place, block, options))
        for command, out, wanted in done[-1]:
            check("%s: %s" % (mpi, command), same(out, wanted, options.write and tries(block) == 1),
                  "printed:\n%s\nwanted:\n%s" % ("\n".join(out), "\n".join(wanted)))
        if len(done[-1]) < len(block):
            check("%s: the failure of the page came" % mpi, False, "not in %d tries" % tries(block))
    if options.write:
        write_page(page, done)
    pictures(place, mpi, page, options.write)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", choices=sorted(MPIRUN), default="openmpi")
    parser.add_argument("--page", choices=sorted(PAGES), action="append", help="this page alone")
    parser.add_argument("--show", action="store_true", help="print what the commands print")
    parser.add_argument("--write", action="store_true", help="put what is printed and drawn into the page")
    options = parser.parse_args()
    for name in options.page or PAGES:
        place = Place(options.mpi)
        try:
            follow(place, options.mpi, os.path.join(PICTURES, name), options)
        finally:
            place.close()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed or not passed else 0)


main()
