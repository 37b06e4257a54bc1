#!/usr/bin/python3
"""The prompt on a pseudo-terminal: editing, completion, history, Ctrl-C, Ctrl-D, output of the job meanwhile."""
import os
import pty
import re
import select
import signal
import sys
import time

from lib import HBDB, Place, check, finish, has, same

LIMIT = 60


class Missing(Exception):
    """The rest of a part makes no sense."""


class Terminal:
    """hbdb on a terminal of its own. Expects texts in what it shows, without escape sequences."""

    def __init__(self, p, *args, term="xterm"):
        self.raw = self.text = ""
        self.seen = 0
        pid, fd = pty.fork()
        if not pid:
            os.chdir(p.path)
            os.execvpe(HBDB, [HBDB, *args], dict(p.env, TERM=term))
        self.pid, self.fd, self.status = pid, fd, None

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.raw += data.decode(errors="replace")
        self.text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07", "", self.raw).replace("\r", "")
        return bool(data)

    def type(self, text):
        os.write(self.fd, text.encode())

    def expect(self, pattern, name=None):
        """Waits until the pattern comes after what was seen before; the match, or None."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            match = re.compile(pattern, re.S).search(self.text, self.seen)
            if match:
                self.seen = match.end()
                if name:
                    check(name, True)
                return match
            if not self.read(0.2):
                break
        check(name or "the terminal shows " + pattern, False, "not found: %r in\n%s" % (pattern, self.text[self.seen:]))
        os.kill(self.pid, signal.SIGTERM)
        raise Missing

    def command(self, text, pattern, name=None):
        """A line typed at the prompt, and what it shows."""
        self.expect(r"hbdb \[[^\]]*\]> ")
        self.type(text + "\n")
        return self.expect(pattern, name)

    def end(self, key=None):
        """Status of hbdb once it has ended. key: what is typed for that, and again: between the prompt and the first read the
        terminal may not be the editor's yet, and swallows a Ctrl-D."""
        end = time.monotonic() + LIMIT
        again = time.monotonic()
        while time.monotonic() < end:
            if key and time.monotonic() >= again:
                self.type(key)
                again = time.monotonic() + 3
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.read(0)
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
            if not self.read(0.1):
                time.sleep(0.1)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None


def editing(p):
    t = Terminal(p, "debug", "ring.hbdb")
    t.expect("4 processes of ring.hbdb; type help for a list of commands", "the terminal is greeted")
    t.command("focus [1:2]", r"focus \[1:2\]: \[1:2\], 2 processes", "a command")
    t.expect(r"hbdb \[1:2\]> ", "the prompt shows the focus")
    t.type("stat")
    t.type("us\x7f\x7f\x7f\x7f\x7f\x7f" + "focus 0\n")
    t.expect(r"focus \[0\]: \[0\], 1 process", "keys are taken back")
    t.expect("> ")
    t.type("\x1b[A\x1b[A")
    t.expect(r"\[1:2\]", "the arrow keys bring commands back")
    t.type("\x01\x0bstatus\n")
    t.expect(r"\[0\] held in MPI_Init", "the line is edited")
    t.command("foc\t[*]", r"focus \[\*\]: \[0:3\]", "Tab completes a command")
    t.expect("> ")
    t.type("st\t")
    t.expect("step  stepi  status  stop", "Tab shows what is possible")
    t.type("\x15" + "break add -c\t2\n")
    t.expect(r"break add -count 2.*\[0:3\] breakpoint 1 set at add", "Tab completes an option")
    t.command("defset workers [1:3]", r"workers is \[1:3\]")
    t.command("focus wor\t", r"focus \[workers\]: \[1:3\]", "Tab completes the name of a set")
    t.command("[run\tstatus", r"\[running\] status", "Tab completes a set in brackets")
    t.command("cont", r"\[1\] blocked in MPI_Recv from 0")
    t.command("[*] cont", r"breakpoint 1: add")
    t.expect("> ")
    t.type("[1] print las\t\t")
    t.expect("last", "Tab completes a variable")
    t.type("\x15print total\n")
    t.expect(r"total = ")
    t.expect("> ")
    t.type("nonsense")
    t.expect("nonsense")  # it reads the line: before, the terminal would answer Ctrl-C
    t.type("\x03")
    t.expect(r"\^C\n.*hbdb \[workers\]> ", "Ctrl-C cancels the line")
    t.type("status\n")
    t.expect(r"\[1")
    t.expect("> ")
    same("Ctrl-D ends it, status 0", t.end("\x04"), 0)
    check("and nothing was executed of the cancelled line", "no command 'nonsense'" not in t.text, t.text)


def waiting(p):
    t = Terminal(p, "debug", "-o", p.name("live"), "--", *p.command(2, 2, "spin", 1))
    t.expect("2 processes of a live run", "a live run is greeted")
    t.command("cont", "total 3[0-9]|total 1[0-9]|total ", "the job's output appears")
    t.expect(r"\(Ctrl-C gives the prompt back\) waiting \d+ s for \[[01]\][^\n]*, which ", "while it waits it says for whom")
    t.expect(r"\(Ctrl-C gives the prompt back\) waiting \d+ s for \[[01]\][^\n]*, which ", "again and again")
    check("in one line", re.search(r"waiting \d+ s[^\n]*\r\x1b\[K\(Ctrl-C[^\n]*waiting \d+ s", t.raw), t.raw[-1000:])
    t.type("\x03")
    t.expect(r"\[1\] stopped: end_badly[^$]*hbdb: interrupted", "Ctrl-C stops the processes")
    t.command("[1] where", "#0  end_badly")
    t.command("expect is broken", "as expected", "all of them")
    t.command("go", "go")
    t.command("expect [1] is running", r"\[1\] running, as expected", "they go on when they are told to")
    t.type("\x03")
    t.expect(r"\[1\] stopped: end_badly", "and Ctrl-C at an empty prompt stops them, too")
    t.command("[1] where", "#0  end_badly")
    t.command("expect [0] is broken", "as expected")
    t.command("exit 5", "live-0.hbdb: 2 processes", "the recording's name is told at the end")
    same("exit gives the status", t.end(), 5)


def meanwhile(p):
    """What happens while a line is edited is shown, and the line stays."""
    t = Terminal(p, "debug", "ring.hbdb")
    t.command("go; focus [1", r"has no closing \]")
    t.expect("> ")
    t.type("foc")
    t.expect(r"total \d+\n", "the job prints while a line is edited")
    t.expect(r"\[0:3\] exited|exited", "that processes end is shown")
    t.expect("the job has ended, with status 0")
    t.expect(r"hbdb \[\*\]> foc", "the line is drawn again")
    t.type("us 2\n")
    t.expect(r"focus \[2\]: \[2\]", "and can be finished")
    t.command("run", r"\[0:3\] held in MPI_Init", "run starts it again")
    t.command("goto 1:4", r"at the cut of 1:4", "goto")
    t.command("back", r"at the cut of 2:2, [0-9.]+ s from the beginning")
    t.command("quit", "quit")
    same("quit", t.end(), 0)


def kept(p):
    """The history outlasts the session; a script without exit ends at the prompt."""
    with open(p.path + "/script", "w") as f:
        f.write("goto 1:4\n")
    t = Terminal(p, "debug", "-x", "script", "ring.hbdb")
    t.expect("at the cut of 1:4")
    t.expect(r"hbdb \[\*\]> ", "a script without exit leaves the prompt")
    t.type("\x1b[A")
    t.expect("quit", "the history of the session before is there")
    t.type("\x03")
    t.expect(r"\^C\n.*hbdb \[\*\]> ")
    same("Ctrl-D", t.end("\x04"), 0)
    t = Terminal(p, "debug", "ring.hbdb", term="dumb")
    t.command("focus [1]", r"focus \[1\]", "a dumb terminal")
    t.expect("> ")
    os.kill(t.pid, signal.SIGTERM)
    same("SIGTERM at the prompt", t.end(), 128 + signal.SIGTERM)


def main():
    with Place("openmpi") as p:
        p.record("ring.hbdb", 4, 3)
        for part in (editing, waiting, meanwhile, kept):
            try:
                part(p)
            except Missing:
                pass
    finish()


main()
