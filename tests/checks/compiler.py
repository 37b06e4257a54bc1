#!/usr/bin/python3
"""The compiler has nothing to say: what is built was compiled with warnings as errors, every file of it."""
import json
import os
import shlex
import subprocess

import lib

BUILD = os.environ.get("BUILD", os.path.join(lib.TOP, "build"))


def lenient(folder):
    """Files that were compiled without -Werror."""
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as f:
        entries = json.load(f)
    found = [entry["file"].replace("../", "") for entry in entries if "-Werror" not in shlex.split(entry["command"])]
    return ["%s: no -Werror (rm -rf %s; ./dev build)" % (file, folder) for file in found[:5]] if entries else ["nothing is built"]


def old(folder):
    """What would have to be done to bring the build up to date."""
    done = subprocess.run(["ninja", "-C", folder, "-n"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode(errors="replace")
    return [] if "no work to do" in text else text.strip().split("\n")[-3:]


def run(report):
    for folder in (BUILD, os.path.join(BUILD, "asan")):
        name = os.path.relpath(folder, lib.TOP)
        if not os.path.exists(os.path.join(folder, "compile_commands.json")):
            report.check("there is %s" % name, [folder + " is not there"])
            continue
        report.check("warnings are errors in %s" % name, lenient(folder))
        report.check("%s is whole" % name, old(folder))


lib.main(run)
