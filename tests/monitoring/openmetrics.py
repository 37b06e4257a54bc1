"""A strict reader of OpenMetrics 1.0 text, written from its specification: what it refuses is not OpenMetrics."""
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
SAMPLE = re.compile(r"^(%s)(?:\{(.*)\})? (\S+)$" % NAME)
ENDINGS = {"gauge": [""], "counter": ["_total"], "info": ["_info"], "stateset": [""]}


class Wrong(Exception):
    pass


def labels_of(text):
    found, at = {}, 0
    while text is not None and at < len(text):
        match = LABEL.match(text, at)
        if not match or match[1] in found:
            raise Wrong("labels: " + text)
        found[match[1]] = re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), match[2])
        at = match.end()
        if at < len(text):
            if text[at] != "," or at + 1 == len(text):
                raise Wrong("labels: " + text)
            at += 1
    return found


def sample_of(line, family, kind):
    match = SAMPLE.match(line)
    if not match or match[1] not in [family + e for e in ENDINGS[kind]]:
        raise Wrong("no sample of %s: %s" % (family, line))
    value = float(match[3])
    labels = labels_of(match[2])
    if kind == "counter" and value < 0 or kind == "info" and value != 1 or kind == "stateset" and (value not in (0, 1) or family not in labels):
        raise Wrong("a %s is not so: %s" % (kind, line))
    return match[1], labels, value


def read(text):
    """{family: (type, unit, [(name, labels, value)])}"""
    if not text.endswith("\n# EOF\n"):
        raise Wrong("the end is missing")
    families, family = {}, None
    for line in text.split("\n")[:-2]:
        head = re.match(r"^# (TYPE|UNIT|HELP) (%s) (.+)$" % NAME, line)
        if head and head[1] == "TYPE":
            family = head[2]
            if family in families or head[3] not in ENDINGS:
                raise Wrong("a family twice, or of no type: " + line)
            families[family] = [head[3], "", []]
        elif head:
            if head[2] != family or families[family][2]:
                raise Wrong("not at the head of its family: " + line)
            if head[1] == "UNIT":
                if not family.endswith("_" + head[3]):
                    raise Wrong("a unit that the name does not have: " + line)
                families[family][1] = head[3]
        else:
            if family is None:
                raise Wrong("a sample without a family: " + line)
            families[family][2].append(sample_of(line, family, families[family][0]))
    for family, (_, _, samples) in families.items():
        series = [(name, tuple(sorted(labels.items()))) for name, labels, _ in samples]
        if len(set(series)) != len(series):
            raise Wrong("a series twice in " + family)
    return families


def series(text):
    """{(name, labels sorted): value}"""
    return {(name, tuple(sorted(labels.items()))): value for _, _, samples in read(text).values() for name, labels, value in samples}
