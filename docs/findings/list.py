#!/usr/bin/python3
"""Writes hbdb-findings(7), the list of all identifiers, from src/rules/findings.def: list.py FINDINGS.DEF >hbdb-findings.7.scd"""
import re
import sys

INTRODUCTION = """hbdb-findings(7)

# NAME

hbdb-findings - what hbdb check finds in a program that uses MPI

# DESCRIPTION

Each finding of *hbdb-check*(1) has an identifier, which never changes, and a page of its own with a wrong and a right program:
*hbdb help* _IDENTIFIER_. An error is something that the MPI standard calls erroneous, and that happened in the run. A warning will go
wrong elsewhere. A note may be found in a correct program and never makes a check fail. What cannot be proven from a recording is marked
_possible_, and is at most a warning.
"""


def main(path):
    rows = re.findall(r'^HB_FINDING\(\w+,\s*"([^"]+)",\s*(\w+),\s*(\w+),\s*"([^"]+)"\)', open(path).read(), re.M)
    print(INTRODUCTION)
    for category in dict.fromkeys(row[1] for row in rows):
        print("# %s\n" % category)
        for name, _, severity, title in (row for row in rows if row[1] == category):
            print("*%s* (%s)\n\t%s\n" % (name, severity.lower(), title.replace("_", "\\_").replace("*", "\\*")))
    print("# SEE ALSO\n\n*hbdb-check*(1)")


main(sys.argv[1])
