#!/usr/bin/python3
"""Writes a program for each function and each error that it can be called with into build/tests/corpus/generated,
in the format of the corpus: run.py --folder runs them. For a longer run by hand; not part of the suite.
"""
import argparse
import os

import made_calls
import made_messages
import made_onesided
import made_others
import made_races
import programs
from shapes import Shapes

AFTER = "HB-CALL-FAILED HB-FINALIZE-MISSING HB-CRASH HB-HANG HB-HANG-POLL HB-DEADLOCK-ORPHAN " \
        "HB-DEADLOCK-CYCLE HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING HB-LEAK-COMM HB-LEAK-WIN"
HEAD = """#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

static int a[64], b[64];

int main(int argc, char **argv)
{
	int rank, size, other, left = 0;
	MPI_Comm comm = MPI_COMM_WORLD, copy;
	MPI_Datatype type = MPI_INT, raw;
	MPI_Request request = MPI_REQUEST_NULL;
	static char space[4096];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	other = 1 - rank;
	MPI_Comm_dup(comm, &copy);
	MPI_Type_contiguous(1, MPI_INT, &raw);
	MPI_Buffer_attach(space, sizeof space);
"""
TAIL = """	MPI_Type_free(&raw);
	MPI_Comm_free(&copy);
	void *detached;
	MPI_Buffer_detach(&detached, &left);
	MPI_Finalize();
	return 0;
}
"""
# what a wrong argument looks like, and what it must be called
BAD = {
    "count": [("negative", "-1", "HB-ARG-COUNT")],
    "buf": [("null", "NULL", "HB-ARG-BUFFER")],
    "type": [("null", "MPI_DATATYPE_NULL", "HB-ARG-TYPE"), ("uncommitted", "raw", "HB-ARG-UNCOMMITTED")],
    "rank": [("high", "size", "HB-ARG-RANK"), ("negative", "-99", "HB-ARG-RANK")],
    "tag": [("negative", "-99", "HB-ARG-TAG")],
    "comm": [("null", "MPI_COMM_NULL", "HB-ARG-COMM")],
    "op": [("null", "MPI_OP_NULL", "HB-ARG-OP")],
    "root": [("high", "size", "HB-ARG-ROOT|HB-ARG-RANK"), ("negative", "-99", "HB-ARG-ROOT|HB-ARG-RANK")],
}
MESSAGE = [("buf", "a"), ("count", "1"), ("type", "type"), ("rank", "other"), ("tag", "3"), ("comm", "comm")]
SENDS = ["Send", "Ssend", "Bsend", "Isend", "Issend", "Ibsend", "Send_init", "Ssend_init", "Bsend_init"]
RECEIVES = ["Recv", "Irecv", "Recv_init"]
TWO = [("buf", "a"), ("buf2", "b"), ("count", "4"), ("type", "type"), ("op", "MPI_SUM")]
PIECES = [("buf", "a"), ("count", "4"), ("type", "type"), ("buf2", "b"), ("count2", "4"), ("type2", "type")]
ROOT, COMM = [("root", "0")], [("comm", "comm")]
COLLECTIVES = {
    "Bcast": [("buf", "a"), ("count", "4"), ("type", "type")] + ROOT + COMM,
    "Reduce": TWO + ROOT + COMM, "Allreduce": TWO + COMM, "Scan": TWO + COMM, "Exscan": TWO + COMM,
    "Reduce_scatter_block": TWO + COMM, "Gather": PIECES + ROOT + COMM, "Scatter": PIECES + ROOT + COMM,
    "Allgather": PIECES + COMM, "Alltoall": PIECES + COMM, "Barrier": COMM,
}
TARGET = [("count2", "1"), ("type2", "MPI_INT")]
ACCESS = [("buf", "a"), ("count", "1"), ("type", "MPI_INT"), ("rank", "1"), ("disp", "0")] + TARGET
ACCESSES = {
    "Put": ACCESS + [("win", "win")], "Get": ACCESS + [("win", "win")],
    "Accumulate": ACCESS + [("op", "MPI_SUM"), ("win", "win")],
    "Get_accumulate": ACCESS[:3] + [("result", "b"), ("rcount", "1"), ("rtype", "MPI_INT")] + ACCESS[3:]
    + [("op", "MPI_SUM"), ("win", "win")],
    "Fetch_and_op": [("buf", "a"), ("result", "b"), ("type", "MPI_INT"), ("rank", "1"), ("disp", "0"), ("op", "MPI_SUM"),
                     ("win", "win")],
}
EPOCHS = {
    "fence": ("\tMPI_Win_fence(0, win);\n", "\tMPI_Win_fence(0, win);\n"),
    "lock": ("\tif (rank == 0)\n\t\tMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);\n", "\tif (rank == 0)\n\t\tMPI_Win_unlock(1, win);\n"),
    "lockall": ("\tMPI_Win_lock_all(0, win);\n", "\tMPI_Win_unlock_all(win);\n"),
}


class Writer:
    def __init__(self, folder):
        self.folder, self.n = folder, 0

    def put(self, category, name, body, expect=None, mpi=None, more=""):
        kind = "wrong" if expect else "right"
        where = os.path.join(self.folder, category, kind)
        os.makedirs(where, exist_ok=True)
        lines = (["expect: " + expect, "also: " + AFTER + " " + more] if expect else []) + (["mpi: " + mpi] if mpi else [])
        with open(os.path.join(where, name.lower() + ".c"), "w", encoding="utf-8") as f:
            f.write("/* " + "\n * ".join(lines + ["why: made by generate.py"]) + " */\n" + HEAD + body + TAIL)
        self.n += 1


def call(function, arguments, **changed):
    """The lines of a call, with its start, up to the completion, which stands at %s."""
    values = [changed.get(name, value) for name, value in arguments]
    started = function.endswith("_init")
    if function[0] == "I" or started:
        values += (["MPI_INFO_NULL"] if started and function[:-5] in COLLECTIVES else []) + ["&request"]
    return "MPI_%s(%s);" % (function, ", ".join(values))


def ending(function, without=()):
    """(start, completion, freeing) of a call."""
    persistent = function.endswith("_init")
    start = "MPI_Start(&request); " if persistent and "start" not in without else ""
    wait = "MPI_Wait(&request, MPI_STATUS_IGNORE); " if (persistent or function[0] == "I") and "wait" not in without else ""
    free = "MPI_Request_free(&request); " if persistent and "free" not in without else ""
    return start, wait, free


def whole(function, arguments, without=(), touch="", **changed):
    start, wait, free = ending(function, without)
    return call(function, arguments, **changed) + " " + start + touch + wait + free


def receive(function, **changed):
    """Of a receive MPI_STATUS_IGNORE is the last argument of the blocking one."""
    text = whole(function, MESSAGE, **changed)
    return text.replace("MPI_Recv(" + text.split("(", 1)[1].split(")")[0], "MPI_Recv(" + text.split("(", 1)[1].split(")")[0]
                        + ", MPI_STATUS_IGNORE", 1) if function == "Recv" else text


def pair(sender, receiver):
    return "\tif (rank == 0) {\n\t\t%s\n\t} else {\n\t\t%s\n\t}\n" % (sender, receiver)


def messages(out):
    for send in SENDS:
        right = pair(whole(send, MESSAGE), receive("Recv"))
        out.put("messages", send, right)
        for name, bad in BAD.items():
            for word, value, expect in bad if name in dict(MESSAGE) else ():
                out.put("arguments", "%s_%s_%s" % (send, name, word),
                        pair(whole(send, MESSAGE, **{name: value}), receive("Recv")), expect)
        out.put("messages", send + "_type", pair(whole(send, MESSAGE, type="MPI_FLOAT"), receive("Recv")), "HB-MESSAGE-TYPE")
        out.put("messages", send + "_truncated", pair(whole(send, MESSAGE, count="8"), receive("Recv")), "HB-MESSAGE-TRUNCATED")
        out.put("messages", send + "_tag", pair(whole(send, MESSAGE, tag="4"), receive("Recv")),
                "HB-MESSAGE-LOST|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE|HB-MESSAGE-MISSING")
        out.put("messages", send + "_comm", pair(whole(send, MESSAGE, comm="copy"), receive("Recv")),
                "HB-MESSAGE-LOST|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE|HB-MESSAGE-MISSING")
        out.put("messages", send + "_alone", pair(whole(send, MESSAGE), ""),
                "HB-MESSAGE-LOST|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE")
        requests(out, send, lambda **k: pair(whole(send, MESSAGE, **k), receive("Recv")), "HB-BUFFER-WRITTEN")
    for function in RECEIVES:
        out.put("messages", function, pair(whole("Send", MESSAGE), receive(function)))
        for name, bad in BAD.items():
            for word, value, expect in bad if name in dict(MESSAGE) else ():
                out.put("arguments", "%s_%s_%s" % (function, name, word),
                        pair(whole("Send", MESSAGE), receive(function, **{name: value})), expect)
        both = "\t%s\n\t%s\n" % (receive(function), whole("Send", MESSAGE))
        out.put("deadlock", function + "_both", both, "HB-DEADLOCK-CYCLE")
        out.put("deadlock", function + "_nobody", pair("", receive(function)), "HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE")
        requests(out, function, lambda **k: pair(whole("Send", MESSAGE), receive(function, **k)), "HB-BUFFER-TOUCHED|HB-BUFFER-WRITTEN")


def requests(out, function, make, touched, mpi=None):
    """What goes wrong with the request of a call."""
    persistent = function.endswith("_init")
    if function[0] != "I" and not persistent:
        return
    out.put("lifecycle", function + "_no_wait", make(without=("wait", "free")), "HB-LEAK-REQUEST|HB-FINALIZE-PENDING|HB-REQUEST-ACTIVE", mpi,
            "HB-REQUEST-ACTIVE")
    out.put("lifecycle", function + "_touched", make(touch="a[0] = 9; "), touched, mpi, "HB-BUFFER-TOUCHED HB-BUFFER-WRITTEN")
    if persistent:
        out.put("lifecycle", function + "_no_start", make(without=("start",)), "HB-REQUEST-INACTIVE", mpi,
                "HB-COLLECTIVE-MISSING")
        out.put("lifecycle", function + "_no_free", make(without=("free",)), "HB-LEAK-REQUEST|HB-LEAK-PERSISTENT", mpi)


def collectives(out):
    for base, arguments in COLLECTIVES.items():
        for function in (base, "I" + base.lower(), base + "_init"):
            mpi = "mpich" if function.endswith("_init") else None
            collective(out, base, function, arguments, mpi)


def collective(out, base, function, arguments, mpi):
    after = "HB-COLLECTIVE-MISSING HB-COLLECTIVE-CALL HB-COLLECTIVE-COUNT HB-COLLECTIVE-TYPE HB-COLLECTIVE-OP HB-COLLECTIVE-ROOT " \
            "HB-MESSAGE-TRUNCATED"

    def all_do(**changed):
        return "\t%s\n" % whole(function, arguments, **changed)

    out.put("collectives", function, all_do(), None, mpi)
    names = dict(arguments)
    for name, bad in BAD.items():
        for word, value, expect in bad if name in names else ():
            out.put("arguments", "%s_%s_%s" % (function, name, word), all_do(**{name: value}), expect, mpi, after)
    if "root" in names:
        out.put("collectives", function + "_root", all_do(root="rank"), "HB-COLLECTIVE-ROOT", mpi, after)
    if "op" in names:
        out.put("collectives", function + "_op", all_do(op="rank ? MPI_MAX : MPI_SUM"), "HB-COLLECTIVE-OP", mpi, after)
    if "type" in names:
        types = {name: "rank ? MPI_FLOAT : MPI_INT" for name in ("type", "type2") if name in names}
        out.put("collectives", function + "_type", all_do(**types), "HB-COLLECTIVE-TYPE", mpi, after)
        counts = {name: "rank ? 2 : 4" for name in ("count", "count2") if name in names}
        out.put("collectives", function + "_count", all_do(**counts), "HB-COLLECTIVE-COUNT", mpi, after)
    if "buf2" in names and base not in ("Gather", "Scatter"):
        out.put("arguments", function + "_alias", all_do(buf2="a"), "HB-ARG-ALIAS", mpi, after + " HB-BUFFER-OVERLAP")
    other = whole({"I": "Ibarrier", "t": "Barrier_init"}.get(function[0] if function[0] == "I" else function[-1]
                                                            if function.endswith("_init") else "", "Barrier"), COMM) \
        if base != "Barrier" else whole("Bcast" if function == base else "Ibcast", COLLECTIVES["Bcast"])
    out.put("collectives", function + "_other", pair(whole(function, arguments), other), "HB-COLLECTIVE-CALL", mpi, after)
    out.put("collectives", function + "_missing", pair(whole(function, arguments), ""),
            "HB-COLLECTIVE-MISSING|HB-COLLECTIVE-CALL|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE", mpi, after)
    if base != "Barrier":
        requests(out, function, lambda **k: all_do(**k), "HB-BUFFER-WRITTEN|HB-BUFFER-TOUCHED", mpi)


WINDOW = "\tint *memory;\n\tMPI_Win win;\n\tMPI_Win_allocate(64, 4, MPI_INFO_NULL, comm, &memory, &win);\n"


def onesided(out):
    race = {"Put": "Get", "Get": "Put", "Accumulate": "Put", "Get_accumulate": "Put", "Fetch_and_op": "Put"}
    for sync, (begin, end) in EPOCHS.items():
        for function, arguments in ACCESSES.items():
            def program(before=begin, after=end, twice="", **changed):
                return WINDOW + before + "\tif (rank == 0) {\n\t\t%s%s\n\t}\n" % (call(function, arguments, **changed), twice) \
                    + after + "\tMPI_Win_free(&win);\n"
            name = "%s_%s" % (sync, function)
            also = "HB-RMA-EPOCH-NONE HB-RMA-EPOCH-OPEN HB-RMA-EPOCH-END HB-RMA-EPOCH-TWICE HB-RMA-RANGE HB-RMA-TYPE"
            out.put("onesided", name, program())
            out.put("onesided", name + "_no_begin", program(before=""), "HB-RMA-EPOCH-NONE|HB-RMA-EPOCH-END|HB-RMA-EPOCH-OPEN", None, also)
            out.put("onesided", name + "_no_end", program(after=""), "HB-RMA-EPOCH-OPEN", None, also)
            out.put("onesided", name + "_no_epoch", program(before="", after=""), "HB-RMA-EPOCH-NONE", None, also)
            if sync != "fence":
                out.put("onesided", name + "_twice", program(before=begin + begin), "HB-RMA-EPOCH-TWICE", None, also)
            out.put("onesided", name + "_race", program(twice=call(race[function], ACCESSES[race[function]], buf="b + 8")),
                    "HB-RMA-RACE", None, also)
            out.put("onesided", name + "_touched", program(twice=" a[0] = b[0] = 9;"), "HB-RMA-LOCAL|HB-BUFFER-WRITTEN|HB-BUFFER-TOUCHED",
                    None, also)
            out.put("onesided", name + "_range", program(disp="16"), "HB-RMA-RANGE", None, also)
            for argument, word, value, expect in (("rank", "high", "size", "HB-ARG-RANK"), ("count", "negative", "-1", "HB-ARG-COUNT"),
                                                  ("type", "null", "MPI_DATATYPE_NULL", "HB-ARG-TYPE"),
                                                  ("buf", "null", "NULL", "HB-ARG-BUFFER"), ("win", "null", "MPI_WIN_NULL", "HB-ARG-WIN")):
                if argument in dict(arguments):
                    out.put("arguments", "%s_%s_%s" % (name, argument, word), program(**{argument: value}), expect, None, also)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default=os.path.join(programs.BUILT, "generated"))
    out = Writer(parser.parse_args().folder)
    messages(out)
    collectives(out)
    onesided(out)
    shapes = Shapes(out.folder)
    for made in (made_messages, made_others, made_races, made_calls, made_onesided):
        made.put(shapes)
    print("%d programs in %s" % (out.n + shapes.n, out.folder))


if __name__ == "__main__":
    main()
