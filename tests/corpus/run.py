#!/usr/bin/python3
"""Runs the programs of the corpus under hbdb check and compares what is found with what each says of itself.

usage: run.py [--mpi openmpi|mpich|both|spread] [--category NAME] [--jobs N] [--share N] [--wrong|--right] [--list] [--keep] [-v] [PATTERN...]

PATTERN: programs whose path contains it, or matches it. Last come the table by category and `N passed, N failed`.
"""
import argparse
import concurrent.futures
import fnmatch
import sys

import judge
import programs
from programs import turn


def options_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mpi", choices=programs.MPIS + ("both", "spread"), default="spread",
                        help="spread: each program under one of the two, in turn")
    parser.add_argument("--category", choices=programs.CATEGORIES, action="append")
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="of every N programs only one, another one at every commit")
    parser.add_argument("--wrong", action="store_true", help="only the wrong programs")
    parser.add_argument("--right", action="store_true", help="only the right ones")
    parser.add_argument("--folder", default=programs.HERE, help="another corpus")
    parser.add_argument("--limit", type=int, default=programs.LIMIT, help="seconds until a program is given up")
    parser.add_argument("--list", action="store_true", help="only say what there is")
    parser.add_argument("--keep", action="store_true", help="keep the recordings of programs that fail")
    parser.add_argument("-v", "--verbose", action="store_true", help="say how to see a failure again")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    return parser.parse_args()


def chosen(options):
    for program in programs.programs_of(options.folder):
        if options.category and program.category not in options.category:
            continue
        if options.wrong and not program.wrong or options.right and program.wrong:
            continue
        if options.patterns and not any(p in program.name or fnmatch.fnmatch(program.name, p)
                                        for p in options.patterns):
            continue
        if not turn.has(program.name, options.share):
            continue
        for mpi in program.mpis_of(options.mpi, options.share):
            yield program, mpi


def one(program, mpi, options):
    """(what it comes to or None, complaint or None, seconds, further lines)."""
    if program.problems:
        return None, "; ".join(program.problems), 0, []
    binary, said = programs.compile_program(program, mpi)
    if not binary:
        return None, "does not compile", 0, said.splitlines()
    folder = programs.new_folder()
    verdict = programs.check(binary, mpi, program.processes, folder, options.limit)
    complaint = judge.complaint(program, verdict)
    more = verdict.said.splitlines()[-25:] if complaint else []
    if complaint and options.verbose:
        more.append(programs.line_of(program, mpi, binary))
    if complaint and options.keep:
        more.append("kept: " + folder)
    else:
        programs.drop_folder(folder)
    return judge.outcome(program, verdict), complaint, verdict.seconds, more


def main():
    options = options_of()
    cases = list(chosen(options))
    if options.list:
        for program, mpi in cases:
            print("%-60s %-8s %d %s" % (program.name, mpi, program.processes, judge.wanted(program)))
        return 0
    table, passed, failed = judge.Table(), 0, 0
    for category in programs.CATEGORIES:
        if any(program.category == category for program, _ in cases):
            table.rows[category] = dict.fromkeys(judge.OUTCOMES, 0)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = {pool.submit(one, program, mpi, options): (program, mpi) for program, mpi in cases}
        for done in concurrent.futures.as_completed(results):
            program, mpi = results[done]
            what, complaint, seconds, more = done.result()
            if what:
                table.add(program.category, what)
            print("%s %s %s (%.1f s)%s" % ("FAIL" if complaint else "ok", program.name, mpi, seconds,
                                           ": " + complaint if complaint else ""))
            for line in more:
                print("     " + line)
            sys.stdout.flush()
            passed, failed = passed + (not complaint), failed + bool(complaint)
    for line in table.lines():
        print("table: " + line)
    if options.share > 1:
        print("table: " + turn.told(options.share))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
