"""What expect.h is to C: lines into $HB_EXPECT.RANK, output with the rank in front, a random wait."""
import os
import random
import sys
import time

FILE = None


def begin(rank):
    global FILE
    base = os.environ.get("HB_EXPECT")
    if base:
        FILE = open("%s.%d" % (base, rank), "w")


def expect(line):
    if FILE:
        FILE.write(line + "\n")
        FILE.flush()


def say(rank, *words):
    os.write(1, ("%d: %s\n" % (rank, " ".join(str(word) for word in words))).encode())  # whole lines


def linger(most_us):
    time.sleep(random.SystemRandom().random() * most_us * 1e-6)


def check(good, what):
    if not good:
        print("wrong:", what, file=sys.stderr, flush=True)
        os._exit(1)
