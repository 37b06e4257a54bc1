#!/usr/bin/python3
"""One task of a recording again: hbdb replay --task and hbdb debug --task, under both MPIs, with the program that was recorded and
with one that is mended.

usage: run.py
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
HBDB = os.environ.get("HBDB", os.path.join(TOP, "build/hbdb"))
SECONDS = 300
BEGIN = 1 + 4 * 49 + 2 + 2  # of task 49: MPI_Init, four events for each task before it, two for the second part of task 30, its receive
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"], "mpich": ["mpirun.mpich"]}
passed = failed = 0


class Job:
    """A folder with the program, the mended one and their recording."""

    def __init__(self, mpi, folder):
        self.mpi, self.folder = mpi, folder
        for name, flags in (("tasks", []), ("mended", ["-DMENDED"])):
            self.run(["mpicc." + mpi, "-g", "-O0", "-I", os.path.join(TOP, "include"), *flags, "-o", name, os.path.join(HERE, "tasks.c")]).check_returncode()
        self.recorded = self.run([HBDB, "record", "--level", "data", "-o", "r.hbdb", "--", *LAUNCH[mpi], "-n", "2", "./tasks"])

    def run(self, command):
        return subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=SECONDS)

    def wants(self, what, command, code, words, without=()):
        """code None: any but 0."""
        global passed, failed
        done = self.run([HBDB, *command])
        text = done.stdout + done.stderr
        good = done.returncode == code if code is not None else done.returncode != 0
        good = good and all(word in text for word in words) and not any(word in text for word in without)
        passed, failed = passed + good, failed + (not good)
        print("ok" if good else "FAIL", self.mpi + ":", what, "" if good else "\n(%d) %s" % (done.returncode, text[-3000:]), flush=True)


def replays(job):
    job.wants("a task that ended runs to its end, and no further", ["replay", "--task", "48", "r.hbdb"], 0,
              ["task 48 on rank 1", "task 48: compute ran to its end", "no difference in the calls"], ["SIG", "crash"])
    job.wants("a task that crashed crashes again", ["replay", "--task", "49", "r.hbdb"], None,
              ["did not end", "task 49: compute ended the process again", "as in the recording"])
    job.wants("the mended program gets through it", ["replay", "--task", "49", "r.hbdb", "--", "./mended"], 0,
              ["task 49: compute went on past the place"], ["ran to its end"])
    job.wants("a part of a task", ["replay", "--task", "30.1", "r.hbdb"], 0, ["task 30.1 on rank 1", "task 30.1: compute ran to its end"])


def refusals(job):
    job.wants("a task in parts: which", ["replay", "--task", "30", "r.hbdb"], 2, ["30.0 on rank 1", "30.1 on rank 1", "say which"])
    job.wants("no such task", ["replay", "--task", "77", "r.hbdb"], 2, ["has no compute of such a task"])
    job.wants("no such span", ["replay", "--task", "48:join", "r.hbdb"], 2, ["has no join of such a task"])
    job.wants("no task at all", ["replay", "--task", "x", "r.hbdb"], 2, ["a task is a number"])
    job.wants("it finds the process by itself", ["replay", "--task", "48", "--alone", "1", "r.hbdb"], 2, ["does not go with --alone"])
    job.wants("debug: it finds the event by itself", ["debug", "--task", "48", "--at", "1:3", "r.hbdb"], 2, ["does not go with --alone and --at"])


def debugs(job):
    job.wants("debug stops where the task begins, goes into its function and to the crash, and finds who wrote the pointer",
              ["debug", "--task", "49", "-c", "step; step; goto END; where; written place; back; expect after 1:%d" % BEGIN, "r.hbdb"], 0, ["task 49 on rank 1", "stopped: compute", "SIGSEGV", "became (int *) 0x0"])
    job.wants("events of the program itself can be gone to, in both directions",
              ["debug", "--alone", "1", "-c", "goto 1:10; expect after 1:10; back; expect after 1:9; goto 1:4; expect after 1:4; goto 1:12; expect after 1:12",
               "r.hbdb"], 0, ["after 1:10", "after 1:12"])


def main():
    for mpi in LAUNCH:
        with tempfile.TemporaryDirectory(prefix="hbdb-tasks-") as folder:
            job = Job(mpi, folder)
            replays(job)
            refusals(job)
            debugs(job)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
