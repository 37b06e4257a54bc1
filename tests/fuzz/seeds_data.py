#!/usr/bin/python3
"""Writes the first inputs of fuzz_data: small files of contents. usage: seeds_data.py CORPORA"""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "contents"))
import rawdata  # noqa: E402


def example(seed):
    chance = random.Random(seed)
    d = rawdata.Data(0, state=seed % 2)
    for number in range(1, 4 + 4 * seed):
        thread = chance.choice((0, 0, 7))
        behind = d.stream(thread)["event"]
        pieces = [(chance.choice((0, 1, 6, 64, 1 << 20)), chance.choice((b"", rawdata.sv(-5), b"abcd" * 20, bytes(200), b"x" * 32)))
                  for _ in range(chance.randrange(4))]
        if number % 3:
            d.event(behind + chance.randrange(1, 4), *pieces, thread=thread)
        else:
            d.call(chance.choice(("mpi:MPI_Comm_size", "inputs:read")), behind, *pieces, thread=thread)
    return d.bytes()


def packed(raw):
    """As mode 1 has it: the extents, without the blocks around them."""
    out, at = bytes([1]), 65536
    while at < len(raw):
        kind, blocks = int.from_bytes(raw[at + 4:at + 8], "little"), int.from_bytes(raw[at + 8:at + 12], "little")
        valid = int.from_bytes(raw[at + 24:at + 32], "little")
        out += bytes([kind, raw[at + 16]]) + valid.to_bytes(2, "little") + raw[at + 64:at + 64 + valid]
        at += blocks * 65536
    return out


def main():
    folder = sys.argv[1] + "/data"
    os.makedirs(folder, exist_ok=True)
    for seed in range(8):
        raw = example(seed)
        with open("%s/seed-%d" % (folder, seed), "wb") as f:
            f.write(packed(raw))
        if seed < 3:
            frames = [subprocess.run(["zstd", "-qc3"], input=part, capture_output=True, check=True).stdout
                      for part in (raw[:65536], raw[65536:])]
            with open("%s/sealed-%d" % (folder, seed), "wb") as f:
                f.write(b"\0" + b"".join(frames))


main()
