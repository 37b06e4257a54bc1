#!/usr/bin/python3
"""Reads files of contents, from docs/man/hbdb-data.5 alone. usage: second_reader.py FILE..."""
import ctypes
import json
import sys

ZSTD = ctypes.CDLL("libzstd.so.1")
for name, args in (("ZSTD_findFrameCompressedSize", 2), ("ZSTD_getFrameContentSize", 2), ("ZSTD_decompress", 4)):
    getattr(ZSTD, name).restype = ctypes.c_uint64
    getattr(ZSTD, name).argtypes = [ctypes.c_char_p, ctypes.c_size_t] * (args // 2)
BLOCK = 65536


class Damage(Exception):
    pass


def u(data, at, size):
    return int.from_bytes(data[at:at + size], "little")


def raw_form(data):
    """The frames put together; what is raw stays as it is."""
    if u(data, 0, 4) != 0xFD2FB528:
        return data
    out = b""
    while data:
        size = ZSTD.ZSTD_findFrameCompressedSize(data, len(data))
        if size > len(data):
            raise Damage("the last frame is cut off")
        if u(data, 0, 4) & 0xFFFFFFF0 != 0x184D2A50:
            n = ZSTD.ZSTD_getFrameContentSize(data, size)
            room = ctypes.create_string_buffer(n + 1)
            if ZSTD.ZSTD_decompress(room, n, data[:size], size) != n:
                raise Damage("a frame does not hold what it says")
            out += room.raw[:n]
        data = data[size:]
    return out


class In:
    def __init__(self, data, at, end):
        self.data, self.at, self.end = data, at, end

    def uv(self):
        v = shift = 0
        while True:
            if self.at >= self.end or shift > 63:
                raise Damage("a number is cut off")
            byte = self.data[self.at]
            self.at += 1
            v |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return v

    def bytes(self, n):
        if n > self.end - self.at:
            raise Damage("bytes are cut off")
        self.at += n
        return self.data[self.at - n:self.at]


class Reader:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = raw_form(f.read())
        d = self.data
        if d[:8] != b"HBDBDATA" or u(d, 8, 4) != 1 or u(d, 12, 4):
            raise Damage("no contents of version 1")
        self.rank, self.pid, self.state, self.stopped = (u(d, at, 4) for at in (16, 20, 24, 28))
        self.came = u(d, 40, 8)
        self.streams, self.bytes = {}, []  # extents of items by thread; where contents are
        at, end = BLOCK, min(u(d, 32, 8) * BLOCK, len(d))
        while at < end and d[at:at + 4] == b"HBDX":
            kind, blocks, thread, valid = u(d, at + 4, 4), u(d, at + 8, 4), u(d, at + 16, 8), u(d, at + 24, 8)
            if kind == 1:
                self.streams.setdefault(thread, []).append((at + 64, at + 64 + valid))
            else:
                self.bytes.append((at + 64, at + 64 + valid))
            at += blocks * BLOCK

    def items(self, thread):
        """(event, name of the call or None, [(what, bytes)...])"""
        names, event, behind = {}, 0, 0
        for begin, end in self.streams.get(thread, []):
            i = In(self.data, begin, end)
            while i.at < end:
                kind = i.uv()
                if kind == 1:
                    number = i.uv()
                    names[number] = i.bytes(i.uv()).decode()
                    continue
                name = names[i.uv()] if kind == 3 else None
                event += i.uv()
                pieces = []
                for _ in range(i.uv()):
                    what, n = i.uv(), i.uv()
                    where = i.uv() if n else 0
                    if not where:
                        pieces.append((what, i.bytes(n)))
                        continue
                    where -= 1
                    at = (behind + (where >> 1 ^ -(where & 1))) % 2**64
                    if not any(b <= at and at + n <= e for b, e in self.bytes):
                        raise Damage("contents that are in no extent")
                    pieces.append((what, self.data[at:at + n]))
                    behind = at + n
                yield event, name, pieces


def main():
    for path in sys.argv[1:]:
        r = Reader(path)
        print(json.dumps({"rank": r.rank, "pid": r.pid, "state": r.state, "stopped": r.stopped, "came": r.came}))
        for thread in r.streams:
            for event, name, pieces in r.items(thread):
                print(json.dumps({"thread": thread, "event": event, "call": name, "pieces": [[what, p.hex()] for what, p in pieces]}))


if __name__ == "__main__":
    main()
