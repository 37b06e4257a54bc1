#!/usr/bin/python3
"""Who may include whom: the table of the stations in src/ (src/README.md has it in words), the folders of capture, and no circle among
folders, however deep."""
import os
import re

import lib

MAY = {
    "base": set(),
    "calls": {"base"},
    "capture": {"base", "format", "calls"},
    "foreign": {"base", "format", "calls"},
    "format": {"base"},
    "model": {"base", "format", "calls"},
    "reverse": {"base"},
    "rules": {"base", "model", "calls"},
    "session": {"base", "model", "format", "calls"},
    "system": {"base", "format", "model", "session"},
    "tool": {"base", "calls", "capture", "foreign", "format", "model", "reverse", "rules", "session", "system", "view"},
    "view": {"base", "model", "rules", "session", "calls"},
}
# Inside of capture a layer knows the core and no other layer (src/capture/README.md).
INSIDE = {
    "src/capture/accesses": {"src/capture/core", "src/capture/heap"},
    "src/capture/core": set(),
    "src/capture/heap": set(),
    "src/capture/inputs": {"src/capture/core"},
    "src/capture/mpi": {"src/capture/core", "src/capture/heap"},
    "src/capture/threads": {"src/capture/core"},
    "src/capture/user": {"src/capture/core"},
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


def file_of(path, name):
    """The file of this tree that an include names, or None: the system's, or a generated one."""
    if name.split("/")[0] in MAY:
        return os.path.join("src", name)
    there = os.path.normpath(os.path.join(os.path.dirname(path), name))
    return there if os.path.exists(os.path.join(lib.TOP, there)) else None


def folder_edges():
    """{folder: {folder included: a place}}. A folder and one inside it are one room: the header at its door is for those within, and
    what stands above them may use them."""
    edges = {}
    for path in lib.files(*C, under="src"):
        text = lib.bare(lib.read(path), strings=True)
        own = os.path.dirname(path)
        for match in INCLUDE.finditer(text):
            other = os.path.dirname(file_of(path, match[1]) or path)
            if other != own and not other.startswith(own + "/") and not own.startswith(other + "/"):
                edges.setdefault(own, {}).setdefault(other, "%s:%d" % (path, lib.line_of(text, match.start())))
    return edges


def circles(edges):
    """One line for each set of folders that reach each other (Tarjan 1972)."""
    number, low, stack, found = {}, {}, [], []

    def visit(folder):
        number[folder] = low[folder] = len(number)
        stack.append(folder)
        for other in edges.get(folder, ()):
            if other not in number:
                visit(other)
            if other in stack:
                low[folder] = min(low[folder], low[other])
        if low[folder] == number[folder]:
            ring = stack[stack.index(folder):]
            del stack[stack.index(folder):]
            if len(ring) > 1:
                places = [edges[a][b] for a in ring for b in edges.get(a, ()) if b in ring]
                found.append("%s include each other: %s" % (", ".join(sorted(ring)), ", ".join(sorted(places))))

    for folder in sorted(edges):
        if folder not in number:
            visit(folder)
    return found


def within(folder):
    return next((known for known in INSIDE if folder == known or folder.startswith(known + "/")), None)


def inside_problems(edges):
    for folder in sorted(edges):
        for other, place in sorted(edges[folder].items()):
            own, its = within(folder), within(other)
            if own and its and its != own and its not in INSIDE[own]:
                yield "%s: %s may not include %s" % (place, own, its)


def foreign():
    """Includes of lib/ that are files of this tree, but neither public nor of the same library."""
    for path in lib.files(*C, under="lib"):
        own = "/".join(path.split("/")[:2]) + "/"
        for match in INCLUDE.finditer(lib.bare(lib.read(path), strings=True)):
            beside = os.path.normpath(os.path.join(os.path.dirname(path), match[1]))
            if match[1].split("/")[0] in MAY or (os.path.exists(os.path.join(lib.TOP, beside)) and not beside.startswith(own)):
                yield "%s includes %s" % (path, match[1])


def run(report):
    for folder in sorted({p.split("/")[1] for p in lib.files(*C, under="src") if p.count("/") > 1}):
        if folder not in MAY:
            report.check("src/" + folder, ["is not in the table of stations"])
            continue
        found = [p for path in lib.files(*C, under="src/" + folder) for p in problems(path, folder)]
        report.check("src/%s includes only what it may" % folder, found)
    edges = folder_edges()
    if any(lib.files(*C, under="lib")):
        report.check("lib/ includes public headers and its own only", list(foreign()))
    report.check("a layer of capture includes the core and no other layer", list(inside_problems(edges)))
    report.check("no circle among folders", circles(edges))


lib.main(run)
