#!/usr/bin/python3
"""Folders of at most 12 files, files of at most 600 lines, functions of at most 60."""
import ast
import re

import lib

FILES, LINES, FUNCTION = 12, 600, 60
PAGES = ("docs/man", "docs/findings", "tests/corpus/")  # a page for each command or finding, a program for each error
CODE = (".c", ".h", ".cc", ".inc", ".tmpl", ".py", ".sh", ".f90", ".F90", ".ts", ".mjs", ".css", "meson.build")


def c_functions(text):
    """(name, first line, lines) of each function body, by counting braces."""
    text = re.sub(r'extern\s+""\s*\{', lambda m: m[0].replace("{", ";"), lib.bare(text))
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.M)
    depth, start, name = 0, 0, None
    for match in re.finditer(r"[{}]", text):
        if match[0] == "{":
            if depth == 0:
                head = text[max(text.rfind(";", 0, match.start()), text.rfind("}", 0, match.start())) + 1:match.start()]
                call = re.search(r"(\w+)\s*\(", head)
                name = call[1] if call and head.rstrip()[-1:] in (")", "") or call and "=" not in head else None
                start = match.start()
            depth += 1
        else:
            depth = max(depth - 1, 0)
            if depth == 0 and name:
                first = lib.line_of(text, start)
                yield name, first, lib.line_of(text, match.start()) - first + 1
                name = None


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def file_problems(path):
    text = lib.read(path)
    lines = text.split("\n")
    if len(lines) - 1 > LINES:
        yield "%s: %d lines" % (path, len(lines) - 1)
    functions = python_functions if path.endswith(".py") else c_functions
    if path.endswith((".c", ".h", ".cc", ".inc", ".py")):
        for name, first, length in functions(text):
            if length > FUNCTION:
                yield "%s:%d: %s has %d lines" % (path, first, name, length)


def run(report):
    full = ["%s: %d files" % (folder, len(names)) for folder, names in lib.folders()
            if folder and not lib.is_data(folder) and not (folder + "/").startswith(tuple(p.rstrip("/") + "/" for p in PAGES)) and len(names) > FILES]
    report.check("folders hold at most %d files" % FILES, full)
    for part in sorted({p.split("/")[0] for p in lib.files(*CODE) if "/" in p}):
        found = [x for p in lib.files(*CODE, under=part) if not lib.is_data(p) for x in file_problems(p)]
        report.check("%s: files and functions are short" % part, found)


lib.main(run)
