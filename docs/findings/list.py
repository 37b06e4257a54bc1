#!/usr/bin/python3
"""Writes hbdb-findings(7), the list of all identifiers, from src/rules/findings.def: list.py FINDINGS.DEF >hbdb-findings.7.scd"""
import re
import sys

INTRODUCTION = """hbdb-findings(7)

# NAME

hbdb-findings - what hbdb check finds in a program that uses MPI

# DESCRIPTION

Each finding of *hbdb-check*(1) has an identifier, which stays the same for ever, and a page of its own with a wrong and a right program:
*hbdb help* _IDENTIFIER_. An error is erroneous by the MPI standard and happened; a warning goes wrong elsewhere; a note may stand in a
correct program and never makes a check fail; leaks of objects are notes, and with *hbdb check --leaks* warnings. What cannot be proven from a recording is told as _possible_, and at most a warning.
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
