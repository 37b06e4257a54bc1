#!/usr/bin/python3
"""hbdb order, cone and races on raw logs written by rawlog.py: the answers, and everything that can be wrong with a
recording: never a wrong answer, and what is missing is said first."""
import json
import os
import random
import shutil
import struct

import lib
import rawlog
from lib import check, has, same

ORIGIN = 48, "<Q"  # of the header: time of day at tick 0
HOST = 104


def log(rank, size=3, **header):
    one = rawlog.Log(rank, size, **header)
    message = rawlog.MESSAGE
    one.function("MPI_Send", rawlog.SEND, *message, ("dest", rawlog.RANK), ("tag", rawlog.TAG), *rawlog.COMM_ARGS)
    one.function("MPI_Recv", rawlog.RECV, *message, ("source", rawlog.RANK), ("tag", rawlog.TAG), *rawlog.COMM_ARGS)
    one.function("MPI_Barrier", rawlog.COLLECTIVE, *rawlog.COMM_ARGS)
    one.datatype(0, 4, "MPI_INT")
    one.comm(0, -1, 0, 0, rank, list(range(size)))
    return one


def send(one, dest, tag):
    one.event("MPI_Send", (1, 0, dest, tag, 0))


def recv(one, source, tag, got=None):
    one.event("MPI_Recv", (1, 0, source, tag, 0), (got, tag, 4) if got is not None else ())


def run_of_three(folder, more=3, **header):
    """0 receives from any source what 1 and 2 send, then answers 1; then a barrier. Rank 2 sends once more, to nobody's use."""
    logs = [log(rank, 3, **header) for rank in range(3)]
    recv(logs[0], -1, 1, 1)
    recv(logs[0], -1, 1, 2)
    send(logs[0], 1, 9)
    send(logs[1], 0, 1)
    recv(logs[1], 0, 9)
    send(logs[2], 0, 1)
    for one in logs:
        one.event("MPI_Barrier", (0,))
    rawlog.manifest(folder, processes=3, started="2023-11-14T22:13:19.900Z", seconds=2.0)
    for one in logs:
        one.write(folder)
    return logs


def first(text):
    return text.splitlines()[0] if text else ""


def orders(place):
    def ask(a, b):
        return first(place.run("order", a, b, "three")[1])
    same("in one process", ask("1:1", "1:2"), "1:1 is strictly before 1:2: it had to return before 1:2 could be called")
    same("the other way", ask("1:2", "1:1"), "1:2 is strictly after 1:1: it could not be called before 1:1 had returned")
    same("a message", ask("2:1", "0:2"), "2:1 is before 0:2: it had to begin before 0:2 could return")
    same("a receive and its send", ask("0:2", "2:1"), "0:2 is after 2:1: it could not return before 2:1 had begun")
    same("two messages", ask("2:1", "1:2"), "2:1 is before 1:2: it had to begin before 1:2 could return")
    same("over a message, strictly", ask("0:1", "1:3"),
         "0:1 is strictly before 1:3: it had to return before 1:3 could be called")
    same("a barrier", ask("0:4", "2:2"), "0:4 and 2:2 are together: each had to begin before the other could return")
    same("itself", ask("0:4", "0:4"), "0:4 and 0:4 are the same event")
    status, out, err = place.run("order", "1:1", "2:1", "three")
    same("concurrent", (status, out, err), (0, "1:1 and 2:1 are concurrent: neither had to happen before the other\n"
                                            "  1:1 depends on no event of rank 2\n  2:1 depends on no event of rank 1\n"
                                            "\nnext: hbdb view three --at 1:1, hbdb debug three --at 1:1\n", ""))
    out = place.run("order", "0:1", "2:1", "three")[1]
    same("concurrent, of which one is known", out, "0:1 and 2:1 are concurrent: neither had to happen before the other\n"
         "  0:1 depends on no event of rank 2\n  2:1 depends on no event of rank 0\n"
         "\nnext: hbdb view three --at 0:1, hbdb debug three --at 0:1\n")
    lines = place.run("order", "2:1", "1:2", "three")[1].splitlines()
    same("the chain", [line.split("  +")[0].split("  0.")[0] for line in lines[2:-2]],
         ["  2:1", "   | message: tag 1, 4 bytes, WORLD", "  0:2", "   | the next call", "  0:3",
          "   | message: tag 9, 4 bytes, WORLD", "  1:2"])
    same("what to type next: the later one", lines[-1], "next: hbdb view three --at 1:2, hbdb debug three --at 1:2")
    same("the other way round, too", place.run("order", "1:2", "2:1", "three")[1].splitlines()[-1], lines[-1])
    has("its events are lines of dump", "\n".join(lines), "MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=WORLD)")
    answer = json.loads(place.run("order", "--json", "2:1", "1:2", "three")[1])
    same("--json", (answer["order"], answer["strict"], answer["complete"], answer["a_knows"], answer["b_knows"]),
         ("before", False, True, 0, 1))
    same("--json: the chain", [(link["event"]["rank"], link["event"]["event"], link.get("link")) for link in answer["chain"]],
         [(2, 1, "message"), (0, 2, "program"), (0, 3, "message"), (1, 2, None)])
    barrier = json.loads(place.run("order", "--json", "0:4", "2:2", "three")[1])["chain"][0]
    same("--json: a collective", (barrier["link"], barrier["function"], barrier["communicator"]),
         ("collective", "MPI_Barrier", "WORLD"))


def early_leaver(place):
    """Who only gives to a gather may leave it before the root comes: the root may first receive what was sent after it."""
    all_three = [log(rank, 3) for rank in range(3)]
    for one in all_three:
        one.function("MPI_Gather", rawlog.COLLECTIVE, ("sendcount", rawlog.NUMBER), ("sendtype", rawlog.DATATYPE),
                     ("recvcount", rawlog.NUMBER), ("recvtype", rawlog.DATATYPE), ("root", rawlog.RANK), *rawlog.COMM_ARGS)
    all_three[1].event("MPI_Gather", (1, 0, 1, 0, 0, 0))
    send(all_three[1], 0, 5)
    recv(all_three[0], 1, 5)
    all_three[0].event("MPI_Gather", (1, 0, 1, 0, 0, 0))
    send(all_three[2], -2, 0)
    all_three[2].event("MPI_Gather", (1, 0, 1, 0, 0, 0))
    for one in all_three:
        one.write(place.path + "/early.hbdb")

    def ask(a, b):
        status, out, err = place.run("order", a, b, "early")
        return status, first(out), err
    same("a receive before the gather of the root", ask("1:2", "0:1"),
         (0, "1:2 is before 0:1: it had to begin before 0:1 could return", ""))
    same("the gather of the other", ask("1:1", "0:2"),
         (0, "1:1 is strictly before 0:2: it had to return before 0:2 could be called", ""))
    same("those who only give learn nothing of each other", ask("2:1", "1:1")[1],
         "2:1 and 1:1 are concurrent: neither had to happen before the other")


def long_chain(place):
    folder = place.path + "/long.hbdb"
    one = log(0, 1)
    for _ in range(30):
        send(one, -2, 0)
    one.write(folder)
    lines = place.run("order", "0:1", "0:30", "long")[1].splitlines()
    same("program order is shortened", lines[3], "   | ... 28 more calls")
    folder = place.path + "/pingpong.hbdb"
    both = [log(rank, 2) for rank in range(2)]
    for turn in range(60):
        send(both[turn % 2], 1 - turn % 2, 0)
        recv(both[1 - turn % 2], turn % 2, 0)
    for one in both:
        one.write(folder)
    short = place.run("order", "0:1", "0:60", "pingpong")[1]
    check("a chain of one process is one step", len(short.splitlines()) == 7, short)
    status, out, _ = place.run("order", "0:1", "1:60", "pingpong")
    has("a proof may go through another process", out, "0:1 is strictly before 1:60")


def cones(place):
    def cut(event, *more):
        out = place.run("cone", event, "three", *more)[1]
        return [tuple(line.split()[:3]) if "run" not in line and "nothing" not in line else line.strip()
                for line in out.splitlines()[1:]]
    same("the cut of the first receive", cut("0:1"), [("0", "after", "0:1"), ("1", "after", "1:1"), "2  does not run"])
    same("of the answer's receive", cut("1:2"), [("0", "after", "0:3"), ("1", "after", "1:2"), ("2", "after", "2:1")])
    same("of the barrier", cut("2:2"), [("0", "end", "0:4"), ("1", "end", "1:3"), ("2", "end", "2:2")])
    same("the future", cut("2:1", "--future"), [("0", "from", "0:2"), ("1", "from", "1:2"), ("2", "from", "2:1")])
    same("the future of the last", cut("2:2", "--future"), [("0", "from", "0:4"), ("1", "from", "1:3"), ("2", "from", "2:2")])
    lines = [json.loads(line) for line in place.run("cone", "--json", "0:1", "three")[1].splitlines()]
    same("--json", [(one["rank"], one["stop"], one["event"]) for one in lines],
         [(0, "after", 1), (1, "after", 1), (2, "nothing", None)])
    same("--json: the call", (lines[0]["call"]["function"], lines[2]["call"]), ("MPI_Recv", None))
    lines = [json.loads(line) for line in place.run("cone", "--json", "--future", "0:1", "three")[1].splitlines()]
    same("--json --future", [(one["rank"], one["future"], one["event"]) for one in lines],
         [(0, "first", 1), (1, "first", 2), (2, "first", 2)])


def inside(place):
    """The receive half of a Sendrecv waits for something that the other's receive of its send half does not need."""
    folder = place.path + "/inside.hbdb"
    logs = [log(rank, 3) for rank in range(3)]
    logs[1].function("MPI_Sendrecv", rawlog.RECV, ("sendcount", rawlog.NUMBER), ("sendtype", rawlog.DATATYPE),
                     ("dest", rawlog.RANK), ("sendtag", rawlog.TAG), ("recvcount", rawlog.NUMBER), ("recvtype", rawlog.DATATYPE),
                     ("source", rawlog.RANK), ("recvtag", rawlog.TAG), *rawlog.COMM_ARGS)
    recv(logs[0], 1, 1)
    logs[1].event("MPI_Sendrecv", (1, 0, 0, 1, 1, 0, 2, 1, 0))
    send(logs[2], 1, 1)
    for one in logs:
        one.write(folder)
    out = place.run("cone", "0:1", "inside")[1].splitlines()
    same("a cut inside a call", [line.split()[:3] for line in out[1:]],
         [["0", "end", "0:1"], ["1", "inside", "1:1"], ["2", "does", "not"]])


def races(place):
    status, out, err = place.run("races", "three")
    same("a race is a finding", (status, err), (1, ""))
    same("the race", out.splitlines(),
         ["1 of 2 wildcard receives, probes and choices raced, at 1 place", "", "somewhere  MPI_Recv: 1 of 2 raced",
          "  0:1 got 1:1", "         or 2:1, which 0:2 received", "", "next: hbdb view three --at 0:1, hbdb debug three --at 0:1"])
    found = [json.loads(line) for line in place.run("races", "--json", "three")[1].splitlines()]
    same("--json", [(one["kind"], one["event"], one["got"]["event"],
                     [(a["event"], a["received_by"]["event"]) for a in one["alternatives"]]) for one in found],
         [("receive", "0:1", "1:1", [("2:1", "0:2")])])
    same("--rank of one without", place.run("races", "--rank", "1,2", "three")[0], 0)
    has("and says so", place.run("races", "--rank", "1,2", "three")[1], "no races")
    same("--rank", place.run("races", "--rank", "0-1", "three")[0], 1)
    same("--line of another place", place.run("races", "--line", "other.c:3", "three")[0], 2)
    same("--rank that is none", place.run("races", "--rank", "x", "three")[0], 2)
    never = place.path + "/never.hbdb"
    logs = [log(rank, 3) for rank in range(3)]
    recv(logs[0], -1, 1, 1)
    send(logs[1], 0, 1)
    send(logs[2], 0, 1)
    for one in logs:
        one.write(never)
    has("a message that is left over", place.run("races", "never")[1], "  0:1 got 1:1", "or 2:1, which was never received")
    many = place.path + "/many.hbdb"
    logs = [log(rank, 3) for rank in range(3)]
    for _ in range(10):
        recv(logs[0], -1, 1, 1)
        send(logs[1], 0, 1)
    for _ in range(10):
        recv(logs[0], -1, 1, 2)
        send(logs[2], 0, 1)
    for one in logs:
        one.write(many)
    out = place.run("races", "many")[1]
    has("three are shown", out, "10 of 20 raced", "  0:3 got 1:3", "and 7 more (--limit 0 shows all)")
    check("not four", "0:4 got" not in out, out)
    has("--limit 0", place.run("races", "--limit", "0", "many")[1], "  0:10 got 1:10")


def choices(place):
    """Waitany completes a send where a receive could have been complete."""
    folder = place.path + "/choices-of-two.hbdb"
    logs = [log(rank, 2) for rank in range(2)]
    for name, cls, peer in (("MPI_Isend", rawlog.SEND, "dest"), ("MPI_Irecv", rawlog.RECV, "source")):
        logs[0].function(name, cls, *rawlog.MESSAGE, (peer, rawlog.RANK), ("tag", rawlog.TAG), *rawlog.COMM_ARGS)
    logs[0].function("MPI_Waitany", rawlog.COMPLETE, ("count", rawlog.NUMBER))
    logs[0].event("MPI_Isend", (1, 0, 1, 1, 0))
    logs[0].event("MPI_Irecv", (1, 0, 1, 1, 0))
    logs[0].event("MPI_Waitany", (2,), (0, 0, 0))
    logs[0].event("MPI_Waitany", (2,), (1, 0, 0))
    send(logs[1], 0, 1)
    recv(logs[1], 0, 1)
    for one in logs:
        one.write(folder)
    has("a choice", place.run("races", "choices-of-two")[1], "MPI_Waitany: 1 of 2 raced",
        "  0:3 completed a request that is not a receive\n         or 1:1, which 0:4 received")
    found = [json.loads(line) for line in place.run("races", "--json", "choices-of-two")[1].splitlines()]
    same("a choice, --json", [(one["kind"], one["event"], one["function"], one["got"], one["alternatives"][0]["event"])
                              for one in found], [("choice", "0:3", "MPI_Waitany", None, "1:1")])


def same_sender(place):
    """Waitany completes one of three receives: two of rank 1, one of rank 2."""
    folder = place.path + "/same-sender.hbdb"
    logs = [log(rank, 3) for rank in range(3)]
    logs[0].function("MPI_Irecv", rawlog.RECV, *rawlog.MESSAGE, ("source", rawlog.RANK), ("tag", rawlog.TAG), *rawlog.COMM_ARGS)
    logs[0].function("MPI_Waitany", rawlog.COMPLETE, ("count", rawlog.NUMBER))
    for source in (1, 1, 2):
        logs[0].event("MPI_Irecv", (1, 0, source, 1, 0))
    logs[0].event("MPI_Waitany", (3,), (0, 0, 0))
    logs[0].event("MPI_Waitany", (3,), (2, 0, 0))
    logs[0].event("MPI_Waitany", (3,), (1, 0, 0))
    for sender in (1, 1, 2):
        send(logs[sender], 0, 1)
    for one in logs:
        one.write(folder)
    out = place.run("races", "same-sender")[1]
    has("the same sender comes last, and is marked", out, "  0:4 completed with 1:1\n",
        "         or 2:1, which 0:6 received\n         or 1:2, which 0:5 received (of the same sender)")
    found = [json.loads(line) for line in place.run("races", "--json", "same-sender")[1].splitlines()]
    same("--json tells it", [(one["event"], one["same_sender"], [a["same_sender"] for a in one["alternatives"]]) for one in found],
         [("0:4", False, [False, True]), ("0:5", False, [False])])


def only_same_sender(place):
    folder = place.path + "/one-sender.hbdb"
    logs = [log(rank, 2) for rank in range(2)]
    logs[0].function("MPI_Irecv", rawlog.RECV, *rawlog.MESSAGE, ("source", rawlog.RANK), ("tag", rawlog.TAG), *rawlog.COMM_ARGS)
    logs[0].function("MPI_Waitany", rawlog.COMPLETE, ("count", rawlog.NUMBER))
    for _ in range(2):
        logs[0].event("MPI_Irecv", (1, 0, 1, 1, 0))
        send(logs[1], 0, 1)
    for index in range(2):
        logs[0].event("MPI_Waitany", (2,), (index, 0, 0))
    for one in logs:
        one.write(folder)
    has("only of the same sender: apart", place.run("races", "one-sender")[1],
        "  1 decides only which of several requests for messages of one sender was complete first:\n  0:3 completed with 1:1")


def bad_events(place):
    for event, why in (("0:9", "rank 0 has 4 events"), ("0:0", "rank 0 has 4 events, counted from 1"),
                       ("7:1", "the run has 3 processes, ranks 0 to 2"), ("0.1:1", "rank 0 has 1 lane"),
                       ("0@55:1", "no process 0@55"), ("0", "is not an event"), ("0:", "is not an event"), (":1", "is not an event"),
                       ("0:1x", "is not an event"), ("-1:1", "has no option"),
                       ("0:99999999999999999999", "is not an event"), ("99999999999:1", "the run has 3"),
                       ("0:4294967297", "rank 0 has 4 events"), ("", "is not an event"), ("three", "is not an event")):
        for command in (["order", "0:1", event, "three"], ["order", event, "0:1", "three"], ["cone", event, "three"]):
            status, out, err = place.run(*command)
            check("%s: %r" % (command[0], event), status == 2 and why in err and not out, (status, out, err))
    same("order of one event", place.run("order", "0:1")[0], 2)
    same("order of four", place.run("order", "0:1", "0:2", "three", "four")[0], 2)
    same("cone of none", place.run("cone")[0], 2)


def bad_recordings(place):
    commands = (["order", "0:1", "0:2"], ["cone", "0:1"], ["races"])
    os.mkdir(place.path + "/nothing.hbdb")
    rawlog.manifest(place.path + "/empty.hbdb")
    os.mkdir(place.path + "/foreign.hbdb")
    with open(place.path + "/foreign.hbdb/rank.0.log", "w") as f:
        f.write("hello\n")
    choices = rawlog.Log(0, 1, level=0)
    choices.function("MPI_Recv", rawlog.RECV)
    choices.event("MPI_Recv", (), (0, 0, -1))
    choices.write(place.path + "/choices.hbdb")
    for name, wanted, why in (("missing", 3, "there is no recording of this name"), ("nothing", 3, "not an hbdb recording"),
                              ("empty", 3, "nothing was recorded"), ("foreign", 3, "is not an hbdb log"),
                              ("choices", 2, "recorded at level order: it contains what a replay needs, but not who sent what")):
        for command in commands:
            status, out, err = place.run(*command, name + (".hbdb" if name != "missing" else ""))
            check("%s of %s" % (command[0], name), status == wanted and why in err and not out, (status, out, err))


def no_such_size(place):
    folder = place.path + "/vast.hbdb"
    path = log(0, 1).write(folder)
    with open(path, "r+b") as f:
        f.seek(28)
        f.write(struct.pack("<i", 0x7F000000))
    for command in (["order", "0:1", "0:2"], ["cone", "0:1"], ["races"]):
        status, out, err = place.run(*command, "vast")
        check("%s of a size that cannot be" % command[0], status == 3 and not out and
              "it says that it is rank 0 of 2130706432" in err, (status, out, err))


def spoiled(place, name, spoil):
    """A copy of the run of three, spoiled; the answers of all commands."""
    folder = "%s/%s.hbdb" % (place.path, name)
    shutil.copytree(place.path + "/three.hbdb", folder)
    spoil(folder)
    return {c[0]: place.run(*c, name) for c in (["order", "1:1", "2:1"], ["cone", "0:1"], ["races"])}


def without_one(place):
    answers = spoiled(place, "lacking", lambda folder: os.remove(folder + "/rank.2.log"))
    for command, (status, out, err) in answers.items():
        has("%s without rank 2 says so first" % command, first(err), "hbdb: rank 2 is missing")
    same("order of an event that is missing", answers["order"][0], 2)
    has("and says why", answers["order"][2], "there is no 2:1: the log of rank 2 is missing")
    status, out, _ = answers["cone"]
    check("the cut without rank 2", status == 3 and "2  not known: its log is missing" in out, (status, out))
    status, out, _ = answers["races"]
    check("no race is made up", status == 3 and out.startswith("no races") and "as far as this recording shows" in out,
          (status, out))
    out = place.run("order", "1:1", "0:1", "lacking")
    check("an order that is there holds", out[0] == 3 and first(out[1]).startswith("1:1 is before 0:1"), out)
    has("concurrent is not certain", place.run("order", "1:1", "0:2", "lacking")[1] +
        place.run("cone", "0:1", "lacking")[1], "not known")


def cut_short(place):
    def cut(folder):
        os.truncate(folder + "/rank.2.log", 3 * rawlog.UNIT + 70)
    answers = spoiled(place, "cut", cut)
    for command, (status, out, err) in answers.items():
        has("%s with a log that is cut says so first" % command, first(err), "hbdb: rank 2 has an incomplete log")
    same("cut: order", answers["order"][0], 2)
    status, out, _ = answers["races"]
    check("cut: no race is made up", status == 3 and out.startswith("no races"), (status, out))


def strangers(place):
    def swap(**header):
        def spoil(folder):
            other = folder + ".other"
            size = header.pop("size", None)
            if size:
                log(2, size, **header).write(other)
            else:
                run_of_three(other, **header)
            shutil.move(other + "/rank.2.log", folder + "/rank.2.log")
            shutil.rmtree(other)
        return spoil

    def renamed(folder):
        shutil.copy(folder + "/rank.0.log", folder + "/rank.2.log")

    def patch(offset, data):
        def spoil(folder):
            with open(folder + "/rank.2.log", "r+b") as f:
                f.seek(offset)
                f.write(data)
        return spoil
    hour = struct.pack(ORIGIN[1], (1700000000 - 3600) * 10**9)
    day = struct.pack(ORIGIN[1], (1700000000 + 86400) * 10**9)
    for name, spoil, why in (("other-size", swap(size=8), "to a run of 8 processes, the other logs to a run of 3"),
                             ("other-mpi", swap(library=2), "recorded under MPICH, but the run was under Open MPI"),
                             ("other-level", swap(level=0), "recorded at level order, but the run at level events"),
                             ("other-rank", renamed, "it is the log of rank 0"),
                             ("earlier", patch(ORIGIN[0], hour), "began 3599.900 s before this run"),
                             ("later", patch(ORIGIN[0], day), "after this run had ended")):
        for command, (status, out, err) in spoiled(place, name, spoil).items():
            check("%s: %s leaves it out" % (name, command), status in (2, 3) and "rank.2.log does not belong to this run" in first(err)
                  and why in err and "rank 2 is missing" in err and "2:1, which" not in out, (status, out, err))

    def shifted(folder):
        patch(ORIGIN[0], hour)(folder)
        patch(HOST, b"node-b".ljust(64, b"\0"))(folder)
    answers = spoiled(place, "shifted", shifted)
    status, out, err = answers["races"]
    check("the clock of another host is only told", status == 1 and "or 2:1, which 0:2 received" in out
          and "by the clock of host node-b, rank 2 began 3599.900 s before this run" in err, (status, out, err))
    same("and it changes no answer", answers["order"][1].replace("shifted", "three"), place.run("order", "1:1", "2:1", "three")[1])


def same_time(place):
    """A log of another run that nothing gives away but its messages."""
    def spoil(folder):
        other = log(2)
        send(other, 1, 5)
        other.event("MPI_Barrier", (0,))
        other.write(folder)
    answers = spoiled(place, "unlike", spoil)
    status, out, err = answers["races"]
    has("received and never sent", first(err), "rank 0 received 1 message with tag 1 from rank 2 that rank 2 has not sent",
        "do not belong to the same run")
    check("and no race of it", "2:1" not in out, (status, out))


def unfinished(place):
    def spoil(folder):
        with open(folder + "/manifest.json") as f:
            manifest = json.load(f)
        for member in ("processes", "exit_status", "seconds"):
            del manifest[member]
        with open(folder + "/manifest.json", "w") as f:
            json.dump(manifest, f)
    answers = spoiled(place, "unfinished", spoil)
    for command, (status, out, err) in answers.items():
        has("%s of a run that has not ended says so first" % command, first(err), "the run has not ended, or hbdb was killed")
    has("not ended: order", answers["order"][1], "as far as this recording shows")
    has("not ended: races", answers["races"][1], "1 of 2 wildcard receives, probes and choices raced, at 1 place; there may be more")


def spawned(place):
    folder = place.path + "/spawned.hbdb"
    run_of_three(folder)
    child = log(0, 1)
    recv(child, -2, 0, -2)
    path = child.write(place.path + "/child")
    shutil.copy(path, folder + "/rank.0.4711.log")
    status, out, err = place.run("order", "0@4711:1", "0:1", "spawned")
    check("an event of a spawned process", status == 0 and first(out).startswith("0@4711:1 and 0:1 are concurrent"),
          (status, out, err))
    has("a spawned process in the cut", place.run("cone", "0@4711:1", "spawned")[1], "0@4711  end     0@4711:1")
    same("races beside it", place.run("races", "spawned")[0], 1)


def damage(place):
    """Whatever the bytes are, the commands end by themselves."""
    random.seed(20261121)
    folder = place.path + "/damaged.hbdb"
    shutil.copytree(place.path + "/three.hbdb", folder)
    bad = []
    for turn in range(60):
        name = "rank.%d.log" % random.randrange(3)
        data = bytearray(open(place.path + "/three.hbdb/" + name, "rb").read())
        for _ in range(random.randrange(1, 8)):
            unit = random.choice((0, 0, 1, 2, 3))
            data[unit * rawlog.UNIT + random.randrange(420 if unit else 110)] = random.choice((0, 1, 127, 128, 255,
                                                                                              random.randrange(256)))
        with open(folder + "/" + name, "wb") as f:
            f.write(data)
        for command in (["order", "0:1", "1:2"], ["cone", "1:1"], ["races", "--all"]):
            status = place.run(*command, "damaged")[0]
            if status not in (0, 1, 2, 3):
                bad.append((turn, command, status))
        shutil.copy(place.path + "/three.hbdb/" + name, folder)
    check("damaged logs never crash a command", not bad, bad)


def main():
    with lib.Place(libraries=False) as place:
        run_of_three(place.path + "/three.hbdb")
        for part in (orders, early_leaver, long_chain, cones, inside, races, choices, same_sender, only_same_sender, bad_events, bad_recordings, no_such_size,
                     without_one, cut_short, strangers, same_time, unfinished, spawned, damage):
            part(place)
    lib.finish()


main()
