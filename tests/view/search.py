"""Search, against a plain look through `hbdb dump --json`."""
import random

from answers import name_of
from viewer import check, same


def plain(calls, racing, words):
    """Events that fulfil all words, by what the dump says alone; tag and peer of a completion the model knows, the dump does not."""
    hits = []
    for c in calls:
        good = True
        for kind, value in words:
            good = good and {
                "function": lambda: value.lower() in c["function"].lower(),
                "rank": lambda: c["rank"] == value,
                "racing": lambda: name_of(c) in racing,
                "line": lambda: c.get("file") and ("%s:%d" % (c["file"].rsplit("/", 1)[1], c["line"])).startswith(value),
                "tag": lambda: value in (c.get("tag"), c.get("source_tag")),
            }[kind]()
        if good:
            hits.append(name_of(c))
    return hits


def written(words):
    return "+".join(kind if kind == "racing" else "%s:%s" % (kind, value) for kind, value in words)


def all_of(label, view, run, calls, racing):
    names = [line["name"] for line in run["lines"]]
    order = {name_of(c): (names.index(name_of(c).split(":")[0]), c["event"]) for c in calls}
    function = max({c["function"] for c in calls}, key=lambda f: sum(c["function"] == f for c in calls))
    cases = [[("function", function)], [("function", function[4:].lower()), ("rank", 0)], [("racing", "")], [("function", "Finalize")],
             [("function", "nothing like it")]]
    place = next(("%s:%d" % (c["file"].rsplit("/", 1)[1], c["line"]) for c in calls if c.get("file")), None)
    if place:
        cases += [[("line", place)], [("line", place.split(":")[0]), ("rank", 1)]]
    sends = [c for c in calls if c["function"] in ("MPI_Send", "MPI_Isend", "MPI_Ssend")]
    if sends:
        cases.append([("function", sends[0]["function"]), ("tag", sends[0]["tag"])])
    for words in cases:
        expected = sorted(plain(calls, racing, words), key=order.get)
        got = view.get("search?limit=10000&q=" + written(words).replace(" ", "%20"))
        if words[0][1] == "nothing like it":
            expected = []
        same("%s: search %s" % (label, written(words)), ([h["at"] for h in got["hits"]], got["more"]), (expected[:10000], len(expected) > 10000))
        walk(label, view, words, expected, order, calls)
    got = view.get("search?q=%s&limit=2" % function)
    same(label + ": search: limit", (len(got["hits"]), got["more"]), (2, True))
    for bad in ("", "q=", "q=tag:x", "q=a&limit=0", "q=a&way=up", "q=a&axis=z", "q=" + "+".join("abcdefghijklmnopqrstuvw")):
        same("%s: search: %s is refused" % (label, bad or "nothing"), view.ask("search?" + bad)[0], 400)


def walk(label, view, words, expected, order, calls):
    """Next and previous, in the order of x."""
    if not expected or len(expected) > 3000:
        return
    hits = view.get("search?limit=10000&q=" + written(words))["hits"]
    rng = random.Random(5)
    wrong = []
    for axis in ("logical", "physical"):
        for call in rng.sample(calls, 3):
            at = name_of(call)
            x = view.get("event?at=" + at)["x"][axis][0]
            key = (x, *order[at])
            places = sorted((h[axis], *order[h["at"]], h["at"]) for h in hits)
            for way, wanted in (("next", [p[3] for p in places if p[:3] > key][:3]),
                                ("previous", [p[3] for p in reversed(places) if p[:3] < key][:3])):
                got = view.get("search?q=%s&from=%s&way=%s&limit=3&axis=%s" % (written(words), at, way, axis))
                if [h["at"] for h in got["hits"]] != wanted:
                    wrong.append((axis, at, way, [h["at"] for h in got["hits"]], wanted))
    check("%s: search %s: next and previous" % (label, written(words)), not wrong, wrong[:2])
