"""A task farm in mpi4py: which worker gets which task depends on the order of messages.

Prints the assignment, so two free runs differ and a replay must not. Uses pickled objects
(MPI_Mprobe and MPI_Mrecv with any source), buffers, and Iprobe polling by the workers.
"""
import array
from mpi4py import MPI

TASKS = 200
STOP = 2
WORK = 1


def burn(n):
    """Some work whose length depends on the task."""
    total = 0
    for i in range((n * 7919) % 1500):
        total = (total * 31 + i) % 1000003
    return total


def master(comm):
    """Hand out tasks in the order in which workers answer."""
    status = MPI.Status()
    log = []
    total = 0
    given = 0
    active = 0
    for worker in range(1, comm.size):
        comm.send(given, dest=worker, tag=WORK)
        given += 1
        active += 1
    while active:
        task, result = comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
        log.append("%d@%d" % (task, status.Get_source()))
        total = (total * 3 + result) % 1000003
        if given < TASKS:
            comm.send(given, dest=status.Get_source(), tag=WORK)
            given += 1
        else:
            comm.send(None, dest=status.Get_source(), tag=STOP)
            active -= 1
    print("order", " ".join(log))
    print("order-dependent sum", total)


def worker(comm):
    """Poll for a task, do it, answer."""
    status = MPI.Status()
    polls = 0
    done = 0
    while True:
        while not comm.Iprobe(source=0, tag=MPI.ANY_TAG, status=status):
            polls += 1
        task = comm.recv(source=0, tag=status.Get_tag())
        if task is None:
            break
        comm.send((task, burn(task)), dest=0, tag=WORK)
        done += 1
    return done, polls


def main():
    comm = MPI.COMM_WORLD
    mine = (0, 0)
    if comm.rank == 0:
        master(comm)
    else:
        mine = worker(comm)
    for rank, (done, polls) in enumerate(comm.gather(mine, root=0) or []):
        print("rank %d did %d tasks, probed in vain %d times" % (rank, done, polls))
    buf = array.array("i", [comm.rank + 1] * 10)
    out = array.array("i", [0] * 10)
    comm.Allreduce([buf, MPI.INT], [out, MPI.INT], op=MPI.SUM)
    if comm.rank == 0:
        print("allreduce", out[0])


main()
