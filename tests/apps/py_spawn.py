"""Dynamic processes in mpi4py: let pass and recorded, but not replayed; they must not disturb what is."""
import os
import sys
from mpi4py import MPI


def main(comm):
    child = comm.Spawn(sys.executable, [os.path.abspath(__file__)], maxprocs=1)
    if comm.rank == 0:
        child.send("hello", dest=0, tag=1)
        print(child.recv(source=0, tag=2))
    lines = comm.gather("%d %d %s %d" % (comm.rank, comm.size, child.Is_inter(), child.remote_size))
    if comm.rank == 0:
        print("\n".join(lines), comm.size)
    child.Disconnect()


def be_a_child(parent):
    parent.send(parent.recv(source=0, tag=1) + " back", dest=0, tag=2)
    parent.Disconnect()


if MPI.Comm.Get_parent() == MPI.COMM_NULL:
    main(MPI.COMM_WORLD)
else:
    be_a_child(MPI.Comm.Get_parent())
