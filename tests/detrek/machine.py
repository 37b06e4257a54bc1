"""A task machine by flood filling, a step at a time: what its nodes pass on, and its trace in the document's form.

An event is (node, "send" or "recv", other, task, sub); sub: the digits of the parts chosen, the first split first ("" the whole)."""
import math
import random

GENERATOR, RECEIVER, COMP_FN, SPLIT_FN, JOIN_FN = -1, -2, -3, -4, -5


class Spec:
    def __init__(self, processors, topology, tasks, degree, depth):
        self.processors, self.topology, self.tasks, self.degree, self.depth = processors, topology, tasks, degree, depth
        self.parent = {}
        for node in range(processors):
            for child in self.children(node):
                self.parent[child] = node
        self.bits = max(1, math.ceil(math.log2(degree)))

    def children(self, node):
        if node == 0:
            return list(range(1, self.processors)) if self.topology == 0 else [1][:self.processors - 1]
        first = self.topology * (node - 1) + 2
        return [] if self.topology == 0 else [c for c in range(first, first + self.topology) if c < self.processors]

    def splits(self, node, sub, offset=1, leaves=False):
        """Whether the node may split it; offset 1: node 0 has not; leaves: without children, too."""
        return self.degree > 1 and len(sub) + offset < self.depth - 1 and (leaves or bool(self.children(node)))

    def level(self, node):
        return 0 if node == 0 else self.level(self.parent[node]) + 1

    def text(self):
        return "%d %d %d %d %d\n" % (self.processors, self.topology, self.tasks, self.degree, self.depth)

    def shown(self, sub, skips=True):
        """As the table has it."""
        width = max(self.depth - 1 if self.degree > 1 else 0, len(sub) + (skips and len(sub) > 0))
        digits = [int(d) for d in (("0" if skips and sub else "") + sub)] + [0] * width
        return "".join(str(d) for d in reversed(digits[:width])) or "-"

    def value(self, sub, skips=True):
        return sum(int(d) << (i + skips) * self.bits for i, d in enumerate(sub))


def line(spec, time, event, skips=True, length=False):
    node, kind, other, task, sub = event
    number = "%x/%d" % (spec.value(sub, False), len(sub)) if length else "%x" % spec.value(sub, skips)
    return "%d %d %s %d %d %s\n" % (time, node, kind, other, task, number)


class Machine:
    """hosts: generator and receiver are processes of their own, so node 0 computes and splits like all others. functions (with hosts): nodes
    tell of their comp_fn and split_fn, keep parts, and split without children, too."""

    def __init__(self, spec, seed, hosts=False, pass_on=False, functions=False, crash=(), credits=2):
        self.spec, self.hosts, self.pass_on, self.crash, self.credits = spec, hosts, pass_on, set(crash), credits
        self.random = random.Random(seed)
        self.functions, self.kept = functions, set()  # kept: (node, task, part) that stayed at the node
        self.splitting = []  # in split_fn
        self.events, self.dead = [], set()
        self.queue = {n: [] for n in range(spec.processors)}  # to give to children
        self.fresh = {n: [] for n in range(spec.processors)}  # arrived
        self.computing, self.way = {}, []  # on its way: (from, to, "task" or "result", task, sub)
        self.parts = {}  # (node, task, sub): parts whose results are missing
        self.held = {n: 0 for n in range(spec.processors)}  # tasks given to a child and not begun or split there
        self.next, self.generated, self.returned = 0, [], []

    def say(self, *event):
        self.events.append(event)

    def top(self):
        return 1 if self.spec.processors > 1 else None

    # ---- what can happen now: a list of functions

    def actions(self):
        found, alive = [], lambda n: n not in self.dead
        waits = self.functions and self.generated  # a span of the generator ends before the next
        if self.next < self.spec.tasks and alive(0) and not waits and len(self.queue[0]) + len(self.fresh[0]) + len(self.generated) < self.credits:
            found.append(self.generate)
        if self.generated and alive(GENERATOR):
            found.append(self.hand_out)
        if self.returned and alive(RECEIVER):
            found.append(self.post)
        for n in range(self.spec.processors):
            if not alive(n):
                continue
            if self.fresh[n]:
                found.append(lambda n=n: self.decide(n))
            if n in self.computing:
                found.append(lambda n=n: self.finish(n))
            free = [c for c in self.spec.children(n) if self.held[c] < self.credits]
            if self.queue[n] and free:
                found.append(lambda n=n, free=free: self.give(n, self.random.choice(free)))
            if self.functions and self.queue[n] and n not in self.computing:
                found.append(lambda n=n: self.keep(n))
            found += [lambda k=k: self.join(k) for k, left in self.parts.items() if k[0] == n and not left[1]]
        found += [lambda s=s: self.split(*s) for s in self.splitting if alive(s[0])]
        found += [lambda w=w: self.arrive(w) for w in self.way if alive(w[1])]
        return found

    def run(self, steps=10 ** 9):
        while steps > 0:
            found = self.actions()
            if not found:
                break
            self.random.choice(found)()
            steps -= 1
        return self

    # ---- one step each

    def generate(self):
        task, self.next = self.next, self.next + 1
        if self.hosts:
            self.say(GENERATOR, "recv", GENERATOR, task, "")
            self.generated.append(task)
        else:
            self.say(0, "recv", GENERATOR, task, "")
            self.fresh[0].append((task, ""))

    def hand_out(self):
        task = self.generated.pop(0)
        self.say(GENERATOR, "send", 0, task, "")
        self.way.append((GENERATOR, 0, "task", task, ""))

    def decide(self, n):
        task, sub = self.fresh[n].pop(self.random.randrange(len(self.fresh[n])))
        idle, children = n not in self.computing, self.spec.children(n)
        whole = n == 0 and not self.hosts and children
        offset = 0 if self.hosts else 1
        splits = self.spec.splits(n, sub, offset, self.functions)
        if not whole and idle and (not children or self.random.random() < 0.4):
            self.compute(n, task, sub)
        elif not whole and splits and not (self.pass_on and self.random.random() < 0.3):
            self.split(n, task, sub)
        elif children and (whole or self.pass_on or self.spec.degree == 1 or not splits):
            self.parts[n, task, sub] = [[sub], [sub]]
            self.queue[n].append((task, sub))
        else:
            self.fresh[n].append((task, sub))
            return
        self.held[n] -= 1

    def compute(self, n, task, sub):
        self.computing[n] = (task, sub)
        if self.functions:
            self.say(n, "send", COMP_FN, task, sub)
        if (task, sub) in self.crash or (task, None) in self.crash:
            self.dead.add(n)

    def split(self, n, task, sub):
        if self.functions and (n, task, sub) not in self.splitting:
            self.say(n, "send", SPLIT_FN, task, sub)
            self.splitting.append((n, task, sub))
            return
        if self.functions:
            self.splitting.remove((n, task, sub))
            self.say(n, "recv", SPLIT_FN, task, sub)
        parts = [sub + str(d) for d in range(self.spec.degree)]
        self.parts[n, task, sub] = [parts, list(parts)]
        self.queue[n] += [(task, p) for p in parts]

    def keep(self, n):
        task, sub = self.queue[n].pop()
        if (n, task, sub) in self.parts:  # a whole task that was to be passed on
            del self.parts[n, task, sub]
        else:
            self.kept.add((n, task, sub))
        if self.random.random() < 0.5 and self.spec.splits(n, sub, 0, True):
            self.split(n, task, sub)
        else:
            self.compute(n, task, sub)

    def done(self, n, task, sub):
        if (n, task, sub) in self.kept:
            self.back(n, task, sub)
        else:
            self.up(n, task, sub)

    def back(self, n, task, sub):
        for key, (parts, left) in self.parts.items():
            if key[0] == n and key[1] == task and sub in parts:
                left.remove(sub)

    def give(self, n, child):
        task, sub = self.queue[n].pop(0)
        self.say(n, "send", child, task, sub)
        self.way.append((n, child, "task", task, sub))
        self.held[child] += 1

    def up(self, n, task, sub):
        if n == 0 and not self.hosts:
            self.say(0, "send", RECEIVER, task, sub)
            return
        to = RECEIVER if n == 0 else self.spec.parent[n]
        self.say(n, "send", to, task, sub)
        if to == RECEIVER:
            self.returned.append((task, "taken"))
        else:
            self.way.append((n, to, "result", task, sub))

    def finish(self, n):
        task, sub = self.computing.pop(n)
        if self.functions:
            self.say(n, "recv", COMP_FN, task, sub)
        self.done(n, task, sub)

    def join(self, key):
        parts, _ = self.parts.pop(key)
        if self.functions and parts != [key[2]]:
            self.say(key[0], "recv", JOIN_FN, *key[1:])
        self.done(*key)

    def post(self):
        task, state = self.returned.pop(0)
        if state == "taken":
            self.say(RECEIVER, "recv", 0, task, "")
            self.returned.insert(0, (task, "post"))
        else:
            self.say(RECEIVER, "send", RECEIVER, task, "")

    def arrive(self, message):
        self.way.remove(message)
        source, to, what, task, sub = message
        self.say(to, "recv", source, task, sub)
        if what == "task":
            self.fresh[to].append((task, sub))
            return
        self.back(to, task, sub)


def skips(events):
    """Tasks that node 0 has not split."""
    split = {task for node, kind, other, task, sub in events
        if node == 0 and kind == "send" and (other > 0 and sub or other == COMP_FN and sub or other == SPLIT_FN)}
    return lambda task: task not in split


def trace(spec, events, length=False):
    skip = skips(events)
    return "".join(line(spec, i, e, skip(e[3]), length) for i, e in enumerate(events))
