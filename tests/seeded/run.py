#!/usr/bin/python3
"""Puts defects into a copy of the tree, one at a time, and asks which suite notices.

usage: run.py [-h] [--folder DIR] [--json FILE] [PATTERN...]

PATTERN: only defects whose name contains it. The copy of HEAD is made in DIR (build/seeded) and kept, so that the next
defect builds little. A defect ends as `caught by SUITE: TEST`, `MISSED`, `stale` (its text is not in the source any more: write it
anew) or `does not build`. The last line counts those caught as passed; nothing of the tree itself is changed.
"""
import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))


def read_defects(path):
    suites, defects, defect = {}, [], None
    with open(path, encoding="utf-8") as f:
        for line in f.read().splitlines():
            head = re.match(r"suites (\w+): (.*)", line)
            if head:
                suites[head[1]] = head[2].split()
            elif line.startswith("- ") or line.startswith("+ "):
                defect["old" if line[0] == "-" else "new"].append(line[2:])
            elif re.match(r"(%s) \S+$" % "|".join(suites) or "-", line):
                station, name = line.split()
                defect = {"station": station, "name": name, "file": None, "old": [], "new": []}
                defects.append(defect)
            elif line and not line.startswith("#"):
                defect["file"] = line
    return suites, defects


def make_copy(folder):
    if not os.path.isdir(folder):
        subprocess.run(["git", "clone", "-q", TOP, folder], check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=TOP, capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["git", "fetch", "-q", TOP, head], cwd=folder, check=True)
    subprocess.run(["git", "checkout", "-q", "-f", head], cwd=folder, check=True)


def judge(folder, defect, suites):
    path = os.path.join(folder, defect["file"])
    with open(path, encoding="utf-8") as f:
        source = f.read()
    old, new = "\n".join(defect["old"]), "\n".join(defect["new"])
    if source.count(old) != 1:
        return "stale"
    try:
        with open(path, "w", encoding="utf-8") as f:
            f.write(source.replace(old, new))
        built = subprocess.run(["./dev", "build"], cwd=folder, capture_output=True, text=True, check=False)
        if built.returncode:
            return "does not build"
        for suite in suites:
            ran = subprocess.run(["./dev", "check", suite], cwd=folder, capture_output=True, text=True, check=False)
            if ran.returncode:
                # The test is named, so that a reader sees whether it failed for the defect and not for a busy machine.
                tests = re.findall(r"^[\s|]*(?:FAIL|not ok)\b:?\s*(.*)", ran.stdout, re.M)
                return "caught by %s: %s" % (suite, tests[0][:90] if tests else "no test named, see its log")
        return "MISSED"
    finally:
        with open(path, "w", encoding="utf-8") as f:
            f.write(source)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", default=os.path.join(TOP, "build/seeded"))
    parser.add_argument("--json", help="write the outcome of each defect there; those it has already are not run again")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    options = parser.parse_args()
    suites, defects = read_defects(os.path.join(HERE, "defects.txt"))
    make_copy(options.folder)
    outcomes = {}
    if options.json and os.path.exists(options.json):
        with open(options.json, encoding="utf-8") as f:
            outcomes = json.load(f)
    for defect in defects:
        if options.patterns and not any(p in defect["name"] for p in options.patterns):
            continue
        if defect["name"] in outcomes:
            continue
        outcomes[defect["name"]] = judge(options.folder, defect, suites[defect["station"]])
        print("%-8s %-32s %s" % (defect["station"], defect["name"], outcomes[defect["name"]]), flush=True)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as f:
                json.dump(outcomes, f, indent=1)
    caught = sum(o.startswith("caught") for o in outcomes.values())
    print("%d passed, %d failed" % (caught, len(outcomes) - caught))
    return 0 if outcomes and caught == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
