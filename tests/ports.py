"""Ports of this machine for servers of tests that cannot be told to take any free one."""
import os
import random
import socket

RANGE = "/proc/sys/net/ipv4/ip_local_port_range"


def free(kind=socket.SOCK_STREAM, but=None):
    """One that is free now, and that nobody gets who takes any: between this and the server's beginning other tests start jobs that do. A number
    that another run of the same test draws at the same time is one of thousands. but: one that is taken, though nobody listens there yet."""
    with open(RANGE, encoding="ascii") as f:
        least = int(f.read().split()[0])
    draw = random.Random(os.urandom(8))
    for _ in range(100):
        port = draw.randrange(least // 2, least) if least > 4096 else 0
        if port and port == but:
            continue
        with socket.socket(socket.AF_INET, kind) as s:
            try:
                s.bind(("127.0.0.1", port))
                return s.getsockname()[1]
            except OSError:
                continue
    raise OSError("of 100 ports below %d none is free" % least)
