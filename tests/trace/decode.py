#!/usr/bin/python3
"""Reads rank.N.trace from its description (src/format/trace/trace.h), by itself: decode.py FILE prints a record per line."""
import signal
import struct
import sys

KINDS = ["", "CONSTRUCT", "ARRAY", "GONE", "BEGIN", "END", "ITERATION", "TASK", "READ", "BEFORE", "AFTER", "RV_READ", "RV_BEFORE", "RV_AFTER",
         "VARIABLE", "RESULT", "SKIP", "CHECKSUM", "PLACE", "MODULE", "SAVED", "TROUBLE", "CONTROL", "COST", "OVER"]
LEVELS = ["NONE", "MINIMAL", "MODIFY", "FULL", "CHECKSUM", "INHERITED"]
ELEMENTS = ["<d", "<f", "<i", "<q", "<b", "<dd", "<ff"]
TILE = struct.Struct("<QQQdddd16d")


class Damaged(Exception):
    pass


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def uv(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def sv(self):
        value = self.uv()
        return value >> 1 ^ -(value & 1)

    def str(self):
        n = self.uv()
        self.at += n
        return self.data[self.at - n:self.at].decode()

    def point(self):
        number = self.uv()
        if self.uv():
            return (number, self.uv(), self.uv())
        return (number,) if number else ()

    def take(self, form):
        self.at += struct.calcsize(form)
        return struct.unpack_from(form, self.data, self.at - struct.calcsize(form))

    def indices(self):
        return tuple(self.sv() for _ in range(self.uv()))


class Trace:
    """records: dictionaries with kind, thread and what the record has."""

    def __init__(self, path, checksums=True):
        with open(path, "rb") as f:
            data = f.read()
        magic, version, _, self.rank, self.size, self.pid, self.threads = struct.unpack_from("<8sIIiiII", data)
        if magic != b"HBDBTRAC" or version != 1:
            raise Damaged("%s is no trace" % path)
        self.arrays, self.variables, self.constructs, self.records, self.whole = {}, {}, {}, [], True
        at, self.blocks = 64, 0
        while at < len(data):
            if at + 16 > len(data):
                self.whole = False
                break
            size, thread, check = struct.unpack_from("<IIQ", data, at)
            payload = data[at + 16:at + 16 + size]
            if len(payload) < size or size < 1:
                self.whole = False
                break
            at += 16 + size
            if checksums and xxh3(payload, self.blocks) != check:
                raise Damaged("block %d" % self.blocks)
            self.blocks += 1
            r = Reader(payload)
            while r.at < size:
                self.records.append(self.record(r, thread))
        self.over = bool(self.records) and self.records[-1]["kind"] == "OVER"

    def record(self, r, thread):
        kind = KINDS[r.uv()]
        got = {"kind": kind, "thread": thread}
        getattr(self, kind.lower() if not kind.startswith("RV_") else "rv")(r, got)
        return got

    def construct(self, r, got):
        got.update(number=r.uv(), parent=r.uv(), type=("PL", "SL", "TR", "PT")[r.uv()], rank=r.uv(), name=r.str(), file=r.str(), line=r.uv(),
                   function=r.str(), level=LEVELS[r.uv()])
        self.constructs[got["number"]] = got

    def array(self, r, got):
        got.update(number=r.uv(), name=r.str(), file=r.str(), line=r.uv(), ordinal=r.uv(), element=r.uv(), rank=r.uv(), flags=r.uv(), address=r.uv())
        got["dims"] = [(r.sv(), r.uv(), r.sv()) + tuple(r.uv() for _ in range(6)) for _ in range(got["rank"])]
        self.arrays[got["number"]] = got

    def gone(self, r, got):
        got.update(number=r.uv())

    def begin(self, r, got):
        got.update(construct=self.constructs[r.uv()], point=r.point(), event=r.uv(), time=r.uv())

    end = begin

    def iteration(self, r, got):
        got.update(index=r.indices())

    def task(self, r, got):
        got.update(task=r.uv())

    def read(self, r, got):
        got.update(place=r.uv(), array=self.arrays[r.uv()], element=r.uv())
        got["value"] = r.take(ELEMENTS[got["array"]["element"]])[0]

    before = after = read

    def rv(self, r, got):
        got.update(place=r.uv(), variable=self.variables[r.uv()])
        got["value"] = r.take(ELEMENTS[got["variable"]["element"]])[0]

    def variable(self, r, got):
        got.update(number=r.uv(), name=r.str(), file=r.str(), line=r.uv(), element=r.uv(), how=r.uv())
        self.variables[got["number"]] = got

    def result(self, r, got):
        got.update(variable=self.variables[r.uv()])
        got["value"] = r.take(ELEMENTS[got["variable"]["element"]])[0]

    def skip(self, r, got):
        got.update(place=r.uv())

    def checksum(self, r, got):
        got.update(array=self.arrays[r.uv()], access=r.uv(), state=r.uv(), tiles={})
        for _ in range(r.uv() if not got["state"] else 0):
            number = r.uv()
            got["tiles"][number] = r.take(TILE.format)

    def place(self, r, got):
        got.update(number=r.uv(), module=r.uv(), offset=r.uv(), back=r.uv())

    def module(self, r, got):
        got.update(number=r.uv(), path=r.str())

    def saved(self, r, got):
        got.update(array=self.arrays[r.uv()], point=r.point(), file=r.str())

    def trouble(self, r, got):
        got.update(what=r.uv(), number=r.uv(), text=r.str())

    def control(self, r, got):
        got.update(finding=r.uv(), array=r.uv(), element=r.uv(), place=r.uv(), other=r.uv(), index=r.indices(), other_index=r.indices())

    def cost(self, r, got):
        got.update(construct=self.constructs[r.uv()], cost=tuple(r.uv() for _ in range(5)))

    def over(self, r, got):
        pass

    def points(self):
        """The points that the process came by, as text, with type and name of their constructs."""
        return [(text_of(r["point"]) + (".B" if r["kind"] == "BEGIN" else ".E"), r["construct"]["type"], r["construct"]["name"])
                for r in self.records if r["kind"] in ("BEGIN", "END") and r["point"]]

    def of(self, *kinds):
        return [r for r in self.records if r["kind"] in kinds]


def text_of(point):
    return ".".join(str(p) for p in point)


def xxh3(data, seed):
    """By the xxhsum library when it is there: else every check is taken for right."""
    global library
    if library is None:
        import ctypes
        import ctypes.util
        name = ctypes.util.find_library("xxhash")
        library = ctypes.CDLL(name) if name else False
        if library:
            library.XXH3_64bits_withSeed.restype = ctypes.c_uint64
            library.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
    if not library:
        raise Damaged("libxxhash is missing")
    return library.XXH3_64bits_withSeed(data, len(data), seed)


library = None

if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    trace = Trace(sys.argv[1])
    print("rank %d of %d, threads %d, %d blocks%s%s" % (trace.rank, trace.size, trace.threads, trace.blocks, ", over" if trace.over else "",
                                                   "" if trace.whole else ", cut"))
    for record in trace.records:
        shown = {}
        for key, value in record.items():
            shown[key] = value
            if key in ("construct", "array", "variable") and isinstance(value, dict):
                shown[key] = value["name"]
            if key == "tiles" and isinstance(value, dict):
                shown[key] = {n: "%x %g" % (t[0], t[5]) for n, t in list(value.items())[:2]}
        print("%d %s %s" % (shown.pop("thread"), shown.pop("kind"), " ".join("%s=%s" % kv for kv in shown.items() if kv[0] != "time")))
