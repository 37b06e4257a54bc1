#!/usr/bin/python3
"""gdb on processes of other processors while they are recorded: by the gdb of their platform, through the stub of what runs them.

For each processor the same program runs under hbdb record with HBDB_STUBS; gdb connects, stops it at a breakpoint, reads its stack and variables, lets it go, interrupts
it, and ends its loop by a variable. What was recorded is read afterwards. Then hbdb debug does the same with a replay of it, by itself.

usage: stubs.py [--built]
"""
import glob
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import run as talking
from run import check

PATIENCE = 60  # seconds; what it takes is less than one


def platform(name):
    with open(os.path.join(talking.BUILD, "platforms", name + ".platform"), encoding="utf-8") as f:
        return dict(re.split(r"\s*=\s*", line.strip(), maxsplit=1) for line in f if line.strip() and not line.startswith("#"))


class Gdb:
    """gdb/MI, line by line."""

    def __init__(self, program, folder):
        self.p = subprocess.Popen([program, "-nx", "-q", "--interpreter=mi3"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        self.rest, self.lines = b"", []

    def say(self, command):
        self.p.stdin.write(command.encode() + b"\n")
        self.p.stdin.flush()

    def until(self, pattern):
        """The line that has this; all before it are read over. None: it did not come."""
        end = time.monotonic() + PATIENCE
        while True:
            while b"\n" in self.rest:
                line, self.rest = self.rest.split(b"\n", 1)
                self.lines.append(line.decode(errors="replace"))
                if re.search(pattern, self.lines[-1]):
                    return self.lines[-1]
            ready, _, _ = select.select([self.p.stdout], [], [], max(0, end - time.monotonic()))
            more = os.read(self.p.stdout.fileno(), 65536) if ready else b""
            if not more:
                return None
            self.rest += more

    def ask(self, command):
        self.say(command)
        return self.until(r"^\^(done|error|running|connected)") or ""


def socket_in(folder):
    """A socket that is there; it comes when the program begins."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = glob.glob(os.path.join(folder, "*"))
        if found:
            return found[0]
        time.sleep(0.02)
    return ""


def debugged(name, runner, triplet, gdb, place):
    gdb.ask("-gdb-set mi-async on")
    gdb.ask("-gdb-set sysroot /usr/" + triplet)
    gdb.ask("-file-exec-and-symbols ./loop." + name)
    check("^error" not in gdb.ask("-target-select remote " + place), name + ": gdb connects to " + runner, gdb.lines[-5:])
    gdb.ask('-break-insert -c "n == 5" turn')
    gdb.ask("-exec-continue")
    stop = gdb.until(r'^\*stopped.*breakpoint-hit') or ""
    check('func="turn"' in stop and 'value="5"' in stop, name + ": stops at a breakpoint with a condition", gdb.lines[-5:])
    stack = gdb.ask("-stack-list-frames")
    check('func="turn"' in stack and 'func="main"' in stack and "loop.c" in stack, name + ": its stack", stack)
    check('value="30"' in gdb.ask("-data-evaluate-expression --thread 1 --frame 1 sum"), name + ": a variable of the caller", gdb.lines[-1])
    gdb.ask("-break-delete")
    gdb.ask("-exec-continue")
    # the stub of qemu-user reads nothing while its program runs: a signal to the process is what it tells gdb of
    os.kill(int(place.rsplit(".", 1)[1]), signal.SIGINT)
    check(gdb.until(r'^\*stopped.*SIGINT'), name + ": is interrupted while it runs", gdb.lines[-5:])
    gdb.ask("-data-evaluate-expression over=1")
    gdb.ask("-exec-continue")
    check(gdb.until(r'^\*stopped.*exited'), name + ": goes on, and ends", gdb.lines[-5:])


def one(name, runner, triplet, folder):
    stubs, recording = os.path.join(folder, "stubs." + name), "loop-%s.hbdb" % name
    os.mkdir(stubs)
    done = subprocess.run([triplet + "-gcc", "-g", "-O0", "-o", os.path.join(folder, "loop." + name), os.path.join(talking.HERE, "loop.c")], check=False)
    if not check(done.returncode == 0, "loop.c is built for " + name):
        return
    job = subprocess.Popen([talking.HBDB, "record", "-o", recording, "--", runner, "-L", "/usr/" + triplet, "./loop." + name], cwd=folder,
                           env=dict(os.environ, HBDB_STUBS=stubs), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    place = socket_in(stubs)
    gdb = Gdb(platform({"arm": "qemu-armhf"}.get(name, "qemu-" + name))["gdb"], folder)
    try:
        debugged(name, runner, triplet, gdb, place)
        _, said = job.communicate(timeout=PATIENCE)
        check(job.returncode == 0 and "waits for gdb" in said, name + ": recorded", said)
    finally:
        gdb.p.kill()
        job.kill()
        gdb.p.wait()
        job.wait()
    by, _ = talking.events_of(folder, recording)
    events = by.get("loop." + name, [])
    under_debug(name, runner, folder)
    check(len(events) > 10 and events[-1]["function"] == "read" and events[-1].get("line"), name + ": its events are there", len(events))


def under_debug(name, runner, folder):
    """hbdb debug has the process by the gdb of its platform; ended, it leaves nothing behind; without that gdb the process goes on."""
    short = tempfile.mkdtemp(prefix="hs")
    at = ["debug", "--trust", "loop-%s.hbdb" % name, "--at", "loop.%s:5" % name]
    done = talking.hbdb(folder, *at, "-c", "set timeout %d; where; break turn if n==4; cont; where; print local; finish; print i; step; set onerror continue; "
                        "print over=1; delete *; cont; status" % PATIENCE, seconds=4 * PATIENCE, env={"TMPDIR": short})
    said = done.stdout + done.stderr
    check("at the cut of loop.%s:5" % name in said and re.search(r"#0  main \(loop.c:22\)", said), name + ": hbdb debug has its stack where it is held", said)
    check("breakpoint 1: turn (loop.c:10)" in said and re.search(r"#0  turn .*\n\s+#1  main \(loop.c:", said), name + ": and at a breakpoint with a condition", said)
    check("i = 4" in said, name + ": and its variables behind a finish", said)
    left = processes_of(folder, "loop." + name) + os.listdir(short)
    check(not left, name + ": nothing is left of it", left)
    shutil.rmtree(short)
    own = os.path.join(folder, "config." + name, "hbdb", "platforms")
    os.makedirs(own)
    with open(os.path.join(own, "qemu-%s.platform" % {"arm": "armhf"}.get(name, name)), "w", encoding="ascii") as f:
        f.write("runner = %s\ngdb = gdb-that-is-not-there\nlibrary = %s\nstub = QEMU_GDB={socket}\n" % (runner, {"arm": "armhf"}.get(name, name)))
    done = talking.hbdb(folder, *at, "-c", "where", seconds=2 * PATIENCE, env={"XDG_CONFIG_HOME": os.path.join(folder, "config." + name)})
    said = done.stdout + done.stderr
    check("goes on without gdb: gdb-that-is-not-there was not found" in said and "at the cut of" in said and "is run by %s, which gdb would see" % runner in said and
          "cpu_loop" not in said, name + ": without that gdb it goes on, and the stack of its runner is not shown for its own", said)


def processes_of(folder, program):
    """Those that run this program of the folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as f:
                words = f.read().split(b"\0")
            if b"./" + program.encode() in words and os.path.samefile("/proc/%s/cwd" % pid, folder):
                found.append(words)
        except OSError:
            continue
    return found


def main():
    if sys.argv[1:] != ["--built"]:
        talking.build()
    folder = tempfile.mkdtemp(prefix="hbdb-stubs.")
    for name, (runner, triplet, _, _) in talking.PROCESSORS.items():
        one(name, runner, triplet, folder)
    shutil.rmtree(folder)
    print("%d passed, %d failed" % (talking.passed, talking.failed))
    return talking.failed != 0


if __name__ == "__main__":
    sys.exit(main())
