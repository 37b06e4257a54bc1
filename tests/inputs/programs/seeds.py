"""Clocks and seeds of Python, and the order of a set, which depends on the seed of its hashes."""
import os
import random
import time
import uuid

from mpi4py import MPI

rank = MPI.COMM_WORLD.Get_rank()
print("%d: python %r %r %r %s %r %s %s" % (rank, time.time(), time.monotonic_ns(), time.perf_counter(), os.urandom(8).hex(), random.random(), uuid.uuid4(),
                                       "".join({"a", "b", "c", "d", "e", "f"})))
print("%d: pid %d, sum %d" % (rank, os.getpid(), MPI.COMM_WORLD.allreduce(random.randrange(1000))), flush=True)
