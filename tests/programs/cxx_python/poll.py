"""mpi4py: Testsome and Waitany over wildcard receives into buffers, persistent ones too."""
import array
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect as ex                    # noqa: E402
from mpi4py import MPI                 # noqa: E402

N = 6
world = MPI.COMM_WORLD
rank, size = world.rank, world.size
if rank == 0:
    bufs = [array.array("i", [0]) for _ in range(N)]
    requests = [world.Irecv([b, 1, MPI.INT], MPI.ANY_SOURCE, 1) for b in bufs]
    left, no = N, 0
    while left:
        done = MPI.Request.Testsome(requests)
        if not done:
            no += 1
            continue
        for i in done:
            ex.say(rank, "request", i, "from", bufs[i][0], "after", no)
        left -= len(done)
    again = world.Recv_init([bufs[0], 1, MPI.INT], MPI.ANY_SOURCE, 2)
    status = MPI.Status()
    for _ in range(size - 1):
        again.Start()
        again.Wait(status)
        ex.check(bufs[0][0] == status.source, "value")
        ex.say(rank, "persistent from", status.source)
    again.Free()
else:
    buf = array.array("i", [rank])
    for _ in range(rank - 1, N, size - 1):
        ex.linger(800)
        world.Send([buf, 1, MPI.INT], 0, 1)
    ex.linger(800)
    world.Send([buf, 1, MPI.INT], 0, 2)
