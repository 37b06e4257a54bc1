#!/usr/bin/python3
"""What is first wrong, found without hbdb: every array of both runs is written down whole at each end of a parallel construct, put together
and compared. By it the table is made and checked.

usage: oracle.py PROGRAM MISTAKE PROCESSES [THREADS [SIZE]]      prints what is first wrong
"""
import os
import re
import subprocess
import sys
import tempfile

import numpy

import build

TYPES = {0: "<f8", 1: "<f4", 2: "<i4", 3: "<i8", 4: "i1", 5: "<c16", 6: "<c8"}
TOLERANCE = 1e-8  # as hbdb compare's


def run(folder, prefix, tracer, words, threads, until, values=True):
    """Runs a job with the tracer in its processes, not in the launcher."""
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), TOLD=os.path.join(folder, prefix))
    if values:
        env["TOLD_VALUES"] = "1"
    if until:
        env["TOLD_UNTIL"] = str(until)
    words = [words[0], *(["-x", "LD_PRELOAD=" + tracer] if "openmpi" in words[0] else ["-genv", "LD_PRELOAD", tracer]), *words[1:]]
    return subprocess.run(words, env=env, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=600)


def numbers(text):
    return [int(x) for x in text.split(",")]


class Told:
    """What one process told: constructs in order, reductions, and arrays at each point."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.lines = f.read().splitlines()
        self.values = path + ".values"
        self.constructs, self.points, self.arrays, open_ones = [], [], {}, []
        for line in self.lines:
            word, *rest = line.split(" ")
            if word == "array":
                self.add_array(line)
            elif word == "begin":
                name = re.match(r"begin \w+ (.*) @", line)[1]
                number = int(rest[-1]) if rest[0] != "steps" else 0
                self.constructs.append((rest[0], re.sub(r" \d+$", "", line.split(" @")[1]), name))
                open_ones.append((rest[0], number, name))
                if rest[0] == "point":
                    self.points.append((number, name, {}, {}))
                    open_ones.pop()
            elif word == "end":
                kind, number, name = open_ones.pop()
                if kind != "steps":
                    self.points.append((number, name, {}, dict(self.reduced)))
                    self.reduced = {}
            elif word == "values":
                self.points[-1][2][" ".join(rest[:-1])] = int(rest[-1])
            elif word == "reduced":
                self.reduced[rest[0]] = float(rest[1])

    reduced = {}

    def add_array(self, line):
        name = re.match(r"array (.*) type=", line)[1]
        got = dict(re.findall(r"(\w+)=([-\d,]+)", line))
        self.arrays[name] = (TYPES[int(got["type"])], int(got["replicated"]), numbers(got["global"]), numbers(got["first"]), numbers(got["count"]),
                             numbers(got["base"]))

    def array(self, name, offset):
        kind, _, _, _, count, _ = self.arrays[name]
        return numpy.fromfile(self.values, kind, int(numpy.prod(count)), offset=offset).reshape(count)


def whole(told, at, name):
    """An array put together, and whether copies of a replicated one differ (then those that do differ are in it)."""
    kind, replicated, extent, _, _, _ = told[0].arrays[name]
    full = numpy.zeros(extent, kind)
    for i, process in enumerate(told):
        part = process.array(name, process.points[at][2][name])
        if replicated:
            full = part if i == 0 else numpy.where(part != full, part, full)
        else:
            full[tuple(slice(f, f + c) for f, c in zip(process.arrays[name][3], process.arrays[name][4]))] = part
    return full


def compare(reference, other):
    """The first point at which something differs: (number, name, {array: (box, first element, how many, all wrong ones)}; a reduction has "-" and 0), or None."""
    scale = {}
    for process in other:
        if [c[::2] for c in process.constructs] != [c[::2] for c in reference[0].constructs]:
            return 0, "other constructs", {}
    for at, (number, name, arrays, reduced) in enumerate(reference[0].points):
        wrong = {}
        for process in other:
            for variable, value in process.points[at][3].items():
                if abs(value - reduced[variable]) > TOLERANCE * max(abs(value), abs(reduced[variable])):
                    wrong[variable] = ("-", "-", 0, ())
        for array in arrays:
            a, b = whole(reference, at, array), whole(other, at, array)
            scale[array] = max(scale.get(array, 0), numpy.sqrt(numpy.mean(numpy.abs(a) ** 2)), numpy.sqrt(numpy.mean(numpy.abs(b) ** 2)))
            places = numpy.argwhere(numpy.abs(a - b) > (0 if a.dtype.kind == "i" else TOLERANCE * scale[array]))
            if len(places):
                base = reference[0].arrays[array][5]
                box = ",".join("%d:%d" % (low + b, high + b) for low, high, b in zip(places.min(0), places.max(0), base))
                wrong[array] = (box, ",".join(str(i + b) for i, b in zip(places[0], base)), len(places), places + base)
        if wrong:
            return number, name, wrong
    return None


def tell(folder, program, mistake, processes, threads, size="-", until=0, path=None, mpi="openmpi", reference=None):
    """Runs the reference and the other one: (told of the reference, told of the other, outputs)."""
    tracer = os.path.join(folder, "tracer.so")
    if not os.path.exists(tracer):
        subprocess.run(["gcc", "-O2", "-I", build.INCLUDE, "-shared", "-fPIC", "-o", tracer, build.TRACER], check=True)
    path = path or build.build(folder, program, program)
    out = []
    for prefix, which, job in (("reference", "-", ("openmpi", 1, reference or path)), ("other", mistake, (mpi, processes, path))):
        words = build.launch(*job, build.arguments(program, which, size))
        done = run(folder, prefix, tracer, words, threads if prefix == "other" else 1, until)
        out.append(done.stdout if done.returncode == 0 else done.stdout + done.stderr + "status %d" % done.returncode)
    told = [[Told(os.path.join(folder, "%s.%d" % (prefix, i))) for i in range(n)] for prefix, n in (("reference", 1), ("other", processes))]
    return told[0], told[1], out


def main():
    program, mistake, processes, *more = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="hbdb-oracle.") as folder:
        threads, size = (more + ["1", "-"][len(more):])[:2]
        reference, other, out = tell(folder, program, mistake, int(processes), int(threads), size)
        number, name, wrong = compare(reference, other) or (0, "nothing", {})
        print(program, mistake, processes, threads, size, (number, name, {array: found[:3] for array, found in wrong.items()}), out)


if __name__ == "__main__":
    sys.exit(main())
