#!/usr/bin/python3
"""No name in a recording, and no file name, acts on the terminal: escape sequences, C1 controls, bytes that are no
UTF-8, turned writing and forged lines in every text, read by every command, in a pipe and on a terminal."""
import json
import os
import pty
import re
import shutil
import subprocess

import lib
import rawlog
from lib import HBDB, check
from rawlog import COLLECTIVE, COMPLETE, MESSAGE, NUMBER, RANK, RECV, SEND, SPECIAL, TAG

ESCAPES = b"A\x1b]0;title\x07\x1b[2J\x1b[31m\xc2\x9b31m\x9b1m\xe2\x80\xae\xe2\x81\xa6\x08\x7f\r"
EVIL = ESCAPES + b"\nhbdb: forged line\n"
OWN_COLOURS = re.compile(rb"\x1b\[(0|1|4|33|1;31|1;33|1;36)m")
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

SOURCE = r"""
int main(void) { return 0; }
#line 7 "%s.c"
void evil(void) { evil(); evil(); evil(); evil(); }
"""
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#line 7 "%s.c"
int main(int argc, char **argv) {
	int rank, x = argc > 2;
	char *text = strdup("text \033[2J");
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank)
		MPI_Send(&x, 1, MPI_INT, 0, 5 + x, MPI_COMM_WORLD);
	else
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return text[0] == 0;
}
"""


def escaped(text):
    return "".join("\\%03o" % byte for byte in text)


def clean(name, raw, forged=True):
    """raw: what came out, as bytes."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as e:
        check(name, False, "%s in %r" % (e, raw[-3000:]))
        return
    bad = UNSAFE.search(text)
    line = re.search(r"^\s*hbdb: forged.*", text, re.M) if forged else None
    check(name, not bad and not line, "%r in %r" % ((bad or line) and (bad or line).group(0),
            text[max(0, (bad or line).start() - 200):(bad or line).end() + 50] if bad or line else ""))


def craft(place, folder):
    """Two processes; 0 receives with a wildcard what 1 and itself sent; something never received; a call that fails."""
    place.build(SOURCE % escaped(EVIL), "evil-module", "-O0")
    symbols = subprocess.run(["nm", place.path + "/evil-module"], capture_output=True, text=True).stdout
    start = int(re.search(r"^(\w+) T evil$", symbols, re.M).group(1), 16)
    odd = place.path.encode() + b"/module" + EVIL
    with open(odd, "wb") as f:
        f.write(open(place.path + "/evil-module", "rb").read())
    os.makedirs(folder, exist_ok=True)
    name = EVIL.decode("latin-1")
    rawlog.manifest(folder, processes=3, command=["mpirun", "-n", "3", name], folder="/tmp/" + name, started=name,
                    mpi="openmpi", level="events", replay_of=name, program={"path": "/tmp/" + name})
    for rank in range(3):
        log = rawlog.Log(rank, 3)
        log.host = log.version = b"".join(EVIL.split())
        log.host, log.version, log.program = EVIL, EVIL, b"/tmp/" + EVIL
        log.function("MPI_Send", SEND, *MESSAGE, ("dest", RANK), ("tag", TAG), *rawlog.COMM_ARGS)
        log.function("MPI_Recv", RECV, *MESSAGE, ("source", RANK), ("tag", TAG), *rawlog.COMM_ARGS)
        log.function(EVIL, SPECIAL, (EVIL, NUMBER))
        log.function("MPI_Bcast", COLLECTIVE, *MESSAGE, ("root", RANK), *rawlog.COMM_ARGS)
        log.function("MPI_Reduce", COLLECTIVE, *MESSAGE, ("op", rawlog.OP), ("root", RANK), *rawlog.COMM_ARGS)
        log.datatype(0, 4, EVIL)
        log.op(0, EVIL)
        log.comm(0, -1, 0, 0, rank, [0, 1, 2])
        log.module(1, 0, place.path.encode() + b"/evil-module")
        log.module(2, 0, odd)
        log.module(3, 0, b"/nowhere/" + EVIL)
        log.site(1, 1, start + 12)
        log.site(2, 2, start + 12)
        log.site(3, 3, 77)
        log.note(EVIL)
        if rank:
            log.event("MPI_Send", (1, 0, 0, 5, 0), site=rank)
            log.event("MPI_Send", (1, 0, 0, 9, 0), site=rank)
        else:
            log.event("MPI_Recv", (1, 0, -1, 5, 0), (1, 5, 4), site=1)
            log.event("MPI_Recv", (1, 0, -1, 5, 0), (2, 5, 4), site=2)
        log.event(EVIL, (3,), site=3, error=5)
        log.event("MPI_Bcast", (1, 0, rank and 1, 0), site=1)
        log.event("MPI_Reduce", (1, 0, 0, 0, 0), site=3)
        if not rank:
            log.never_returned("MPI_Recv", (1, 0, 1, 44, 0))
            log.state = 0
        log.write(folder)


def run(place, *args, **more):
    done = subprocess.run([HBDB, *args], cwd=place.path, env=dict(place.env, **more), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def on_terminal(place, *args):
    """All that the command shows on a terminal, without the colours that are its own."""
    leader, follower = pty.openpty()
    env = dict(place.env, TERM="xterm", HBDB_PAGER="")
    env.pop("NO_COLOR", None)
    child = subprocess.Popen([HBDB, *args], cwd=place.path, env=env, stdin=follower, stdout=follower, stderr=follower)
    os.close(follower)
    shown = b""
    while True:
        try:
            more = os.read(leader, 65536)
        except OSError:
            break
        if not more:
            break
        shown += more
    os.close(leader)
    child.wait(timeout=60)
    return OWN_COLOURS.sub(b"", shown.replace(b"\r\n", b"\n")), shown


COMMANDS = (("info",), ("dump",), ("dump", "--time"), ("dump", "--plain"), ("order", "1:1", "0:1"), ("order", "0:1", "2:5"),
            ("cone", "0:2"), ("cone", "--future", "1:1"), ("races", "--all"), ("check",), ("verify",),
            ("sql", "SELECT * FROM events"), ("sql", "--table", "SELECT * FROM events"),
            ("sql", "--table", "SELECT * FROM processes"), ("sql", "--json", "SELECT * FROM events"),
            ("info", "--json"), ("dump", "--json"), ("races", "--json"), ("check", "--json"), ("order", "--json", "1:1", "0:1"),
            ("cone", "--json", "0:2"), ("check", "--generate-suppressions"))


def crafted(place):
    folder = place.path + "/evil.hbdb"
    craft(place, folder)
    odd = os.fsdecode(place.path.encode() + b"/" + ESCAPES + b"\nhbdb: forged.hbdb")
    shutil.copytree(folder, odd)
    shown = b""
    for name in ("evil", odd):
        for command in COMMANDS:
            words = (command[0], name, *command[1:]) if command[0] == "sql" else (*command, name)
            what = " ".join(command) + (" of a folder with such a name" if name == odd else "")
            data = "--json" in command
            status, out, err = run(place, *words)
            raw = command == COMMANDS[11] # tab separated values in a pipe are data: as they are
            check("%s ran" % what, status in (0, 1, 3) and (out or command[0] == "verify"), (status, err[-500:]))
            if not raw:
                clean("%s in a pipe" % what, out + err, forged=not data)
            if data:
                lines = [json.loads(line) for line in out.decode().splitlines()]
                check("%s is JSON" % what, lines, out)
            screen, coloured = on_terminal(place, *words)
            clean("%s on a terminal" % what, screen, forged=not data)
            shown += out + coloured
    check("the names were there", rb"A\x1b]0;title\x07\x1b[2J" in shown and rb"A\u001b]0;title" in shown)
    check("and so was colour", b"\x1b[33m" in shown or b"\x1b[1m" in shown)
    graph(place)
    for damage in ("rank.0.log", "manifest.json"):
        with open("%s/%s" % (odd, damage), "r+b") as f:
            f.write(b"x" * 40)
        for command in ("info", "dump", "verify", "check", "replay"):
            status, out, err = run(place, command, odd)
            clean("%s of a damaged %s" % (command, damage), out + err)
    status, out, err = run(place, EVIL.decode("latin-1"))
    clean("a command that is none", out + err)
    status, out, err = run(place, "dump", "--" + EVIL.decode("latin-1"))
    clean("an option that is none", out + err)


def graph(place):
    for form in ("svg", "dot"):
        run(place, "graph", "evil", "--around", "0:1", "-o", "evil." + form)
        with open("%s/evil.%s" % (place.path, form), "rb") as f:
            clean("graph as %s" % form, f.read())


def real():
    """A program whose source file has such a name, under the MPI that is there."""
    with lib.Place(libraries=False) as place:
        place.env["HBDB_PAGER"] = ""
        with open(place.path + "/p.c", "w") as f:
            f.write(PROGRAM % escaped(ESCAPES))
        subprocess.run(["mpicc.openmpi", "-g", "-o", place.path + "/p", place.path + "/p.c"], check=True)
        launch = ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n", "2"]
        word = EVIL.decode("latin-1")
        status, out, err = run(place, "record", "-o", "app.hbdb", "--", *launch, "./p", word)
        check("it was recorded", status == 0, err)
        clean("what record says", out + err)
        clean("info of it", run(place, "info", "app")[1])
        clean("dump of it", run(place, "dump", "app")[1])
        check("its place is shown", b"title" in run(place, "dump", "app")[1])
        status, out, err = run(place, "replay", "app", "--", *launch, "./p", word, "another")
        check("the replay differs", status == 1 and b"differs" in err, err)
        clean("what replay says", out + err)
        status, out, err = run(place, "debug", "app", "--at", "0:3", "-c", "where; list; [0] print text; [0] print $_siginfo; events")
        clean("what debug says", out + err)
        status, out, err = run(place, "check", "--", *launch, "./p", word)
        clean("what check says", out + err)


with lib.Place() as here:
    crafted(here)
real()
lib.finish()
