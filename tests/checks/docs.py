#!/usr/bin/python3
"""What the pages promise is there: a README in each folder, every path, link, command and option of hbdb that a page
names, a man page for each command."""
import fnmatch
import os
import re

import lib

FENCE = re.compile(r"^ {0,3}```.*?^ {0,3}```", re.M | re.S)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)")
COMMANDS = re.compile(r'^\s*(?:HB_)?COMMAND\w*\(\s*"?(\w+)', re.M)
TOP_FOLDERS = "src lib docs tests examples bench scripts share include .ci".split()
PAGE_LINES = 60  # a README of a folder is a page at most; README.md at the top is a tour


def told_by_parent(folder):
    """A folder without folders of its own may be explained in the README of the one above it."""
    above, name = os.path.split(folder)
    readme = os.path.join(above, "README.md")
    leaf = not any(f.startswith(folder + "/") for f, _ in lib.folders())
    return leaf and os.path.exists(os.path.join(lib.TOP, readme)) and re.search("`%s/?`" % re.escape(name), lib.read(readme))


def readmes():
    wanted = [f for f, names in lib.folders() if names and f and f.split("/")[0] in TOP_FOLDERS and not lib.is_data(f)]
    for folder in wanted:
        path = os.path.join(folder, "README.md")
        if not os.path.exists(os.path.join(lib.TOP, path)):
            if not told_by_parent(folder):
                yield folder + " has no README.md, and the one above it does not say what is in it"
        elif lib.read(path).count("\n") > PAGE_LINES:
            yield "%s has %d lines" % (path, lib.read(path).count("\n"))


def not_committed():
    """Git ignores what is named like a recording or an object file: a test that reads such a file finds it here and in no clone."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.gitignore"), encoding="utf-8") as f:
        patterns = f.read().split()
    patterns = [p.rstrip("/") for p in patterns if p and not p.startswith(("/", "#", "__pycache__", "*.pyc"))]
    for base, dirs, files in os.walk(os.path.join(lib.TOP, "tests")):
        dirs[:] = sorted(d for d in dirs if d != "__pycache__")
        for name in sorted(dirs + files):
            if any(fnmatch.fnmatchcase(name, p) for p in patterns):
                yield "%s is ignored by git (.gitignore), so no clone has it" % os.path.relpath(os.path.join(base, name), lib.TOP)


def spans(text):
    """(position, command or path) of what stands in backquotes, and of shell lines in fenced blocks."""
    for match in CODE.finditer(FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)):
        yield match.start(), match[1].strip()
    for fence in FENCE.finditer(text):
        for line in re.finditer(r"^\s*(?:\$ )?((?:\./|build/|hbdb ).*)$", fence[0], re.M):
            yield fence.start() + line.start(), line[1].strip()


def exists(page, name):
    name = name.split("#")[0].rstrip("/")
    return any(os.path.exists(os.path.join(lib.TOP, base, name + source))
               for base in ("", os.path.dirname(page)) for source in ("", ".scd"))  # a man page by its own name


def path_in(word):
    """The word when it means a file of this tree: begins with one of its folders and has no pattern in it."""
    word = re.sub(r"^\./", "", word.rstrip(".,:;")) if word != "./dev" else "dev"
    if re.search(r"[*<>{}$|=\"'(]|\.\.\.|\b[A-Z]{2,}\b", word) and not re.search(r"[A-Z_]+\.(?:md|txt)$", word):
        return None
    first = word.split("/")[0]
    return word if "/" in word and first in TOP_FOLDERS or word == "dev" else None


def known_commands():
    for path in lib.files("commands.def", under="src"):
        return set(COMMANDS.findall(lib.bare(lib.read(path), strings=True)))
    return None


def dev_commands():
    path = os.path.join(lib.TOP, "dev")
    return set(re.findall(r"^(\w+)\)$", lib.read("dev"), re.M)) if os.path.exists(path) else set()


def page_problems(page, commands, dev):
    text = lib.read(page)
    for match in LINK.finditer(text):
        if "://" not in match[1] and not exists(page, match[1]):
            yield "%s:%d: no such file: %s" % (page, lib.line_of(text, match.start()), match[1])
    for position, span in spans(text):
        where = "%s:%d" % (page, lib.line_of(text, position))
        words = span.split()
        for word in words:
            path = path_in(word)
            if path and not exists(page, path):
                yield "%s: no such file: %s" % (where, path)
        if words[:1] == ["./dev"] and len(words) > 1 and re.match(r"[a-z]+$", words[1]) and words[1] not in dev:
            yield "%s: no such command: ./dev %s" % (where, words[1])
        if commands and words[0] in ("hbdb", "build/hbdb") and len(words) > 1 and re.match(r"[a-z]+$", words[1]) \
                and words[1] not in commands:
            yield "%s: no such command: hbdb %s" % (where, words[1])


def run(report):
    report.check("every folder has a README of at most a page", list(readmes()))
    report.check("every file of the tests is in a clone", list(not_committed()))
    commands, dev = known_commands(), dev_commands()
    for page in sorted(p for p in lib.files(".md") if not lib.is_data(p)):
        report.check("%s names what is there" % page, list(page_problems(page, commands, dev)))
    if os.path.isdir(os.path.join(lib.TOP, "src/tool")):
        pages = set(lib.files(".scd", under="docs/man"))
        report.check("the table of commands is found", [] if commands else ["no commands in src/tool/commands.def"])
        missing = [c for c in sorted(commands or ()) if "docs/man/hbdb-%s.1.scd" % c not in pages]
        report.check("every command has a man page", ["docs/man/hbdb-%s.1.scd" % c for c in missing])


lib.main(run)
