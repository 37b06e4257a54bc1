"""Eight squares by the pool of mpi4py.futures; with "killed", the process that has the fifth of them is killed."""
import os
import signal
import sys

from mpi4py import MPI
from mpi4py.futures import MPICommExecutor


def square(x):
    if sys.argv[1] == "killed" and x == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


if __name__ == "__main__":
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as pool:
        if pool is not None:
            print(list(pool.map(square, range(8))))
