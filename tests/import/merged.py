#!/usr/bin/python3
"""hbdb import --with: recorded processes, and others that only a capture file tells of, in a network namespace of their own."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import made
import reading
from reading import ASAN, HBDB, check

HERE, THERE, PORT, SECOND = "10.77.0.1", "10.77.0.2", 7000, 10**9
ROUNDS, CALLS, GRAMS = 3, 5, 10
FIRST, LAST = "ip-127.0.0.1", "ip-127.9.9.9"  # of the datagram that ends each capture (real.py)

SERVER = """
import socket, sys, threading
who, port = sys.argv[1], int(sys.argv[2])
listener = socket.create_server((who, port))
grams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
grams.bind((sys.argv[3], port))
def talk():
    for _ in range(%d):
        data, peer = grams.recvfrom(1000)
        grams.sendto(data[::-1], peer)
thread = threading.Thread(target=talk)
thread.start()
print("ready", flush=True)
for _ in range(%d):
    conn, _ = listener.accept()
    while data := conn.recv(100):
        conn.sendall(data * 3)
    conn.close()
thread.join()
""" % (GRAMS, ROUNDS)
CLIENT = """
import socket, sys
own, who, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
for k in range(%d):
    with socket.create_connection((who, port), source_address=(own, 0)) as conn:
        for i in range(%d):
            conn.sendall(b"%%d" %% i * 100)
            left = 300
            while left:
                left -= len(conn.recv(left))
grams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
grams.bind((own, 0))
for i in range(%d):
    grams.sendto(b"datagram %%d" %% i, (who, port))
    assert grams.recvfrom(1000)[0] == (b"datagram %%d" %% i)[::-1]
""" % (ROUNDS, CALLS, GRAMS)
# Two processes write into one connection, one after the other: 10 ms lie between them, far more than counters of one host are apart.
FORKING = """
import os, socket, sys, time
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as conn:
    if os.fork() == 0:
        for i in range(5):
            conn.sendall(b"c" * 20)
        os._exit(0)
    os.wait()
    time.sleep(0.01)
    conn.sendall(b"p" * 50)
    conn.shutdown(socket.SHUT_WR)
    while conn.recv(100):
        pass
"""
SINK = """
import socket, sys
listener = socket.create_server((sys.argv[1], int(sys.argv[2])))
print("ready", flush=True)
conn, _ = listener.accept()
while conn.recv(1000):
    pass
"""
# What the programs say to each other: calls that send, bytes, in both directions.
TRUTH = {("ask", "connect"): (ROUNDS, 0), ("ask", "stream"): (None, ROUNDS * CALLS * 100), ("answer", "stream"): (None, ROUNDS * CALLS * 300),
         ("ask", "datagram"): (GRAMS, 10 * GRAMS), ("answer", "datagram"): (GRAMS, 10 * GRAMS)}


def recorded(name, *command):
    return [HBDB, "record", "--layers", "sockets", "-o", name, "--", *command]


def talk(folder, server_recorded, client_recorded, here=HERE, there=THERE, bound=None):
    """A server and a client, captured; each recorded or not. The capture file, the recording."""
    import real
    name = os.path.join(folder, "recording")
    subprocess.run(["rm", "-rf", name], check=True)
    serve = [sys.executable, "-c", SERVER, there, str(PORT), bound or there]
    ask = [sys.executable, "-c", CLIENT, here, there, str(PORT)]
    with real.Captured(folder) as captured:
        with subprocess.Popen(recorded(name, *serve) if server_recorded else serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            server.stdout.readline()
            subprocess.run(recorded(name, *ask) if client_recorded else ask, check=True, stderr=subprocess.DEVNULL, timeout=600)
            server.wait(600)
    return captured.path, name


class Merged:
    def __init__(self, folder, capture, recording, *options, program=ASAN):
        self.name = os.path.join(folder, "merged")
        subprocess.run(["rm", "-rf", self.name], check=True)
        self.status, self.out, self.err = reading.hbdb("import", capture, "--with", recording, "-o", self.name, *options, program=program)
        self.there = os.path.exists(self.name)

    def sql(self, query):
        status, out, err = reading.hbdb("sql", "--json", self.name, query)
        return [json.loads(line) for line in out.splitlines()] if status == 0 else err


def said(x):
    """What the model finds said: sends and bytes of messages that are received and sure, by direction and kind."""
    kinds = {"connect": "connect", "send": "stream", "sendto": "datagram"}
    asks = "(select count(*) from events e where e.world = m.sender_world and e.call = 'connect') > 0"
    rows = x.sql(f"select {asks} as ask, send_call, count(distinct send_lane || ':' || send_event) as n, sum(bytes) as bytes from messages m "
                 "where state = 'received' and not ambiguous and sender_world <> receiver_world "
                 f"and receiver_world not in (select world from processes where name = '{LAST}') group by 1, 2")
    return {("ask" if r["ask"] else "answer", kinds.get(r["send_call"], r["send_call"])): (r["n"], r["bytes"]) for r in rows} if isinstance(rows, list) else rows


def is_truth(found):
    return isinstance(found, dict) and found.keys() == TRUTH.keys() and all(
        found[k][1] == b and (n is None or found[k][0] == n) for k, (n, b) in TRUTH.items())


def whole(name, x, unrecorded):
    check(f"{name}: merged", x.status == 0, x.out + x.err)
    if x.status:
        return
    found = said(x)
    check("... every connection, byte and datagram is matched, for sure", is_truth(found), f"{found}\n{TRUTH}\n{x.out}{x.err}")
    processes = {p["name"] for p in x.sql("select name from processes")} - {FIRST, LAST}
    check("... the recorded process, and the other one of the capture", len(processes) == 2 and f"ip-{unrecorded}" in processes, processes)
    back = x.sql("select count(*) as n from messages where done_exit < send_enter")
    check("... nothing is received before it was sent", back == [{"n": 0}], back)
    status, out, err = reading.hbdb("verify", x.name)
    check("... and it verifies", status == 0, out + err)
    status, out, err = reading.hbdb("replay", x.name)
    check("... it is not run, and that says which recording may be", status == 2 and "that recording may be" in err, out + err)


def forked(folder):
    """Captured processes, here more than there are recorded ones, have no counter of the host: they say nothing of how well those of the others agree."""
    import real
    name, where = os.path.join(folder, "forking"), ["127.0.0.2", str(PORT)]
    with real.Captured(folder) as captured:
        with subprocess.Popen([sys.executable, "-c", SINK, *where], stdout=subprocess.PIPE, text=True) as server:
            server.stdout.readline()
            subprocess.run(recorded(name, sys.executable, "-c", FORKING, *where), check=True, stderr=subprocess.DEVNULL, timeout=600)
    x = Merged(folder, captured.path, name)
    rows = x.sql("select sender_world as who, sum(bytes) as bytes from messages where state = 'received' and not ambiguous and send_call = 'send' group by 1 order by 2")
    check("two recorded processes write into one connection: who wrote which bytes is sure", isinstance(rows, list) and
          [r["bytes"] for r in rows] == [50, 100], f"{rows} {x.out}{x.err}")


PUTS = """
import base64, json, socket, sys
from http.client import HTTPConnection
for i in range(10):
    web = HTTPConnection(sys.argv[1], int(sys.argv[2]))
    body = json.dumps({"key": base64.b64encode(b"key%d" % i).decode(), "value": base64.b64encode(b"value" * 100).decode()})
    web.request("POST", "/v3/kv/put", body)
    answer = web.getresponse()
    assert answer.status == 200 and json.loads(answer.read())["header"]
    web.close()
"""


def store(folder):
    """etcd is a Go program, which makes no calls of the C library; its client is recorded."""
    import real
    name, url = os.path.join(folder, "puts"), f"http://{THERE}:2379"
    peers = f"http://{THERE}:2380"
    with real.Captured(folder) as captured:
        with subprocess.Popen(["etcd", "--data-dir", os.path.join(folder, "etcd"), "--listen-client-urls", url, "--advertise-client-urls", url, "--listen-peer-urls", peers,
                               "--initial-advertise-peer-urls", peers, "--initial-cluster", f"default={peers}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            real.until("etcd", lambda: subprocess.run(["etcdctl", "--endpoints", url, "endpoint", "health"], env=dict(os.environ, ETCDCTL_API="3"),
                                                      capture_output=True, check=False).returncode == 0)
            done = subprocess.run(recorded(name, sys.executable, "-c", PUTS, THERE, "2379"), check=False, capture_output=True, text=True, timeout=600)
            server.terminate()
    check("ten puts of a recorded client into etcd", done.returncode == 0, done.stderr)
    x = Merged(folder, captured.path, name, "--host", f"etcd={THERE}")
    events = reading.hbdb("sql", "--json", name, "select call, count(*) as n from events where call in ('connect', 'send', 'sendto') and error is null group by 1")[1]
    asked = {r["call"]: r["n"] for r in map(json.loads, events.splitlines())}
    rows = x.sql("select s.name as sender, r.name as receiver, send_call as call, count(distinct send_event) as n, sum(ambiguous) as unsure, min(m.state) as state from messages m "
                 "join processes s on s.world = m.sender_world join processes r on r.world = m.receiver_world where s.name like 'python%' or r.name like 'python%' group by 1, 2, 3")
    ours = {(r["sender"] == "etcd", r["call"]): r for r in rows} if isinstance(rows, list) else {}
    check("... go to etcd, and its answers to the client", ours and all(r["state"] == "received" and not r["unsure"] and "etcd" in (r["sender"], r["receiver"]) for r in ours.values()) and
          ours.get((False, "connect"), {}).get("n") == 10 and ours.get((True, "send"), {}).get("n", 0) >= 10, f"{rows} {asked} {x.out}{x.err}")
    check("... all that it sent", sum(r["n"] for k, r in ours.items() if k in ((False, "send"), (False, "sendto"))) == asked.get("send", 0) + asked.get("sendto", 0) >= 10, f"{rows} {asked}")
    others = x.sql("select count(*) as n from processes where name like 'ip-%'")
    check("... beside it what etcd says to itself and to etcdctl", others and others[0]["n"] >= 1, others)


def shifted(capture, to, nanoseconds):
    """A pcap of the machine's order with all times moved."""
    with open(capture, "rb") as f:
        data = bytearray(f.read())
    at = 24
    while at + 16 <= len(data):
        t = int.from_bytes(data[at:at + 4], "little") * 10**6 + int.from_bytes(data[at + 4:at + 8], "little") + nanoseconds // 1000
        data[at:at + 8] = (t // 10**6).to_bytes(4, "little") + (t % 10**6).to_bytes(4, "little")
        at += 16 + int.from_bytes(data[at + 8:at + 12], "little")
    with open(to, "wb") as f:
        f.write(data)
    return to


def clocks(folder, capture, recording):
    """The recorded client waits for each answer, so the clock of a capture is bound from both sides."""
    moved = os.path.join(folder, "moved")
    for us in (-5000000, -20000, 20000, 5000000):
        x = Merged(folder, shifted(capture, moved, us * 1000), recording)
        back = x.sql("select count(*) as n from messages where done_exit < send_enter") if not x.status else x.err
        words = x.out.partition("the clock of the capture was set ")[2].split()
        set_by = float(words[2]) * (1 if words[0] == "forward" else -1) if words else 0
        # it is known as exactly as the shortest call lasts
        check(f"a capture whose clock is {us} us off is set", x.status == 0 and abs(set_by + us / 1e6) < abs(us) / 2e6 and is_truth(said(x)), x.out + x.err)
        check("... and nothing is received before it was sent", back == [{"n": 0}], back)
    refuse(folder, "another time", shifted(capture, moved, 3600 * SECOND), recording, "they are not of the same time")
    with open(capture, "rb") as f:
        data = bytearray(f.read())
    # the second half of the packets by a clock that was set meanwhile
    starts, at = [], 24
    while at + 16 <= len(data):
        starts.append(at)
        at += 16 + int.from_bytes(data[at + 8:at + 12], "little")
    for at in starts[len(starts) // 2:]:
        data[at:at + 4] = (int.from_bytes(data[at:at + 4], "little") + 7).to_bytes(4, "little")
    with open(moved, "wb") as f:
        f.write(data)
    refuse(folder, "a clock that was set while it captured", moved, recording, "cannot be brought together")


def refuse(folder, what, capture, recording, sentence, status=3):
    x = Merged(folder, capture, recording)
    check(f"refused: {what}", x.status == status and sentence in x.err and x.err.count("\n") == 1 and not x.there, f"{x.status} {x.out}{x.err}")


def refusals(folder, capture, recording):
    elsewhere = os.path.join(folder, "elsewhere")
    with open(capture, "rb") as f:
        second = int.from_bytes(f.read()[24:28], "little")
    # from a second before the recording to a minute after it
    with open(elsewhere, "wb") as f:
        packet = made.timed([made.ip4("10.1.1.1", "10.1.1.2", made.udp(1, 2, b"x"))])[0][1]
        f.write(made.pcap([(second * SECOND - SECOND, packet), ((second + 60) * SECOND, packet)]))
    refuse(folder, "a capture of somebody else", elsewhere, recording, "no packet of the capture is from or to an end")
    trace = os.path.join(folder, "trace.json")
    with open(trace, "w", encoding="utf-8") as f:
        f.write("{}")
    refuse(folder, "a trace", trace, recording, "is no capture file")
    x = Merged(folder, capture, recording)
    os.rename(x.name, os.path.join(folder, "again"))
    refuse(folder, "an import", capture, os.path.join(folder, "again"), "it was made of a file itself", 2)
    refuse(folder, "no recording", capture, os.path.join(folder, "nothing"), "there is no recording")
    mpi = os.path.join(reading.TOP, "tests", "golden", "contents")
    refuse(folder, "a recording of MPI alone", capture, mpi, "no process of its recording has events of sockets")
    choices = os.path.join(folder, "choices")
    shutil.copytree(recording, choices)
    with open(os.path.join(choices, "manifest.json"), "r+", encoding="utf-8") as f:
        manifest = dict(json.load(f), level="order")
        f.seek(0)
        f.truncate()
        json.dump(manifest, f)
    refuse(folder, "a recording of choices alone", capture, choices, "not all calls", 2)


def main():
    if sys.argv[1:] != ["--inside"]:
        missing = [p for p in ("unshare", "ip", "tcpdump", "etcd", "etcdctl") if not shutil.which(p, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
        if missing:
            check("programs of scripts/packages.txt are there", False, " ".join(missing))
            return reading.finish()
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        reading.inside(__file__)
        return reading.finish()
    for command in (["link", "set", "lo", "up"], ["addr", "add", HERE + "/32", "dev", "lo"], ["addr", "add", THERE + "/32", "dev", "lo"]):
        subprocess.run(["ip", *command], check=True)
    with tempfile.TemporaryDirectory(prefix="hbdb-import-") as folder:
        capture, recording = talk(folder, True, False)
        whole("a recorded server", Merged(folder, capture, recording), HERE)
        capture, recording = talk(folder, True, False, bound="0.0.0.0")
        whole("a recorded server at all addresses", Merged(folder, capture, recording), HERE)
        capture, recording = talk(folder, False, True, "127.0.0.1", "127.0.0.2")
        whole("a recorded client on the loopback", Merged(folder, capture, recording), "127.0.0.2")
        forked(folder)
        capture, recording = talk(folder, False, True)
        whole("a recorded client", Merged(folder, capture, recording), THERE)
        x = Merged(folder, capture, recording, "--host", f"server={THERE}:{PORT}")
        check("... with a name", x.status == 0 and is_truth(said(x)) and "server" in [p["name"] for p in x.sql("select name from processes")], x.out + x.err)
        store(folder)
        capture, recording = talk(folder, False, True)
        clocks(folder, capture, recording)
        refusals(folder, capture, recording)
    return reading.finish()


if __name__ == "__main__":
    sys.exit(main())
