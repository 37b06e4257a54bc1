#!/usr/bin/python3
"""Processes and threads that wait in their own code: for one that stands (said at once, with what to type next), or for something else
(said after a while). With the examples of a ring in shared memory and of a queue between threads."""
import json
import os
import re
import signal
import subprocess

from lib import LAUNCH, LIMIT, TOP, Place, check, finish, has, lacks, mark, objects, parts, same

SIZE = {"openmpi": 3, "mpich": 2}
TURNS = 400  # commands until a program is over, more than enough
PATIENCE = 30  # times that a process is asked what it does


def build_examples(p):
    for name in ("ring", "queue"):
        compiler = ["gcc", "-pthread"] if name == "queue" else ["mpicc." + p.mpi]
        subprocess.run(compiler + ["-g", "-O0", "-I", TOP + "/include", "-o", "%s/%s" % (p.path, name),
                                   "%s/examples/events/%s.c" % (TOP, name)], check=True)


class Talk:
    """hbdb debug --json, asked one command after the other."""

    def __init__(self, p, *args):
        self.p = p
        self.hbdb = p.start("debug", "--json", "-x", "-", *args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, errors="replace")
        self.text = ""
        # a command that would wait for ever ends the test here
        self.say("set timeout %d" % LIMIT)
        self.say("set onerror continue")

    def say(self, line):
        self.hbdb.stdin.write(line + "\n")
        self.hbdb.stdin.flush()

    def until(self, good):
        """The objects up to one that is as asked, and what else was said."""
        got, said = [], ""
        for line in self.hbdb.stdout:
            self.text += line
            if not line.startswith("{"):
                said += line
                continue
            got.append(json.loads(line))
            if good(got[-1]):
                break
        return got, said

    def ask(self, line):
        self.say(line)
        self.say("expect nothing_of_that_name")  # answers by an error: the end of the answers before
        return self.until(lambda o: o.get("answer") == "expect")

    def end(self):
        try:
            rest, _ = self.hbdb.communicate("kill\nexit\n", timeout=LIMIT)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            self.hbdb.kill()
            rest, _ = self.hbdb.communicate()
        self.text += rest or ""


def status_of(got):
    """The last status of each rank."""
    return {o["rank"]: o for o in got if o.get("answer") == "status"}


def follow(p, name, talk, first):
    """Types `first`, and from then on what hbdb says to type where it says so, until nobody waits; how often it said something."""
    command, said = first, 0
    for _ in range(TURNS):
        got, out = talk.ask(command)
        waits = next((o["waits"] for o in status_of(got).values() if o.get("waits")), None)
        if "not all processes have stopped" in out or not waits:
            check("%s: %s: no command waits for ever" % (p.mpi, name), "not all processes have stopped" not in out, talk.text[-3000:])
            return said, got
        said += 1
        if not waits["type"]:
            check("%s: %s: says what to type" % (p.mpi, name), False, waits)
            return said, got
        talk.ask(waits["type"])
        command = "[%d] wait" % next(o["rank"] for o in status_of(got).values() if o.get("waits"))
    check("%s: %s: comes to an end" % (p.mpi, name), False, talk.text[-3000:])
    return said, []


def ring(p):
    """The writer waits for room in a ring whose reader stands, and the reader for a message of a writer that stands."""
    p.record("rings.hbdb", SIZE[p.mpi], program="./ring")
    out = p.run("dump", "--plain", "rings.hbdb")[1]
    begin = next(int(re.match(r"0:(\d+) begin rings", line)[1]) for line in out.splitlines() if re.match(r"0:\d+ begin rings", line))
    full = next(int(m[1]) for line in out.splitlines() if (m := re.match(r"0:(\d+) hb_received\(", line)))
    status, out, err = p.debug(["goto 0:%d" % begin, "[0] next event 200", "[0] status", "[0] expect is blocked"], "rings.hbdb")
    check("%s: a full ring: the wait ends" % p.mpi, status == 0, out + err)
    has("%s: and who waits for whom is said" % p.mpi, out, "[0] waits after 0:%d: 0:%d hb_received  ring.c:" % (full - 1, full), " needs 1:",
        "hb_sent  ring.c:", "and [1] is held after 1:", "to let it go on: ")
    talk = Talk(p, "--at", "0:%d" % begin, "rings.hbdb")
    said, got = follow(p, "a full ring", talk, "[0] next event %d" % (full - begin + 3))
    check("%s: and what it says to type lets it get there" % p.mpi,
          said > 0 and status_of(talk.ask("status")[0])[0]["event"] == full + 3, (said, got))
    last = status_of(talk.ask("status")[0])[1]["event"]
    said, got = follow(p, "an empty ring", talk, "[1] next event 30")
    now = status_of(talk.ask("status")[0])
    waits = [o["waits"] for o in objects(talk.text, "status") if o["rank"] == 1 and o["waits"]]
    check("%s: a reader that waits for a writer who stands gets further, too" % p.mpi,
          said > 0 and waits and now[1]["event"] > int(waits[0]["after"].split(":")[1]) > last, (said, last, now))
    check("%s: as --json has it" % p.mpi, waits and waits[0]["rank"] == 0 and waits[0]["needs"].startswith("0:")
          and waits[0]["next"].startswith("1:"), waits)
    got, out = talk.ask("cont")
    for _ in range(5):  # whoever is still to stop somewhere
        if {o["life"] for o in status_of(got).values()} == {"exited"}:
            break
        got, out = talk.ask("cont")
    same("%s: the program ends" % p.mpi, {o["life"] for o in status_of(got).values()}, {"exited"})
    talk.end()


def queue(p):
    """Threads with a lock and a condition: who stands may have the lock, or be who puts the next task into the queue."""
    p.run("record", "-o", "queue.hbdb", "--", "./queue")
    lanes = sorted({m[1] for line in p.run("dump", "--plain", "queue.hbdb")[1].splitlines() if (m := re.match(r"(queue\.\d+):", line))})
    for lane in lanes[:1]:
        talk = Talk(p, "queue.hbdb")
        talk.ask("goto %s:1" % lane)
        over = False
        for turn in range(TURNS):
            got, out = talk.ask("next event")
            over = "no process of" in out or "no job is running" in out or "exited" in {o["life"] for o in status_of(got).values()}
            if over or "not all processes have stopped" in out:
                break
        check("%s: threads step by event to their end from %s:1" % (p.mpi, lane), over, talk.text[-3000:])
        talk.end()
    status, out, err = p.debug(["set onerror continue", "goto queue:5", "goto queue.1:2", "next event", "cont", "cont"], "queue.hbdb")
    lacks("%s: no command on threads waits for ever" % p.mpi, out + err, "not all processes have stopped", "interrupted")


def spinning(p):
    """A process that computes for ever: told once in a script, with what it does, and Ctrl-C ends the wait."""
    commands = ["cont", "set patience 1", "set timeout 6", "cont", "status"]
    status, out, err = p.live(["set timeout 3", "set patience 0", "set onerror continue"] + commands, 2, 2, "spin", 1)
    has("%s: who spins is told, and what the others do" % p.mpi, out, "still waiting; Ctrl-C gives the prompt back", "[1] computes in its own code, after 1:")
    same("%s: once, and only when the user wants it" % p.mpi, out.count("still waiting"), 1)
    talk = Talk(p, "-o", p.name("live"), "--", *p.command(2, 2, "spin", 1))
    talk.say("set patience 1")
    talk.say("cont")
    got, _ = talk.until(lambda o: o.get("answer") == "waiting" and o["set"] == "1")
    o = got[-1] if got else {}
    check("%s: as --json has it" % p.mpi, o.get("doing") == "computes" and o.get("seconds", 0) >= 0.5 and o.get("event", 0) > 0 and "text" in o, got)
    talk.hbdb.send_signal(signal.SIGINT)
    got, said = talk.ask("status")
    check("%s: Ctrl-C gives the prompt back" % p.mpi, status_of(got)[1]["life"] == "broken" and "interrupted" in said, talk.text[-2000:])
    talk.end()


def quiet(p):
    """A live run: no recording says for whom the writer of a full ring waits in its own code. What can be said of it is said."""
    talk = Talk(p, "-o", p.name("live"), "--", *p.command(2, program="./ring"))
    talk.ask("[1] break read_from -count 20")
    talk.ask("[0] go")
    talk.ask("[1] cont")
    got, now, told = [], {}, None
    for patience in (2, 4, 8, 16, 32):  # until the ring is full and the writer has been in its own code for a second
        talk.say("set patience %d" % patience)
        talk.say("[0] go")
        talk.say("[0] wait")
        got, _ = talk.until(lambda o: o.get("answer") == "waiting" and o["set"] == "0")
        talk.hbdb.send_signal(signal.SIGINT)
        now = status_of(talk.ask("status")[0])
        told = re.search(r"no event for \d+ s after 0:(\d+); perhaps it waits for \[1\], which stands; to let that go on: (.*)", now[0]["text"])
        if told:
            break
    o = got[-1] if got else {}
    check("%s: a live run: where to look at who is in its own code" % p.mpi, o.get("doing") in ("computes", "sleeps") and o.get("type") == "[0] where", got)
    same("%s: a live run: who stands meanwhile, and what lets it go on" % p.mpi, (o.get("stands"), o.get("release")), ("[1]", "[1] cont"))
    check("%s: a live run: stopped, since when nothing came" % p.mpi, told and int(told[1]) == now[0]["event"] and told[2] == "[1] cont", now)
    check("%s: a live run: and nothing such of who stands at a breakpoint" % p.mpi, "no event" not in now[1]["text"] and "breakpoint" in now[1]["text"], now)
    has("%s: a live run: its place" % p.mpi, json.dumps(talk.ask("[0] where")[0]), "write_to")
    talk.ask("delete *")
    talk.ask("[0] go")
    got, _ = talk.ask(told[2] if told else "cont")
    for _ in range(5):  # whoever is still to stop somewhere
        if {o["life"] for o in status_of(got).values()} == {"exited"}:
            break
        got, _ = talk.ask("cont")
    same("%s: a live run: what it said to type lets the program end" % p.mpi, {o["life"] for o in status_of(got).values()}, {"exited"})
    talk.end()


def stepping(p):
    """A step over a line that spins for ever: it can be stopped, and nothing of the signal that this takes reaches the program."""
    talk = Talk(p, "-o", p.name("live"), "--", *p.command(2, 2, "spin", 1))
    talk.ask("[1] break steps.c:%d" % mark("spin"))
    talk.ask("cont")
    talk.ask("delete *")
    for turn in "first", "second":
        talk.say("set patience 1")
        talk.say("[1] next")
        got, _ = talk.until(lambda o: o.get("answer") == "waiting")
        talk.hbdb.send_signal(signal.SIGINT)
        got, said = talk.ask("status")
        check("%s: a step that spins is stopped by Ctrl-C, the %s time" % (p.mpi, turn),
              status_of(got)[1]["life"] == "broken" and "end_badly" in status_of(got)[1]["text"] and "interrupted" in said, talk.text[-2000:])
    got, _ = talk.ask("[1] print i")
    check("%s: and can be looked at" % p.mpi, any(o.get("expression") == "i" for o in got), got)
    talk.end()


def polling(p):
    """A process that asks MPI again and again."""
    with open(p.path + "/polls.c", "w") as f:
        f.write("""#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, there = 0, n = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		while (!there)
			MPI_Iprobe(0, 5, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
	MPI_Bcast(&n, 1, MPI_INT, 1, MPI_COMM_WORLD);
	MPI_Finalize();
}
""")
    subprocess.run(["mpicc." + p.mpi, "-g", "-o", p.path + "/polls", p.path + "/polls.c"], check=True)
    talk = Talk(p, "-o", p.name("live"), "--", *p.command(2, program="./polls"))
    talk.say("set patience 1")
    o, got = {}, []
    # on a busy machine it may not have come to its loop in that second, or had no processor
    for turn in range(PATIENCE):
        talk.say("cont")
        got, _ = talk.until(lambda o: o.get("answer") == "waiting" and o["set"] == "1")
        o = got[-1] if got else {}
        if not o or o.get("doing") == "polls":
            break
        talk.hbdb.send_signal(signal.SIGINT)
        talk.ask("status")
    check("%s: who polls is told with the call" % p.mpi, o.get("doing") == "polls" and "MPI_Iprobe" in (o.get("call") or ""), got)
    talk.hbdb.send_signal(signal.SIGINT)
    talk.ask("status")
    talk.end()


def main():
    for mpi in LAUNCH:
        with Place(mpi) as p:
            build_examples(p)
            # the two that this is about run under both
            for part in (ring, queue) + tuple(parts(mpi, (spinning, quiet, stepping, polling))):
                part(p)
    finish()


main()
