"""mpi4py: pickled objects (matched probes underneath), polls, collectives, requests."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import expect as ex                    # noqa: E402
from mpi4py import MPI                 # noqa: E402

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
if rank == 0:
    status, no = MPI.Status(), 0
    for _ in range(5 * (size - 1)):
        while not world.iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG, status):
            no += 1
        what = world.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
        ex.check(what["from"] == status.source and len(what["list"]) == status.tag, "object")
        ex.say(rank, "tag", status.tag, "from", status.source, "after", no)
    world.barrier()
    requests = [world.irecv(source=i, tag=77) for i in range(1, size)]
    while requests:
        index, what = MPI.Request.waitany(requests)
        ex.say(rank, "request", index, what)
        requests.pop(index)
else:
    for i in range(5):
        ex.linger(500)
        world.send({"from": rank, "list": list(range(i))}, 0, tag=i)
    world.barrier()
    world.send("last of %d" % rank, 0, tag=77)
total = world.allreduce(rank)
ex.check(total == size * (size - 1) // 2, "sum")
half = world.Split(rank % 2, -rank)
ex.say(rank, "half", half.gather(rank))
half.Free()
