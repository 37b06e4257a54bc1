"""For the tests over several nodes: hbdb on the machine in front of a bed, and programs on it under both MPIs."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "cli"))
from lib import HBDB, check, finish, has, same  # noqa: E402,F401

FAR = 300  # seconds; all that is timed here takes a few
MPIRUN = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"],
          "mpich": ["mpiexec.hydra", "-launcher", "ssh"]}
# Debian 12's MPICH over UCX's TCP now and then stays in MPI_Finalize for ever, also without hbdb: one of four runs over four nodes. A run that says nothing
# for so long is ended and begun again.
STUCK = 40
AGAIN = 8


def hosts(mpi, nodes, each=1):
    """The words that tell a launcher its nodes."""
    listed = ",".join("%s:%d" % (n, each) for n in nodes) if each > 1 or mpi == "openmpi" else ",".join(nodes)
    return ["--host" if mpi == "openmpi" else "-hosts", listed, "-n", str(each * len(nodes))]


def launched(mpi, nodes, program, *arguments, each=1):
    return MPIRUN[mpi] + hosts(mpi, nodes, each) + [program, *arguments]


def hbdb(bed, *words, node=None, **how):
    return (bed[node] if node else bed.front).run([HBDB, *words], timeout=FAR, **how)


def record(bed, name, command, *options, mpi="openmpi", **how):
    """hbdb record of a command, again where MPICH is stuck."""
    for _ in range(AGAIN if mpi == "mpich" else 1):
        bed.run(["rm", "-rf", name])
        words = [HBDB, "record", "-o", name, *options, "--", *command]
        if mpi == "mpich":
            words = ["timeout", "-s", "INT", "-k", "20", str(STUCK), *words]
        done = bed.run(words, timeout=FAR, **how)
        if mpi != "mpich" or (done.returncode != 124 and not stuck(done)):
            break
        for other in bed.names:
            bed[other].run(["pkill", "-9", "-f", bed.programs])
    return done


def stuck(done):
    return done.returncode in (130, 137) or "Ctrl-C" in done.stderr


def manifest(bed, name):
    return json.loads(bed.run(["cat", name + "/manifest.json"]).stdout)


def files(bed, folder, node=None):
    """What is in a folder; a recording has its clocks, too, where they could be compared."""
    return sorted(name for name in (bed[node] if node else bed.front).run(["ls", folder]).stdout.split() if name != "clocks.json")


def said(done):
    return "status %d\n%s\n%s" % (done.returncode, done.stdout, done.stderr)


def build(bed, source="talk.c", name="talk"):
    """{mpi: path of the program on all machines}"""
    return {mpi: bed.build_program(os.path.join(PROGRAMS, source), "%s.%s" % (name, mpi), "mpicc." + mpi) for mpi in MPIRUN}


def refused(bed_module, error):
    """The whole suite cannot run here: said, and neither passed nor failed."""
    print("not run: %s" % error)
    print("0 passed, 0 failed")
    sys.exit(0)


def end(process):
    if process.poll() is None:
        process.kill()
    process.wait()


__all__ = ["HBDB", "FAR", "check", "same", "has", "finish", "launched", "hosts", "record", "hbdb", "manifest", "files", "said", "build", "refused", "end", "subprocess"]
