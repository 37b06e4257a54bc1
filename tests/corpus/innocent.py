#!/usr/bin/python3
"""Runs programs that are not of the corpus under hbdb check, and prints the errors and warnings found in them.

usage: innocent.py [--mpi openmpi|mpich|both] [--jobs N] [--apps] [PATTERN...]

Without --apps: everything in tests/programs, examples and bench/programs; with it the applications of tests/apps.
What these programs are known to do wrong stands in innocent.txt (README.md); everything else is a failure.
"""
import argparse
import concurrent.futures
import fnmatch
import importlib.util
import json
import os
import shlex
import subprocess
import sys

import programs

KNOWN = os.path.join(programs.HERE, "innocent.txt")
LIMIT = 120


def load(path):
    """A run.py of another suite as a module."""
    spec = importlib.util.spec_from_file_location("other_" + os.path.basename(os.path.dirname(path)), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def known():
    """[(program, identifiers that may be found in it)]"""
    with open(KNOWN, encoding="utf-8") as f:
        lines = [line.split("#")[0].split() for line in f]
    return [(words[0], set(words[1:])) for words in lines if words]


def of_programs():
    """(name, mpi, command or what the compiler said) of each program of tests/programs."""
    suite = load(os.path.join(programs.TOP, "tests/programs/run.py"))
    for mpi in programs.MPIS:
        os.makedirs(os.path.join(suite.BUILT, mpi), exist_ok=True)
        for program in suite.read_programs():
            if mpi not in program.mpis or program.suffix == ".py" and mpi == "mpich":
                continue
            said = suite.compile_one(program, mpi)
            yield "tests/programs/" + program.path, mpi, said or program.command(mpi, program.ranks[mpi][0])


def of_folder(folder):
    for base, _, names in os.walk(os.path.join(programs.TOP, folder)):
        for name in sorted(names):
            path = os.path.join(base, name)
            with open(path, encoding="utf-8", errors="replace") as f:
                text = f.read()
            if not name.endswith(".c") or "MPI_Init" not in text or "int main(" not in text:
                continue
            for mpi in programs.MPIS:
                binary = os.path.join(programs.BUILT, mpi, "innocent", os.path.relpath(path, programs.TOP)[:-2].replace("/", "_"))
                os.makedirs(os.path.dirname(binary), exist_ok=True)
                done = subprocess.run(["mpicc." + mpi, "-g", "-O1", "-w", "-pthread", "-I", base, path, "-o", binary, "-lm"],
                                      capture_output=True, text=True)
                count = "4" if mpi == "openmpi" else "2"
                yield os.path.relpath(path, programs.TOP), mpi, done.stderr or programs.LAUNCH[mpi] + ["-n", count, binary]


def of_apps():
    suite = os.path.join(programs.TOP, "tests/apps/run.py")
    with open(os.path.join(programs.TOP, "tests/apps/apps.json"), encoding="utf-8") as f:
        for app in json.load(f)["apps"]:
            for mpi, counts in app["quick"].items():
                for count in counts:
                    yield "tests/apps/" + app["name"], mpi, [sys.executable, suite, "--mode", "record", "--app", app["name"],
                                                            "--mpi", mpi, "--ranks", str(count), "--keep"]


def findings_in(said):
    return [(one["finding"], one["severity"], one["sentence"]) for one in programs.objects(said) if "finding" in one]


def judge(name, findings, allowed):
    """The errors and warnings that are not known of this program."""
    may = set()
    for pattern, identifiers in allowed:
        if fnmatch.fnmatch(name, pattern):
            may |= identifiers
    return [f for f in findings if f[1] != "note" and f[0] not in may]


def one(case):
    name, mpi, command = case
    if isinstance(command, str):
        return "does not compile: " + command.splitlines()[0], []
    folder = programs.new_folder()
    env = {"HB_SCRATCH": folder, "HB_EXPECT": os.path.join(folder, "expected")}
    run = programs.Run(["env"] + ["%s=%s" % item for item in env.items()] +
                       [programs.HBDB, "check", "--json", "-o", os.path.join(folder, "x.hbdb"), "--"] + command, folder, LIMIT)
    programs.drop_folder(folder)
    if run.status is None or '"summary"' not in run.out:
        return "no verdict: " + programs.last_line(run.err), []
    return None, findings_in(run.out)


def one_app(case):
    """The suite of applications knows how to run them: it records, and the recording is checked afterwards."""
    name, mpi, command = case
    folder = programs.new_folder()
    wrapper = os.path.join(folder, "hbdb")
    with open(wrapper, "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\n[ "$1" != record ] || { shift; set -- record --check "$@"; }\nexec %s "$@"\n' % programs.HBDB)
    os.chmod(wrapper, 0o755)
    run = programs.Run(command + ["--hbdb", wrapper, "--dir", folder], folder, 600)
    found, checked = [], 0
    for base, folders, _ in os.walk(folder):
        for recording in [f for f in folders if f.endswith(".hbdb")]:
            asked = programs.Run([programs.HBDB, "check", "--json", os.path.join(base, recording)], folder, LIMIT)
            found += findings_in(asked.out)
            checked += '"remarks":true' in asked.out
            if '"summary"' not in asked.out:
                return "no verdict: " + programs.last_line(asked.err), []
    programs.drop_folder(folder)
    return ("was not run: " + programs.last_line(run.out) if run.status or not checked else None), found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mpi", choices=programs.MPIS + ("both",), default="both")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--apps", action="store_true")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    options = parser.parse_args()
    cases = list(of_apps()) if options.apps else list(of_programs()) + [
        c for folder in ("examples", "bench/programs") for c in of_folder(folder)]
    cases = [c for c in cases if options.mpi in ("both", c[1])
             and (not options.patterns or any(p in c[0] for p in options.patterns))]
    allowed, passed, failed = known(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, (complaint, findings) in zip(cases, pool.map(one_app if options.apps else one, cases)):
            bad = judge(case[0], findings, allowed)
            print("%s %s %s%s" % ("FAIL" if complaint or bad else "ok", case[0], case[1],
                                  ": " + complaint if complaint else ""), flush=True)
            for finding in bad:
                print("     %s %s: %s" % (finding[1], finding[0], finding[2]))
            if complaint or bad:
                print("     " + (shlex.join(case[2]) if isinstance(case[2], list) else ""))
            passed, failed = passed + (not (complaint or bad)), failed + bool(complaint or bad)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
