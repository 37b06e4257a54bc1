#!/usr/bin/python3
"""Programs captured by tcpdump in a network namespace of their own: what hbdb import makes of it, against what the programs say themselves."""
import collections
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

import reading
from reading import Imported, check, hash_of

A, B = "127.0.0.1", "127.0.0.2"
LAST = b"the capture ends here"
PATIENCE = 120  # seconds: a program that is not there then is broken


def until(what, ready):
    end = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)


class Captured:
    """tcpdump while the block runs; then its file is complete up to the last packet of the block. Its buffer holds more than any block here
    sends, so that it drops nothing however late it comes to run."""

    def __init__(self, folder, *options, interface="lo"):
        self.path, self.options, self.interface = os.path.join(folder, "captured"), options, interface

    def __enter__(self):
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.log = open(self.path + ".log", "w+")
        self.run = subprocess.Popen(["tcpdump", "-i", self.interface, "-U", "-B", "131072", "-Z", "root", *self.options, "-w", self.path],
                                    stdout=self.log, stderr=self.log)
        until("tcpdump", lambda: "listening" in self.said())
        return self

    def said(self):
        with open(self.path + ".log") as f:
            return f.read()

    def bytes(self):
        with open(self.path, "rb") as f:
            return f.read()

    def __exit__(self, *_):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.sendto(LAST, ("127.9.9.9", 9))
        until("the last packet", lambda: LAST in self.bytes())
        self.run.send_signal(signal.SIGINT)
        self.run.wait()
        self.log.close()
        if " 0 packets dropped by kernel" not in self.said().replace("\n", " "):
            raise RuntimeError(self.said())


def messages(x):
    """Matched, ambiguous, not matched: as hbdb sql has them."""
    status, out, err = reading.hbdb("sql", "--json", x.name, "select state, ambiguous, count(*) as n from messages group by state, ambiguous")
    return [json.loads(line) for line in out.splitlines()] if status == 0 else err


def all_matched(x, wanted):
    found = messages(x)
    return isinstance(found, list) and [(m["state"], m["ambiguous"], m["n"]) for m in found] == [("received", 0, wanted)]


def without_last(x):
    """Events but for the last datagram."""
    return [e for e in x.rows if "127.9.9.9" not in str(e["arguments"])]


def counts(rows):
    return dict(collections.Counter((e["process"], e["function"]) for e in rows))


# ---- datagrams ----

def echo(server, stop):
    server.settimeout(0.1)
    while not stop.is_set():
        try:
            data, peer = server.recvfrom(65536)
        except TimeoutError:
            continue
        server.sendto(data[::-1] + b"!", peer)


def datagrams(folder):
    rng = random.Random(3)
    truth, stop = [], threading.Event()
    for interface, options in (("lo", ()), ("any", ()), ("lo", ("--time-stamp-precision=nano",))):
        with Captured(folder, *options, interface=interface):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
                server.bind((B, 0))
                client.bind((A, 0))
                client.settimeout(PATIENCE)
                thread = threading.Thread(target=echo, args=(server, stop))
                stop.clear()
                thread.start()
                truth = []
                for i in range(300):
                    payload = i.to_bytes(4, "big") + rng.randbytes(rng.choice([0, 1, 100, 1400, 9000, 60000]))
                    client.sendto(payload, server.getsockname())
                    client.recvfrom(65536)
                    truth.append(("sendto", len(payload), hash_of(payload)))
                    truth.append(("recvfrom", len(payload) + 1, hash_of(payload[::-1] + b"!")))
                stop.set()
                thread.join()
        x = Imported(folder, None, name="captured")
        mine = [(e["function"], e["arguments"]["bytes"], e["arguments"]["hash"]) for e in without_last(x) if e["process"] == "ip-" + A]
        check(f"600 datagrams of Python on {interface} {' '.join(options)}", mine == truth and not x.whole(), f"{x.out}{x.err}{mine[:3]} {truth[:3]} {len(mine)}")
        # the last datagram is sent and received, too
        check("... all matched by the model, none ambiguous", all_matched(x, 601), messages(x))


def names(folder):
    server = subprocess.Popen(["dnsmasq", "-k", "--port=5353", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--bind-interfaces", f"--listen-address={B}", "--user=root",
                               "--pid-file=", "--address=/test/10.9.8.7"], stderr=subprocess.DEVNULL)
    ask = ["dig", f"@{B}", "-p", "5353", "+short", "+tries=1", f"+time={PATIENCE}", "-b", A]
    until("dnsmasq", lambda: subprocess.run([*ask, "first.test"], capture_output=True, text=True, check=False).stdout.strip() == "10.9.8.7")
    with Captured(folder):
        answers = [subprocess.run([*ask, f"n{i}.test"], capture_output=True, text=True, check=True).stdout.strip() for i in range(20)]
        over_tcp = subprocess.run([*ask, "+tcp", "tcp.test"], capture_output=True, text=True, check=True).stdout.strip()
    server.terminate()
    server.wait()
    x = Imported(folder, None, name="captured")
    found = counts(without_last(x))
    check("dig and dnsmasq: 20 questions, 20 answers", set(answers) == {"10.9.8.7"} and all(
        found.get((f"ip-{h}", f)) == 20 for h in (A, B) for f in ("sendto", "recvfrom")), found)
    check("... one over TCP", over_tcp == "10.9.8.7" and found.get((f"ip-{A}", "connect")) == found.get((f"ip-{B}", "accept")) == 1, found)


# ---- streams ----

def moved(x, process, function):
    return sum(e["arguments"]["bytes"] for e in x.rows if e["process"] == process and e["function"] == function and e["arguments"]["bytes"] > 0)


def pages(folder):
    root = os.path.join(folder, "root")
    os.makedirs(root, exist_ok=True)
    sizes = [0, 1, 1000, 70000, 5000000]
    for n in sizes:
        with open(os.path.join(root, str(n)), "wb") as f:
            f.write(random.Random(n).randbytes(n))
    server = subprocess.Popen([sys.executable, "-m", "http.server", "-b", B, "-d", root, "8123"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until("http.server", lambda: subprocess.run(["curl", "-s", f"http://{B}:8123/"], capture_output=True, check=False).returncode == 0)
    for options in ((), ("-s", "96"), ("-i", "any")):
        with Captured(folder, *options):
            said = [subprocess.run(["curl", "-s", "--interface", A, "-o", "/dev/null", "-w", "%{size_request} %{size_header} %{size_download}", f"http://{B}:8123/{n}"],
                                   capture_output=True, text=True, check=True).stdout.split() for n in sizes]
        x = Imported(folder, None, name="captured")
        asked, got = sum(int(s[0]) for s in said), sum(int(s[1]) + int(s[2]) for s in said)
        found = (moved(x, "ip-" + A, "send"), moved(x, "ip-" + B, "recv"), moved(x, "ip-" + B, "send"), moved(x, "ip-" + A, "recv"))
        check(f"curl and http.server {' '.join(options)}: as many bytes as curl says", found == (asked, asked, got, got) and not x.whole(), f"{x.out} {found} {asked} {got}")
        number = counts(x.rows)
        check("... as many connections", number.get(("ip-" + A, "connect")) == number.get(("ip-" + B, "accept")) == len(sizes), number)
        states = messages(x)
        check("... all matched by the model", isinstance(states, list) and {m["state"] for m in states} == {"received"}, states)
    server.terminate()
    server.wait()


def ends_of(data):
    """Bytes of each direction of each connection, by the sequence numbers of its SYN and FIN alone: an own reading of a little-endian pcap of Ethernet."""
    at, first, total = 24, {}, {}
    while at + 16 <= len(data):
        n = int.from_bytes(data[at + 8:at + 12], "little")
        p = data[at + 16:at + 16 + n]
        at += 16 + n
        if p[12:14] != b"\x08\x00" or p[23] != 6:
            continue
        t = 14 + (p[14] & 15) * 4
        key = (p[26:30], p[t:t + 2], p[30:34], p[t + 2:t + 4])
        seq, flags = int.from_bytes(p[t + 4:t + 8], "big"), p[t + 13]
        length = int.from_bytes(p[16:18], "big") - (p[14] & 15) * 4 - (p[t + 12] >> 4) * 4
        if flags & 2:
            first[key] = seq + 1
        if flags & 1 and key in first:
            total[key] = (seq + length - first[key]) % 2**32
    return total


def store(folder):
    """etcd and etcdctl: Go, which makes no calls of the C library."""
    place = os.path.join(folder, "etcd")
    url = f"http://{B}:2379"
    env = dict(os.environ, ETCDCTL_API="3")
    ask = ["etcdctl", "--endpoints", url]
    with Captured(folder) as captured:
        server = subprocess.Popen(["etcd", "--data-dir", place, "--listen-client-urls", url, "--advertise-client-urls", url, "--listen-peer-urls", f"http://{B}:2380",
                                   "--initial-advertise-peer-urls", f"http://{B}:2380", "--initial-cluster", f"default=http://{B}:2380"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("etcd", lambda: subprocess.run([*ask, "endpoint", "health"], env=env, capture_output=True, check=False).returncode == 0)
        for i in range(10):
            subprocess.run([*ask, "put", f"key{i}", f"value{i}" * 100], env=env, capture_output=True, check=True)
        got = [subprocess.run([*ask, "get", f"key{i}", "--print-value-only"], env=env, capture_output=True, text=True, check=True).stdout.strip() for i in range(10)]
        server.terminate()
        server.wait()
    x = Imported(folder, None, "--host", f"etcd={B}", name="captured")
    truth = sum(ends_of(captured.bytes()).values())
    ended = {e["arguments"]["end"] for e in x.rows if e["function"] == "shutdown"}
    sent = sum(e["arguments"]["bytes"] for e in x.rows if e["function"] == "send" and e["arguments"]["end"] in ended)
    check(f"etcd and etcdctl: {truth} bytes, as the sequence numbers say", got == [f"value{i}" * 100 for i in range(10)] and sent == truth > 10000 and
          "etcd" in x.events and not x.whole(), f"{sent} {truth} {x.out} {x.err}")
    number = counts(x.rows)
    check("... 20 commands and more, each with a connection", number.get(("etcd", "accept"), 0) >= 20, number)
    states = messages(x)
    check("... all matched by the model", isinstance(states, list) and {m["state"] for m in states} == {"received"}, states)
    puts = [e for e in x.rows if e["process"] == "etcd" and e["function"] == "recv"]
    status, out, err = reading.hbdb("order", f"ip-{A}:1", f"etcd:{puts[-1]['event']}", x.name)
    check("... and ordered", status == 0 and "before etcd" in out, out + err)


def main():
    if sys.argv[1:] != ["--inside"]:
        missing = [p for p in ("unshare", "ip", "tcpdump", "dig", "dnsmasq", "curl", "etcd", "etcdctl") if not shutil.which(p, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
        if missing:
            check("programs of scripts/packages.txt are there", False, " ".join(missing))
            return reading.finish()
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        reading.inside(__file__)
        return reading.finish()
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.TemporaryDirectory(prefix="hbdb-import-") as folder:
        for part in (datagrams, names, pages, store):
            part(folder)
    return reading.finish()


if __name__ == "__main__":
    sys.exit(main())
