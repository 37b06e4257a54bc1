#!/usr/bin/python3
"""Whether each metric and each label that share/grafana/hbdb.json and share/prometheus/hbdb.rules.yml name is one of hbdb metrics: dashboard.py METRICS.
Says what is not, and ends with 1 then."""
import json
import re
import sys

import openmetrics
from place import TOP

SELECTOR = re.compile(r"\b(hbdb_\w+)(?:\{([^}]*)\})?")


def expressions():
    """(where, expression)"""
    with open(TOP + "/share/grafana/hbdb.json") as f:
        dashboard = json.load(f)
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield "panel %s" % panel["title"], target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield "variable %s" % variable["name"], variable["query"]["query"]
    with open(TOP + "/share/prometheus/hbdb.rules.yml") as f:
        for expression in re.findall(r"^ +expr: (.*)$", f.read(), re.M):
            yield "a rule", expression


def problems(labels):
    """labels: {metric: the labels of its series}"""
    count = 0
    for where, expression in expressions():
        # a label may be named as its metric: what stands in braces, behind by and on, is no metric
        for name, matchers in SELECTOR.findall(re.sub(r"\{[^}]*\}", lambda m: m[0].replace("hbdb_program_state=", "state_of="), expression)):
            count += 1
            if name not in labels:
                yield "%s: there is no %s" % (where, name)
                continue
            for label in re.findall(r"(\w+)\s*(?:=~|!=|!~|=)", matchers or ""):
                label = "hbdb_program_state" if label == "state_of" else label
                if label not in labels[name]:
                    yield "%s: %s has no label %s" % (where, name, label)
    if count < 20:
        yield "only %d metrics were found in all expressions" % count


def main():
    with open(sys.argv[1]) as f:
        labels = {}
        for name, pairs in openmetrics.series(f.read()):
            labels.setdefault(name, set()).update(label for label, _ in pairs)
    wrong = list(problems(labels))
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
