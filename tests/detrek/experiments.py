"""The three published experiments as histories, with the table that each must give."""
from machine import GENERATOR, RECEIVER, Spec


def down(say, spec, task, node, sub, deepest):
    """A task that is at a node: split as far as there are children, parts to the children in turn. Yields (node, sub) where it is computed."""
    children = spec.children(node)
    if not children or spec.level(node) == deepest:
        return [(node, sub)]
    leaves = []
    for digit in range(spec.degree if node else 1):
        part, child = (sub + str(digit), children[digit % len(children)]) if node and spec.degree > 1 else (sub, children[0])
        say((node, "send", child, task, part))
        say((child, "recv", node, task, part))
        leaves += down(say, spec, task, child, part, deepest)
    return leaves


def up(say, spec, task, node, sub, deepest):
    """Its result at the node, from those of its parts."""
    children = spec.children(node)
    if not children or spec.level(node) == deepest:
        return
    for digit in range(spec.degree if node else 1):
        part, child = (sub + str(digit), children[digit % len(children)]) if node and spec.degree > 1 else (sub, children[0])
        up(say, spec, task, child, part, deepest)
        say((child, "send", node, task, part))
        say((node, "recv", child, task, part))


def complete(spec, tasks, say, deepest=99):
    for task in tasks:
        say((0, "recv", GENERATOR, task, ""))
        down(say, spec, task, 0, "", deepest)
        up(say, spec, task, 0, "", deepest)
        say((0, "send", RECEIVER, task, ""))


def first():
    """8 nodes, 100 tasks: computing any part of task 49 crashes a node. 51 has been split by node 0, too."""
    spec, events = Spec(8, 2, 100, 2, 5), []
    say = events.append
    complete(spec, range(49), say)
    say((0, "recv", GENERATOR, 49, ""))
    down(say, spec, 49, 0, "", 99)
    for task in (50, 51, 52, 53):
        say((0, "recv", GENERATOR, task, ""))
    for event in (("send", 1, 50, ""), ("send", 1, 51, "0"), ("send", 1, 51, "1"), ("send", 1, 52, ""), ("send", 1, 53, "")):
        say((0, *event))
    say((1, "recv", 0, 50, ""))
    say((1, "recv", 0, 51, "0"))
    for child, part in ((2, "00"), (3, "01")):
        say((1, "send", child, 51, part))
        say((child, "recv", 1, 51, part))
    rows = {(49, "0010", 6, "comp_fn()"), (49, "0110", 7, "comp_fn()"), (49, "0100", 5, "comp_fn()"), (49, "0000", 4, "comp_fn()"),
        (50, "0000", 1, "split_fn()/comp_fn()"), (51, "0000", 2, "split_fn()/comp_fn()"), (51, "0010", 3, "split_fn()/comp_fn()"),
        (51, "0001", 1, "Distributing"), (52, "0000", 1, "Distributing"), (53, "0000", 1, "Distributing")}
    return spec, events, rows


def second():
    """16 nodes, 1000 tasks: computing any of the eight parts of task 500 crashes a node."""
    spec, events = Spec(16, 2, 1000, 2, 5), []
    say = events.append
    complete(spec, range(500), say)
    say((0, "recv", GENERATOR, 500, ""))
    leaves = down(say, spec, 500, 0, "", 99)
    for task in (501, 502):
        say((0, "recv", GENERATOR, task, ""))
        say((0, "send", 1, task, ""))
    say((1, "recv", 0, 501, ""))
    say((1, "send", 2, 501, "0"))
    rows = {(500, spec.shown(sub), node, "comp_fn()") for node, sub in leaves}
    rows |= {(501, "0000", 1, "split_fn()"), (501, "0000", 2, "Distributing"), (502, "0000", 1, "Distributing")}
    return spec, events, rows


def third():
    """A farm on a chain of 6, 5 tasks: the receiver takes two results and ends well."""
    spec, events = Spec(6, 1, 5, 1, 1), []
    for task in range(5):
        seen = []
        complete(spec, [task], seen.append, deepest=task % 5 + 1)
        events += seen if task < 2 else seen[:-2]
    return spec, events, {(task, "-", 0, "Collecting") for task in (2, 3, 4)}


def all_of_them():
    return {"experiment 1": first(), "experiment 2": second(), "experiment 3": third()}
