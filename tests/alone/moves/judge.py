"""Where moves must end, and what must be found there. A position is a pair in the order of time: (i, 0) is the i-th instruction of the program's own that was
followed, (i, n) the place of event n, which is in what the i-th has called; (-1, n) is before all that was followed."""
import bisect
import json

UNKNOWN = 1 << 60
TOLD = 3  # instructions before the place of an event; before them the recorder looks whether it is to tell it, and is not asked to when it steps on
KEY = "event", "pc", "sp", "pace", "seen", "probed", "memory"


class Truth:
    """What a process was at each instruction of its own."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            *self.at, last = [json.loads(line) for line in f]
        if "lines" not in last:
            raise ValueError("after %d instructions there were no more" % (len(self.at) + 1))
        self.lines, self.functions = last["lines"], set(last["functions"])
        self.at = [dict(p, key=tuple(p[k] for k in KEY)) for p in self.at]
        self.indices = {}
        for i, p in enumerate(self.at):
            self.indices.setdefault(p["key"], []).append(i)
        self.low, self.high = min(p["pc"] for p in self.at), max(p["pc"] for p in self.at)
        self.events = self.at[-1]["event"]
        self.stores = {name: [i for i in range(len(self.at) - 1) if self.at[i][name] != self.at[i + 1][name]] for name in ("seen", "probed")}

    def of_event(self, event):
        """The position of an event: in the last call that began before it was over."""
        return (bisect.bisect_left(self.at, event, key=lambda p: p["event"]) - 1, event)

    def whole(self, i, j):
        """Whether all instructions from i to j are the program's own."""
        return 0 <= i and j < len(self.at) and not any(p["leaves"] for p in self.at[i:j])

    def call_of(self, i):
        """The instruction that called the function where i is; None: before all that was followed."""
        deepest = self.at[i]["sp"]
        for j in range(i, 0, -1):
            deepest = min(deepest, self.at[j]["sp"])
            if self.at[j]["pc"] in self.functions and self.at[j]["sp"] == deepest:
                return j - 1
        return None


class Points:
    """What stops it: breakpoints at lines, and a watched variable."""

    def __init__(self, truth, lines, watched):
        self.told = "breakpoints at lines %s, watched %s" % (lines, watched)
        addresses = {a for line in lines for a in truth.lines[str(line)]}
        self.code = [i for i, p in enumerate(truth.at) if p["pc"] in addresses]
        self.stores = sorted(i for name in watched for i in truth.stores[name])

    def before(self, position):
        """The last stop before it: at a breakpoint, or before a store."""
        found = [l[n - 1] for l in (self.code, self.stores) for n in (bisect.bisect_left(l, position, key=lambda i: (i, 0)),) if n]
        return max(found) if found else None

    def after(self, position):
        """The next stop: at a breakpoint, or behind a store."""
        code, stores = (bisect.bisect_right(self.code, position, key=lambda i: (i, 0)),
                        bisect.bisect_right(self.stores, position, key=lambda i: (i + 1, 0)))
        found = self.code[code:code + 1] + [i + 1 for i in self.stores[stores:stores + 1]]
        return min(found) if found else None


class Place:
    """A position and what it is called; the position between `low` and `high` where it is not known better."""

    def __init__(self, low, high, name):
        self.low, self.high, self.name = low, high, name

    def __str__(self):
        return "%s" % (self.name,)


class Judge:
    """Follows the moves of one session. `verdict` is asked after each: None, or what is wrong."""

    def __init__(self, truth, plain):
        self.plain = plain  # gdb's own commands
        self.truth, self.points = truth, Points(truth, [], [])
        self.first = {}
        self.here = self.event(1)
        self.kinds = {}

    def own(self, i):
        return Place((i, 0), (i, 0), ("instruction", i))

    def event(self, n):
        if n > self.truth.events:
            return self.end()
        return Place(self.truth.of_event(n), self.truth.of_event(n), ("event", n))

    def end(self):
        at = (len(self.truth.at), 0)
        return Place(at, at, ("end",))

    def beside(self, place, n):
        """n instructions from there, in the same call of a library."""
        name = place.name
        if name[0] == "beside":
            if n > 0 and name[1][0] == "event" and name[2] < -TOLD:
                return Place((-1, 0), (len(self.truth.at), 0), None)
            own = self.out_of_library(name, n)
            if own:
                return own
            name, n = name[1], name[2] + n
        if (n > 0 and name == ("end",)) or (n < 0 and name == ("event", 1)):
            n = 0  # it goes no further
        if n == 0:
            low = Place(None, None, name)
            return self.own(name[1]) if name[0] == "instruction" else self.event(name[1]) if name[0] == "event" else self.end() if name[0] == "end" else low
        return Place((place.low[0], 1), (place.low[0], UNKNOWN), ("beside", name, n))

    def out_of_library(self, name, n):
        """Where n instructions lead from such a place, when they lead to the program's own: a point at the first of these stops it. None: they do not."""
        (what, i), offset = name[1] if len(name[1]) == 2 else (None, None), name[2]
        way = 1 if n > 0 else -1
        for there in range(offset + way, offset + n + way, way) if what == "instruction" else ():
            j = i + there
            if self.truth.whole(*sorted((i, j))):
                return self.own(j) if j in self.points.code else self.steps_from(self.own(j), offset + n - there)
        return None

    def steps(self, n):
        """n instructions on, or -n back."""
        here = self.here
        if n > 0 and here.name[0] == "event" and not self.plain:
            # hbdb debug leaves the library first
            if not 0 <= here.low[0] < len(self.truth.at) - 1:
                return Place((-1, 0), (here.low[0] + 1, 0), None)
            here = self.own(here.low[0] + 1)
            if here.low[0] in self.points.code:
                return here  # which is told
        return self.steps_from(here, n)

    def steps_from(self, here, n):
        if n == 0 or here.name == ("event", 1) and n < 0 or here.name == ("end",) and n > 0:
            return here
        if here.name[0] != "instruction":
            return self.beside(here, n)
        i, back = here.name[1], n < 0
        stop = self.points.before(here.low) if back else self.points.after(here.high)
        reached = i + n
        if stop is not None and (stop >= reached if back else stop <= reached) and self.truth.whole(*sorted((i, stop))):
            return self.own(stop)
        if self.truth.whole(*sorted((i, reached))):
            return self.own(reached)
        if back:
            inside = max((j for j in range(0, i) if self.truth.at[j]["leaves"]), default=-1)
        else:
            inside = next(j for j in range(i, len(self.truth.at)) if self.truth.at[j]["leaves"])
        return Place((inside, 1), (inside, UNKNOWN), ("beside", here.name, n))

    def expected(self, move, found):
        """The place where the move must end; None: somewhere between the bounds of `bounded`."""
        what, n = move[0], move[1] if len(move) > 1 else 1
        if what in ("event", "points"):
            return self.event(n)
        if what == "start":
            return self.event(1)
        if what == "end":
            return self.end()
        if what == "back":
            now = found["before"]
            to = now - n + (self.here.name[0] != "event" and not self.plain)
            return self.event(to) if to > 0 else self.event(1) if self.plain else self.here
        if what == "next event":
            return self.event(found["before"] + n)
        if what == "stepi":
            return self.steps(n)
        if what == "reverse-stepi":
            return self.steps(-n)
        if what == "continue":
            stop = self.points.after(self.here.high)
            return self.own(stop) if stop is not None else self.end()
        if what == "reverse-continue":
            stop = self.points.before(self.here.low)
            return self.own(stop) if stop is not None else self.event(1)
        if what == "reverse-finish" and (self.here.name[0] == "instruction" or (self.here.name[0] == "event" and not self.plain and self.here.low[0] >= 0)):
            call, stop = self.truth.call_of(self.here.low[0]), self.points.before(self.here.low)
            # at the beginning of the function gdb stands by itself on its way: a point there is told or not
            if call is not None and stop == call + 1:
                return None
            return self.here if call is None else self.own(call if stop is None else max(call, stop))
        return None

    def located(self, found):
        """Indices of what was found, where it is the program's own."""
        return self.truth.indices.get(tuple(found[k] for k in KEY), [])

    def is_own(self, found):
        """Whether it is where the truth reaches."""
        return self.truth.low <= found["pc"] <= self.truth.high and (found["pace"] > self.truth.at[0]["pace"] or bool(self.located(found)))

    def told(self, found):
        """What was found, in words."""
        indices = self.located(found)
        if indices:
            return "instruction %d" % indices[0]
        near = [i for i, p in enumerate(self.truth.at) if p["pc"] == found["pc"] and p["pace"] == found["pace"]]
        return "what was never passed%s" % "".join(", as instruction %d but for %s" % (i, {k: (self.truth.at[i][k], found[k]) for k in KEY if self.truth.at[i][k] != found[k]})
                                                   for i in near[:1])

    def nowhere(self):
        self.here = Place((-1, 0), (len(self.truth.at), 0), None)

    def bounded(self, move, found):
        """By lines: in the right direction, and not beyond what stops it. What was found is where it is now."""
        back, here = move[0].startswith("reverse"), self.here
        self.nowhere()
        if not self.is_own(found):
            return None
        stop = self.points.before(here.low) if back else self.points.after(here.high)
        if move[0] == "reverse-finish" and stop is not None:
            stop -= 1  # at the beginning of its function, and not told
        for i in self.located(found):
            self.here = self.own(i)
            if ((i, 0) <= here.high and (stop is None or i >= stop)) if back else ((i, 0) >= here.low and (stop is None or i <= stop)):
                return None
        return "from %s by lines to %s; what stops it: %s; %s" % (here, self.told(found), stop, self.points.told)

    def found_again(self, found):
        """It was somewhere inside of a library: where it is the program's own it must be a place that there is."""
        self.count("from inside of a library")
        self.nowhere()
        for i in self.located(found):
            self.here = self.own(i)
        return "from inside of a library to " + self.told(found) if self.is_own(found) and self.here.name is None else None

    def count(self, kind):
        self.kinds[kind] = self.kinds.get(kind, 0) + 1

    def differs(self, place, found):
        """Whether what was found is not that place, in words."""
        if place.name[0] == "instruction":
            return None if place.name[1] in self.located(found) else "found " + self.told(found)
        if self.is_own(found):
            return "found " + self.told(found)
        if place.name[0] == "event" and found["event"] != place.name[1]:
            return "found event %d" % found["event"]
        if place.name[0] == "event" and place.low[0] >= 0 and any(found[k] != self.truth.at[place.low[0]][k] for k in ("seen", "probed")):
            return "its variables are not what they were before the call"
        return None

    def verdict(self, move, found):
        before = str(self.here)
        if self.here.name is None and move[0] not in ("event", "points", "start", "end"):
            return self.found_again(found)
        if move[0] == "points":
            self.points = Points(self.truth, move[2], move[3])
        place = self.expected(move, found)
        if place and place.name is None:
            return self.found_again(found)
        self.count(move[0])
        if place is None:
            return self.bounded(move, found)
        self.here = place
        wrong = self.differs(place, found)
        state = {k: found[k] for k in KEY + ("registers",)}
        if place.low[0] == len(self.truth.at):
            state["registers"] = None  # the call that ends it has been begun, or has not: that is seen in some of them
        if not wrong and self.first.setdefault(place.name, state) != state:
            wrong = "it is not what it was the first time: %s" % {k: (self.first[place.name][k], v) for k, v in state.items() if self.first[place.name][k] != v}
        if not wrong:
            return None
        self.nowhere()
        for i in self.located(found):
            self.here = self.own(i)
        return "from %s, must end at %s: %s; %s" % (before, place, wrong, self.points.told)
