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
    """(file, first line, last line) of the statement behind the comment `// label:` or `! label:`."""
    with open(source(program), encoding="utf-8") as f:
        lines = f.read().split("\n")
    fortran = SOURCES[program].endswith(".f90")
    at = next((n for n, line in enumerate(lines) if re.fullmatch(r"\s*(?://|!) %s:" % re.escape(label), line)), None)
    if at is None:
        raise KeyError("%s: no statement %s" % (source(program), label))
    first = last = at + 1
    while lines[last].rstrip().endswith("&") if fortran else not lines[last].rstrip().endswith(";"):
        last += 1
    return os.path.basename(source(program)), first + 1, last + 1


def loop_line(program, name):
    """The line at which a construct of that name is marked, or 0."""
    with open(source(program), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if re.search(r'hb_(?:loop|point|region)\("%s"' % re.escape(name), line):
                return number
    return 0
