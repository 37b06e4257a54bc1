#!/usr/bin/python3
"""Runs the wrong and the right program of every page in docs/findings under hbdb check.

usage: pages.py [--mpi openmpi|mpich|both|spread] [--jobs N] [--share N] [PATTERN...]

A page of the category model has the model in a block below WHAT.
The wrong program must be told the page's identifier, the right one no error and no warning.
Advice is a sentence, with a capital letter and a full stop.
--share N: the programs of one page of every N only, of another one at every commit.
"""
import argparse
import concurrent.futures
import os
import re
import sys

import judge
import programs
from programs import turn

PAGES = os.path.join(programs.TOP, "docs/findings")
HEADINGS = ["NAME", "WHAT", "WRONG", "RIGHT", "LOOK", "NOTES"]
DEFINED = os.path.join(programs.TOP, "src/rules/findings.def")


def defined():
    """The identifiers that hbdb check may print, with their category."""
    with open(DEFINED, encoding="utf-8") as f:
        return {m[1]: m[2].lower() for m in re.finditer(r'"(HB-[A-Z0-9-]+)",\s*([A-Z]+)', f.read())}


class Page:
    """A page: its identifier, and the blocks of its programs."""

    def __init__(self, name):
        self.identifier = name[:-len(".7.scd")]
        with open(os.path.join(PAGES, name), encoding="utf-8") as f:
            text = f.read()
        parts = re.split(r"^# (.+)$", text, flags=re.M)
        self.headings, self.parts = parts[1::2], dict(zip(parts[1::2], parts[2::2]))
        self.problems = []
        if self.headings != HEADINGS:
            self.problems.append("its headings are %s" % ", ".join(self.headings))
        if not re.match(re.escape(self.identifier.lower()) + r"\(7\)", text):
            self.problems.append("it does not begin with %s(7)" % self.identifier.lower())

    def program(self, heading):
        """Writes the program below a heading into the build folder, as one of the corpus."""
        part = self.parts.get(heading, "")
        blocks = re.findall(r"^```\n(.*?)^```$", part, re.M | re.S)
        if len(blocks) != 1:
            self.problems.append("%d programs below %s" % (len(blocks), heading))
            return None
        count = re.search(r"Run with (\d+) process", part)
        only = re.search(r"Only under (Open MPI|MPICH)\.", part)
        lines = ["processes: %s" % (count[1] if count else 2)]
        if only:
            lines.append("mpi: " + {"Open MPI": "openmpi", "MPICH": "mpich"}[only[1]])
        if heading == "WRONG":
            lines.append("expect: " + self.identifier)
        folder = os.path.join(programs.BUILT, "pages", self.identifier)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, heading.lower() + ".c")
        # the comment stands on one line, and line 1 of the program stays line 1 of the file
        text = "/*\t%s */ %s" % ("\f".join(lines), blocks[0])
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace("\f", "\n"))
        made = programs.Program(path, "pages", heading == "WRONG")
        made.name = "%s %s" % (self.identifier, heading.lower())
        made.model = self.model(folder)
        made.talks = "Without MPI:" in part
        return made

    def model(self, folder):
        """Writes the model of a page about models beside its programs: its path, or None."""
        if not self.identifier.startswith("HB-MODEL-"):
            return None
        blocks = re.findall(r"^```\n(.*?)^```$", self.parts.get("WHAT", ""), re.M | re.S)
        if len(blocks) != 1:
            self.problems.append("%d models below WHAT" % len(blocks))
            return None
        path = os.path.join(folder, "model.hbm")
        with open(path, "w", encoding="utf-8") as f:
            f.write(blocks[0])
        return path


def options_of():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mpi", choices=programs.MPIS + ("both", "spread"), default="spread")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--share", type=int, default=1, metavar="N")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    return parser.parse_args()


def one(program, mpi):
    """None, or what is wrong. Of a page nothing but its own identifier is asked: it may show more than one error."""
    binary, said = programs.compile_program(program, mpi)
    if not binary:
        return "does not compile: " + said
    folder = programs.new_folder()
    verdict = programs.check(binary, mpi, program.processes, folder, model=program.model, talks=program.talks)
    programs.drop_folder(folder)
    program.also |= {f[0] for f in verdict.findings} if program.wrong else set()
    complaint = judge.complaint(program, verdict)
    for advice in verdict.advice:
        if not re.match(r"[A-Z].*\.$", advice, re.S):
            complaint = complaint or "the advice is no sentence: " + advice
    return complaint and "%s\n     %s" % (complaint, programs.line_of(program, mpi, binary))


def main():
    options = options_of()
    known, cases, passed, failed = defined(), [], 0, 0
    names = sorted(n for n in os.listdir(PAGES) if n.endswith(".scd"))
    for name in names:
        if options.patterns and not any(p in name for p in options.patterns):
            continue
        page = Page(name)
        made = [page.program("WRONG"), page.program("RIGHT")]
        if page.identifier not in known:
            page.problems.append("there is no such identifier")
        print("%s %s" % ("FAIL" if page.problems else "ok", name) + "".join(": " + p for p in page.problems))
        passed, failed = passed + (not page.problems), failed + bool(page.problems)
        if turn.has(name, options.share):
            cases += [(p, mpi) for p in made if p for mpi in p.mpis_of(options.mpi, options.share)]
    if not options.patterns:
        missing = sorted(set(known) - {n[:-len(".7.scd")] for n in names})
        for name in missing:
            print("FAIL %s has no page in docs/findings" % name)
        failed += len(missing)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (program, mpi), complaint in zip(cases, pool.map(lambda c: one(*c), cases)):
            print("%s %s %s%s" % ("FAIL" if complaint else "ok", program.name, mpi,
                                  ": " + complaint if complaint else ""), flush=True)
            passed, failed = passed + (not complaint), failed + bool(complaint)
    if options.share > 1:
        print("table: " + turn.told(options.share))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
