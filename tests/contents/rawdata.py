"""Writes files of contents in their raw form, from docs/man/hbdb-data.5 alone: for tests that need no MPI."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from rawlog import sv, text, uv  # noqa: E402

BLOCK = 65536
INLINE = 32


def zigzag(n):
    return ((n << 1) ^ (n >> 63)) & 0xFFFFFFFFFFFFFFFF


class Data:
    """What came into one process, whose threads may be several."""

    def __init__(self, rank=0, pid=None, state=1, stopped=0):
        self.rank, self.pid = rank, 4000 + rank if pid is None else pid
        self.state, self.stopped, self.came = state, stopped, 0
        self.blocks = [b""]                       # extents as they come, the header before them
        self.threads = {}
        self.names = {}
        self.known = {}                           # contents, by where they are

    def place(self):
        return sum(len(b) for b in self.blocks[1:]) + BLOCK

    def extent(self, kind, payload, thread=0, before=0):
        blocks = -(-(64 + len(payload)) // BLOCK)
        head = struct.pack("<4sIIIQQ", b"HBDX", kind, blocks, before, thread, len(payload))
        self.blocks.append((head.ljust(64, b"\0") + payload).ljust(blocks * BLOCK, b"\0"))

    def contents(self, payload):
        """The place of these bytes, which get an extent of their own unless they are there already."""
        if payload not in self.known:
            self.known[payload] = self.place() + 64
            self.extent(2, payload)
        return self.known[payload]

    def stream(self, thread):
        return self.threads.setdefault(thread, {"items": b"", "event": 0, "next": 0, "named": set()})

    def pieces(self, s, pieces):
        out = uv(len(pieces))
        for what, payload in pieces:
            out += uv(what) + uv(len(payload))
            self.came += len(payload)
            if not payload:
                continue
            if len(payload) <= INLINE:
                out += uv(0) + payload
                continue
            at = self.contents(payload)
            out += uv(1 + zigzag(at - s["next"]))
            s["next"] = at + len(payload)
        return out

    def event(self, number, *pieces, thread=0):
        s = self.stream(thread)
        s["items"] += uv(2) + uv(number - s["event"]) + self.pieces(s, pieces)
        s["event"] = number

    def call(self, name, behind, *pieces, thread=0):
        s = self.stream(thread)
        number = self.names.setdefault(name, len(self.names) + 1)
        if name not in s["named"]:
            s["named"].add(name)
            s["items"] += uv(1) + uv(number) + text(name)
        s["items"] += uv(3) + uv(number) + uv(behind - s["event"]) + self.pieces(s, pieces)
        s["event"] = behind

    def bytes(self):
        for thread, s in self.threads.items():
            if s["items"]:
                self.extent(1, s["items"], thread, 0)
                s["items"] = b""
        total = self.place() // BLOCK
        self.blocks[0] = struct.pack("<8sIIiIIIQQ", b"HBDBDATA", 1, 0, self.rank, self.pid, self.state, self.stopped,
                                     total, self.came).ljust(BLOCK, b"\0")
        return b"".join(self.blocks)

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        path = "%s/rank.%d.data" % (folder, self.rank)
        with open(path, "wb") as f:
            f.write(self.bytes())
        return path


__all__ = ["Data", "sv", "uv"]
