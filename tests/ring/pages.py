"""One process that talks to itself; prints how many pages it had to wait for (minor faults) while it did. usage: pages.py TIMES"""
import os
import resource
import socket
import sys

here, there = socket.socketpair()
out, back = here.fileno(), there.fileno()


def talk(times):
    for _ in range(times):
        os.write(out, b"12345678")
        os.read(back, 8)


talk(20000)  # the log has begun to grow
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
talk(int(sys.argv[1]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
