"""mpi4py: buffers by wildcard receives; the interpreter loads libmpi late and locally."""
import array
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect as ex                    # noqa: E402
from mpi4py import MPI                 # noqa: E402

EACH = 8
world = MPI.COMM_WORLD
rank, size = world.rank, world.size
ex.begin(rank)
ex.expect("MPI_Init_thread()")
buf = array.array("i", [0])
if rank == 0:
    status = MPI.Status()
    for _ in range(EACH * (size - 1)):
        world.Recv([buf, 1, MPI.INT], MPI.ANY_SOURCE, MPI.ANY_TAG, status)
        ex.check(buf[0] == status.source * 100 + status.tag, "value")
        ex.expect("MPI_Recv(count=1, datatype=MPI_INT, source=ANY, tag=ANY, comm=WORLD) -> source=%d tag=%d bytes=4"
                  % (status.source, status.tag))
        ex.say(rank, buf[0])
else:
    for i in range(EACH):
        buf[0] = rank * 100 + i
        ex.linger(500)
        world.Send([buf, 1, MPI.INT], 0, i)
        ex.expect("MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=%d, comm=WORLD)" % i)
ex.expect("MPI_Finalize()")            # by mpi4py, at exit
