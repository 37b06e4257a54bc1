#!/usr/bin/python3
"""Listens to boards and asks them things, and writes down what both say and when: a file for hbdb import.

usage: listen.py FILE NAME=LINE...

LINE is a Unix socket, HOST:PORT, or a serial line (/dev/ttyUSB0, which stty has set before). Standard input has asks, one a line, NAME and words: `left stop`,
`left go`, `left read sent`; the answers go to standard output. `NAME until TEXT` reads no more of standard input until the board has said TEXT. Ends at the end of
standard input. The clock of each board is asked for again and again, so that the times of several can be compared.
"""
import os
import select
import socket
import stat
import sys
import time

CLOCK_EVERY = 0.25  # seconds


def summed(words):
    total = 0
    for byte in words.encode():
        total ^= byte
    return "hb %s *%02x" % (words, total)


def connect(place):
    there = os.path.exists(place)
    if there and not stat.S_ISSOCK(os.stat(place).st_mode):
        return os.open(place, os.O_RDWR | os.O_NOCTTY)
    if there or "/" in place:
        s = socket.socket(socket.AF_UNIX)
        s.connect(place)
    else:
        host, _, port = place.rpartition(":")
        s = socket.create_connection((host, int(port)))
    return s.detach()


class Board:
    def __init__(self, name, place, out):
        self.name, self.out, self.fd = name, out, connect(place)
        self.rest, self.asked, self.open, self.said = b"", 0, {}, []

    def write_down(self, way, line):
        self.out.write("%d %s %s %s\n" % (time.time_ns(), self.name, way, line))

    def ask(self, words):
        self.asked += 1
        line = summed("ask %d %s" % (self.asked, words))
        if words != "clock":
            self.open[str(self.asked)] = words
        self.write_down(">", line)
        data = line.encode() + b"\n"
        while data:
            data = data[os.write(self.fd, data):]

    def hear(self):
        """False: there is nobody any more."""
        data = os.read(self.fd, 65536)
        lines = (self.rest + data).split(b"\n")
        self.rest = lines.pop()
        lines = [line.decode("ascii", "backslashreplace").rstrip("\r") for line in lines]
        self.said += lines
        for line in lines:
            self.write_down("<", line)
            word = line.split()
            if word[:1] == ["hb"] and word[1:2] in (["ok"], ["no"]) and len(word) > 3 and word[2] in self.open:
                print(self.name, self.open.pop(word[2]), *word[1:2], *word[3:-1], flush=True)
        return bool(data)


class Orders:
    """Standard input: the next line is done when what the one before waits for has been said."""

    def __init__(self, boards):
        self.boards, self.lines, self.rest, self.over, self.waits = boards, [], b"", False, None

    def read(self):
        data = os.read(0, 65536)
        self.over = self.over or not data
        lines = (self.rest + data).split(b"\n")
        self.rest = lines.pop()
        self.lines += [line.decode().split(None, 1) for line in lines if line.strip()]

    def waiting(self):
        """Whether what the last line waits for was not said yet, at any time."""
        return self.waits and not any(self.waits[1] in line for line in self.waits[0].said)

    def go_on(self):
        while self.lines and not self.waiting():
            name, words = (self.lines.pop(0) + [""])[:2]
            if name not in self.boards:
                print("there is no board called", name, file=sys.stderr)
            elif words.startswith("until "):
                self.waits = self.boards[name], words[6:].strip()
            else:
                self.boards[name].ask(words.strip())


def listen(boards, orders):
    by_fd = {b.fd: b for b in boards.values()}
    next_clock = 0.0
    while by_fd:
        orders.go_on()
        # what was asked is waited for
        if orders.over and not orders.lines and not orders.waiting() and not any(b.open for b in by_fd.values()):
            return
        now = time.monotonic()
        if now >= next_clock:
            next_clock = now + CLOCK_EVERY
            for b in by_fd.values():
                b.ask("clock")
        ready = select.select(list(by_fd) + ([] if orders.over else [0]), [], [], next_clock - now)[0]
        for fd in ready:
            if fd == 0:
                orders.read()
                continue
            if not by_fd[fd].hear():
                del by_fd[fd]


def main():
    if len(sys.argv) < 3 or not all("=" in word for word in sys.argv[2:]):
        sys.exit(__doc__)
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("hbdb-board 1\n")
        boards = {}
        for word in sys.argv[2:]:
            name, _, place = word.partition("=")
            boards[name] = Board(name, place, out)
        listen(boards, Orders(boards))


if __name__ == "__main__":
    main()
