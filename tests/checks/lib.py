"""What the checks share: the tree, reading C without comments and strings, ok and FAIL lines."""
import os
import re
import sys

# HBDB_TOP: the tree to look at, for scripts/self_test.py, which shows that the checks can fail.
TOP = os.environ.get("HBDB_TOP") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Folders of data, not of source.
DATA = ("tests/golden", "tests/fuzz/corpus", "tests/fuzz/corpora")


class Report:
    """Collects results; done() prints the closing line and gives the exit status."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, problems):
        for problem in problems:
            print("FAIL %s: %s" % (name, problem))
        if problems:
            self.failed += 1
        else:
            print("ok %s" % name)
            self.passed += 1

    def done(self):
        if not self.passed + self.failed:
            self.check("there is something to look at", ["nothing found below " + TOP])
        print("%d passed, %d failed" % (self.passed, self.failed))
        return 1 if self.failed else 0


def is_data(path):
    return any(path == d or path.startswith(d + "/") for d in DATA)


def folders():
    """Every folder of the tree, relative, with the names of its files; no build trees, nothing hidden."""
    for base, dirs, files in os.walk(TOP):
        rel = os.path.relpath(base, TOP)
        dirs[:] = sorted(d for d in dirs if not d.startswith(".") and d != "__pycache__" and not d.endswith(".hbdb")
                         and not (rel == "." and d.startswith("build")))
        yield ("" if rel == "." else rel), sorted(f for f in files if not f.startswith("."))


def files(*suffixes, under=""):
    """Paths, relative to the top, of files that end so."""
    for folder, names in folders():
        if under and folder != under and not folder.startswith(under + "/"):
            continue
        for name in names:
            if name.endswith(suffixes):
                yield os.path.join(folder, name)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8", errors="replace") as f:
        return f.read()


TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def bare(text, strings=False):
    """C text with comments (and, unless strings, the insides of literals) blanked; lines keep their numbers."""
    def blank(match):
        token = match[0]
        if token[0] in "\"'":
            return token if strings else token[0] * 2
        return re.sub(r"[^\n]", " ", token)
    return TOKEN.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def main(run):
    report = Report()
    run(report)
    sys.exit(report.done())
