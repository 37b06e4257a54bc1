#!/usr/bin/python3
"""detrek: the three published experiments as made traces, every bad input, its options, and random machines against an oracle.
run.py [SEEDS]."""
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "cli")]
import experiments  # noqa: E402
import lib  # noqa: E402
import machine  # noqa: E402
import oracle  # noqa: E402
from lib import check, has, same  # noqa: E402
from machine import Machine, Spec  # noqa: E402

DETREK = os.path.join(lib.BUILD, "detrek")
folder = tempfile.mkdtemp(prefix="hbdb-detrek-")


def detrek(*options, **more):
    done = subprocess.run([DETREK, *options], cwd=folder, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL,
        env=dict(os.environ, LC_ALL="C"), **more)
    return done.returncode, done.stdout, done.stderr


def write(name, text):
    with open(os.path.join(folder, name), "w", newline="") as f:
        f.write(text)


def given(spec, trace, *options):
    """detrek on these two files; spec may be text."""
    write("x.spf", spec if isinstance(spec, str) else spec.text())
    write("x.tvm", trace)
    return detrek("-p", "x", *options)


def table(out):
    """The rows under the head of the table; a run of tasks is each of them."""
    lines = [line.split() for line in out.splitlines()]
    if not lines or lines[0] != ["TASK", "SUBTASK", "NODE", "PROCESS"]:
        return None
    rows = set()
    for task, sub, node, process in lines[1:]:
        ends = [int(t) for t in task.split("-")]
        rows |= {(t, sub, int(node), process) for t in range(ends[0], ends[-1] + 1)}
    return rows


# ---- the experiments

def published():
    for name, (spec, events, rows) in experiments.all_of_them().items():
        status, out, err = given(spec, machine.trace(spec, events))
        same("%s: exit status" % name, status, 1)
        same("%s: the table" % name, table(out), rows)
        with open(os.path.join(folder, "x.bug")) as f:
            bugs = [line.split() for line in f]
        codes = {"Distributing": "2", "Collecting": "3"}
        same("%s: PREFIX.bug" % name, sorted(bugs), sorted([codes.get(p, "1"), str(t), str(n), p] for t, _, n, p in rows))
    lost = {e for e in experiments.second()[1] if e[0] in (2, 3) and e[3] > 450}
    kept = [e for e in experiments.second()[1] if e not in lost]
    status, out, err = given(experiments.second()[0], machine.trace(experiments.second()[0], kept))
    check("experiment 2 with events lost: said, not analysed", status == 3 and "events were lost" in err and not out, (status, out, err))


def speed():
    spec, events, rows = experiments.second()
    write("s.spf", spec.text())
    write("s.tvm", machine.trace(spec, events))
    began = time.monotonic()
    status, out, _ = detrek("-p", "s")
    took = time.monotonic() - began
    check("1000 tasks on 16 nodes, %d events: %.3f s, allowed 1 s" % (len(events), took), status == 1 and took < 1, took)
    spec = Spec(16, 2, 40000, 2, 5)
    text = []
    experiments.complete(spec, range(spec.tasks), lambda e: text.append(machine.line(spec, len(text), e)))
    write("m.spf", spec.text())
    write("m.tvm", "".join(text))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status, out, _ = detrek("-p", "m")
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before.ru_utime
    check("%d events: %.2f s of a processor, allowed 10 s" % (len(text), used), status == 0 and used < 10, (status, out, used))


# ---- random machines

def one_machine(seed, count):
    r = random.Random(seed)
    degree = r.choice([1, 2, 2, 3, 5])
    spec = Spec(r.randint(1, 20), r.choice([0, 1, 2, 3, 4]), r.randint(1, 12), degree, r.randint(1, 5) if degree > 1 else 1)
    crash = [(r.randrange(spec.tasks), None)] if r.random() < 0.5 else []
    hosts = r.random() < 0.5
    m = Machine(spec, seed, hosts=hosts, functions=hosts and r.random() < 0.6, pass_on=r.random() < 0.3, crash=crash, credits=r.randint(1, 3))
    m.run(r.choice([10 ** 9, r.randint(1, 300)]))
    events = m.events
    if r.random() < 0.25 and events:  # what each process has told ends anywhere
        keep = {n: r.randint(0, 40) for n in {e[0] for e in events} if r.random() < 0.4}
        events = [e for i, e in enumerate(events) if sum(x[0] == e[0] for x in events[:i]) < keep.get(e[0], len(events))]
    status, out, err = given(spec, machine.trace(spec, events, m.hosts or m.pass_on or r.random() < 0.3))
    try:
        wanted, missing = oracle.rows(spec, events)
    except oracle.Broken as e:
        count["broken"] += 1
        return status == 3 and "x.tvm:" in err, (seed, "broken: %s" % e, status, out, err)
    wanted |= {(t, "0" * (spec.depth - 1) if degree > 1 and spec.depth > 1 else "-", 0, "data_generator()") for t in missing}
    count["stopped" if wanted else "complete"] += 1
    found = table(out) if status == 1 else set()
    return found == wanted and status == (1 if wanted else 0), (seed, spec.text(), wanted, status, out, err)


def random_machines(seeds):
    count, bad = {"broken": 0, "stopped": 0, "complete": 0}, []
    for seed in range(seeds):
        good, why = one_machine(seed, count)
        if not good:
            bad.append(why)
    check("%d random machines: %s; each as the oracle says" % (seeds, count), not bad, "\n".join(map(str, bad[:3])))
    check("of each kind there are enough", min(count.values()) > seeds // 20, count)


# ---- bad input

BAD = [("8 2 100 2", "", "x.spf:1: TaskDepth is missing"), ("8 2 100 2 5 7", "", "x.spf:1: '7': nothing is expected after TaskDepth"),
    ("8 two 100 2 5", "", "x.spf:1: Topology: 'two' is not a number"), ("0 2 100 2 5", "", "NumProc must be"),
    ("8 2 -1 2 5", "", "NumTasks: '-1' is not a number"), ("8 2 100 0 5", "", "TaskDegree must be"), ("8 2 100 2 0", "", "TaskDepth must be"),
    ("8 2 100 2 66", "", "TaskDepth is too large"), ("8 2 100 65 2", "", "TaskDegree must be"), ("# nothing\n\n", "", "x.spf:1: NumProc is missing"),
    ("8 2 9 2 5", "x 0 recv 0 1 0\n", "x.tvm:1: Ptime: 'x' is not a time"), ("8 2 9 2 5", "# a comment\n\n1 9 recv 0 1 0\n", "x.tvm:3: Sid: there is no node 9"),
    ("8 2 9 2 5", "1 a recv 0 1 0\n", "Sid: 'a' is not a node"), ("8 2 9 2 5", "1 0 got 0 1 0\n", "Type: 'got' is not send or recv"),
    ("8 2 9 2 5", "1 0 send 8 1 0\n", "Did: there is no node 8"), ("8 2 9 2 5", "1 0 send 2 1 0\n", "Did: node 0 does not give tasks or results to node 2"),
    ("8 2 9 2 5", "1 1 recv 4 1 0\n", "wrong specification, or broken trace"), ("8 2 9 2 5", "1 3 recv 3 1 0\n", "Did: node 3 does not take"),
    ("8 2 9 2 5", "1 0 recv 0 x 0\n", "MainTid: 'x' is not a number"), ("8 2 9 2 5", "1 0 recv 0 1 g\n", "SubTid: 'g' is not a hexadecimal number"),
    ("8 2 9 2 5", "1 0 recv 0 1 1\n", "SubTid: between nodes 0 and 0 a task has been split at most 0 times"),
    ("8 2 9 2 5", "1 0 recv 0 1\n", "x.tvm:1: SubTid is missing"), ("8 2 9 2 5", "1 0 recv 0 1 0 0\n", "x.tvm:1: '0': nothing is expected after SubTid"),
    ("8 2 9 3 3", "1 1 send 2 1 c\n", "SubTid: a part with number 3, but TaskDegree is 3"), ("8 2 9 2 5", "5 0 recv 0 1 0\n4 0 send 1 1 0\n", "x.tvm:2: Ptime: time goes back on node 0"),
    ("8 2 9 2 5", "1 0 send 1 1 0\n", "x.tvm:1: node 0 gives task 1 (0000) to node 1: it does not have it"),
    ("8 2 9 2 5", "1 0 recv 0 1 0\n1 1 recv 0 1 0\n", "x.tvm:2: node 1 takes task 1 (0000) from node 0: the send is not in the trace"),
    ("8 2 9 2 5", "1 0 recv 0 1 0\n2 0 send 1 1 0\n3 0 send 1 1 0\n", "x.tvm:3: node 0 gives task 1 (0000) to node 1: a second time"),
    ("8 2 9 2 5", "1 0 send 1 1 0\n2 0 recv 0 1 0\n", "it does not have it yet"),
    ("8 2 9 2 5", "1 -1 recv -1 1 0\n1 0 recv 0 1 0\n", "x.tvm:2: Did: node 0 does not take tasks or results from node 0"),
    ("2 1 9 2 5", "1 0 recv 0 1 0\n2 0 send 1 1 0\n3 0 send 0 1 0\n4 1 recv 0 1 0\n", "x.tvm:3: node 0 gives the result of task 1 (0000) to node 0: it does not have the results of all parts"),
    ("2 1 9 1 1", "1 0 recv 0 1 0\n2 0 send 1 1 0\n3 1 recv 0 2 0\n4 1 recv 0 1 0\n5 1 send 0 1 0\n6 0 recv 1 1 0\n7 0 recv 0 2 0\n8 0 send 1 2 0\n", "no order of the events is possible")]


def bad_input():
    for spec, trace, words in BAD:
        status, out, err = given(spec + "\n", trace)
        check("bad: %s" % words, status == 3 and words in err and not out and len(err.splitlines()) == 1, (status, out, err))
    check("no file", detrek("-p", "none")[0] == 3 and "none.spf: No such file" in detrek("-p", "none")[2])
    for args in ((), ("-x",), ("-p",), ("-p", "x", "more")):
        status, out, err = detrek(*args)
        check("usage: %s" % (args,), status == 2 and "usage: detrek" in err and not out, (status, err))
    status, out, err = given("1 1 1 1 1\n", "1 \x1b[31m recv 0 1 0\n")
    check("what a terminal would obey is written out", status == 3 and "\x1b" not in err and "\\x1b" in err, err)
    write("x.spf", "1 1 1 1 1\n")
    os.makedirs(folder + "/x.bug.d/y.bug")
    write("x.bug.d/y.spf", "1 1 1 1 1\n")
    write("x.bug.d/y.tvm", "1 0 recv 0 0 0\n")
    status, out, err = detrek("-p", "x.bug.d/y")
    check("PREFIX.bug cannot be written: said", status == 3 and "cannot write x.bug.d/y.bug" in err, err)


def cut():
    spec, events, rows = experiments.first()
    whole = machine.trace(spec, events)
    lines = whole.splitlines(keepends=True)
    for left in (1, 4, len(lines[-1]) - 1):
        text = whole[:-len(lines[-1]) + left]
        status, out, err = given(spec, text)
        check("cut in its last line after %d: said" % left, "x.tvm:%d: the last line is cut off" % len(lines) in err, err)
        same("and analysed up to there", table(out), table(given(spec, "".join(lines[:-1]))[1]))
    same("not cut: nothing is said of it", given(spec, whole)[2].count("cut"), 0)


# ---- generation, options

def generation():
    spec = Spec(1, 1, 5, 1, 1)
    done = lambda task: "0 0 recv -1 %d 0\n0 0 send -2 %d 0\n" % (task, task)
    for what, trace, rows, words, code in (
            ("none is missing", "".join(map(done, range(5))), None, "", None), ("too few", "".join(map(done, range(3))), {3, 4}, "task 3-4 were not generated", "4"),
            ("one is missing", "".join(map(done, (0, 1, 3, 4))), {2}, "task 2 was not generated", "4"), ("twice", "".join(map(done, (0, 1, 2, 3, 1, 4))), {1}, "task 1 was generated twice", "5"),
            ("wrong number", "".join(map(done, (0, 1, 2, 3, 4, 5))), {5}, "task 5 is a number that no task has", "6"), ("below 0", "".join(map(done, (-1, 0, 1, 2, 3, 4))), {-1}, "task -1 is a number", "6")):
        status, out, err = given(spec, trace)
        if rows is None:
            check(what, (status, out, err) == (0, "no errors: 5 tasks, each complete\n", ""), (status, out, err))
            continue
        lines = [line.split() for line in out.splitlines()[1:]]
        check("generation: %s" % what, status == 1 and all(line[1:] == ["-", "0", "data_generator()"] for line in lines) and len(lines) == 1, (status, out))
        has("generation: %s: in words" % what, err, words)
        with open(folder + "/x.bug") as f:
            same("generation: %s: its number" % what, f.read(), "%s %d 0 data_generator()\n" % (code, min(rows)))
    status, out, err = given(spec, done(0) + "0 0 recv -1 1 0\n")
    check("those behind where all stopped are no errors", "task 2 and all after it were not generated" in err and len(out.splitlines()) == 2, (out, err))


def large():
    """A specification of far more than there is costs nothing."""
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    status, out, err = given("1048576 1 2147483647 2 5\n", "0 0 recv 0 2147483646 0\n0 0 send 1 2147483646 0\n0 0 recv 0 2000000000 0\n")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    check("two billion tasks, a million nodes, three events", status == 1 and peak < max(began, 300000) and
        [line.split() for line in out.splitlines()[1:]] == [["0-1999999999", "0000", "0", "data_generator()"], ["2000000000", "0000", "0", "data_generator()"],
            ["2000000001-2147483645", "0000", "0", "data_generator()"], ["2147483646", "0000", "1", "Distributing"]], (status, out, err, peak))


def options():
    spec, events, _ = experiments.first()
    status, out, err = given(spec, machine.trace(spec, events), "-c")
    check("-c: nothing to say", (status, out, err) == (0, "", ""), (status, out, err))
    status, out, err = given(spec, machine.trace(spec, events), "-v")
    for words in ("x.spf: binary tree of 8 processors", "x.tvm: %d events of 54 tasks" % len(events), "an order of all events is possible", "49 tasks are complete, 5 are not", "comp_fn() after x.tvm:", "task 49: split 0000 at node 2 has 3 of 3 events",
            "task 49: split or compute 0110 at node 7 has 1 of 2 events"):
        has("-v: %s" % words, err, words)
    status, out, err = given(spec, machine.trace(spec, events), "-o")
    check("-o: an event a line", status == 0 and len(out.splitlines()) == len(events), (status, err))
    check("-o: the stamps are vector clocks, in an order that was possible", stamps_of(spec, events, out))
    status, out, err = detrek("-h")
    check("-h", status == 0 and out.startswith("usage: detrek") and not err, (status, out, err))


def stamps_of(spec, events, out):
    """Vector clocks by their definition, against what -o prints, and whether what happened before stands before."""
    index = lambda node: node if node >= 0 else spec.processors - 1 - node
    size = spec.processors + 2 * any(e[0] < 0 or e[2] <= machine.COMP_FN for e in events)
    clocks, sent, wanted = {}, {}, {}
    for node, kind, other, task, sub in events:
        clock = clocks.setdefault(node, [0] * size)
        clock[index(node)] += 1
        passes = (other >= 0 or size > spec.processors) and other > machine.COMP_FN and other != node
        if kind == "recv" and passes:
            clock[:] = map(max, clock, sent[other, node, task, sub])
        elif passes:
            sent[node, other, task, sub] = list(clock)
        wanted[node, clock[index(node)]] = ",".join(map(str, clock))
    found, last, order = {}, [0] * size, True
    for line in out.splitlines():
        fields = line.split()
        at, clock = index(int(fields[1])), [int(c) for c in fields[6].split(",")]
        order = order and clock[at] == last[at] + 1 and all(c <= last[n] for n, c in enumerate(clock) if n != at)
        last[at] = clock[at]
        found[int(fields[1]), clock[at]] = fields[6]
    return found == wanted and order


def stamps():
    wrong = []
    for seed in range(30):
        r = random.Random(seed)
        spec = Spec(r.randint(1, 20), r.choice([0, 1, 2, 3]), r.randint(1, 12), 2, r.randint(1, 5))
        events = Machine(spec, seed, hosts=seed % 3 > 0, functions=seed % 3 > 1).run(r.randint(1, 400)).events
        status, out, err = given(spec, machine.trace(spec, events, seed % 3 > 0), "-o")
        if status or not stamps_of(spec, events, out):
            wrong.append((seed, status, err))
    check("-o: of 30 random machines each stamp is the vector clock, and what happened before stands before", not wrong, wrong)


def forms():
    """What is accepted: blank lines, comments, other words for the types, times with fractions, CR LF."""
    spec = "# of a farm\n2 1\t1 1 1 # no more\r\n"
    trace = "# comment\r\n\r\n0.5 0 RECV 0 0 0x0\r\n 1 0 s 1 0 0 \r\n2\t1 receive 0 0 00\r\n3 1 sent 0 0 0/0\r\n3.25 0 r 1 0 0\r\n4 0 send -1 0 0\r\n"
    status, out, err = given(spec, trace)
    check("what is accepted", (status, err) == (0, ""), (status, out, err))
    has("times keep their fraction", given(spec, trace, "-o")[1], "0.500 0 recv", "3.250 0 recv", "\n4 0 send")


def main():
    try:
        published()
        bad_input()
        cut()
        generation()
        options()
        stamps()
        large()
        forms()
        random_machines(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
        speed()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    lib.finish()


main()
