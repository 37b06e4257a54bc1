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

    def __init__(self, command, long=False, root=False, before=(), env=None, varies=(), replay=True, space=""):
        self.command, self.name, self.long, self.root = command.split(), command, long, root
        self.before, self.env, self.varies, self.replay, self.space = list(before), env, set(varies), replay, space
        CASES.append(self)

    def program(self, built):
        return [os.path.join(built, self.command[0])] + self.command[1:]

    def run(self, folder, built, replay=True):
        program = self.program(built)
        alone = run(self.before + program, folder, "alone", self.env)[0]
        began = time.monotonic()
        text, said = run(self.before + RECORD + ["-o", "run.hbdb", "--"] + program, folder, "recorded", self.env)
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


for mode in ("interrupted", "cancelled", "limited", "connecting", "flags", "several", "files", "sizes", "six", "multicast", "passing", "kernel", "urgent"):
    Case("calls " + mode)
for mode in ("close_from", "range", "raw_range", "loop", "dups", "daemonish", "limit", "threads"):
    Case("places " + mode)
Case("places jail", root=True)
Case("crowd poll 5000", varies=["poll", "recv", "send"], long=True)
Case("crowd epoll 5000", varies=["epoll_wait"])
Case("crowd poll 1000", varies=["poll"])
Case("crowd churn 3000")
Case("crowd churn 100000", long=True)
Case("crowd flood 1000000", long=True)
