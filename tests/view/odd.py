"""Recordings that are not whole, names that are no UTF-8, ports that are taken, signals."""
import json
import os
import shutil
import signal
import socket
import subprocess

import ports
import viewer
from answers import name_of
from viewer import PLAIN, View, check, has, same


def refused(place, binary, *args):
    done = subprocess.run([binary, "view", *args, "--no-browser"], cwd=place.path, env=place.env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def usage(label, place, recording, binary):
    status, text = refused(place, binary, recording, "--port", "70000")
    check(label + ": no such port", status == 2 and "65535" in text, text)
    status, text = refused(place, binary, recording, "--around", "0:1")
    check(label + ": --around without --html", status == 2 and "--html" in text, text)
    status, text = refused(place, binary, "nowhere.hbdb")
    check(label + ": no such recording", status in (2, 3), text)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", ports.free()))
        taken.listen()
        status, text = refused(place, binary, recording, "--port", str(taken.getsockname()[1]))
        check(label + ": port in use", status == 2 and "is in use" in text, text)
        port = taken.getsockname()[1]
    with View(place, recording, "--port", str(port), binary=binary) as v:
        same(label + ": the port that was asked for", v.port, port)
        v.end()


def level_order(label, place, binary):
    place.record("order.hbdb", "openmpi", 2, ["./farm"], "--level", "order")
    status, text = refused(place, binary, "order.hbdb")
    check(label + ": level order", status == 2 and "level order" in text and "events" in text, text)


def remarks(label, place, binary):
    """What the recorder saw itself, of the golden logs that have it: typed, and as notes of version 1."""
    for name in ("remarks", "notes"):
        recording = place.path + "/%s-%s.hbdb" % (name, label)
        os.mkdir(recording)
        shutil.copy("%s/tests/golden/sealed-%s.log" % (viewer.cli.TOP, name), recording + "/rank.0.log")
        told = [one for one in place.lines("dump", "--remarks", recording) if "remark" in one]
        with View(place, recording, binary=binary) as v:
            run = v.ready()
            got = [v.get("event?at=0:%d" % event) for event in range(1, run["events"] + 1)]
            same("%s: %s of each event" % (label, name), [one["remarks"] for one in got],
                 [[r for r in told if r["event"] == event] for event in range(1, run["events"] + 1)])
            check("%s: %s: some, and no more than these" % (label, name), len(told) > 10 and not any(one["more_remarks"] for one in got), told[:2])
            same("%s: %s: ends" % (label, name), v.end()[0], 0)


def cut(label, place, recording, binary):
    """A log that ends early, and one that is missing."""
    broken = recording[:-5] + "-cut.hbdb"
    shutil.copytree(recording, broken)
    with open(broken + "/rank.1.log", "r+b") as f:
        f.truncate(os.path.getsize(broken + "/rank.1.log") * 2 // 3)
    os.remove(broken + "/rank.2.log")
    calls = place.lines("dump", broken)
    with View(place, broken, binary=binary) as v:
        run = v.ready()
        same(label + ": cut: who is cut and who is missing",
             ([p["rank"] for p in run["processes"] if p["cut"]], [p["rank"] for p in run["processes"] if p["missing"]]), ([1], [2]))
        check(label + ": cut: troubles are told", run["troubles"], run)
        same(label + ": cut: events", run["events"], len(calls))
        for call in (calls[0], calls[len(calls) // 2], calls[-1]):
            same(label + ": cut: an event", v.get("event?at=" + name_of(call))["call"], call)
        status, _, data = v.ask("event?at=2:1")
        check(label + ": cut: no event of who is missing", status == 404 and b"missing" in data, data)
        same(label + ": cut: a picture", v.get("view?axis=logical&columns=100")["events"], len(calls))
        same(label + ": cut: a cone", len(v.get("cone?at=0:5")["cut"]), len(run["lines"]))
        same(label + ": cut: ends", v.end()[0], 0)
    for damage in (b"garbage", b""):
        with open(broken + "/rank.1.log", "wb") as f:
            f.write(damage)
        with open(broken + "/manifest.json", "r+b") as f:
            f.truncate(40)
        with View(place, broken, binary=binary) as v:
            same(label + ": cut: half of a manifest and %r for a log: there is an address all the same" % damage,
                 [p["rank"] for p in v.ready()["processes"] if p["missing"]], [1, 2])
    shutil.copy(recording + "/manifest.json", broken)
    for name in os.listdir(broken):
        if name.endswith(".log"):
            with open(broken + "/" + name, "wb") as f:
                f.write(b"garbage")
    status, text = refused(place, binary, broken)
    check(label + ": logs that nobody can read: no page, and why", status == 3 and "there is nothing to show" in text, text)
    for name in os.listdir(broken):
        if name.endswith(".log"):
            os.remove(broken + "/" + name)
    status, text = refused(place, binary, broken)
    check(label + ": no logs at all", status == 3 and "nothing was recorded" in text, text)


def strange_names(label, place, binary):
    """A program and a source file whose names are no UTF-8."""
    odd = os.fsencode(place.path) + b"/odd\xff\xc0<\"x"
    os.makedirs(odd, exist_ok=True)
    shutil.copy(os.path.join(viewer.cli.TOP, "examples/farm.c"), odd + b"/f\xe4rm.c")
    subprocess.run([b"mpicc.openmpi", b"-g", b"-O1", b"-o", odd + b"/f\xe4rm", odd + b"/f\xe4rm.c", b"-lm"], check=True)
    subprocess.run([PLAIN, "record", "-o", b"s\xfc\xdf.hbdb", "--", *viewer.LAUNCH["openmpi"], "2", odd + b"/f\xe4rm"], cwd=place.path,
                   env=place.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
    with View(place, b"s\xfc\xdf.hbdb", binary=binary) as v:
        run = v.ready()
        check(label + ": strange names: run", run["name"].endswith(".hbdb") and "\ufffd" in run["name"], run["name"])
        call = v.get("search?q=function:Recv&limit=1")["hits"][0]
        event = v.get("event?at=" + call["at"])
        check(label + ": strange names: file and source", "\ufffd" in (event["file"] or "") and event["source"], event)
        page = v.get("view?axis=logical&columns=100")
        check(label + ": strange names: picture", page["events"] == run["events"], "")
        v.end()
    out = os.path.join(place.path, "odd.html")
    done = subprocess.run([binary, "view", b"s\xfc\xdf.hbdb", "--html", out, "--around", "0:5", "--events", "50"], cwd=place.path, env=place.env,
                          capture_output=True, text=True, errors="replace", timeout=60, check=False)
    check(label + ": strange names: a page in a file", done.returncode == 0, done.stderr)
    html(label, out)


def html(label, path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    begin = text.index('type="application/json"') if 'type="application/json"' in text else text.index("type=application/json")
    data = text[text.index(">", begin) + 1:]
    data = data[:data.index("</script>")]
    check(label + ": html: no < in the data", "<" not in data, data[:200])
    told = json.loads(data)
    boxes = told["views"][0]["boxes"]
    lines = told["run"]["lines"]
    names = {"%s:%d" % (lines[b[0]]["name"], b[1]) for b in boxes}
    same(label + ": html: an event for each box", set(told["events"]), names)
    same(label + ": html: both axes", [v["axis"] for v in told["views"]], ["logical", "physical"])
    check(label + ": html: nothing from elsewhere", "http://" not in text.replace("http://www.w3.org/", "") and "https://" not in text, "")
    return told


def pages(label, place, recording, binary):
    out = os.path.join(place.path, binary.replace("/", "_") + ".html")
    status, text = refused(place, binary, recording, "--html", out)
    check(label + ": html: too many events", status == 2 and "--around" in text and not os.path.exists(out), text)
    status, text = refused(place, binary, recording, "--html", out, "--around", "0:100", "--events", "100")
    check(label + ": html: written", status == 0 and os.path.exists(out), text)
    told = html(label, out)
    check(label + ": html: around the event", "0:100" in told["events"] and 10 < len(told["events"]) <= 100, len(told["events"]))
    status, text = refused(place, binary, recording, "--html", out, "--range", "5-9")
    check(label + ": html: a range", status == 0 and all(5 <= e["x"]["logical"][1] and e["x"]["logical"][0] <= 9
                                                        for e in html(label, out)["events"].values()), text)
    for bad in (["--range", "x"], ["--range", "9"], ["--around", "9:9"], ["--around", "0:1", "--range", "1-2"]):
        status, text = refused(place, binary, recording, "--html", out + ".no", *bad)
        check("%s: html: %s" % (label, " ".join(bad)), status == 2 and not os.path.exists(out + ".no"), text)
    status, text = refused(place, binary, recording, "--html", place.path + "/no/such/folder", "--range", "1-9")
    check(label + ": html: cannot be written", status == 2 and "cannot write" in text, text)


def ends(label, place, recording, binary):
    """Nothing stays behind, whatever ends it; at once, too, while it still builds."""
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # what was being built is left to the end of the process, which is near
        with View(place, recording, binary=binary, env={"ASAN_OPTIONS": "detect_leaks=0"}) as v:
            status, err = v.end(sig)
            same("%s: signal %d while it builds" % (label, sig), (status, "Sanitizer" in err), (0, False))
    with View(place, recording, binary=binary) as v:
        v.ready()
        before = v.process.pid
        with socket.create_connection(("127.0.0.1", v.port)) as s:
            s.sendall(b"GET ")
            same(label + ": ends beside an open connection", v.end()[0], 0)
        check(label + ": it is gone", not os.path.exists("/proc/%d" % before))
