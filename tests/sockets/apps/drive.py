#!/usr/bin/python3
"""Runs one scene: its servers and its clients are all children of this process, so that what stands before it stands before all of them.

usage: drive.py NAME FOLDER

FOLDER is empty and becomes the working folder; each program's output goes to a file there. What the clients printed, as far as it is the same
in every run, is printed at the end. The exit status is 0 when every client got what it should.
"""
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
READY = 120  # seconds that a server may take until it listens
STOP = 60
# In a replay: after so many seconds it goes on. Its servers need not listen where /proc shows it.
GO_ON = 0.0


class Broken(Exception):
    pass


class Driver:
    """Starts what a scene consists of."""

    def __init__(self, folder):
        self.folder, self.servers, self.made, self.printed = folder, [], 0, []

    def path(self, name, text=None):
        """A file of the folder; with a text it is written."""
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return path

    def output(self, command):
        self.made += 1
        return self.path("%d.%s" % (self.made, os.path.basename(command[0])))

    def start(self, command, ready=None):
        """A server. ready: ("tcp", PORT), ("udp", PORT) or the path of a file that it makes."""
        out = self.output(command)
        with open(out, "wb") as to:
            server = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=to, stderr=subprocess.STDOUT)
        self.servers.append((server, command, out))
        began = time.monotonic()
        while ready and not is_ready(ready) and time.monotonic() < began + (GO_ON or READY):
            time.sleep(0.02)
        if ready and not GO_ON and not is_ready(ready):
            raise Broken("%s does not listen after %d s: exit status %s\n%s" % (command[0], READY, server.poll(), read(out)))
        return server

    def run(self, command, seconds=120, has=(), show=False, status=0, **options):
        """A client. has: what its output must have; show: its output is the same in every run."""
        out = self.output(command)
        options.setdefault("stdin", subprocess.DEVNULL)
        with open(out, "wb") as to:
            client = subprocess.Popen(command, cwd=self.folder, stdout=to, stderr=subprocess.STDOUT, **options)
        try:
            got = client.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            client.kill()
            client.wait()
            raise Broken("%s: not over after %d s\n%s" % (command[0], seconds, read(out))) from None
        text = read(out)
        missing = [word for word in ([has] if isinstance(has, str) else has) if word not in text]
        if got != status or missing:
            raise Broken("%s: exit status %d%s\n%s" % (" ".join(command), got, ", without %r" % missing if missing else "", text[-2000:]))
        if show:
            self.printed.append(text)
        return text

    def wait_for(self, path, words, seconds=120):
        """Until a file has these words."""
        until = time.monotonic() + seconds
        while words not in read(path):
            if time.monotonic() > until:
                raise Broken("no %r in %s after %d s\n%s" % (words, path, seconds, read(path)))
            time.sleep(0.05)

    def stop(self):
        """All servers, the last one first, as an administrator would."""
        for server, command, out in reversed(self.servers):
            if server.poll() is None:
                server.send_signal(signal.SIGTERM)
            try:
                server.wait(timeout=STOP)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
                raise Broken("%s does not end\n%s" % (command[0], read(out))) from None


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def is_ready(what):
    """Looks into /proc: to connect would be traffic that nobody has asked for."""
    if isinstance(what, str):
        return os.path.exists(what)
    kind, port = what
    for name in (kind, kind + "6"):
        for line in read("/proc/net/" + name).splitlines()[1:]:
            fields = line.split()
            if int(fields[1].rsplit(":", 1)[1], 16) == port and (kind == "udp" or fields[3] == "0A"):
                return True
    return False


def main():
    sys.path.insert(0, HERE)
    import scenes
    name, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    driver = Driver(folder)
    try:
        try:
            scenes.SCENES[name].play(driver)
        finally:
            driver.stop()
    except Broken as broken:
        print("FAIL", name, broken)
        return 1
    print("".join(driver.printed), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
