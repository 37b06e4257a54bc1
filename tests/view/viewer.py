"""A running `hbdb view`, and recordings to look at."""
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "cli"), os.path.dirname(HERE)]

import lib as cli  # noqa: E402
from lib import check, finish, has, same  # noqa: E402,F401

PLAIN = os.environ.get("HBDB", os.path.join(cli.BUILD, "hbdb"))  # records: the sanitised one has no capture library
LAUNCH = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca",
                "mpi_yield_when_idle", "1", "-n"],
    "mpich": ["mpirun.mpich", "-n"],
}


def binaries():
    """What is tested: the program, and the sanitised one when it is built."""
    sane = os.path.join(cli.BUILD, "asan/hbdb")
    return [("plain", PLAIN)] + ([("sanitised", sane)] if os.path.exists(sane) else [])


class Place(cli.Place):
    def __init__(self):
        super().__init__(libraries=False)

    def compile(self, mpi, source, name):
        subprocess.run(["mpicc." + mpi, "-g", "-O1", "-pthread", "-o", os.path.join(self.path, name), source, "-lm"], check=True)

    def record(self, name, mpi, n, command, *options):
        subprocess.run([PLAIN, "record", "-o", name, *options, "--", *LAUNCH[mpi], str(n), *command], cwd=self.path, env=self.env,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        return os.path.join(self.path, name)

    def generate(self, name, pattern, ranks, events, *options):
        subprocess.run([os.path.join(cli.BUILD, "bench/generate/generate"), "-o", os.path.join(self.path, name), "-p", pattern, "-n",
                        str(ranks), "-e", str(events), *options], check=True, capture_output=True, timeout=120)
        return os.path.join(self.path, name)

    def lines(self, *args):
        """The JSON objects that a command prints."""
        done = subprocess.run([PLAIN, *args, "--json"], cwd=self.path, env=self.env, capture_output=True, timeout=60, check=False)
        return [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines()]


class View:
    """hbdb view of a recording."""

    def __init__(self, place, recording, *args, binary=PLAIN, env=None):
        self.process = subprocess.Popen([binary, "view", recording, "--no-browser", "--json", *args], cwd=place.path,
                                        env=dict(place.env, **(env or {})), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, errors="replace")
        line = self.process.stdout.readline()
        self.told = json.loads(line) if line else None
        if self.told:
            self.address, self.port = self.told["address"], self.told["port"]
            self.base = self.address.split(str(self.port), 1)[1].split("#")[0]
            self.origin = "http://127.0.0.1:%d" % self.port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def ask(self, path, method="GET", body=None, headers=None, base=None, timeout=60):
        """(status, headers, bytes)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        if method == "POST" and headers is None:
            headers = {"Origin": self.origin, "Content-Type": "application/json"}
        connection.request(method, (self.base if base is None else base) + path, body, headers or {})
        response = connection.getresponse()
        data = response.read()
        connection.close()
        return response.status, response.headers, data

    def get(self, path):
        status, _, data = self.ask(path)
        answer = json.loads(data)
        if status != 200:
            raise AssertionError("%s: %d %r" % (path, status, answer))
        return answer

    def post(self, path, body=None):
        status, _, data = self.ask(path, "POST", json.dumps(body if body is not None else {}))
        return status, json.loads(data)

    def ready(self):
        while True:
            run = self.get("run")
            if run["ready"] or run["failed"]:
                return run
            time.sleep(0.05)

    def raw(self, data, timeout=300):
        """What the server sends back to these bytes, until it closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as s:
            try:
                s.sendall(data)
                got = b""
                while True:
                    more = s.recv(65536)
                    if not more:
                        return got
                    got += more
            except (ConnectionResetError, BrokenPipeError):
                return got

    def end(self, sig=signal.SIGINT, timeout=60):
        """(status, what it said on stderr)"""
        self.process.send_signal(sig)
        _, err = self.process.communicate(timeout=timeout)
        return self.process.returncode, err
