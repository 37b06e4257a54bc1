#!/usr/bin/python3
"""hbdb export --to tvm: histories of machine.py, said event by event by an MPI program as the farm library says them, recorded, exported,
and compared with what was said."""
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "cli")]
import lib  # noqa: E402
import oracle  # noqa: E402
from lib import HBDB, TOP, check, has, same  # noqa: E402
from machine import COMP_FN, GENERATOR, JOIN_FN, RECEIVER, SPLIT_FN, Machine, Spec  # noqa: E402

DETREK = os.path.join(lib.BUILD, "detrek")
LAUNCH = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1"], "mpich": ["mpirun.mpich"]}
TOPOLOGY = {0: "star", 1: "chain", 2: "binary", 3: "ternary"}
folder = tempfile.mkdtemp(prefix="hbdb-detrek-export-")


def run(*command):
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, XDG_STATE_HOME=folder + "/state", LC_ALL="C"), capture_output=True, text=True,
        timeout=600, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def said(event):
    """The lines of said.c for an event of a history."""
    node, kind, other, task, sub = event
    sub = sub or "-"
    one = lambda *words: [" ".join(map(str, words))]
    if node == GENERATOR:
        return one("begin generate", task, "-") if kind == "recv" else one("end generate", task, "- 8") + one("event task_sent", task, "- 0")
    if node == RECEIVER:
        return one("event result_received", task, "- 0") + one("begin receive", task, "-") if kind == "recv" else one("end receive", task, "- 8")
    if other == COMP_FN:
        return one("begin compute", task, sub) if kind == "send" else one("end compute", task, sub, 8)
    if other == SPLIT_FN:
        return one("begin split", task, sub) if kind == "send" else one("end split", task, sub, 16)
    if other == JOIN_FN:
        return one("begin join", task, sub) + one("end join", task, sub, 8)
    down = kind == "send" and other > node or kind == "recv" and (other == GENERATOR or 0 <= other < node)
    return one("event", ("task_" if down else "result_") + ("sent" if kind == "send" else "received"), task, sub, other)


def scripts(spec, events, one_host=False, last_span=True, tasks=True, topology=None):
    """By rank: 0 the generator, 1 the receiver, 2... the nodes; with one host the ranks are the nodes."""
    rank_of = lambda node: max(node, 0) if one_host else node + 2 if node >= 0 else -1 - node
    ranks = [[] for _ in range(spec.processors + (0 if one_host else 2))]
    for node in range(0 if one_host else RECEIVER, spec.processors):
        role = {GENERATOR: "generator", RECEIVER: "receiver"}.get(node, "node")
        ranks[rank_of(node)].append("farm %d %d %s %d %d %d %s" % (node, spec.processors, topology or TOPOLOGY.get(spec.topology, "tree_%d" % spec.topology),
                spec.degree, spec.depth - 1, spec.tasks if tasks else -1, role))
    for event in events:
        ranks[rank_of(event[0])] += said(event)
    if last_span:
        ranks[rank_of(GENERATOR)] += ["begin generate %d -" % spec.tasks, "end generate %d - -1" % spec.tasks]
    return ranks


def record(name, ranks, mpi="openmpi"):
    for i, lines in enumerate(ranks):
        with open("%s/said.%d" % (folder, i), "w") as f:
            f.write("\n".join(lines) + "\n")
    return run(HBDB, "record", "-o", name + ".hbdb", "--", *LAUNCH[mpi], "-n", str(len(ranks)), "./said-" + mpi, folder)


def lines_of(spec, path):
    """The trace by node, as a history has it."""
    by = {}
    with open(path) as f:
        for line in f:
            _, node, kind, other, task, sub = line.split()
            value, length = sub.split("/")
            digits = "".join(str(int(value, 16) >> i * spec.bits & (1 << spec.bits) - 1) for i in range(int(length)))
            by.setdefault(int(node), []).append((int(node), kind, int(other), int(task), digits))
    return by


def by_node(events):
    by = {}
    for event in events:
        by.setdefault(event[0], []).append(event)
    return by


def table(spec, events, name):
    """What detrek says of the exported files is what the oracle says of the history."""
    rows, missing = oracle.rows(spec, events)
    rows |= {(t, spec.shown("") if spec.degree == 1 else "0" * (spec.depth - 1), 0, "data_generator()") for t in missing}
    status, out, err = run(DETREK, "-p", name)
    found = set()
    for line in out.splitlines()[1:] if status == 1 else ():
        task, sub, node, process = line.split()
        ends = [int(t) for t in task.split("-")]
        found |= {(t, sub, int(node), process) for t in range(ends[0], ends[-1] + 1)}
    check("%s: detrek finds what was said (%d rows)" % (name, len(rows)), found == rows and status == (1 if rows else 0), (found ^ rows, status, err))


def one_history(seed, mpi="openmpi", **how):
    r = random.Random(seed)
    degree = r.choice([1, 2, 3])
    spec = Spec(r.randint(1, 6) if mpi == "openmpi" else 2, r.choice([0, 1, 2, 3, 4]), r.randint(3, 12), degree, r.randint(2, 5) if degree > 1 else 1)
    steps = r.choice([10 ** 9, r.randint(20, 200)])
    m = Machine(spec, seed, hosts=True, functions=True, pass_on=degree > 1 and r.random() < 0.5).run(steps)
    name = "%s-%d%s" % (mpi, seed, "-one" if how.get("one_host") else "")
    # a generator that stands inside of its function has a span that does not end
    stands = any(e[:2] == (GENERATOR, "recv") for e in m.events) and [e for e in m.events if e[0] == GENERATOR][-1][1] == "recv"
    status, _, err = record(name, scripts(spec, m.events, last_span=not stands, **how), mpi)
    check("%s: recorded" % name, status == 0, err)
    status, out, err = run(HBDB, "export", "--to", "tvm", name)
    check("%s: exported" % name, status == 0 and not out and "wrote %s.spf" % name in err and "wrote %s.tvm" % name in err, (status, err))
    with open("%s/%s.spf" % (folder, name)) as f:
        same("%s: specification" % name, f.read(), spec.text())
    same("%s: %d lines, as they were said" % (name, len(m.events)), lines_of(spec, "%s/%s.tvm" % (folder, name)), by_node(m.events))
    table(spec, m.events, name)


def died():
    """A node that is killed while it computes, and a specification without a number of tasks."""
    spec = Spec(2, 1, 2, 1, 1)
    events = [(GENERATOR, "recv", GENERATOR, 0, ""), (GENERATOR, "send", 0, 0, ""), (0, "recv", GENERATOR, 0, ""), (0, "send", 1, 0, ""),
        (1, "recv", 0, 0, ""), (1, "send", COMP_FN, 0, "")]
    ranks = scripts(spec, events, last_span=False, tasks=False)
    ranks[3].append("die")
    record("died", ranks)
    run(HBDB, "export", "--to", "tvm", "died")
    same("a node that died: its lines are there", lines_of(spec, folder + "/died.tvm").get(1), [e for e in events if e[0] == 1])
    status, out, _ = run(DETREK, "-p", "died")
    same("a node that died: where", (status, [line.split() for line in out.splitlines()[1:]]), (1, [["0", "-", "1", "comp_fn()"]]))


def repaired():
    """A farm that goes on: node 1 hands what node 3 had to node 2, another time to node 7, which was node 3's child. What follows is not in the trace."""
    spec = Spec(8, 2, 6, 2, 4)
    tried = 0
    for seed in range(40):
        events = Machine(spec, seed, hosts=True, functions=True).run(90).events
        lost = [(t, s) for n, k, o, t, s in events if (n, k, o) == (1, "send", 3) and (3, "send", 1, t, s) not in events]
        if not lost or events[-1][0] == GENERATOR:
            continue
        tried += 1
        other, part = (2, 7)[tried % 2], lost[0]
        after = [(1, "send", other, *part), (other, "recv", 1, *part), (other, "send", COMP_FN, *part), (other, "recv", COMP_FN, *part),
            (other, "send", 1, *part), (1, "recv", other, *part), (1, "send", 0, *part), (0, "recv", 1, *part)]
        name = "repaired-%d" % seed
        record(name, scripts(spec, events + after, last_span=False))
        status, _, err = run(HBDB, "export", "--to", "tvm", name)
        has("%s: said" % name, err, "the trace ends where that begins, %d of %d lines are left out" % (len(after), len(events) + len(after)))
        same("%s: the history before" % name, lines_of(spec, "%s/%s.tvm" % (folder, name)), by_node(events))
        if tried == 2:
            return
    check("there were two such histories", False, tried)


def refusals():
    spec = Spec(1, 1, 1, 1, 1)
    events = [(GENERATOR, "recv", GENERATOR, 0, ""), (GENERATOR, "send", 0, 0, "")]
    record("none", [["bare task_sent"]])
    status, _, err = run(HBDB, "export", "--to", "tvm", "none")
    check("a program that is no farm: said", status == 2 and "has no event 'farm'" in err and not os.path.exists(folder + "/none.tvm"), (status, err))
    ranks = scripts(spec, events)
    ranks[2] += ["bare task_sent", "event task_received 0 9 -1", ranks[2][0], "event task_received 0 - -1"]
    record("odd", ranks)
    status, _, err = run(HBDB, "export", "--to", "tvm", "odd")
    has("events that are not the library's, and a second farm: said", err, "2 events have names", "rank 2 ran several farms: only the first is written")
    same("and the rest is written", (status, lines_of(spec, folder + "/odd.tvm")), (0, by_node(events)))
    status, _, err = run(HBDB, "export", "--to", "tvm", "odd")
    check("what is there is kept", status == 2 and "--force" in err, err)
    status, _, err = run(HBDB, "export", "--to", "tvm", "odd", "-o", "-")
    check("not to standard output", status == 2 and "standard output" in err, err)
    status, _, err = run(HBDB, "export", "--to", "tvm", "odd", "-o", "other.tvm")
    check("-o is the prefix", status == 0 and os.path.exists(folder + "/other.spf") and os.path.exists(folder + "/other.tvm"), err)
    record("ring", scripts(spec, events, topology="ring"))
    status, _, err = run(HBDB, "export", "--to", "tvm", "ring")
    check("a topology that no specification has: said", status == 3 and "'ring'" in err and not os.path.exists(folder + "/ring.spf"), (status, err))


def main():
    try:
        for mpi in LAUNCH:
            subprocess.run(["mpicc." + mpi, "-g", "-I" + TOP + "/include", "-o", folder + "/said-" + mpi, HERE + "/said.c"], check=True)
        for seed in range(1, 7):
            one_history(seed)
        for seed in (7, 8):
            one_history(seed, one_host=True)
        one_history(9, mpi="mpich")
        died()
        repaired()
        refusals()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    lib.finish()


main()
