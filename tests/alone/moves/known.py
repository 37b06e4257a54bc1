"""Whether the judge itself is right: a process of nine instructions, of which the one at 4 calls a library, where event 2 is, and where moves in it must end."""
import json
import os
import tempfile

from judge import Judge, Points, Truth

# from (instructions back from or on behind an instruction; 0: there), a breakpoint, a move by instructions, where it must end
CASES = [((5, -2), None, 2, ("instruction", 5)), ((5, -2), 5, 4, ("instruction", 5)), ((5, -2), 5, 2, ("instruction", 5)), ((5, -2), None, 4, ("instruction", 7)),
         ((5, -2), 6, 4, ("instruction", 6)), ((5, -3), None, 1, ("beside", ("instruction", 5), -2)), ((2, 4), None, -2, ("instruction", 4)),
         ((2, 4), 4, -4, ("instruction", 4)), ((2, 4), None, -5, ("instruction", 1)), ((2, 5), None, -1, ("beside", ("instruction", 2), 4)),
         ((3, 0), None, 2, ("beside", ("instruction", 3), 2)), ((6, 0), 5, -1, ("instruction", 5))]


def check():
    """What is wrong, in words: a list."""
    call, wrong = 4, []
    with tempfile.TemporaryDirectory(prefix="hbdb-moves.") as folder:
        path = os.path.join(folder, "truth")
        with open(path, "w", encoding="utf-8") as out:
            for i in range(9):
                print(json.dumps({"event": 1 + (i > call), "pc": 100 + i, "sp": 0, "pace": 1, "seen": 0, "probed": 0, "memory": "", "registers": "", "leaves": i == call}), file=out)
            print(json.dumps({"lines": {str(i): [100 + i] for i in range(9)}, "functions": [100]}), file=out)
        truth = Truth(path)
    for (i, offset), point, n, wanted in CASES:
        judge = Judge(truth, True)
        place = judge.steps_from(judge.own(i), offset) if offset else judge.own(i)
        judge.points = Points(truth, [] if point is None else [point], [])
        found = judge.steps_from(place, n).name
        if found != wanted:
            wrong.append("from %s by %d with a breakpoint at %s: %s, not %s" % ((i, offset), n, point, found, wanted))
    for point, wanted in ((5, 5), (4, 6)):
        judge = Judge(truth, False)
        judge.points, judge.here = Points(truth, [point], []), judge.event(2)
        if judge.steps(1).name != ("instruction", wanted):
            wrong.append("from an event by 1 with a breakpoint at %d: %s" % (point, judge.steps(1)))
    return wrong
