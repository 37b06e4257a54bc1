"""What the events of a farm in a recording must be, task by task, whatever the tree and however the tasks went."""
import collections
import json

SPANS = ("generate", "split", "compute", "join", "receive")


class Task:
    """A task or subtask: what was said of it, by (event, node that said it, neighbour)."""

    def __init__(self):
        self.sent, self.received = collections.Counter(), collections.Counter()
        self.results_sent, self.results_received = collections.Counter(), collections.Counter()
        self.begun, self.ended = collections.Counter(), collections.Counter()


def gather(text):
    """{(task, sub): Task}, and where each process said it is."""
    tasks, node = collections.defaultdict(Task), {}
    events = [json.loads(line) for line in text.splitlines()]
    for e in events:
        if e["function"] == "farm":
            node[e["rank"]] = e["arguments"]["node"]
    for e in events:
        name, values = e["function"], e.get("arguments", {})
        if name in SPANS:
            t = tasks[values["task"], values["sub"]]
            (t.begun if e["class"] == "begin" else t.ended)[name, node[e["rank"]], values.get("bytes") if values.get("bytes") == -1 else 0] += 1
        elif name in ("task_sent", "task_received", "result_sent", "result_received"):
            t = tasks[values["task"], values["sub"]]
            here, there = node[e["rank"]], values["node"]
            # with generator and receiver in the process of node 0, node 0 says what they do
            if there == 0 and here == 0:
                here = -1 if name.startswith("task") else -2
            which = {"task_sent": t.sent, "task_received": t.received, "result_sent": t.results_sent, "result_received": t.results_received}[name]
            which[(here, there) if name.endswith("sent") else (there, here)] += 1
    return tasks, node


def of_task(name, t):
    """What is wrong with one (task, sub)."""
    if t.sent != t.received:
        yield "%s: tasks sent %s, received %s" % (name, dict(t.sent), dict(t.received))
    if t.results_sent != t.results_received:
        yield "%s: results sent %s, received %s" % (name, dict(t.results_sent), dict(t.results_received))
    back = collections.Counter({(-1 if b == -2 else b, a): n for (a, b), n in t.results_sent.items()})
    if back != t.sent:
        yield "%s: went by %s and came back by %s" % (name, dict(t.sent), dict(t.results_sent))
    if {k[:2]: n for k, n in t.begun.items()} != {k[:2]: n for k, n in t.ended.items()}:
        yield "%s: begun %s, ended %s" % (name, dict(t.begun), dict(t.ended))


def problems(text, count):
    tasks, node = gather(text)
    found = [p for name, t in tasks.items() for p in of_task(name, t)] if node else ["no event `farm`"]
    whole = sorted(task for (task, sub), t in tasks.items() if not sub and t.sent)
    if whole != list(range(count)):
        found.append("whole tasks: %s" % whole)
    for (task, sub), t in tasks.items():
        spans = collections.Counter(name for name, _, _ in t.begun.elements())
        if task == count and not sub:
            if spans != {"generate": 1} or [k[2] for k in t.ended] != [-1]:
                found.append("after the last task: %s" % dict(t.ended))
            continue
        must = {"generate": not sub, "receive": not sub, "compute": not spans["split"], "split": spans["split"] > 0, "join": spans["split"] > 0}
        if spans != collections.Counter({name: 1 for name, wanted in must.items() if wanted}):
            found.append("%s: spans %s" % ((task, sub), dict(spans)))
        if sub and not tasks[task, sub[:-1]].begun:
            found.append("%s: its whole was never worked at" % ((task, sub),))
        nodes = {name: k for name, k, _ in t.begun}
        if spans["split"] and nodes["split"] != nodes["join"]:
            found.append("%s: split at %d, joined at %d" % ((task, sub), nodes["split"], nodes["join"]))
    return found
