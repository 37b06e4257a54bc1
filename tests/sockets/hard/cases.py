"""What is played, and what has to be seen."""
import json
import os
import re
import signal
import struct
import subprocess
import time

from lib import HBDB, RECORD, SECONDS, Failed, ask, events, expected, info, run, unmatched

CASES = []


class Case:
    """A program whose recording has an event for each call that it counted."""

    def __init__(self, command, long=False, root=False, before=(), env=None, varies=(), replay=True, inputs=False):
        self.command, self.name, self.long, self.root = command.split(), command, long, root
        self.record = RECORD[:-1] + [RECORD[-1] + ",inputs"] if inputs else RECORD
        self.before, self.env, self.varies, self.replay = list(before), env, set(varies), replay
        CASES.append(self)

    def program(self, built):
        return [os.path.join(built, self.command[0])] + self.command[1:]

    def run(self, folder, built, replay=True):
        program = self.program(built)
        if self.root:  # other users are to reach the recording, and the replay
            os.chmod(folder, 0o755)
        alone = run(self.before + program, folder, "alone", self.env)[0]
        began = time.monotonic()
        text, said = run(self.before + self.record + ["-o", "run.hbdb", "--"] + program, folder, "recorded", self.env)
        seconds = time.monotonic() - began
        before, now = expected(alone), expected(text)
        if not now or {k: n for k, n in before.items() if k not in self.varies} != {k: n for k, n in now.items() if k not in self.varies}:
            raise Failed("recorded it does other things: %s, alone %s\n%s" % (now, before, said))
        recording = os.path.join(folder, "run.hbdb")
        told, counts = info(recording), events(recording)
        for name, n in now.items():
            if counts[name] != n:
                raise Failed("%d calls of %s, %d events: all of them %s\n%s" % (n, name, counts[name], dict(counts), said))
        ask("verify", recording)
        seen = "%d events of %d processes, %.1f s, messages %s" % (told["events"], len(told["processes"]), seconds, unmatched(recording))
        if not self.replay or not replay:
            return seen
        again = run(self.before + [HBDB, "replay", recording], folder, "replayed", self.env)
        if expected(again[0]) != now:
            raise Failed("the replay does other things: %s, not %s\n%s" % (expected(again[0]), now, again[1]))
        return seen + ", replayed"


# What does not replay yet: threads that are cancelled in a call; datagrams that were cut; a process that sees the replay's folder no more; calls that
# tell of more than 340 descriptors.
NO_REPLAY = {"calls cancelled", "calls sizes"}
for mode in ("interrupted", "cancelled", "limited", "connecting", "flags", "several", "files", "sizes", "six", "multicast", "passing", "kernel", "urgent"):
    Case("calls " + mode, replay="calls " + mode not in NO_REPLAY)
for mode in ("close_from", "range", "raw_range", "loop", "dups", "daemonish", "limit", "threads"):
    Case("places " + mode)
Case("places jail", root=True, replay=False)
for mode in ("children", "of_child", "twice"):
    Case("handled " + mode, inputs=True)
Case("handled users", root=True)
Case("crowd poll 200", varies=["poll"])
Case("crowd epoll 200", varies=["epoll_wait"])
Case("crowd poll 1000", varies=["poll"], replay=False)
Case("crowd epoll 5000", varies=["epoll_wait"])
Case("crowd poll 5000", varies=["poll"], long=True, replay=False)
Case("crowd churn 3000")
Case("crowd churn 100000", long=True, replay=False)
Case("crowd flood 1000000", long=True, replay=False)


# ---- killed ----

class Killed:
    """A server of datagrams and its client: one of them is killed, then the other. What had returned must be in the record."""
    long = root = False

    def __init__(self, first, after):
        self.first, self.after, self.name = first, after, "killed after %d answers: %s first" % (after, ("client", "server")[first])
        CASES.append(self)

    @staticmethod
    def seen(path):
        """[(pid, sent, received)] of client and server"""
        try:
            with open(path, "rb") as f:
                data = f.read()
        except FileNotFoundError:
            data = b""
        return [struct.unpack_from("iqq", data, 24 * i) if len(data) >= 48 else (0, 0, 0) for i in range(2)]

    def run(self, folder, built, replay=True):
        del replay
        path = os.path.join(folder, "seen")
        with open(os.path.join(folder, "out"), "wb") as out:
            child = subprocess.Popen(RECORD + ["-o", "run.hbdb", "--", os.path.join(built, "crowd"), "serve", path], cwd=folder, stdin=subprocess.DEVNULL,
                                     stdout=out, stderr=out, start_new_session=True)
            try:
                limit = time.monotonic() + SECONDS
                while min(n for _, _, n in self.seen(path)) < self.after and time.monotonic() < limit:
                    time.sleep(0.005)
                both = [pid for pid, _, n in self.seen(path) if pid > 0 and n >= self.after]
                if len(both) < 2:
                    raise Failed("they do not talk: %s\n%s" % (self.seen(path), open(os.path.join(folder, "out"), encoding="utf-8", errors="replace").read()))
                for which in (self.first, 1 - self.first):
                    os.kill(both[which], signal.SIGKILL)
                child.wait(timeout=SECONDS)
            except (ProcessLookupError, subprocess.TimeoutExpired) as failure:
                raise Failed("%s\n%s" % (failure, open(os.path.join(folder, "out"), encoding="utf-8", errors="replace").read())) from None
            finally:
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                child.wait()
        recording = os.path.join(folder, "run.hbdb")
        told = {p["pid"]: p for p in info(recording)["processes"]}
        counts = {}
        for line in ask("dump", "--json", recording).splitlines():
            event = json.loads(line)
            key = event["process"], event["function"]
            counts[key] = counts.get(key, 0) + (not event.get("never_returned") and event["arguments"].get("bytes") == [4])
        for pid, sent, received in self.seen(path):
            name = told[pid]["name"]
            for function, n in (("send", sent), ("recv", received)):
                if not n <= counts.get((name, function), 0) <= n + 1:
                    raise Failed("%s had made %d calls of %s, the record has %d" % (name, n, function, counts.get((name, function), 0)))
        return "%s; messages %s" % (self.seen(path), unmatched(recording))


for first in (0, 1):
    for after in (1, 500, 20000):
        Killed(first, after)


# ---- where there is no room, and what cannot be recorded ----

class Script:
    """A script of the shell, with $HBDB and $P, the folder of the programs; then a look at what came of it."""
    long = False

    def __init__(self, name, script, look, root=False):
        self.name, self.script, self.look, self.root = name, script, look, root
        CASES.append(self)

    def run(self, folder, built, replay=True):
        del replay
        text, said = run(["unshare", "-m", "sh", "-eu", "-c", self.script] if self.root else ["sh", "-eu", "-c", self.script], folder, "script",
                         {"HBDB": HBDB, "P": built, "R": " ".join(RECORD)})
        return self.look(text, said, folder)


def full(text, said, folder):
    if expected(text) != {"send": 100000, "recv": 100000}:
        raise Failed("the program did not do what it does: %s\n%s" % (text, said))
    missing = re.search(r"No space left on device; (\d+) events are missing", said)
    if not missing:
        raise Failed("nothing says that events are missing\n" + said)
    there = info(os.path.join(folder, "run.hbdb"))["events"]
    if not there or there + int(missing[1]) < 200000:
        raise Failed("%d events are there, %s are said to be missing, of 200000" % (there, missing[1]))
    return "%d events fitted, %s are said to be missing" % (there, missing[1])


def homeless(text, said, folder):
    counts, wanted = events(os.path.join(folder, "run.hbdb")), expected(text)
    if not wanted or any(counts[name] != n for name, n in wanted.items()):
        raise Failed("events %s, calls %s\n%s" % (dict(counts), wanted, said))
    return "%d events" % sum(counts.values())


def static(text, said, folder):
    del folder
    if not expected(text) or "linked statically" not in said:
        raise Failed("it does not run, or it is not said that it is linked statically: %s%s" % (text, said))
    return [line for line in said.splitlines() if "statically" in line][0]


Script("a disk that is full", "mkdir m; mount -t tmpfs -o size=640k none m; $R -o m/run.hbdb -- $P/crowd flood 100000; cp -r m/run.hbdb .", full, root=True)
Script("no /tmp and no HOME", "mount --bind . /mnt; cd /mnt; mount -t tmpfs -o ro none /tmp; unset HOME TMPDIR XDG_STATE_HOME; $R -o run.hbdb -- $P/places close_from",
       homeless, root=True)
Script("linked statically", "$R -o run.hbdb -- $P/calls.static flags || $P/calls.static flags", static)
