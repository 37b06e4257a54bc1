#!/usr/bin/python3
"""A second reader of the files of nodes, written from hbdb-recording(5) alone.

usage: second_reader.py FILE.hbn   lists what is in it, and whether its checksums hold
"""
import ctypes
import ctypes.util
import struct
import sys

xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


class Wrong(Exception):
    pass


def even(offset):
    return (offset + 7) // 8 * 8


def begin(data):
    """(name of the node, where the first file begins)"""
    if data[:8] != b"HBDBNODE":
        raise Wrong("magic")
    version, n = struct.unpack_from("<II", data, 8)
    if version != 1 or 16 + n > len(data):
        raise Wrong("version %d, name of %d bytes" % (version, n))
    return data[16:16 + n].decode(), even(16 + n)


def by_index(data):
    """[(name, offset, bytes, checksum)], or None where there is no index that is whole."""
    if len(data) < 40 or data[-8:] != b"HBNDEND\n":
        return None
    at = struct.unpack_from("<Q", data, len(data) - 16)[0]
    if at > len(data) - 40 or data[at:at + 4] != b"HBNI":
        return None
    files, size, check = struct.unpack_from("<IQQ", data, at + 4)
    entries = data[at + 24:at + 24 + size]
    if len(entries) != size or xxhash.XXH3_64bits(entries, size) != check:
        return None
    found, p = [], 0
    for _ in range(files):
        offset, length, check, n = struct.unpack_from("<QQQI", entries, p)
        found.append((entries[p + 28:p + 28 + n].decode(), offset, length, check))
        p += 28 + n
    return found


def by_heads(data, at):
    found = []
    while len(data) - at >= 24 and data[at:at + 4] == b"HBNF":
        n, length, check = struct.unpack_from("<IQQ", data, at + 4)
        offset = even(at + 24 + n)
        found.append((data[at + 24:at + 24 + n].decode(errors="replace"), offset, length, check))
        at = even(offset + length)
    return found


def read(path):
    """(node, {name: bytes}, whole): of a file that is cut off, what is there."""
    with open(path, "rb") as f:
        data = f.read()
    node, first = begin(data)
    files = by_index(data)
    whole = files is not None
    contents = {}
    for name, offset, length, check in files if whole else by_heads(data, first):
        piece = data[offset:offset + length]
        whole = whole and len(piece) == length and xxhash.XXH3_64bits(piece, length) == check
        contents[name] = piece
    return node, contents, whole


def main():
    node, contents, whole = read(sys.argv[1])
    print("node %s, %s" % (node, "whole" if whole else "damaged"))
    for name, data in contents.items():
        print("%s %d bytes" % (name, len(data)))


if __name__ == "__main__":
    main()
