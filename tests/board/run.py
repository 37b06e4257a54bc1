#!/usr/bin/python3
"""Two boards without Linux under qemu-system-arm: what they tell becomes a recording, and is held against what their messages carried.

The serial line between them goes through this program, which writes down what it carries. Each message has a number and a value, which the sender tells as an
event before it is sent and the receiver after it came.
"""
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests", "processors"))
sys.dont_write_bytecode = True

import run as talking
import stubs
from run import check, hbdb

EXAMPLE = os.path.join(TOP, "examples", "board")
PLATFORM = os.path.join(EXAMPLE, "vexpress-a9.platform")
PATIENCE = 120  # seconds; what it takes is about one
SIDES = ("left", "right")


def platform():
    with open(PLATFORM, encoding="utf-8") as f:
        return dict(re.split(r"\s*=\s*", line.strip(), maxsplit=1) for line in f if line.strip() and not line.startswith("#"))


def await_file(path):
    end = time.monotonic() + PATIENCE
    while not os.path.exists(path):
        if time.monotonic() > end:
            raise TimeoutError(path)
        time.sleep(0.02)


class Wire:
    """The line between the boards: a socket for each, and what went through."""

    def __init__(self, folder):
        self.carried = {side: b"" for side in SIDES}
        self.doors = {}
        for side in SIDES:
            self.doors[side] = socket.socket(socket.AF_UNIX)
            self.doors[side].bind(os.path.join(folder, side + ".wire"))
            self.doors[side].listen(1)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        ends = {side: door.accept()[0] for side, door in self.doors.items()}
        for side, other in (SIDES, SIDES[::-1]):
            threading.Thread(target=self.move, args=(side, ends[side], ends[other]), daemon=True).start()

    def move(self, side, here, there):
        while True:
            data = here.recv(65536)
            if not data:
                return
            self.carried[side] += data
            there.sendall(data)

    def messages(self, side):
        """(number, value) of each message that this side sent."""
        return [tuple(int(word, 16) for word in line.split()[1:]) for line in self.carried[side].decode().splitlines()]


class Boards:
    """Both, for as long as this lives; nothing of them begins before somebody listens."""

    def __init__(self, folder, *defines, stub=None):
        self.folder, self.wire, self.qemus = folder, Wire(folder), []
        subprocess.run([os.path.join(EXAMPLE, "build.sh"), folder, *defines], check=True)
        for side in SIDES:
            more = ["-serial", "unix:%s.tell,server=on,wait=on" % side, "-serial", "unix:%s.wire" % side]
            if side == stub:
                more += ["-gdb", "unix:%s.gdb,server=on,wait=off" % side, "-S"]
            command = []
            for word in shlex.split(platform()["start"]):
                command += [side + ".elf", *more] if word == "{command}" else [word]
            with open(os.path.join(folder, side + ".out"), "wb") as out:
                self.qemus.append(subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out))
        for side in SIDES:
            await_file(os.path.join(folder, side + ".tell"))

    def listen(self):
        return subprocess.Popen([sys.executable, os.path.join(EXAMPLE, "listen.py"), "boards.txt", *("%s=%s.tell" % (s, s) for s in SIDES)], cwd=self.folder,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def until_over(self, asks):
        """Listens until both have talked, and asks; what was answered."""
        listener = self.listen()
        words = "".join("%s until end talk\n" % side for side in SIDES) + asks
        try:
            out, err = listener.communicate(words, timeout=PATIENCE)
        finally:
            listener.kill()
        check(listener.returncode == 0 and not err, "who listened ended by himself", err)
        return out.splitlines()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for qemu in self.qemus:
            qemu.kill()
            qemu.wait()


def imported(folder):
    done = hbdb(folder, "import", "boards.txt", "-o", "boards.hbdb")
    check(done.returncode == 0, "it becomes a recording", done.stderr)
    return done.stdout


def check_messages(folder, wire, rounds, dropped=0):
    """Each match: what the sender said before is what the receiver heard after, and what the line carried under this number. Of at most `dropped` messages one
    end or both were not told."""
    by, names = talking.events_of(folder, "boards.hbdb")
    found, other, ambiguous = talking.matches_of(folder, "boards.hbdb", names)
    right = wrong = 0
    carried = {side: dict(wire.messages(side)) for side in SIDES}
    at = {(process, e["event"]): i for process, events in by.items() for i, e in enumerate(events)}
    for (receiver, event), senders in found.items():
        events = by[receiver]
        i = at[receiver, event]
        key, heard = events[i]["arguments"]["key"], events[i + 1]
        good = len(senders) == 1 and heard["function"] == "heard"
        if good:
            sender, send = senders[0]
            said = by[sender][at[sender, send] - 1]
            good = sender != receiver and said["function"] == "said" and \
                said["arguments"]["value"] == heard["arguments"]["value"] == carried[sender].get(key)
        right, wrong = right + good, wrong + (not good)
    check(2 * rounds - dropped <= right <= 2 * rounds and not wrong and other <= dropped and not ambiguous, "%d messages are matched, 0 wrong" % right,
          (right, wrong, other, ambiguous))
    return by


def talk(folder, rounds):
    with Boards(folder, "-DROUNDS=%du" % rounds) as boards:
        answers = boards.until_over("left read sent\nright read received\nright read wrong\nleft read what\nleft stop\nleft read sent\nleft go\nright hello\n")
        check(sorted(answers) == sorted(["left read sent ok %x" % rounds, "right read received ok %x" % rounds, "right read wrong ok 0", "left read what no",
                                         "left stop ok", "left read sent ok %x" % rounds, "left go ok", "right hello ok"]), "what was asked is answered", answers)
        told = imported(folder)
        check("not in it" not in told and "spoiled" not in told and told.count("its clock is known to") == 2, "nothing is missing, clocks are known", told)
        by = check_messages(folder, boards.wire, rounds)
    check({name: len(events) for name, events in by.items()} == {"left": 4 * rounds + 2, "right": 6 * rounds + 2}, "each event is there", {n: len(e) for n, e in by.items()})
    done = hbdb(folder, "verify", "boards.hbdb")
    check(done.returncode == 0, "verify finds nothing wrong", done.stdout + done.stderr)
    done = hbdb(folder, "order", "left:1", "right:%d" % (6 * rounds), "boards.hbdb")
    check("before" in done.stdout and "concurrent" not in done.stdout, "the begin of one board is before the end of the other", done.stdout + done.stderr)


def dropped(folder):
    """More events at once than the ring holds."""
    with Boards(folder, "-DROUNDS=50u", "-DBURST=500") as boards:
        boards.until_over("")
        told = imported(folder)
        # the first messages come right behind the burst
        by = check_messages(folder, boards.wire, 50, dropped=8)
    counts = {side: int(n) for side, n in re.findall(r"(\w+): (\d+) events are not in it: the board had no room", told)}
    kept = {side: sum(e["function"] == "burst" for e in by[side]) for side in SIDES}
    whole = {side: len(by[side]) + counts.get(side, 0) for side in SIDES}
    check(whole == {"left": 500 + 4 * 50 + 2, "right": 500 + 6 * 50 + 2} and all(0 < kept[side] < 500 for side in SIDES) and "were lost" not in told,
          "what the ring had no room for is counted, to the last event", (told, kept, whole))


def debugged(folder, rounds):
    """gdb by the stub of qemu, while the other board waits: what is recorded is whole."""
    with Boards(folder, "-DROUNDS=%du" % rounds, stub="left") as boards:
        listener = boards.listen()
        await_file(os.path.join(folder, "left.gdb"))
        gdb = stubs.Gdb(platform()["gdb"], folder)
        try:
            gdb.ask("-file-exec-and-symbols left.elf")
            check("^error" not in gdb.ask("-target-select remote left.gdb"), "gdb connects to the board", gdb.lines[-5:])
            gdb.ask('-break-insert -c "number == 5" send_message')
            gdb.ask("-exec-continue")
            stop = gdb.until(r"^\*stopped.*breakpoint-hit") or ""
            check('func="send_message"' in stop and 'name="number",value="5"' in stop, "the board stops at a breakpoint with a condition", gdb.lines[-5:])
            stack = gdb.ask("-stack-list-frames")
            check('func="talk"' in stack and 'func="program"' in stack and "pingpong.c" in stack, "its stack", stack)
            check('value="4"' in gdb.ask("-data-evaluate-expression sent"), "a variable of the program", gdb.lines[-1])
            gdb.ask("-break-delete")
            gdb.ask("-target-detach")
            out, err = listener.communicate("left until end talk\nright until end talk\nleft read sent\n", timeout=PATIENCE)
            check(out == "left read sent ok %x\n" % rounds and not err, "it goes on to its end", out + err)
        finally:
            gdb.p.kill()
            gdb.p.wait()
            listener.kill()
            listener.wait()
        told = imported(folder)
        check("not in it" not in told, "nothing is missing", told)
        check_messages(folder, boards.wire, rounds)


def known_platform(folder):
    """The platform file is one that hbdb reads."""
    own = os.path.join(folder, "hbdb", "platforms")
    os.makedirs(own)
    shutil.copy(PLATFORM, own)
    done = hbdb(folder, "record", "-o", "true.hbdb", "--", "true", env={"XDG_CONFIG_HOME": folder})
    check("passed over" not in done.stderr, "hbdb reads the platform file", done.stderr)
    with open(os.path.join(own, "vexpress-a9.platform"), "a", encoding="ascii") as f:
        f.write("serial = 2\n")
    done = hbdb(folder, "record", "-o", "wrong.hbdb", "--", "true", env={"XDG_CONFIG_HOME": folder})
    check("passed over" in done.stderr, "and would say what it does not know", done.stderr)


def main():
    missing = [name for name in ("qemu-system-arm", "arm-linux-gnueabihf-gcc", "gdb-multiarch") if not shutil.which(name)]
    if missing:
        check(False, "%s: not installed (./dev setup processors), so nothing of this is run" % ", ".join(missing))
    parts = [] if missing else [(talk, 500), (dropped,), (debugged, 20), (known_platform,)]
    for part, *arguments in parts:
        folder = tempfile.mkdtemp(prefix="hbdb-board.")
        part(folder, *arguments)
        shutil.rmtree(folder)
    print("%d passed, %d failed" % (talking.passed, talking.failed))
    return talking.failed != 0


if __name__ == "__main__":
    sys.exit(main())
