#!/usr/bin/python3
"""Programs that talk under hard circumstances: they must do what they do alone, and each call of theirs must be in the record.

usage: run.py [--full] [--only TEXT] [--no-replay] [--keep] [--list]

The programs count their calls and print how many there were of each function; the recording must have as many events of it (programs/hard.h).
Some are killed, and say in a file how many of their calls had returned. --full: those that take long, too."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BUILT = os.path.join(TOP, "build", "tests", "sockets", "hard")
sys.path.insert(0, HERE)
import cases  # noqa: E402
from lib import Failed, compile_programs  # noqa: E402


def options_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="also what takes long")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--keep", action="store_true", help="keep the folders")
    parser.add_argument("--no-replay", action="store_true", help="record only")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main():
    options = options_of()
    passed = failed = 0
    compile_programs(os.path.join(HERE, "programs"), BUILT)
    for case in cases.CASES:
        if options.only not in case.name or (case.long and not options.full and not options.only):
            continue
        if options.list:
            print(case.name)
            continue
        if case.root and (os.geteuid() or subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode):
            print("skipped %s: needs root, and mounts of its own" % case.name)
            continue
        folder = tempfile.mkdtemp(prefix="hbdb-hard.")
        try:
            print("ok %s: %s" % (case.name, case.run(folder, BUILT, not options.no_replay)), flush=True)
            passed += 1
        except Failed as failure:
            print("FAIL %s: %s" % (case.name, str(failure).strip().replace("\n", "\n    ")), flush=True)
            failed += 1
        finally:
            if options.keep:
                print("    " + folder)
            else:
                shutil.rmtree(folder, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not (passed or options.list) else 0


if __name__ == "__main__":
    sys.exit(main())
