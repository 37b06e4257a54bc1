"""mpi4py.futures: run as `python3 -m mpi4py.futures py_futures.py pool` (MPIPoolExecutor) or
directly with the argument `comm` (MPICommExecutor).

The results of map() are the same in every run; the order of completion and the worker that did a
task are not, and are printed on lines that begin with `free:`.
"""
import sys
from concurrent.futures import as_completed
from mpi4py import MPI
from mpi4py.futures import MPICommExecutor, MPIPoolExecutor


def task(n):
    """The sum of the first numbers, and who computed it."""
    return n, sum(range(n * 50)), MPI.COMM_WORLD.Get_rank()


def use(executor):
    print("map", [r[1] for r in executor.map(task, range(40))])
    print("chunks", [r[1] for r in executor.map(task, range(40), chunksize=7)])
    futures = [executor.submit(task, n) for n in range(60)]
    done = [f.result() for f in as_completed(futures)]
    print("submitted", sorted(r[1] for r in done))
    print("free:", " ".join("%d@%d" % (r[0], r[2]) for r in done))
    bad = executor.submit(task, "x")
    print("exception", type(bad.exception()).__name__)


def main():
    if sys.argv[1] == "pool":
        with MPIPoolExecutor() as executor:
            use(executor)
    else:
        with MPICommExecutor(MPI.COMM_WORLD, root=0) as executor:
            if executor is not None:
                use(executor)
        MPI.COMM_WORLD.Barrier()


if __name__ == "__main__":
    main()
