"""Clocks and seeds of Python, and the order of a set, which depends on the seed of its hashes."""
import os
import random
import sys
import time
import uuid

from mpi4py import MPI

rank = MPI.COMM_WORLD.Get_rank()
told = (time.time(), time.monotonic_ns(), time.perf_counter(), os.urandom(8).hex(), random.random(), uuid.uuid4(), "".join({"a", "b", "c", "d", "e", "f"}))
told += os.getpid(), MPI.COMM_WORLD.allreduce(random.randrange(1000))
# in one piece: the launcher puts together what comes
sys.stdout.write("%d: %s\n" % (rank, " ".join(map(str, told))))
sys.stdout.flush()
