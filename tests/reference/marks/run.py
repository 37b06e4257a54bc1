#!/usr/bin/python3
"""hbdb/compare.h and hbdb/compare.f90: what programs in both languages tell a tracer, and that nothing is told where there is none."""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "include")
PLACE = re.compile(r" @(.*:\d+)(?= \d+$|$)")  # behind it the number of a point
count = {"passed": 0, "failed": 0}


def check(good, what, more=""):
    count["passed" if good else "failed"] += 1
    print("%s %s%s" % ("ok" if good else "FAIL", what, "" if good else "\n     " + str(more)[:3000].replace("\n", "\n     ")), flush=True)


def run(folder, *command, **env):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, env=dict(os.environ, **env))
    return done.returncode, done.stdout, done.stderr


def compiled(folder, name, *command):
    status, out, err = run(folder, *command, "-o", name)
    check(status == 0 and not out + err, "compiles without a word: %s (%s)" % (name, command[0]), out + err)
    return os.path.join(folder, name)


def told(folder, program, tracer):
    """The lines that the tracer was told, and what the program printed."""
    status, out, err = run(folder, program, LD_PRELOAD=tracer, TOLD_ITERATIONS="1")
    lines = out.splitlines()
    return status, [x for x in lines if not x.startswith("traced")], [x for x in lines if x.startswith("traced")], err


def main():
    with tempfile.TemporaryDirectory(prefix="hbdb-marks.") as folder:
        tracer = compiled(folder, "tracer.so", "gcc", "-std=gnu17", "-Wall", "-Wextra", "-O1", "-I", INCLUDE, "-shared", "-fPIC", HERE + "/tracer.c")
        fortran = ("gfortran", "-std=f2018", "-Wall", "-Wextra", "-Werror", "-cpp", "-J", folder, INCLUDE + "/hbdb/compare.f90")
        programs = {"C -O2": compiled(folder, "c", "gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-O2", "-I", INCLUDE, HERE + "/said.c"),
                    "C by clang": compiled(folder, "clang", "clang", "-std=c99", "-Wall", "-Wextra", "-O1", "-I", INCLUDE, HERE + "/said.c"),
                    "Fortran -O0": compiled(folder, "f0", *fortran, "-O0", HERE + "/said.f90"),
                    "Fortran -O3": compiled(folder, "f3", *fortran, "-O3", HERE + "/said.f90")}
        want, fortran_places = None, {"a": "a file:11", "sweep": "x.f90:7", "sum": "x.f90:8", "parts": "said.f90:1", "written": ":2"}
        for name, program in programs.items():
            status, lines, traced, err = told(folder, program, tracer)
            places = {line.split()[1 if line.startswith(("array", "reduction")) else 2]: PLACE.search(line)[1] for line in lines if PLACE.search(line)}
            lines = [PLACE.sub("", line) for line in lines]
            want = want or lines
            check(status == 0 and traced == ["traced T"] and not err, name + ": runs traced", (status, traced, err))
            check(lines == want and len(lines) == 37, name + ": tells what C tells", "\n".join(lines) + "\nC:\n" + "\n".join(want))
            if name.startswith("Fortran"):
                check(places == {**dict.fromkeys(places, ":0"), **fortran_places}, name + ": files and lines are those given", places)
            else:
                check(len(places) == 14 and all(re.fullmatch(r"said\.c:[1-9]\d*", place) for place in places.values()), name + ": files and lines", places)
            status, out, err = run(folder, program)
            check((status, out, err) == (0, "traced F\n", ""), name + ": tells nothing without a tracer", out + err)
        check("array padded type=0 rank=2 columns=1 replicated=0 read_only=0 base=0,-1 global=8,9 first=2,4 count=3,2 below=1,1 above=1,1" in want,
              "a box in its storage", "\n".join(want))
        strided = compiled(folder, "strided", *fortran, HERE + "/strided.f90")
        status, lines, _, err = told(folder, strided, tracer)
        boxes = [line.split(" columns")[0] for line in lines]
        check(status == 0 and boxes == ["array gaps type=0 rank=0", "array few bounds type=0 rank=0", "array small type=0 rank=2"]
              and lines[2].endswith("above=0,-5 @:0"), "what cannot be told makes no sense for the tracer", lines + [err])
    print("%d passed, %d failed" % (count["passed"], count["failed"]))
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
