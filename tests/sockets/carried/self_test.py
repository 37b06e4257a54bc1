#!/usr/bin/python3
"""Whether truth.py finds what is wrong: a recording is made up from a file of truth, and then broken in one place after the other."""
import copy
import sys

import truth as truths

LINES = """
out 10 10 datagram 40 10.1 0
out 10 10 datagram 50 10.1 40
out 10 10 datagram 60 10.1 90
in 20 20 datagram 50 20.1 0
is 20.1 0 50 10.1 40
in 20 20 datagram 40 20.1 50
is 20.1 50 40 10.1 0
out 20 21 stream 100 20.2 0
out 20 21 stream 100 20.2 100
out 20 22 stream 30 20.3 0
in 10 10 stream 150 10.2 0
is 10.2 0 100 20.2 0
is 10.2 100 50 20.2 100
in 10 10 stream 50 10.2 150
is 10.2 150 50 20.2 150
sum 30 out stream 70
sum 31 in stream 70
""".strip().split("\n")
# A run without a mistake: pid 10 is process 0, 20 is 1 with lanes 0 to 2, 30 and 31 are 2 and 3.
EVENTS = {
    (10, 0): {("out", "datagram"): [(40, (0, 0, 0, 1)), (50, (0, 0, 0, 2)), (60, (0, 0, 0, 3))],
              ("in", "stream"): [(150, (0, 0, 0, 4)), (50, (0, 0, 0, 5))]},
    (20, 0): {("in", "datagram"): [(50, (0, 1, 0, 1)), (40, (0, 1, 0, 2))]},
    (20, 2): {("out", "stream"): [(100, (0, 1, 2, 1)), (100, (0, 1, 2, 2))]},
    (20, 1): {("out", "stream"): [(30, (0, 1, 1, 1))]},
    (30, 0): {("out", "stream"): [(64, (0, 2, 0, 1)), (6, (0, 2, 0, 2))]},
    (31, 0): {("in", "stream"): [(70, (0, 3, 0, 1))]},
}
MATCHES = [((0, 0, 0, 2), (0, 1, 0, 1), False), ((0, 0, 0, 1), (0, 1, 0, 2), False), ((0, 1, 2, 1), (0, 0, 0, 4), False),
           ((0, 1, 2, 2), (0, 0, 0, 4), False), ((0, 1, 2, 2), (0, 0, 0, 5), False), ((0, 2, 0, 1), (0, 3, 0, 1), False)]


def without(lines, text):
    return [line for line in lines if line != text]


FILES = [  # (what, lines, whether it is in accord with itself)
    ("a file in accord", LINES, True),
    ("a datagram that nobody sent", without(LINES, "out 10 10 datagram 40 10.1 0"), False),
    ("bytes that nobody sent", without(LINES, "out 20 21 stream 100 20.2 100"), False),
    ("bytes whose sender is not known", without(LINES, "is 10.2 150 50 20.2 150"), False),
    ("bytes that came twice", LINES + ["in 10 10 stream 10 10.9 0", "is 10.9 0 10 20.2 5"], False),
    ("bytes sent twice", LINES + ["out 20 21 stream 10 20.2 95"], False),
    ("bytes of stdio lost", without(LINES, "sum 31 in stream 70") + ["sum 31 in stream 69"], False),
    ("a datagram that came twice", LINES + ["in 20 20 datagram 40 20.1 90", "is 20.1 90 40 10.1 0"], True),
    ("a datagram that was lost", LINES + ["out 10 10 datagram 44 10.1 150"], True),
]


def broken():
    """(what, recording, counts that must be seen or None, whether problems must be)"""
    yield "a recording in accord", EVENTS, MATCHES, {"same": 5}, False
    events = copy.deepcopy(EVENTS)
    events[20, 0]["in", "datagram"].pop()
    yield "a receive that is missing", events, MATCHES, {}, True
    events = copy.deepcopy(EVENTS)
    del events[20, 1]
    yield "a thread that is missing", events, MATCHES, {}, True
    events = copy.deepcopy(EVENTS)
    events[10, 0]["in", "stream"][0] = (149, (0, 0, 0, 4))
    yield "another number of bytes", events, MATCHES, {}, True
    events = copy.deepcopy(EVENTS)
    events[30, 0]["out", "stream"].pop()
    yield "bytes of stdio that are missing", events, MATCHES, {}, True
    yield "a match that is missing", EVENTS, MATCHES[1:], {"missing": 1}, True
    swapped = [(MATCHES[1][0], MATCHES[0][1], False), (MATCHES[0][0], MATCHES[1][1], False)] + MATCHES[2:]
    yield "two matches exchanged", EVENTS, swapped, {"wrong": 2, "missing": 2}, True
    doubted = [(a, b, True) for a, b, _ in MATCHES]
    yield "all called ambiguous", EVENTS, doubted, {"doubted-same": 5}, False
    yield "a wrong one in the place of the right one, called ambiguous", EVENTS, [(MATCHES[1][0], MATCHES[0][1], True)] + MATCHES[1:], {
        "doubted-wrong": 1, "doubted-missing": 1, "missing": 0}, False
    yield "a wrong one called ambiguous", EVENTS, MATCHES + [((0, 0, 0, 3), (0, 1, 0, 2), True)], {"doubted-wrong": 1}, False


def main():
    passed = failed = 0
    for what, lines, accord in FILES:
        good = (not truths.check(truths.Truth(lines))[0]) == accord
        passed, failed = passed + good, failed + (not good)
        print("ok" if good else "FAIL", what)
    truth = truths.Truth(LINES)
    for what, events, matches, counts, complains in broken():
        problems, seen = truths.compare(truth, truths.Recorded(events, matches))
        good = bool(problems) == complains and all(seen[name] == n for name, n in counts.items())
        passed, failed = passed + good, failed + (not good)
        print("ok" if good else "FAIL", what, "" if good else "%s %s" % (dict(seen), problems))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
