"""What is measured: one Benchmark per program, with the sizes of a full and of a quick run."""
import os
import random
import re
import shutil

from runner import Failure

ABYSS = "/usr/lib/abyss/ABYSS-P"
MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 50
run {steps}
"""


class Benchmark:
    """A program, how to start it, and which of the values it prints go into the table."""

    def __init__(self, name, full, quick, metrics, ranks, replay=False):
        self.name, self.full, self.quick, self.metrics = name, full, quick, metrics
        self.ranks, self.replay = ranks, replay
        self.program = name
        self.warm = False

    def missing(self, _mpi):
        return None

    def prepare(self, runner, quick):
        """Writes the input files, once."""

    def command(self, runner, mpi, quick):
        sizes = [str(n) for n in (self.quick if quick else self.full)]
        program = os.path.join(runner.folder, f"{self.program}.{mpi}")
        return runner.launcher(mpi, self.ranks[mpi]) + [program] + sizes

    def environment(self, _runner):
        return {}

    def read(self, _runner, outcome):
        """Adds to outcome.values what the program says in its own way."""


class PingPong(Benchmark):
    def __init__(self, label, full, quick):
        super().__init__(label, full, quick, [("oneway.p5", "p5", "ns"), ("oneway.p50", "p50", "ns")],
                         {"openmpi": 2, "mpich": 2})
        self.program = "pingpong"


class NetPipe(Benchmark):
    PROGRAMS = {"openmpi": "/usr/bin/NPopenmpi", "mpich": "/usr/bin/NPmpich2"}

    def missing(self, mpi):
        return None if os.path.exists(self.PROGRAMS[mpi]) else f"package netpipe-{mpi}".replace("mpich", "mpich2")

    def command(self, runner, mpi, quick):
        turns = self.quick[0] if quick else self.full[0]
        return runner.launcher(mpi, 2) + [self.PROGRAMS[mpi], "-u", "65536", "-p", "0",
                                          "-n", str(turns), "-o", "netpipe.out"]

    def read(self, runner, outcome):
        path = os.path.join(runner.folder, "netpipe.out")
        with open(path) as table:
            rows = [line.split() for line in table]
        os.unlink(path)
        for size, _, seconds in rows:
            outcome.values[f"oneway.{size}"] = float(seconds) * 1e9


class Lammps(Benchmark):
    def missing(self, _mpi):
        return None if os.path.exists("/usr/bin/lmp") else "package lammps"

    def prepare(self, runner, quick):
        with open(os.path.join(runner.folder, "in.melt"), "w") as script:
            script.write(MELT.format(steps=(self.quick if quick else self.full)[0]))

    def command(self, runner, mpi, quick):
        return runner.launcher(mpi, self.ranks[mpi]) + ["/usr/bin/lmp", "-in", "in.melt", "-log", "none"]

    def read(self, _runner, outcome):
        found = re.search(r"^Loop time of (\S+) on", outcome.output, re.M)
        if not found:
            raise Failure("LAMMPS did not print its loop time")
        outcome.values["loop"] = float(found[1]) * 1e3
        # thermodynamic output: the same run gives the same numbers to the last digit
        outcome.checks = re.findall(r"^ +\d+ +\S+ +\S+ +\S+ +\S+ +\S+ *$", outcome.output, re.M)


class Abyss(Benchmark):
    """Touches 0.7 GB per process at its start: the first run after a pause pays for the pages
    that the machine had lent out meanwhile, twice the rest; so a discarded run goes before."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.warm = True

    def missing(self, _mpi):
        return None if os.path.exists(ABYSS) else "package abyss"

    def prepare(self, runner, quick):
        length = (self.quick if quick else self.full)[0]
        source = random.Random(1)
        genome = "".join(source.choice("ACGT") for _ in range(length))
        turned = str.maketrans("ACGT", "TGCA")
        with open(os.path.join(runner.folder, "reads.fa"), "w") as reads:
            for number in range(length * 12 // 100):
                start = source.randrange(length - 100)
                read = genome[start:start + 100]
                reads.write(f">r{number}\n{read.translate(turned)[::-1] if number & 1 else read}\n")

    def command(self, runner, mpi, quick):
        return runner.launcher(mpi, self.ranks[mpi]) + [ABYSS, "-k25", "-o", "contigs.fa", "reads.fa"]

    def environment(self, runner):
        return {"LD_PRELOAD": os.path.join(runner.folder, "span.so")}

    def read(self, _runner, outcome):
        if "span" not in outcome.values:
            raise Failure("ABYSS-P: span.so saw no MPI_Finalize")
        outcome.values["span"] *= 1e3
        outcome.checks = re.findall(r"^Assembled .*$", outcome.output, re.M)


def farm(name, full, quick):
    bench = Benchmark(name, full, quick, [("task", "per task", "us")], {"openmpi": 4, "mpich": 2}, replay=True)
    bench.program = "farm"
    return bench


def exchange(name, cells, full, quick):
    bench = Benchmark(name, [cells, full, "exchange"], [cells, quick, "exchange"], [("step", "per step", "us")],
                      {"openmpi": 2, "mpich": 2})
    bench.program = "halo"
    return bench


def benchmarks():
    both, four = {"openmpi": 2, "mpich": 2}, {"openmpi": 4, "mpich": 2}
    return [
        PingPong("ping-pong 8 B", [8, 1000, 100], [8, 300, 100]),
        PingPong("ping-pong 64 KiB", [65536, 500, 10], [65536, 200, 10]),
        NetPipe("NetPIPE", [1000], [300],
                [("oneway.8", "8 B", "ns"), ("oneway.65536", "64 KiB", "ns")], both),
        Benchmark("stream", [1000000], [200000], [("message", "per message", "ns")], four, replay=True),
        Benchmark("poll", [10000000], [1000000],
                  [("iprobe.p10", "Iprobe no", "ns"), ("test.p10", "Test no", "ns")], both, replay=True),
        Benchmark("steal", [8000, 50], [2000, 50], [("node", "per node", "ns")], four, replay=True),
        Benchmark("halo", [64, 20000], [64, 4000], [("step", "per step", "us")], four, replay=True),
        exchange("halo alone, 64 B", 8, 50000, 10000),
        exchange("halo alone, 64 KiB", 8192, 2000, 500),
        Benchmark("amr", [16, 4000, 20], [16, 1000, 20], [("step", "per step", "us")], four),
        farm("farm, 50 us tasks", [10000, 10000], [4000, 10000]),
        farm("farm, 10 us tasks", [40000, 2000], [10000, 2000]),
        Lammps("LAMMPS", [600], [200], [("loop", "melt, loop", "ms")], {"openmpi": 2}),
        Abyss("ABySS", [60000], [60000], [("span", "assembly", "ms")], {"openmpi": 2}),
    ]


def single_calls():
    """The program behind the figures per call; its values are not ratios but differences."""
    return Benchmark("calls", ["time", 1000], ["time", 300], [], {"openmpi": 1, "mpich": 1})


def have_compiler(mpi):
    return shutil.which(f"mpicc.{mpi}", path="/usr/bin") and shutil.which(f"mpirun.{mpi}", path="/usr/bin")


def rows_of(runner, mpi, names, quick, row):
    """A row for each benchmark, of those named when there are names; those that failed, a sentence each."""
    rows, failed = [], []
    runner.compile([mpi])
    for bench in benchmarks():
        if (names and bench.name not in names) or mpi not in bench.ranks or bench.missing(mpi):
            continue
        try:
            bench.prepare(runner, quick)
            rows.append(row(bench))
        except Failure as why:
            failed.append(f"failed: {bench.name}: {why}")
    return rows, failed
