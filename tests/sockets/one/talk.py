"""A server, a client, a family, and one that waits: what tests/sockets/alone.py runs alone.

usage: talk.py server FILE | client FILE | family | waits
"""
import os
import signal
import socket
import sys
import time


def say(*words):
    print(*words, flush=True)


def server(path):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        with open(path + ".new", "w", encoding="ascii") as f:
            f.write(str(s.getsockname()[1]))
        os.rename(path + ".new", path)
        for _ in range(3):
            c, address = s.accept()
            with c:
                asked = c.recv(100)
                say("server", asked, address[0], c.getpeername() == address)
                c.sendall(b"answer " + os.urandom(4).hex().encode() + b" to " + asked)


def client(path):
    while not os.path.exists(path):
        time.sleep(0.01)
    with open(path, encoding="ascii") as f:
        port = int(f.read())
    for i in range(3):
        with socket.create_connection(("127.0.0.1", port)) as c:
            c.sendall(b"question %d" % i)
            say("client", c.recv(100), c.getpeername() == ("127.0.0.1", port))


def family():
    ours, theirs = socket.socketpair()
    for i in range(2):
        child = os.fork()
        if not child:
            theirs.send(b"child %d, %s" % (i, os.urandom(2).hex().encode()))
            say("child", i, os.getpid(), theirs.recv(10))
            os._exit(i)
        say("parent", ours.recv(100))
        ours.send(b"%d" % i)
        say("parent", os.waitpid(child, 0)[1], child)


def waits():
    """A handler that ends the loop, clocks, /proc, random bytes."""
    ended = []
    signal.signal(signal.SIGALRM, lambda number, frame: ended.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    ours, theirs = socket.socketpair()
    ours.settimeout(0.02)
    while not ended:
        try:
            ours.recv(1)
        except TimeoutError:
            pass
    theirs.send(b"x")
    with open("/proc/uptime", encoding="ascii") as f:
        say("waits", ours.recv(1), time.time(), f.read().strip(), os.urandom(4).hex(), os.getpid())


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
