"""Processes that talk over TCP: one long connection, and a short one for each round. usage: talk.py ROUNDS"""
import os
import socket
import sys

ROUNDS = int(sys.argv[1])
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", 0))
server.listen(8)


def serve():
    long, _ = server.accept()
    for _ in range(ROUNDS):
        long.sendall(long.recv(8))
        short, _ = server.accept()
        short.sendall(short.recv(8))
        short.close()


child = os.fork()
if not child:
    serve()
    os._exit(0)
stays = socket.create_connection(server.getsockname())
for i in range(ROUNDS):
    text = b"%08d" % i
    stays.sendall(text)
    assert stays.recv(8) == text
    with socket.create_connection(server.getsockname()) as once:
        once.sendall(text)
        assert once.recv(8) == text
os.waitpid(child, 0)
