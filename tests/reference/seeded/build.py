"""The programs with seeded mistakes: where they are, how they are compiled and run."""
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PROGRAMS = os.path.join(HERE, "programs")
INCLUDE = os.path.join(TOP, "include")
TRACER = os.path.join(HERE, "..", "marks", "tracer.c")
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-n"],
          "mpich": ["mpirun.mpich", "-n"]}
# Two of them are examples: the solver, whose mistakes are exchanges that are left out.
SOURCES = {"heat": "heat.c", "jacobi": "jacobi.c", "cg": "cg.c", "transpose": "transpose.c", "wave": "wave.c", "ring": "ring.c", "flow": "flow.f90",
           "lu": TOP + "/examples/lu/lu.c", "luf": TOP + "/examples/lu/lu.f90"}
# Statements of theirs, by how they begin.
STATEMENTS = {"lu.difference": "t[m] += sign * (", "lu.relax": "r[m] = (scale * r[m]", "luf.difference": "to(:, i, j, k) = to(:", "luf.relax": "rsd(:, i, j, k) = (scale"}
SMALL = {"lu": ["-n", "20", "-s", "4"], "luf": ["-n", "20", "-s", "4"]}


def source(program):
    return os.path.join(PROGRAMS, SOURCES[program])


def arguments(program, mistake="-", size="-"):
    """What a program is started with."""
    if program in SMALL:
        return SMALL[program] + (["--without", mistake] if mistake != "-" else [])
    return [mistake] + ([size] if size != "-" else [])


def command(program, mpi, compiler, flags, wrap=()):
    """The command that compiles a program. wrap: words before the compilers, such as hbdb cc; by language."""
    path = source(program)
    chosen = {"openmpi": {"OMPI_CC": compiler}, "mpich": {"MPICH_CC": compiler}}[mpi] if compiler != "gcc" else {}
    if path.endswith(".f90"):
        return chosen, [*(wrap and [wrap[0], "fc"]), "mpifort." + mpi, "-g", "-cpp", "-ffree-line-length-none", *flags, INCLUDE + "/hbdb/compare.f90", path]
    openmp = ["-fopenmp"] if program == "wave" else []
    return chosen, [*(wrap and [wrap[0], "cc"]), "mpicc." + mpi, "-g", "-Wall", "-Wextra", *flags, *openmp, "-I", INCLUDE, path, "-lm"]


def build(folder, name, program, mpi="openmpi", compiler="gcc", flags=("-O2",), wrap=()):
    """Compiles one into folder/name: its path. subprocess.CalledProcessError, with what the compiler said."""
    modules = os.path.join(folder, "modules." + name)
    os.makedirs(modules, exist_ok=True)
    chosen, words = command(program, mpi, compiler, list(flags), wrap)
    path = os.path.join(folder, name)
    subprocess.run([*words, "-o", path], cwd=modules, env={**os.environ, **chosen}, check=True, capture_output=True, text=True)
    return path


def launch(mpi, processes, path, words):
    return [*LAUNCH[mpi], str(processes), path, *words]


def statement(program, label):
    """(file, first line, last line) of the statement behind the comment `// label:` or `! label:`, or of STATEMENTS."""
    with open(source(program), encoding="utf-8") as f:
        lines = f.read().split("\n")
    begin, comment = STATEMENTS.get(label), re.compile(r"\s*(?://|!) %s:" % re.escape(label))
    found = [n for n, line in enumerate(lines) if (line.lstrip().startswith(begin) if begin else n and comment.fullmatch(lines[n - 1]))]
    if len(found) != 1:
        raise KeyError("%s: %d statements %s" % (source(program), len(found), label))
    first = last = found[0]
    while lines[last].rstrip().endswith("&") if source(program).endswith(".f90") else not lines[last].rstrip().endswith(";"):
        last += 1
    return os.path.basename(source(program)), first + 1, last + 1


def table(name, columns):
    """The rows of mistakes.txt or variants.txt, as dicts; the last column may have blanks."""
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        rows = [line.split(None, len(columns) - 1) for line in f if line.strip() and not line.startswith("#")]
    return [dict(zip(columns, (x.strip() for x in row)), processes=int(row[columns.index("processes")])) for row in rows]


def mistakes():
    rows = table("mistakes.txt", ["program", "mistake", "processes", "threads", "size", "point", "construct", "array", "first", "box", "elements", "statement", "seen"])
    return [{**row, "construct": row["construct"].replace("_", " ")} for row in rows]


def variants():
    rows = table("variants.txt", ["program", "processes", "threads", "mpi", "compiler", "flags"])
    return [{**row, "flags": row["flags"].split()} for row in rows]
