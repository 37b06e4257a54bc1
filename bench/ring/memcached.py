#!/usr/bin/python3
"""What a flight recorder costs memcached: processor time of its process for a request, bare, with a ring and with plain `hbdb record`.

usage: memcached.py [--rounds N] [--batches N] [--requests N] [--connections N] [--threads N] [--ring SIZE] [--variants LIST] [--pin]

Variants, separated by commas: bare; fixed, which is bare with addresses that are not randomised, as hbdb record leaves them; ring; record; of both,
with layers: ring:user+sockets; with the hbdb of another build: ring@PATH.

The servers run beside each other and are asked in turn, a batch of requests each, in another order each time: what else the
machine does meets all of them. The client is not recorded. A round begins with new processes, for each lies otherwise in memory. Printed
are nanoseconds of processor time, of the whole process, and of time, for a request, and ratios to the bare server. A ratio is taken between batches that
were asked in the same turn, a round has the median of those; printed are the median over the rounds, the smallest and the largest. --pin: the servers stay on
one processor and the client on another.
"""
import argparse
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HBDB = os.environ.get("HBDB", os.path.join(HERE, "..", "..", "build", "hbdb"))


def free_port():
    """None of those that the system gives to clients, or one of the connections could have it."""
    for port in random.sample(range(20000, 32000), 100):
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    sys.exit("no port is free")


def used(pid):
    """Nanoseconds of processor time of all threads."""
    total = 0
    for task in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/schedstat" % (pid, task), encoding="ascii") as f:
            total += int(f.read().split()[0])
    return total


class Server:
    def __init__(self, how, folder, options):
        self.port = free_port()
        how, _, hbdb = how.partition("@")
        how, _, layers = how.partition(":")
        place = os.path.join(folder, "%s-%d" % (how, self.port))
        self.recording = place + ".hbdb"
        note = place + ".pid"
        if os.path.exists(note):
            os.unlink(note)
        command = ["memcached", "-u", "root", "-l", "127.0.0.1", "-p", str(self.port), "-U", "0", "-t", str(options.threads), "-P", note]
        if how == "fixed":
            command = ["setarch", "-R"] + command
        elif how != "bare":
            record = [hbdb or HBDB, "record", "--keep-raw", "-o", self.recording] + (["--layers", layers.replace("+", ",")] if layers else [])
            command = record + (["--ring", options.ring] if how == "ring" else []) + ["--"] + command
        command = (["taskset", "-c", "1"] if options.pin else []) + command
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.pid = 0
        while not self.pid and self.process.poll() is None:
            try:
                with open(note, encoding="ascii") as f:
                    self.pid = int(f.read())
                socket.create_connection(("127.0.0.1", self.port)).close()
            except (OSError, ValueError):
                self.pid = 0
                time.sleep(0.02)
        if not self.pid:
            sys.exit("%s: memcached has not begun: %s" % (how, self.process.stderr.read()))

    def end(self):
        os.kill(self.pid, 15)
        return self.process.communicate(timeout=120)[1]


def a_round(ask, folder, options):
    """By variant, nanoseconds of processor time and of time for a request, of each batch."""
    variants = options.variants.split(",")
    servers = [Server(how, folder, options) for how in variants]
    client = subprocess.Popen((["taskset", "-c", "0"] if options.pin else []) + [ask, str(options.connections)] + [str(s.port) for s in servers], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def batch(i, requests):
        before = used(servers[i].pid)
        client.stdin.write("%d %d\n" % (i, requests))
        client.stdin.flush()
        wall = float(client.stdout.readline())
        return (used(servers[i].pid) - before) / requests, wall / requests

    got = {how: [] for how in variants}
    for i in range(len(servers)):
        batch(i, options.warm)
    for _ in range(options.batches):
        for which in random.sample(range(len(servers)), len(servers)):
            got[variants[which]].append(batch(which, options.requests))
    client.stdin.close()
    client.wait()
    said = {how: server.end() for how, server in zip(variants, servers)}
    for server in servers:
        shutil.rmtree(server.recording, ignore_errors=True)
    return got, said


def ratio(got, how, k):
    return statistics.median(batch[k] / bare[k] for batch, bare in zip(got[how], got["bare"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--batches", type=int, default=30)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--warm", type=int, default=16000, help="requests before the first batch")
    parser.add_argument("--pin", action="store_true")
    parser.add_argument("--connections", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ring", default="64M")
    parser.add_argument("--variants", default="bare,ring,record")
    options = parser.parse_args()
    if "bare" not in options.variants.split(","):
        options.variants = "bare," + options.variants  # what the others are compared with
    folder = tempfile.mkdtemp(prefix="hbdb-ring-bench.")
    try:
        ask = os.path.join(folder, "ask")
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", os.path.join(HERE, "ask.c"), "-o", ask], check=True)
        rounds = []
        for i in range(options.rounds):
            got, said = a_round(ask, folder, options)
            rounds.append(got)
            print(i, {how: "%.0f ns, %.4f" % (statistics.median(b[0] for b in batches), ratio(got, how, 0)) for how, batches in got.items()},
                  flush=True)
        print({h: s.strip().splitlines()[-1:] for h, s in said.items()}, "load %.1f %.1f %.1f" % os.getloadavg())
        for how in options.variants.split(","):
            print("%-18s" % how, *("%s %.0f ns, %.4f (%.3f to %.3f) of bare" % (
                what, statistics.median(b[k] for r in rounds for b in r[how]), *(f([ratio(r, how, k) for r in rounds]) for f in (statistics.median, min, max)))
                                  for k, what in ((0, "processor"), (1, "time"))))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
