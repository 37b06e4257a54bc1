#!/usr/bin/python3
"""hbdb metrics read by a real Prometheus: its scrapes, promtool on the text and on the rules, the rules' alerts, and each query of the dashboard."""
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request

from dashboard import expressions
from place import HBDB, TOP, Folder, example, ports, wait_for
from lib import check, finish, same

RULES = TOP + "/share/prometheus/hbdb.rules.yml"


class Server:
    def __init__(self, place, target, token):
        self.port = ports.free()
        with open(RULES) as f, open(place.file("rules.yml"), "w") as g:
            g.write(re.sub(r"^ +for: .*\n", "", f.read(), flags=re.M))  # an alert fires without waiting
        with open(place.file("prometheus.yml"), "w") as f:
            f.write("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [rules.yml]\nscrape_configs:\n  - job_name: hbdb\n"
                    "    authorization: {credentials_file: '%s'}\n    static_configs: [{targets: ['127.0.0.1:%d']}]\n" % (token, target))
        self.child = place.start("prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=" + place.file("data"), "--web.listen-address=127.0.0.1:%d" % self.port,
            log="prometheus.log")

    def get(self, path, **query):
        try:
            with urllib.request.urlopen("http://127.0.0.1:%d/api/v1/%s?%s" % (self.port, path, urllib.parse.urlencode(query)), timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as e:
            return json.load(e) if e.headers.get_content_type() == "application/json" else None  # it is being started
        except OSError:
            return None

    def value(self, query):
        answer = self.get("query", query=query)
        return [float(r["value"][1]) for r in answer["data"]["result"]] if answer and answer["status"] == "success" else answer


def scrapes(server, database):
    def up():
        return server.value('up{job="hbdb"}') == [1.0]
    check("Prometheus reads it", wait_for(up), server.get("targets"))
    for query, wanted in (('hbdb_nodes{state="up"}', [1.0]), ('hbdb_node_info{node="alpha",machine="x86_64"}', [1.0]), ('hbdb_program_state{program="farm"} == 1', [1.0]),
                          ('hbdb_program_runs_total{program=~"(?s)a.*"}', [5e9]), ('hbdb_events_total{kind="death",weight="error"}', [1.0])):
        same("query %s" % query, server.value(query), wanted)
    kinds = {m["metric"]["__name__"] for m in server.get("query", query='{job="hbdb"}')["data"]["result"]}
    check("all families come through", len(kinds) >= 19, kinds)
    types = server.get("metadata")["data"]
    same("with their types", [types[n][0]["type"] for n in ("hbdb_events", "hbdb_node", "hbdb_program_state", "hbdb_nodes")], ["counter", "info", "stateset", "gauge"])
    same("and units", types["hbdb_program_memory_bytes"][0]["unit"], "bytes")
    before = server.value("increase(hbdb_program_events_total{program=\"farm\",kind=\"finding\"}[1m])")
    database.event("finding", "warning", program=1)
    check("the first finding is an increase", wait_for(lambda: (server.value("increase(hbdb_program_events_total{program=\"farm\",kind=\"finding\"}[1m])") or [0])[0] > 0), before)


def alerts(server, database):
    database.event("death", "error", program=1)
    database.db.execute("UPDATE program SET wanted = 1, state = 'failed' WHERE program = 1")
    database.db.execute("UPDATE process SET state = 'stopped' WHERE process = 2")
    database.db.execute("UPDATE node SET disk = 1000 WHERE node = 1")
    with open(RULES) as f:
        names = set(re.findall(r"- alert: (\w+)", f.read()))
    def firing():
        return {a["labels"]["alertname"] for a in server.get("alerts")["data"]["alerts"] if a["state"] == "firing"}
    wait_for(lambda: names <= firing())
    same("every alert fires when there is a reason", sorted(firing()), sorted(names))


def queries(server):
    asked = [e.replace("$program", ".*") for where, e in expressions() if not where.startswith("variable")]
    empty = []
    for expression in asked:
        answer = server.get("query", query=expression)
        check("Prometheus takes %s" % expression, answer["status"] == "success", answer)
        if not answer.get("data", {}).get("result"):
            empty.append(expression)
    same("queries of the dashboard and of the alerts without an answer", [e for e in empty if "recorded_bytes" not in e], [])
    same("a query that is none is refused", server.get("query", query="hbdb_nodes{")["status"], "error")


def main():
    with Folder() as place:
        database = example(place.file("db"))
        at = ports.free()
        place.start(HBDB, "metrics", "--database", place.file("db"), "--listen", "127.0.0.1:%d" % at, "--token", place.file("token"))
        wait_for(lambda: os.path.exists(place.file("token")))
        server = Server(place, at, place.file("token"))
        scrapes(server, database)
        alerts(server, database)
        queries(server)
        token = open(place.file("token")).read().strip()
        wanted = urllib.request.Request("http://127.0.0.1:%d/metrics" % at, headers={"Authorization": "Bearer " + token})
        text = urllib.request.urlopen(wanted, timeout=60).read()
        with open(place.file("text"), "wb") as f:
            f.write(text)
        status, out, err = place.run("sh", "-c", "promtool check metrics < text")
        same("promtool has nothing to say of the metrics", (status, out + err), (0, ""))
        same("... but would of others", place.run("sh", "-c", "echo 'a{ 1' | promtool check metrics")[0], 1)
        status, out, err = place.run("promtool", "check", "rules", RULES)
        check("nor of the rules", status == 0 and "SUCCESS: 7 rules" in out, out + err)
    finish()


main()
