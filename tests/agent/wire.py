"""The protocol of docs/system/agent.md, written from that page: a connection to an agent or a manager."""
import json
import os
import select
import socket
import struct
import subprocess
import time

MAGIC = b"HBDBWIRE"
ASK, ANSWER, NEWS, BYTES, END, ROOM = range(1, 7)
PATIENCE = 60


class Refused(Exception):
    def __init__(self, answer):
        super().__init__(answer["error"])
        self.answer = answer


class Lost(Exception):
    pass


class Wire:
    """made: by this side. Over a command's standard input and output, or a Unix socket."""

    def __init__(self, command=None, path=None, env=None, part="console"):
        self.process = None
        if command:
            ours, theirs = socket.socketpair()
            self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, env=env)
            theirs.close()
            self.socket = ours
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(path)
        self.buffer = b""
        self.news = []
        self.answers = {}
        self.bytes = {}
        self.ends = {}
        self.next = 0
        self.channel = -1
        self.greeted = False
        self.socket.sendall(MAGIC)
        self.send(NEWS, 0, {"news": "hello", "hbdb": part, "protocol": 1, "version": "test", "host": "test", "user": "test", "pid": os.getpid()})

    def send(self, kind, channel, payload):
        if not isinstance(payload, bytes):
            payload = json.dumps(payload).encode()
        self.socket.sendall(struct.pack("<IBI", len(payload) + 5, kind, channel) + payload)

    def take(self, seconds):
        """Takes in what comes within this time. False: nothing did."""
        if not select.select([self.socket], [], [], seconds)[0]:
            return False
        try:
            got = self.socket.recv(1 << 16)
        except ConnectionResetError:
            got = b""
        if not got:
            raise Lost()
        self.buffer += got
        if not self.greeted:
            if MAGIC not in self.buffer:
                return True
            self.buffer = self.buffer.split(MAGIC, 1)[1]
            self.greeted = True
        while len(self.buffer) >= 9:
            length, kind, channel = struct.unpack("<IBI", self.buffer[:9])
            if len(self.buffer) < length + 4:
                break
            payload, self.buffer = self.buffer[9:length + 4], self.buffer[length + 4:]
            self.frame(kind, channel, payload)
        return True

    def frame(self, kind, channel, payload):
        if kind == BYTES:
            self.bytes[channel] = self.bytes.get(channel, b"") + payload
            self.send(ROOM, channel, struct.pack("<I", len(payload)))
        elif kind == END:
            self.ends[channel] = json.loads(payload)
        elif kind == ANSWER:
            answer = json.loads(payload)
            self.answers[answer["id"]] = answer
        elif kind == NEWS:
            self.news.append(json.loads(payload))

    def wait(self, what, seconds=PATIENCE):
        """Waits until what() is not None or False; that."""
        until = time.monotonic() + seconds
        while True:
            found = what()
            if found is not None and found is not False:
                return found
            left = until - time.monotonic()
            if left <= 0:
                raise AssertionError("waited in vain for %.0f s; news: %r" % (seconds, self.news[-5:]))
            self.take(min(left, 1))

    def begin(self, what, /, **fields):
        self.next += 1
        self.send(ASK, 0, {"id": self.next, "ask": what, **fields})
        return self.next

    def ask(self, what, /, **fields):
        number = self.begin(what, **fields)
        answer = self.wait(lambda: self.answers.pop(number, None))
        if "error" in answer:
            raise Refused(answer)
        return answer

    def open(self, what, /, **fields):
        """An ask with a channel: its number."""
        self.channel += 2
        self.ask(what, channel=self.channel, **fields)
        return self.channel

    def told(self, name, fits=lambda news: True, seconds=PATIENCE):
        return self.wait(lambda: next((n for n in self.news if n["news"] == name and fits(n)), None), seconds)

    def close(self):
        self.socket.close()
        if self.process:
            self.process.stderr.close()
            self.process.wait(PATIENCE)
