#!/usr/bin/python3
"""Who may include whom: the table of the stations in src/ (src/README.md has it in words)."""
import os
import re

import lib

MAY = {
    "base": set(),
    "calls": {"base"},
    "capture": {"base", "format", "calls"},
    "format": {"base"},
    "model": {"base", "format", "calls"},
    "rules": {"base", "model", "calls"},
    "session": {"base", "model", "format", "calls"},
    "tool": {"base", "calls", "capture", "format", "model", "rules", "session", "view"},
    "view": {"base", "model", "rules", "session", "calls"},
}
C = (".c", ".h", ".cc", ".inc", ".tmpl")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)


def station_of(path, name):
    """The station that an include names, or None: the system's, or a generated file of one's own."""
    if name.startswith("hbdb/"):
        return os.path.splitext(name[5:])[0].split("/")[0]
    if name.split("/")[0] in MAY:
        return name.split("/")[0]
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    parts = beside.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 and parts[1] in MAY else None


def problems(path, own):
    text = lib.bare(lib.read(path), strings=True)
    for match in INCLUDE.finditer(text):
        station = station_of(path, match[1])
        where = "%s:%d" % (path, lib.line_of(text, match.start()))
        if station in MAY and station != own and station not in MAY[own]:
            yield "%s: %s may not include %s (%s)" % (where, own, station, match[1])


def run(report):
    for folder in sorted({p.split("/")[1] for p in lib.files(*C, under="src") if p.count("/") > 1}):
        if folder not in MAY:
            report.check("src/" + folder, ["is not in the table of stations"])
            continue
        found = [p for path in lib.files(*C, under="src/" + folder) for p in problems(path, folder)]
        report.check("src/%s includes only what it may" % folder, found)


lib.main(run)
