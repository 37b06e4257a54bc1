"""Where tasks stand, by the definition and nothing else: for each task everything that may follow from its source is walked through, and
what is missing where nothing else is missing before it is a row (task, subtask, node, process)."""
from machine import COMP_FN, GENERATOR, JOIN_FN, RECEIVER, SPLIT_FN, skips


class Broken(Exception):
    pass


class Task:
    def __init__(self, spec, number, events, hosts, skip):
        self.spec, self.number, self.hosts, self.skip = spec, number, hosts, skip
        self.seen = {(n, k, o, s): i for i, (n, k, o, t, s) in enumerate(events)}
        if len(self.seen) != len(events):
            raise Broken("twice")
        self.rows, self.used = set(), set()

    def has(self, node, kind, other, sub, after=()):
        event = (node, kind, other, sub)
        if event not in self.seen:
            return False
        for before in after:
            if self.seen[before] > self.seen[event]:
                raise Broken("order")
        self.used.add(event)
        return True

    def row(self, node, sub, process):
        self.rows.add((self.number, self.spec.shown(sub, self.skip), max(node, 0), process))

    def below(self, node, sub, function):
        """What a node, or a function of it, gave to children and functions: the task or its parts, each with who got it."""
        telling = any(o <= COMP_FN for n, k, o, s in self.seen if n == node)
        return [(s, o) for n, k, o, s in self.seen if n == node and k == "send" and (o > node or o <= COMP_FN) and function != COMP_FN and
            (s == sub and not function or (len(s) == len(sub) + 1 and s.startswith(sub) and (function or not telling)))]

    def result(self, node, sub, function):
        """The event by which the result leaves."""
        if function:
            return (node, "recv", JOIN_FN if function == SPLIT_FN else function, sub)
        return (node, "send", self.spec.parent.get(node, RECEIVER), sub)

    def work(self, node, sub, came, names, function=None):
        """A task that came to a node, or to a function of it. Returns what must be before its result can leave; None: it cannot yet."""
        given = self.below(node, sub, function)
        left = self.result(node, sub, function) in self.seen
        made = function == SPLIT_FN and self.has(node, "recv", SPLIT_FN, sub, [came])
        if not given:
            if not left:
                self.row(node, sub, "Distributing" if made else names["open"])
                return None
            return [came]
        back = [e for part, to in given for e in self.one_given(node, part, to, came)]
        split = {part for part, _ in given if part != sub}
        if split and len(given) != len(split) or not split and len(given) > 1:
            raise Broken("given twice")
        if left:
            if len(back) != len(given):
                raise Broken("result too early")
            return [came] + back
        if split and len(split) < self.spec.degree:
            self.row(node, sub, "Distributing" if made else "split_fn()")
        elif len(back) == len(given):
            self.row(node, sub, "join_fn()" if split else names["back"])
        return None

    def one_given(self, node, part, to, came):
        """The event by which the result of what was given came back, if it did."""
        self.has(node, "send", to, part, [came])
        if to <= COMP_FN:
            gave = (node, "send", to, part)
            after = self.work(node, part, gave, {"open": "comp_fn()" if to == COMP_FN else "split_fn()", "back": None}, to)
            return [self.result(node, part, to)] if after and self.has(*self.result(node, part, to), after) else []
        if not self.has(to, "recv", node, part):
            self.row(to, part, "Distributing")
            return []
        self.arrived(to, part, node)
        if (to, "send", node, part) not in self.seen:
            return []
        if self.has(node, "recv", to, part, [(to, "send", node, part)]):
            return [(node, "recv", to, part)]
        self.row(node, part, "Collecting")
        return []

    def arrived(self, node, sub, source):
        splits = self.spec.splits(node, sub, 1 if self.skip and not self.hosts else 0, self.hosts)
        after = self.work(node, sub, (node, "recv", source, sub),
            {"open": "split_fn()/comp_fn()" if splits else "comp_fn()", "back": "Collecting"})
        if after:
            self.has(*self.result(node, sub, None), after)

    def check(self):
        if self.hosts:
            self.with_hosts()
        elif self.has(0, "recv", GENERATOR, ""):
            came = (0, "recv", GENERATOR, "")
            after = self.work(0, "", came, {"open": "data_generator()", "back": "result_receiver()"})
            if after:
                self.has(0, "send", RECEIVER, "", after)
        if len(self.used) != len(self.seen):
            raise Broken("lost")
        return self.rows

    def with_hosts(self):
        if not self.has(GENERATOR, "recv", GENERATOR, ""):
            return
        if not self.has(GENERATOR, "send", 0, "", [(GENERATOR, "recv", GENERATOR, "")]):
            self.row(0, "", "data_generator()")
        elif not self.has(0, "recv", GENERATOR, ""):
            self.row(0, "", "Distributing")
        else:
            self.arrived(0, "", GENERATOR)
            if (0, "send", RECEIVER, "") not in self.seen:
                return
            if not self.has(RECEIVER, "recv", 0, ""):
                self.row(0, "", "Collecting")
            elif not self.has(RECEIVER, "send", RECEIVER, "", [(RECEIVER, "recv", 0, "")]):
                self.row(0, "", "result_receiver()")


def rows(spec, events):
    """The table as a set of rows; Broken when the events cannot be a history."""
    hosts = any(e[0] < 0 or e[2] <= COMP_FN for e in events)
    skip = skips(events)
    by = {}
    for event in events:
        by.setdefault(event[3], []).append(event)
    found = set()
    for task in by:
        found |= Task(spec, task, by[task], hosts, skip(task)).check()
    generated = max(by, default=-1) + 1
    missing = set(range(generated)) - set(by)
    if generated < spec.tasks and not found:
        missing |= set(range(generated, spec.tasks))
    return found, missing
