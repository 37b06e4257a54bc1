"""A process of a recording that talks to somebody who is not recorded, and hands on what it got to one that is.

usage: outside.py FILE PORT UDP PATH
PORT, UDP and PATH: where the one outside listens, by TCP, by UDP and by a Unix socket. FILE: the name of a file where the process writes its own port.
"""
import os
import socket
import sys


def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())  # at once: two processes write there


def ask(s, question):
    s.sendall(question)
    return s.recv(100)


def middle(path, port, udp, unix):
    with socket.create_connection(("127.0.0.1", int(port))) as c:
        got = [ask(c, b"tcp %d" % i) for i in range(3)]
        c.shutdown(socket.SHUT_WR)
        say("tcp", got, c.recv(100))
    with socket.socket(socket.AF_UNIX) as c:
        c.connect(unix)
        say("unix", ask(c, b"unix"))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as d, socket.socket() as s:
        d.bind(("127.0.0.1", 0))
        s.bind(("127.0.0.1", 0))
        s.listen()
        with open(path + ".new", "w", encoding="ascii") as f:
            f.write(str(s.getsockname()[1]))
        os.rename(path + ".new", path)
        child = os.fork()
        if not child:
            inside(s.getsockname()[1], d.getsockname()[1])
            os._exit(0)
        seen = []
        for i in range(3):
            d.sendto(b"datagram %d" % i, ("127.0.0.1", int(udp)))
        while len(seen) < 6:  # three of each, in whatever order
            what, who = d.recvfrom(100)
            seen.append(what)
            say("datagram", what, who[1] == int(udp))
        for _ in range(2):  # one from outside, one from inside
            c, _ = s.accept()
            with c:
                what = c.recv(100)
                c.sendall(b"you said " + what)
                say("accepted", what)
        os.waitpid(child, 0)


def inside(port, udp):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as d:
        for i in range(3):
            d.sendto(b"inside %d" % i, ("127.0.0.1", udp))
    with socket.create_connection(("127.0.0.1", port)) as c:
        say("inside", ask(c, b"inside"))


middle(*sys.argv[1:])
