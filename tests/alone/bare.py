#!/usr/bin/python3
"""One process alone in a bare Debian, where there is no launcher, no Open MPI and none of the files that the program read: recordings
made here with --pack, under either library, are replayed there with the program built for MPICH, whose library is all that it has of MPI.

usage: bare.py [--keep FOLDER]

mmdebstrap makes the root from Debian's packages; without it, or without root's rights, nothing is tested, and that is said. --keep: the root
stays in this folder, and is taken from there the next time.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "-n", "3"], "mpich": ["mpirun.mpich", "-n", "3"]}
TO_FILE = 'exec "$@" > out.${OMPI_COMM_WORLD_RANK-$PMI_RANK}'


def run(command, seconds=300, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds, **options)


def files_of_hbdb():
    """Not libhbdb-farm, which is a program's and linked with its MPI."""
    return [HBDB] + [path for path in glob.glob(os.path.join(os.path.dirname(HBDB), "libhbdb-*.so")) if "libhbdb-farm" not in path]


def packages():
    """What the parts of hbdb and a program of MPICH are linked with; never a launcher, never Open MPI."""
    found = set(re.findall(r"=> (/\S+)", "".join(run(["ldd", path]).stdout for path in files_of_hbdb())))
    owners = run(["dpkg", "-S"] + sorted({os.path.realpath(path) for path in found} | found)).stdout
    return sorted({line.split(":")[0] for line in owners.splitlines() if ": " in line} | {"libmpich12"})


def make_root(root):
    if os.path.exists(os.path.join(root, "bin/sh")):
        return
    with open("/etc/os-release") as f:
        release = re.search(r"VERSION_CODENAME=(\w+)", f.read())[1]
    made = run(["mmdebstrap", "--variant=minbase", "--include=" + ",".join(packages()), release, root, "http://deb.debian.org/debian"], 1800)
    if made.returncode:
        sys.exit("mmdebstrap failed\n" + made.stderr[-800:])


def record(folder, mpi):
    work = os.path.join(folder, mpi)
    os.mkdir(work)
    with open(os.path.join(work, "table.txt"), "w") as f:
        f.writelines("word%d %d.5\n" % (10 ** (i % 7), i) for i in range(500))
    for built in ("openmpi", "mpich"):
        subprocess.run(["mpicc." + built, "-g", "-O1", "-o", os.path.join(work, "table-" + built), os.path.join(HERE, "programs/table.c")], check=True)
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = run([HBDB, "record", "--level", "data", "--pack", "-o", "r.hbdb", "--"] + LAUNCH[mpi] + ["/bin/bash", "-c", TO_FILE, "x", "./table-" + mpi],
               cwd=work, env=env)
    if done.returncode:
        sys.exit("recording under %s: status %d\n%s" % (mpi, done.returncode, done.stderr[-800:]))
    return work


def inside(root, command):
    """In the root, with /proc and /sys; the mounts go with their namespace."""
    return run(["unshare", "-m", "sh", "-c", 'mount -t proc none "$0/proc" && mount -t sysfs none "$0/sys" && exec chroot "$0" "$@"', root] + command)


def replayed(root, work, mpi, rank):
    with open(os.path.join(work, "out.%d" % rank)) as f:
        wanted = f.read()
    done = inside(root, ["/hbdb/hbdb", "replay", "--trust", "--alone", str(rank), "/%s/r.hbdb" % mpi, "--", "/%s/table-mpich" % mpi])
    same = done.stdout == wanted and done.returncode == 0 and "events: no difference" in done.stderr
    if not same:
        print("FAIL recorded under %s, rank %d: status %d\n%s%s" % (mpi, rank, done.returncode, done.stdout[-300:], done.stderr[-800:]))
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep")
    kept = parser.parse_args().keep
    if os.geteuid() or not shutil.which("mmdebstrap") or run(["unshare", "-m", "true"]).returncode:
        print("skipped: a bare root needs mmdebstrap and root's rights\n0 passed, 0 failed")
        return 0
    folder = tempfile.mkdtemp(prefix="hbdb-bare.")
    os.chmod(folder, 0o755)
    root = os.path.abspath(kept) if kept else os.path.join(folder, "root")
    passed = failed = 0
    try:
        make_root(root)
        os.makedirs(os.path.join(root, "hbdb"), exist_ok=True)
        for path in files_of_hbdb():
            shutil.copy(path, os.path.join(root, "hbdb"))
        there = [name for name in ("mpirun", "mpiexec", "orted", "hydra_pmi_proxy") if inside(root, ["sh", "-c", "command -v " + name]).stdout]
        if there or inside(root, ["sh", "-c", "ls /usr/lib/*/libmpi.so.40"]).stdout:
            sys.exit("the root is not bare: %s" % (there or "Open MPI"))
        for mpi in LAUNCH:
            work = record(folder, mpi)
            shutil.rmtree(os.path.join(root, mpi), ignore_errors=True)
            os.mkdir(os.path.join(root, mpi))
            shutil.copytree(os.path.join(work, "r.hbdb"), os.path.join(root, mpi, "r.hbdb"))
            shutil.copy(os.path.join(work, "table-mpich"), os.path.join(root, mpi))
            for rank in range(3):
                good = replayed(root, work, mpi, rank)
                passed, failed = passed + good, failed + (not good)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
