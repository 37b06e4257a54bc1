#!/usr/bin/python3
"""A second reader of logs, written from hbdb-recording(5) alone. Test code: slow, and short. It takes
what is whole of a damaged log, raises ValueError when nothing is, and trusts lengths: not for hostile files."""
import collections
import ctypes
import itertools
import struct

UNIT, M64 = 32768, (1 << 64) - 1
XXH, ZSTD = ctypes.CDLL("libxxhash.so.0"), ctypes.CDLL("libzstd.so.1")
XXH.XXH3_64bits.restype, XXH.XXH3_64bits.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
ZSTD.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t] * 2
Slot = collections.namedtuple("Slot", "function site flags args")
Row = collections.namedtuple("Row", "slot enter leave polls skipped result check results")

def xxh3(data):
    return XXH.XXH3_64bits(data, len(data))

def signed(v):
    return (v >> 1) ^ -(v & 1)

class In:
    def __init__(self, data): # primitives, one after the other
        self.data, self.at = data, 0

    def bytes(self, n):
        if n > len(self.data) - self.at:
            raise ValueError("cut")
        self.at += n
        return self.data[self.at - n:self.at]

    def u(self, n):
        return int.from_bytes(self.bytes(n), "little")

    def uv(self):
        v = 0
        for shift in range(0, 70, 7):
            b = self.u(1)
            v |= (b & 127) << shift
            if b < 128 and v <= M64:
                return v
        raise ValueError("not a number of 64 bits")

    def sv(self):
        return signed(self.uv())

    def str(self):
        return self.bytes(self.uv())

    def times(self, read):
        return [read() for _ in range(self.uv())]

    def slot(self):
        return Slot(self.uv(), self.uv(), self.uv(), self.times(self.sv))

    def more(self):
        return self.at < len(self.data)

class Lane:
    def __init__(self):
        self.thread = self.polls = self.skipped = self.events = 0
        self.inside, self.rows, self.calls, self.damaged = None, [], {}, False
        self.waits, self.asked = None, 0

class Log:
    def __init__(self, data):
        self.data, self.lanes, self.notes = data, collections.defaultdict(Lane), []
        self.defs = {k: {} for k in range(1, 9)}
        self.process, self.bridges, self.kinds, self.remarks, self.layers, self.place = None, [], {}, [], [], []
        self.texts, self.values, self.network, self.processor = {}, {}, None, None
        (self.version, self.incompatible, _, self.unit, self.rank, self.size, self.pid, self.level, self.tick_fs, self.real,
         self.mono, self.last_tick, self.last_mono, self.state, self.stopped, self.units, self.threads,
         self.library) = struct.unpack_from("<IIIIiiIIQQQQQIIQII", data.ljust(104, b"\0"), 8)
        self.recovered, self.host, self.text, self.program, self.lost = False, b"", b"", b"", 0
        if data[:8] != b"HBDBLOG\n" or self.version not in (1, 2) or self.incompatible & ~3 or self.level > 2:
            raise ValueError("not a log, or not for this reader")
        (self.read_sealed if self.incompatible & 1 else self.read_raw)()

    def define(self, kind, body):
        i = In(body)
        if kind == 13 and self.version > 1:
            twice, self.process = self.process, (i.str(), i.uv(), i.str(), i.sv(), i.uv())
            if twice or i.more():
                raise ValueError("not the process")
        if kind == 14 and self.version > 1:
            self.bridges.append((i.uv(), i.uv(), i.sv(), i.uv(), i.uv(), i.str()))
            if self.bridges[-1][0] not in self.defs[5] or i.more():
                raise ValueError("not a bridge")
        if kind == 15 and self.version > 1:
            number, word = i.uv(), i.str()
            self.kinds[number] = word, i.times(lambda: self.field(i))
            if i.more():
                raise ValueError("not a kind of remarks")
        if kind == 16:
            self.layers.append((i.str(), i.uv(), i.uv()))
        if kind == 11:
            self.texts.update([(i.uv(), i.str())])
        if kind == 12 and (function := i.uv()) in self.defs[1]:
            self.values[function] = i.times(lambda: (i.u(1), i.str()))
        self.network = self.network or (i.uv() if kind == 18 else None)
        self.place = self.place or (i.times(lambda: (i.uv(), i.uv(), i.str())) if kind == 17 else [])
        self.processor = self.processor or ((i.str(), i.u(1), i.uv()) if kind == 19 else None)
        if kind == 19 and self.processor[1] > 1:
            raise ValueError("a byte order that there is not")
        if kind in (11, 12, 16, 17, 18, 19) and i.at and (i.more() or kind == 17 and not self.place):
            raise ValueError("not a text, values, a layer, a place, a network or a processor")
        if kind > 8:
            return
        number = i.uv()
        if kind == 1:
            what = [i.u(1), i.str(), i.times(lambda: (i.u(1), i.str()))]
        elif kind == 5:
            what = [i.sv(), i.uv(), i.sv(), i.uv(), i.uv()]
            what += [list(itertools.accumulate(i.times(i.sv))) for _ in range(1 + (what[4] & 1))]
        elif kind == 8:
            what = [i.uv(), i.uv(), i.times(lambda: (i.uv(), i.uv()))]
        else:
            what = [i.str() if c == "s" else i.uv() for c in {2: "uss", 3: "uu", 6: "us", 7: "s"}.get(kind, "")]
        if i.more() or kind in (0, 4):
            raise ValueError("not a definition of the process")
        self.defs[kind][number] = what

    def layer(self, function, cls):
        return ([b"mpi" if cls < 10 else b"user"] + [name for name, first, n in self.layers if first <= function < first + n])[-1]

    @staticmethod
    def field(i):
        kind, name, otherwise = i.u(1), i.str(), i.sv()
        return kind, name, otherwise, i.times(i.str) if kind == 13 else None

    def told(self, kind, body):
        """The word of a remark and the fields that are told; None: it is left out."""
        word, fields = self.kinds.get(kind, (None, []))
        i, out = In(body), []
        try:
            mask = i.uv()
            for bit, (of, name, otherwise, words) in enumerate(fields):
                if mask >> bit & 1:
                    read = {10: i.uv, 11: i.uv, 12: lambda: int(not otherwise), 13: lambda: words[i.uv()], 14: i.uv, 16: i.str,
                            17: lambda: (i.uv(), i.uv()), 18: lambda: i.times(i.sv), 19: lambda: i.times(i.sv)}
                    out.append((name, (i.sv if of < 10 else read[of])()))
            return None if word is None or i.more() or mask >> len(fields) else (word, out)
        except (ValueError, KeyError, IndexError):
            return None

    def read_raw(self):
        if len(self.data) < 944 or self.unit != UNIT:
            raise ValueError
        *texts, self.lost = struct.unpack_from("<64s256s512sQ", self.data, 104)
        self.host, self.text, self.program = (t.split(b"\0")[0] for t in texts)
        rows, have = collections.defaultdict(dict), (len(self.data) + UNIT - 1) // UNIT
        filed = int.from_bytes(self.data[952:960], "little")
        self.recovered = self.units > have or bool(filed) and xxh3(self.data[:952]) != filed
        for k in range(1, min(self.units, have)):
            unit = self.data[k * UNIT:(k + 1) * UNIT]
            if len(unit) < 64 or unit[:4] != b"HBDU":
                self.recovered |= unit[:4] != bytes(4) or bool(filed) and self.state == 1
                continue
            kind, lane, seq, committed, closed, _, checksum, before, base = struct.unpack_from("<HHIIIIQQQ", unit, 4)
            short = (UNIT if kind == 1 else 64 + committed) > len(unit)
            end, head = UNIT if kind == 1 else 64 + committed, struct.unpack_from("<Q", unit, 48)[0]
            whole = not closed or short or (xxh3(unit[64:end]) == checksum and (not head or xxh3(unit[:48]) == head))
            self.recovered |= short
            to = self.lanes[lane] if lane != 65535 else None
            if kind == 1 and not short:
                to.thread, to.polls, inside, enter = struct.unpack_from("<QQQQ", unit, 64)
                to.inside = (enter, inside - 1) if inside else None
                to.calls = {f: n for f, n in enumerate(struct.unpack_from("<2016Q", unit, 256)) if n}
                to.asked, polling, waits = struct.unpack_from("<QQQ", unit, 104)
                to.waits = (waits, list(struct.unpack_from("<2048Q", unit, 16384)[:waits]), polling)
                if not whole:
                    self.recovered, to.inside, to.polls, to.asked = True, None, 0, 0
            elif kind == 2:
                rows[lane][seq] = (unit[64:64 + committed], before, base, whole)
        for n in [65535] + sorted(self.lanes):
            self.raw_lane(n, self.lanes.get(n, Lane()), rows[n])

    def raw_lane(self, number, lane, units):
        self.slots, self.pending, self.skipped, self.early, self.result = {}, 0, 0, [], 0
        self.cut = False
        try:
            for seq in range(max(units, default=-1) + 1):
                payload, before, self.tick, whole = units.get(seq, (b"", 0, 0, False))
                if not whole or number != 65535 and before != len(lane.rows):
                    raise ValueError("the lane ends here")
                i = In(payload)
                while i.more():
                    self.record(number, lane, i)
        except ValueError:
            self.recovered, lane.polls, lane.inside, self.cut = True, 0, None, True
        lane.polls, lane.skipped, lane.events = lane.polls + self.pending, self.skipped, len(lane.rows)
        slot = self.slots.get(lane.inside[1]) if lane.inside else None
        lane.inside = (lane.inside[0], slot) if slot else None
        waits, listed, polling = lane.waits or (0, [], 0)
        slot = self.slots.get(polling - 1)
        holds = lane.asked == len(lane.rows) + 1 and (slot if polling else lane.inside) and not self.cut
        lane.waits = (waits, listed, slot) if holds and (waits or polling) else None

    def record(self, number, lane, i):
        v = i.uv()
        if v == 1:
            kind, body = i.u(1), i.str()
            if number == 65535:
                return self.define(kind, body)
            j = In(body)
            slot, what = j.uv(), j.slot()
            if kind != 4 or j.more():
                raise ValueError("not a slot")
            self.slots[slot] = what
        elif v == 2:
            self.pending += i.uv()
        elif v == 3:
            self.result = i.sv()
        elif v == 4:
            self.notes.append((-1, 0, i.str()) if number == 65535 else (number, len(lane.rows) + 1, i.str()))
        elif v == 9 and self.version > 1:
            where = (-1, 0) if number == 65535 else (number, len(lane.rows) + 1)
            self.remarks.append(where + (i.uv(), i.str()))
        elif v == 5:
            self.early += i.times(i.sv)
        elif v == 6 and self.level == 2 and number != 65535:
            [i.uv() for _ in range(4)]
        elif v == 7 and self.level == 2 and number != 65535:
            self.skipped += i.uv()
        elif v == 8 and number != 65535:
            n, at, value = i.uv(), i.uv(), i.sv()
            if n not in self.slots or at >= len(was := self.slots[n].args):
                raise ValueError("not an argument")
            self.slots[n] = self.slots[n]._replace(args=was[:at] + [value] + was[at + 1:])
        elif v < 16 or (v - 16) >> 1 not in self.slots:
            raise ValueError("not a record")
        else:
            slot = self.slots[(v - 16) >> 1]
            enter = (self.tick + i.uv()) & M64 if self.level == 1 else 0
            leave = (enter + i.uv()) & M64 if self.level == 1 else 0
            lane.rows.append(Row(slot, enter, leave, self.pending, self.skipped, self.result,
                                 i.u(2) if slot.flags & 1 else None, self.early + (i.times(i.sv) if v & 1 else [])))
            self.tick, self.pending, self.skipped, self.early, self.result = leave, 0, 0, [], 0

    def section(self, at):
        if len(self.data) - at < 32 or self.data[at:at + 4] != b"HBDS":
            return None
        n, checksum, kind, lane, events, first = struct.unpack_from("<IQHHIQ", self.data, at + 4)
        if n > len(self.data) - at - 32 or xxh3(self.data[at + 16:at + 32 + n]) != checksum:
            return None
        return kind, lane, events, first, self.data[at + 32:at + 32 + n]

    def sections(self):
        """Kind, lane, events, first, payload (None: damaged) of each, by the index or without it."""
        at, index = 104, None
        if self.data[-8:] == b"HBDBEND\n":
            index = self.section(int.from_bytes(self.data[-16:-8], "little"))
        if index and index[0] == 6:
            i = In(index[4])
            for kind, lane, n, events, first in i.times(lambda: [i.uv() for _ in range(5)]):
                yield kind, lane, events, first, (self.section(at) or [None])[-1]
                at += n
            return
        self.recovered = True
        while 0 <= at < len(self.data):
            found = self.section(at)
            yield from [found] if found else []
            at = at + 32 + len(found[4]) if found else self.data.find(b"HBDS", at + 1)

    def read_sealed(self):
        for kind, lane, events, first, payload in self.sections():
            i = In(payload or b"")
            if kind == 5:
                to = self.lanes[lane]
                self.recovered |= first != len(to.rows) + 1 and not to.damaged
                to.damaged |= first == len(to.rows) + 1 and payload is None
                if first == len(to.rows) + 1 and payload is not None:
                    to.rows += block(i, events, self.level)
            elif payload is None:
                self.recovered = True
            elif kind == 1:
                self.recovered |= i.u(8) != xxh3(self.data[:104])
                self.host, self.text, self.program, self.lost = i.str(), i.str(), i.str(), i.uv()
                self.recovered |= i.str() != b""
            elif kind == 2:
                d = In(unpack(i, i.uv()))
                while d.more():
                    self.define(d.u(1), d.str())
            elif kind == 3:
                to = self.lanes[lane]
                to.thread, to.polls = i.uv(), i.uv()
                to.skipped, to.events = i.uv() if self.level == 2 else 0, i.uv()
                to.inside = (i.uv(), i.slot()) if i.u(1) else None
                f = -1
                while i.more():
                    f += 1 + i.uv()
                    to.calls[f] = i.uv()
            elif kind == 7:
                self.lanes[lane].waits = (i.uv(), i.times(i.uv), i.slot() if i.u(1) else None)
            elif kind in (4, 8):
                i = In(unpack(i, i.uv())) if kind == 8 else i
                self.notes = i.times(lambda: (i.uv() - 1, i.uv(), i.str()))
            elif kind == 9 and self.version > 1:
                i, event = In(unpack(i, i.uv())), 0
                for _ in range(i.uv()):
                    number, event = i.uv() - 1, event + i.sv()
                    self.remarks.append((number, event, i.uv(), i.str()))
        for lane in self.lanes.values():
            if not lane.damaged and len(lane.rows) != lane.events:
                self.recovered, lane.events, lane.inside, lane.waits = True, len(lane.rows), None, None
                lane.polls = lane.skipped = 0

def range_decode(code, order, width, n):
    i, nodes, out, before = iter(code), {}, bytearray(), 0
    r, x = (1 << 32) - 1, int.from_bytes(bytes(next(i, 0) for _ in range(4)), "big")
    for _ in range(n):
        at = 1
        for _ in range(width):
            p, c = nodes.get((before, at), (1 << 21, 0))
            b = (r >> 16) * max(p >> 6, 1)
            bit = x < b
            x, r = (x, b) if bit else (x - b, r - b)
            p += 2 * ((1 << 22) - p) // (2 * c + 3) if bit else -(2 * p // (2 * c + 3))
            nodes[before, at], at = (p, min(c + 1, 255)), 2 * at + bit
            while r < 1 << 24:
                r, x = r << 8, x << 8 | next(i, 0)
        out.append(at - (1 << width))
        before = (before << width | out[-1]) & ((1 << width * order) - 1)
    return bytes(out)

def unpack(i, n):
    how = i.u(1)
    width, packed = i.u(1) if how > 1 else 0, i.str() if how else i.bytes(n)
    if how > 1:
        return range_decode(packed, how - 2, width, n)
    out = ctypes.create_string_buffer(n + 1)
    if how and ZSTD.ZSTD_decompress(out, n, packed, len(packed)) != n:
        raise ValueError("a frame is damaged")
    return out.raw[:n] if how else packed

def column(i, n):
    how = i.u(1) if n else 1
    if how == 0:
        return [i.uv()] * n
    if how == 1:
        return list(unpack(i, n) if n else b"")
    if how == 2:
        values = list(itertools.accumulate(i.times(i.uv)))
        return [values[k] for k in unpack(i, n)]
    if how == 4:
        j = In(unpack(i, i.uv()))
        return [j.uv() for _ in range(n)]
    if how == 5:
        return [v & M64 for v in itertools.accumulate(map(signed, column(i, n)))]
    symbols = unpack(i, n)
    lows = [max(k - 4, 0) // 4 for k in symbols]
    low, at = i.bytes((sum(lows) + 7) // 8), [0, *itertools.accumulate(lows)]
    low = bin(int.from_bytes(low + b"\1", "little"))[:2:-1]
    return [(4 + k % 4 << count if k >= 8 else k) + int(low[a:a + count][::-1] or "0", 2)
            for k, count, a in zip(symbols, lows, at)]

def by_position(i, counts):
    lists = [[] for _ in counts]
    for p in range(16):
        take = [max(0, min(count - p, 1) if p < 15 else count - p) for count in counts]
        values = map(signed, column(i, sum(take)))
        for one, n in zip(lists, take):
            one += itertools.islice(values, n)
    return lists

def block(i, events, level):
    nslots, groups = i.uv(), range(i.uv())
    group, *rest, nargs = [column(i, nslots) for _ in range(5)]
    members = [[s for s in range(nslots) if group[s] == g] for g in groups]
    args = {s: a for mine in members for s, a in zip(mine, by_position(i, [nargs[s] for s in mine]))}
    slots = [Slot(*what, args[s]) for s, what in enumerate(zip(*rest))]
    sequence = column(i, events)
    sequence = [v - 1 if v else n - 1 for v, n in zip(sequence, itertools.accumulate(v == 0 for v in sequence))]
    tick, columns, rows = i.uv() if level == 1 else 0, [], []
    for g in groups:
        n = len(mine := [slots[s] for s in sequence if group[s] == g])
        plain = [column(i, n) for _ in range(2 + (level > 0) + (level == 1))]
        checks = iter(column(i, sum(s.flags & 1 for s in mine)))
        plain += [[next(checks) if s.flags & 1 else None for s in mine], by_position(i, column(i, n))]
        plain[:0] = [] if level == 1 else [[0] * n] * 2
        plain[3:3] = [] if level == 2 else [[0] * n]
        columns.append(zip(*plain))
    for s in sequence:
        gap, lasted, polls, skipped, result, check, results = next(columns[group[s]])
        enter = (tick + gap) & M64
        tick = (enter + lasted) & M64
        rows.append(Row(slots[s], enter, tick, polls, skipped, signed(result), check, results))
    return rows
