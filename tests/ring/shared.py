"""Two processes; of each, two threads put into one connection and two take out, until the file is there. usage: shared.py FILE"""
import os
import socket
import sys
import threading
import time

server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(1)
child = os.fork()
end = socket.create_connection(server.getsockname()) if child else server.accept()[0]


def work(call):
    while not os.path.exists(sys.argv[1]):
        call()
        time.sleep(0.0005)


for each in (lambda: end.send(b"8 bytes."), lambda: end.recv(8)) * 2:
    threading.Thread(target=work, args=(each,), daemon=True).start()
work(lambda: None)
os._exit(0)
