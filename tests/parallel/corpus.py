#!/usr/bin/python3
"""hbdb-mpi against hbdb on recordings of the programs of tests/corpus, and on random ones: long, for ./dev check --all.

By itself: tests/parallel/corpus.py [--share N] [--seeds N] [PATTERN]: every Nth program, random recordings with N seeds."""
import sys

sys.dont_write_bytecode = True

import argparse
import os
import random
import tempfile

import run as suite

sys.path.insert(0, os.path.join(suite.TOP, "tests", "corpus"))
import programs


def recording_of(program, mpi, folder):
    """What hbdb check keeps of it; programs that hang are ended by it."""
    binary, trouble = programs.compile_program(program, mpi)
    if trouble:
        return None
    name = os.path.join(folder, "corpus.hbdb")
    command = [suite.HBDB, "check", "--watch", str(programs.PATIENCE), "-o", name, "--", *programs.LAUNCH[mpi], "-n",
               str(program.processes), binary]
    programs.Run(command, folder, 60)
    return name if os.path.isdir(name) else None


def corpus(share, pattern):
    for i, program in enumerate(programs.programs_of()):
        if i % share or pattern not in program.name:
            continue
        for mpi in program.mpis_of("both")[:1]:
            folder = programs.new_folder()
            name = recording_of(program, mpi, folder)
            if name:
                draw = random.Random(program.name)
                for question in suite.RACES[:2] + suite.OTHERS:
                    suite.compare(program.name, name, draw.choice([mpi, suite.OTHER[mpi]]), draw.choice([1, 2, 2, 3, 3, 5, 8]), question)
            programs.drop_folder(folder)


def randoms(seeds):
    for seed in range(seeds):
        draw = random.Random(seed)
        folder = programs.new_folder()
        pattern, ranks = draw.choice(["random", "random", "alltoall", "farm"]), draw.randint(2, 40)
        name = suite.synthetic(folder, pattern, ranks, draw.randint(200, 20000), "-s", str(seed + 1))
        for size in (2, draw.choice([3, 4, 8])):
            for question in draw.choice(suite.RACES), *draw.sample(suite.OTHERS, 3):
                suite.compare(f"seed {seed}", name, draw.choice(list(suite.LAUNCH)), size, question)
        programs.drop_folder(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("pattern", nargs="?", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hbdb-parallel-") as folder:
        suite.quick(folder, True)
    corpus(options.share, options.pattern)
    randoms(options.seeds)
    print(f"{suite.alone} times the first process did it all: the recording has what is not divided")
    print(f"{suite.passed} passed, {suite.failed} failed")
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main())
