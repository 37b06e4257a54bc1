"""Reads raw logs for the tests: events, notes and marks of each lane (docs/man/hbdb-recording.5)."""
import os
import re
import struct

UNIT = 32768
EVENTS, RACING = 1, 2


class Bytes:
    """A position in some bytes, and the numbers of the format."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def u8(self):
        self.at += 1
        return self.data[self.at - 1]

    def uv(self):
        value = shift = 0
        while True:
            byte = self.u8()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def sv(self):
        value = self.uv()
        return value >> 1 ^ -(value & 1)

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]

    def text(self):
        return self.take(self.uv()).decode()


class Event:
    def __init__(self, number, name, results):
        self.number, self.name, self.results = number, name, results


class Lane:
    def __init__(self):
        self.events, self.notes, self.marks = [], [], []  # notes: (event before which, text)
        self.slots, self.results = {}, []


class Log:
    """One process: lanes by number, notes of the whole process."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.rank, self.size, _pid, self.level = struct.unpack_from("<iiII", data, 24)
        self.state = struct.unpack_from("<I", data, 80)[0]
        self.functions, self.lanes, self.notes = {}, {}, []
        for wanted in (True, False):  # definitions first
            for k in range(1, struct.unpack_from("<Q", data, 88)[0]):
                magic, kind, lane, _seq, committed = struct.unpack_from("<4sHHII", data, k * UNIT)
                if magic == b"HBDU" and kind == 2 and (lane == 65535) == wanted:
                    start = k * UNIT + 64
                    self.unit(lane, Bytes(data[start:start + committed]))

    def unit(self, number, b):
        lane = None if number == 65535 else self.lanes.setdefault(number, Lane())
        while b.more():
            v = b.uv()
            if v == 1:
                self.definition(lane, b.u8(), Bytes(b.take(b.uv())))
            elif v == 2 or v == 7:
                b.uv()
            elif v == 3:
                b.sv()
            elif v == 4:
                text = b.text()
                if lane:
                    lane.notes.append((len(lane.events) + 1, text))
                else:
                    self.notes.append(text)
            elif v == 5:
                lane.results += [b.sv() for _ in range(b.uv())]
            elif v == 6:
                lane.marks.append((b.uv(), b.uv(), b.uv(), b.uv(), len(lane.events)))
            elif v >= 16:
                self.event(lane, v - 16, b)
            else:
                raise ValueError("record %d" % v)

    def definition(self, lane, kind, b):
        if kind == 1:
            number = b.uv()
            b.u8()
            self.functions[number] = b.text()
        elif kind == 4:
            slot, function, _site, flags = b.uv(), b.uv(), b.uv(), b.uv()
            lane.slots[slot] = (self.functions[function], flags)

    def event(self, lane, w, b):
        name, flags = lane.slots[w >> 1]
        if self.level == EVENTS:
            b.uv(), b.uv()
        if flags & 1:
            b.take(2)
        results = lane.results
        lane.results = []
        if w & 1:
            results = results + [b.sv() for _ in range(b.uv())]
        lane.events.append(Event(len(lane.events) + 1, name, results))


def read(folder):
    """The logs in a folder, by rank."""
    logs = {}
    for name in os.listdir(folder):
        if re.fullmatch(r"rank\.\d+\.log", name):
            log = Log(os.path.join(folder, name))
            logs[log.rank] = log
    return logs
