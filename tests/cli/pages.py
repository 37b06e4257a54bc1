"""A folder to run the commands of a page in."""
import os
import shutil
import signal
import subprocess
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
MPIRUN = {"openmpi": "mpirun.openmpi --oversubscribe --allow-run-as-root --bind-to none --mca mpi_yield_when_idle 1",
          "mpich": "mpirun.mpich"}


def for_users(text):
    """Pages show what users see: the line that root gets is left out."""
    return "".join(line for line in text.splitlines(True) if not line.startswith("hbdb: running as root: "))


class Place:
    """A folder to work in, where mpicc, mpirun and hbdb are those of one MPI."""

    def __init__(self, mpi):
        self.path = tempfile.mkdtemp(prefix="hbdb-page.")
        os.mkdir(self.path + "/bin")
        os.mkdir(self.path + "/work")
        for name, line in (("mpicc", "mpicc." + mpi), ("mpirun", MPIRUN[mpi]), ("hbdb", HBDB)):
            with open("%s/bin/%s" % (self.path, name), "w") as f:
                f.write('#!/bin/sh\nexec %s "$@"\n' % line)
            os.chmod("%s/bin/%s" % (self.path, name), 0o755)
        self.env = dict(os.environ, PATH=self.path + "/bin:" + os.environ["PATH"], XDG_STATE_HOME=self.path, LC_ALL="C")
        self.env.pop("LD_PRELOAD", None)

    def run(self, command, seconds=120):
        job = subprocess.Popen(["/bin/sh", "-c", "exec 2>&1; " + command.replace("~/hbdb", TOP)], cwd=self.path + "/work",
                               env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace",
                               start_new_session=True)
        try:
            return for_users(job.communicate(timeout=seconds)[0])
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGTERM)
            return job.communicate()[0] + "(no end after %d s)\n" % seconds

    def close(self):
        shutil.rmtree(self.path, ignore_errors=True)
