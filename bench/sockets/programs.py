#!/usr/bin/python3
"""Whole programs that talk, recorded and not, by pairs of runs: ratios of what they say that they did in a second, and of the time of processors that all of
it took, hbdb itself among it.

usage: programs.py [--pairs N] [--only NAME,...] [--layers LAYERS]

Server and client are both recorded. Each pair begins with the other of the two. Needs root for the network of its own that each run has."""
import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HBDB = os.path.join(HERE, "..", "..", "build", "hbdb")
WAIT = "until ss -ltn | grep -q ':%d '; do sleep 0.02; done; "
NGINX = """daemon off; worker_processes 1; pid nginx.pid; error_log error.log; user root;
events { worker_connections 256; }
http { access_log off; client_body_temp_path 1; proxy_temp_path 2; fastcgi_temp_path 3; uwsgi_temp_path 4; scgi_temp_path 5;
keepalive_requests 1000000; server { listen 127.0.0.1:8080; root .; } }
"""
CLIENT = """
import socket, time
s = socket.create_connection(("127.0.0.1", 11211))
began = time.monotonic()
for i in range(20000):
    s.sendall(b"set k%d 0 0 8\\r\\n12345678\\r\\n" % (i % 100))
    assert s.recv(100) == b"STORED\\r\\n"
    s.sendall(b"get k%d\\r\\n" % (i % 100))
    assert s.recv(200).endswith(b"END\\r\\n")
print("rate", 40000 / (time.monotonic() - began))
"""
# A server and its client, by a shell; what it prints has its rate behind a pattern.
PROGRAMS = {
    "redis": ("redis-server --port 6379 --bind 127.0.0.1 --save '' --appendonly no >/dev/null & " + WAIT % 6379 +
              "redis-benchmark -n 50000 -c 20 -t set -q; redis-cli shutdown nosave; wait", r"SET: ([\d.]+) requests"),
    "redis -P 16": ("redis-server --port 6379 --bind 127.0.0.1 --save '' --appendonly no >/dev/null & " + WAIT % 6379 +
                    "redis-benchmark -n 400000 -c 20 -P 16 -t set -q; redis-cli shutdown nosave; wait", r"SET: ([\d.]+) requests"),
    "memcached": ("memcached -u root -l 127.0.0.1 -p 11211 -t 1 & s=$!; " + WAIT % 11211 + "/usr/bin/python3 client.py; kill $s; wait $s", r"rate ([\d.]+)"),
    "iperf3 TCP": ("iperf3 -s -1 -B 127.0.0.1 >/dev/null & " + WAIT % 5201 + "iperf3 -c 127.0.0.1 -n 4G -f m; wait", r"([\d.]+) Mbits/sec +receiver"),
    "iperf3 UDP": ("iperf3 -s -1 -B 127.0.0.1 >/dev/null & " + WAIT % 5201 + "iperf3 -u -b 0 -l 1400 -c 127.0.0.1 -n 400M -f m; wait", r"([\d.]+) Mbits/sec.* sender"),
    "nginx+ab": ("nginx -p . -e error.log -c nginx.conf & s=$!; " + WAIT % 8080 + "ab -q -n 10000 -c 8 http://127.0.0.1:8080/nginx.conf; kill $s; wait $s",
                 r"Requests per second: +([\d.]+)"),
    "nginx+ab -k": ("nginx -p . -e error.log -c nginx.conf & s=$!; " + WAIT % 8080 + "ab -q -k -n 50000 -c 8 http://127.0.0.1:8080/nginx.conf; kill $s; wait $s",
                    r"Requests per second: +([\d.]+)"),
}


def rate(name, folder, recorded, layers):
    """(what it did in a second, seconds of processors, line of hbdb record)"""
    script, pattern = PROGRAMS[name]
    recording = os.path.join(folder, "run.hbdb")
    shutil.rmtree(recording, ignore_errors=True)
    command = ["sh", "-c", script]
    if recorded:
        command = [HBDB, "record", "--layers", layers, "-o", recording, "--"] + command
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["unshare", "-n", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"] + command, cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = done.stdout.decode(errors="replace")
    found = re.findall(pattern, text)
    if not found:
        sys.exit("%s: no rate in what it printed:\n%s" % (name, text[-1500:]))
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return float(found[-1]), seconds, "".join(line for line in text.splitlines() if line.startswith("hbdb: run"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--only", default="", help="these, with commas between")
    parser.add_argument("--layers", default="user,sockets")
    options = parser.parse_args()
    for name in PROGRAMS:
        if options.only and name not in options.only.split(","):
            continue
        pairs, line = [], ""
        with tempfile.TemporaryDirectory(prefix="hbdb-bench.") as folder:
            for file, text in (("nginx.conf", NGINX), ("client.py", CLIENT)):
                with open(os.path.join(folder, file), "w", encoding="ascii") as f:
                    f.write(text)
            for i in range(options.pairs):
                both = {}
                for recorded in (True, False) if i % 2 else (False, True):
                    *both[recorded], said = rate(name, folder, recorded, options.layers)
                    line = said or line
                pairs.append(both)
        print("%-12s %9.0f /s bare; recorded %s times as long, %s of processors; %s"
              % (name, statistics.median(p[False][0] for p in pairs), spread([p[False][0] / p[True][0] for p in pairs]), spread([p[True][1] / p[False][1] for p in pairs]),
                 line), flush=True)


def spread(ratios):
    return "%.2f [%.2f..%.2f]" % (statistics.median(ratios), min(ratios), max(ratios))


if __name__ == "__main__":
    main()
