"""The input files of the applications, generated so that they are the same on every machine."""
import random

MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 10 delay 0 check no
fix 1 all nve
thermo 20
run 100
"""


def melt(_ranks):
    """A Lennard-Jones melt of 2048 atoms, 100 steps."""
    return MELT


def reads(_ranks):
    """3000 reads of 100 bases, 2 % with one error, of a random genome of 12000 bases."""
    rng = random.Random(2)
    genome = "".join(rng.choice("ACGT") for _ in range(12000))
    complement = str.maketrans("ACGT", "TGCA")
    lines = []
    for i in range(3000):
        at = rng.randrange(len(genome) - 100)
        read = genome[at:at + 100]
        if rng.random() < 0.02:
            k = rng.randrange(100)
            read = read[:k] + rng.choice("ACGT") + read[k + 1:]
        if rng.random() < 0.5:
            read = read.translate(complement)[::-1]
        lines.append(">r%d\n%s\n" % (i, read))
    return "".join(lines)


def matrix(_ranks):
    """An unsymmetric five-point matrix of 1600 unknowns in the form dsimpletest reads."""
    rng = random.Random(1)
    m = 40
    entries = []
    for i in range(m):
        for j in range(m):
            k = i * m + j + 1
            entries.append((k, k, 4 + rng.random()))
            for ok, other in ((i, k - m), (i < m - 1, k + m), (j, k - 1), (j < m - 1, k + 1)):
                if ok:
                    entries.append((k, other, -rng.random()))
    text = ["%d :N" % (m * m), "%d :NZ" % len(entries)]
    text += ["%d %d %.15f" % e for e in entries]
    text += ["%.12f" % rng.random() for _ in range(m * m)]
    return "\n".join(text) + "\n"


def hpcc(ranks):
    """A small Linpack problem on a grid of 1 x ranks or 2 x ranks/2."""
    p = 2 if ranks % 4 == 0 else 1
    values = ["0", "HPL.out", "8", "1", "300", "1", "40", "0", "1", str(p), str(ranks // p), "16.0",
              "1", "2", "1", "4", "1", "2", "1", "1", "1", "1", "1", "0", "2", "64", "0", "0", "1", "8"]
    head = ["HPLinpack benchmark input file", "Small enough for a test"] + values[1:]
    tail = ["separator", "0", "1200", "0", "40"]
    return "\n".join(head + tail) + "\n"


MAKERS = {"in.melt": melt, "reads.fa": reads, "matrix.txt": matrix, "hpccinf.txt": hpcc}
