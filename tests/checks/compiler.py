#!/usr/bin/python3
"""The compiler has nothing to say: every file of build/ is read again with warnings as errors."""
import json
import os
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor

import lib

BUILD = os.environ.get("BUILD", os.path.join(lib.TOP, "build"))


def complaints(entry):
    command = shlex.split(entry["command"])
    for option in ("-o", "-MF", "-MQ"):
        if option in command:
            at = command.index(option)
            del command[at:at + 2]
    command = [word for word in command if word != "-MD"] + ["-Werror", "-fsyntax-only"]
    done = subprocess.run(command, cwd=entry["directory"], stderr=subprocess.PIPE, check=False)
    text = done.stderr.decode(errors="replace").replace("../", "")
    return [line for line in text.split("\n") if "error:" in line][:5] or (["fails"] if done.returncode else [])


def run(report):
    path = os.path.join(BUILD, "compile_commands.json")
    if not os.path.exists(path):
        report.check("there is a build", [path + " is not there"])
        return
    with open(path, encoding="utf-8") as f:
        entries = json.load(f)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for entry, found in zip(entries, pool.map(complaints, entries)):
            report.check(entry["file"].replace("../", ""), found)


lib.main(run)
