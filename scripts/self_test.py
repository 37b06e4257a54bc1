#!/usr/bin/python3
"""The checks can fail: each is run on a small tree that breaks its rule, and has to name the place. So can a suite:
scripts/check.py is given suites that fail in every way they can."""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LONG = "\tx++;\n" * 61

# check, file to write, its text (or None, and texts by file), what the check has to say
CASES = [
    ("includes", "src/format/a.c", '#include "model/m.h"\n', r"format/a\.c:1: format may not include model"),
    ("includes", "src/format/a.c", "/* x */\n#include <hbdb/model.h>\n", r"a\.c:2: format may not include model"),
    ("includes", "src/model/a.c", '#include "../tool/t.h"\n', r"model may not include tool"),
    ("includes", "src/capture/core/a.c", '#include "capture/mpi/b.h"\n', r"a\.c:1: src/capture/core may not include src/capture/mpi"),
    ("includes", None, {"src/rules/x/a.h": '#include "../y/a.h"\n', "src/rules/y/a.h": '#include "../x/a.h"\n'},
     r"src/rules/x, src/rules/y include each other: src/rules/x/a\.h:1"),
    ("includes", "src/extra/a.c", "int x;\n", r"src/extra: is not in the table"),
    ("mentions", "src/model/a.c", "int x = MPI_ANY_SOURCE;\n", r"a\.c:1: MPI: MPI_ANY_SOURCE"),
    ("mentions", "src/format/a.c", "\n#include <mpi.h>\n", r"a\.c:2: MPI: #include <mpi\.h"),
    ("mentions", "src/capture/core/a.c", "#include <mpi.h>\n", r"a\.c:1: MPI: #include <mpi\.h"),
    ("mentions", "src/capture/mpi/a.c", "#ifdef OPEN_MPI\n#endif\n", r"a\.c:1: a difference of the MPIs"),
    ("mentions", "tests/a.c", "void f(void) { strcpy(a, b); }\n", r"a\.c:1: banned: strcpy"),
    ("mentions", "src/capture/a.c", "void f(void) { abort(); }\n", r"a\.c:1: banned: abort"),
    ("mentions", "src/format/a.c", "void f(void) { printf(1); }\n", r"a\.c:1: banned: printf"),
    ("mentions", "src/model/a.c", 'bool f(const char *n) { return !strcmp(n, "MPI_Send"); }\n', r"names in texts: 1 .*a\.c:1"),
    ("mentions", "src/model/a.c", 'bool f(struct f *fn) { return is(fn, "cast"); }\n', r"names in texts: 1 .*a\.c:1"),
    ("mentions", "src/model/a.c", 'bool f(struct f *fn) { return strstr(fn->name, part); }\n', r"names in texts: 1 .*a\.c:1"),
    ("mentions", "src/model/a.c", "int x = HB_FN_MPI_Send;\n", r"HB_FN_: 1 .*a\.c:1"),
    ("sizes", "src/a.c", "int f(int x)\n{\n" + LONG + "}\n", r"a\.c:2: f has 63 lines"),
    ("sizes", "src/a.c", 'extern "C" {\nvoid g(void) {\n' + LONG + "}\n}\n", r"a\.c:2: g has 63 lines"),
    ("sizes", "src/a.py", "def f(x):\n" + "    x += 1\n" * 61, r"a\.py:1: f has 62 lines"),
    ("sizes", "src/a.c", "int x;\n" * 601, r"a\.c: 601 lines"),
    ("layout", "src/a.c", "int f(void) {\n  return 1; }\n", r"src/a\.c:1 \(\./dev format src/a\.c\)"),
    ("docs", "src/a.c", "int x;\n", r"src has no README"),
    ("docs", "README.md", "See `docs/NOTHING.md`.\n", r"README\.md:1: no such file: docs/NOTHING\.md"),
    ("docs", "README.md", "See [this](docs/gone.md).\n", r"README\.md:1: no such file: docs/gone\.md"),
    ("docs", "tests/a/old.hbdb/rank.0.log", "", r"tests/a/old\.hbdb is ignored by git"),
    ("docs", "README.md", "Run `./dev fly`.\n", r"no such command: \./dev fly"),
]
# what must not be found
FINE = [
    ("mentions", "src/model/a.c", '/* MPI_Send */\nconst char *x = "MPI_Send";\n'),
    ("mentions", "src/capture/mpi/family/a.c", "#ifdef OPEN_MPI\n#endif\n"),
    ("mentions", "src/format/a.c", "int f(int n) { return snprintf(0, 0, n); }\n"),
    ("includes", "src/tool/a.c", '#include "model/m.h"\n#include "format/f.h"\n'),
    ("sizes", "src/a.c", "int f(int x)\n{\n" + "\tx++;\n" * 58 + "}\nint t[] = {\n" + "\t1,\n" * 70 + "};\n"),
]
# what a suite runs, the seconds it has, what it comes to, the complaint
SUITES = [
    ("echo ok; echo 3 passed, 0 failed", 9, (3, 0), None),
    ("echo FAIL; echo 3 passed, 2 failed; exit 1", 9, (3, 2), None),
    ("echo 3 passed, 0 failed; exit 1", 9, (3, 1), "exit status is 1"),
    ("echo 0 passed, 0 failed", 9, (0, 1), "ran nothing"),
    ("echo ok; exit 0", 9, (0, 1), "no closing line"),
    ("echo 3 passed, 0 failed; echo more", 9, (0, 1), "no closing line"),
    ("echo 3 passed, 0 failed; kill -SEGV $$", 9, (3, 1), "signal 11"),
    ("nothing-of-that-name", 9, (0, 1), "no closing line"),
    ("echo 3 passed, 0 failed; setsid sleep 8 & sleep 8", 1, (0, 1), "longer than"),
    ("! read -r line && echo 1 passed, 0 failed", 9, (1, 0), None),  # no stdin
]


def module(path):
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-len(".py")], os.path.join(HERE, path))
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def suite_outcome(command, seconds):
    check = module("check.py")
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        status = check.run(command, seconds, log)
        with open(log, encoding="utf-8") as f:
            return check.judge(status, seconds, f.read())


def outcome(check, path, text):
    with tempfile.TemporaryDirectory() as top:
        for name, content in (text if path is None else {path: text}).items():
            os.makedirs(os.path.dirname(os.path.join(top, name)) or top, exist_ok=True)
            with open(os.path.join(top, name), "w", encoding="utf-8") as f:
                f.write(content)
        with open(os.path.join(HERE, "../.clang-format"), encoding="utf-8") as f:
            style = f.read()
        with open(os.path.join(top, ".clang-format"), "w", encoding="utf-8") as f:
            f.write(style)
        done = subprocess.run([sys.executable, os.path.join(HERE, "../tests/checks", check + ".py")], env=dict(os.environ, HBDB_TOP=top),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode(errors="replace")


def turns():
    """(what, whether it is so) of lists of which every commit runs a part."""
    turn, names, met = module("../tests/turn.py"), ["program %d" % i for i in range(100)], []
    for number in range(12):
        os.environ["HBDB_TURN"] = str(number)
        turn.turn.cache_clear()
        met += [(name, turn.pick(name, ("openmpi", "mpich"), 6)) for name in names if turn.has(name, 6)]
    del os.environ["HBDB_TURN"]
    yield "six commits in a row run all", sorted(name for name, _ in met[:len(names)]) == sorted(names)
    yield "twelve run each once under either MPI", len(met) == len(set(met)) == 2 * len(names)


def longer_forms():
    check = module("check.py")
    short, whole = check.suites(), check.suites(True)
    yield "--all leaves no suite out", {s[0] for s in short} < {s[0] for s in whole}
    yield "--all has longer forms", any(s not in whole for s in short)
    yield "no suite twice", len({s[0] for s in whole}) == len(whole)


def shares():
    """Suites that run at every second commit do run, and what goes by turns inside of them does not always meet the same half."""
    check, met = module("check.py"), set()
    for number in range(8):
        os.environ["HBDB_TURN"] = str(number)
        check.turn.turn.cache_clear()
        met |= {(s[0], s[2].split()[0]) for s in check.in_turn([("one", 9, "a", "", 2), ("two", 9, "b", "", 2), ("each", 9, "c", "", 1)])}
    del os.environ["HBDB_TURN"]
    check.turn.turn.cache_clear()
    yield "shared suites meet every turn of their own", met == {("each", "c")} | {(s, "HBDB_TURN=%d" % n) for s in ("one", "two") for n in range(4)}


def main():
    passed = failed = 0
    for what, good in [*turns(), *longer_forms(), *shares()]:
        print("%s %s" % ("ok" if good else "FAIL", what))
        passed, failed = passed + bool(good), failed + (not good)
    for case in CASES + FINE:
        status, text = outcome(*case[:3])
        if len(case) == 4:
            good, name = status == 1 and re.search("^FAIL .*" + case[3], text, re.M), "finds " + case[3]
        else:
            good, name = status == 0 and "FAIL" not in text, "lets pass " + repr(str(case[2])[:40])
        print("%s %s %s" % ("ok" if good else "FAIL", case[0], name if good else name + "; it said: " + text.strip()))
        passed, failed = passed + bool(good), failed + (not good)
    for command, seconds, numbers, complaint in SUITES:
        got = suite_outcome(command, seconds)
        good = got[:2] == numbers and (complaint in got[2] if complaint else got[2] is None)
        print("%s suite `%s`%s" % ("ok" if good else "FAIL", command, "" if good else ": %s" % (got,)))
        passed, failed = passed + bool(good), failed + (not good)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
