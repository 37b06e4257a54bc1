"""The replay under the page: to an event, further, back, looking at processes with gdb, ending."""
import os
import signal
import subprocess
import time

from viewer import PLAIN, View, check, has, same


def until(view, good, seconds=90):
    """Waits by long polls until the state fulfils something."""
    since, end = -1, time.monotonic() + seconds
    while time.monotonic() < end:
        state = view.get("state?since=%d" % since if since >= 0 else "state")
        if good(state):
            return state
        since = state["change"]
    return view.get("state")


def arrived(target):
    return lambda s: s["target"] == target and s["reached"] is not None


def children(pid):
    out = subprocess.run(["ps", "-eo", "pid,ppid,sid,args"], capture_output=True, text=True, check=True).stdout
    return [line for line in out.splitlines() if str(pid) in line.split()[:3]]


def stands(label, view, at, state):
    cut = {c["line"]: c for c in view.get("cone?at=" + at)["cut"]}
    wrong = []
    for process in state["processes"]:
        c = cut[process["rank"]]
        event = c["event"] - (1 if c["stop"] == "inside" else 0)
        # MPI_Init is over before anybody can be held
        if c["stop"] in ("after", "inside") and process["event"] != event:
            wrong.append((process, c))
        if c["stop"] == "nothing" and process["event"] > 1:
            wrong.append((process, c))
    check("%s: all stand at the cut of %s" % (label, at), not wrong, wrong)


def looks(label, view):
    frames = view.get("stack?rank=1")["frames"]
    check(label + ": stack", frames and frames[-1]["function"] == "main", frames)
    main = frames[-1]
    # libraries have other frames above it at each look
    same(label + ": levels count from the program's innermost frame", [f["level"] for f in frames if not f["ours"]][:1], [0])
    status, answer = view.post("evaluate", {"rank": 1, "level": main["level"], "expression": "40 + 2"})
    same(label + ": evaluate", (status, answer), (200, {"value": "42"}))
    variables = view.get("variables?rank=1&level=%d" % main["level"])["variables"]
    check(label + ": variables", {"name", "type", "value", "argument"} <= set(variables[0]) if variables else False, variables)
    rows = view.get("source?file=%s&row=%d&around=1" % (main["file"], main["row"]))["rows"]
    check(label + ": source of a frame", [r["row"] for r in rows] == list(range(main["row"] - 1, main["row"] + 2)), rows)
    same(label + ": a library's frame names no other file", view.ask("source?file=/etc/hostname")[0], 404)
    for body in ({"rank": 1}, {"rank": -1, "expression": "1"}, {"rank": 1, "expression": "1\n-exec-run"}, {"rank": "x", "expression": "1"}):
        same("%s: evaluate %r" % (label, body), view.post("evaluate", body)[0], 400)
    same(label + ": stack of nobody", view.ask("stack?rank=99")[0], 409)
    status, answer = view.post("evaluate", {"rank": 1, "level": main["level"], "expression": "no_such_thing"})
    check(label + ": evaluate what is not there", status == 409 and "no_such_thing" in answer["error"], answer)
    same(label + ": looked at, it stands as before", view.get("state")["processes"][1]["life"], "held")


def all_of(label, place, recording, binary):
    temporary = place.path + "/temporary"
    os.makedirs(temporary, exist_ok=True)
    with View(place, recording, binary=binary, env={"TMPDIR": temporary}) as view:
        view.ready()
        state = view.get("state")
        same(label + ": nothing runs", (state["running"], state["started"], state["processes"]), (False, False, []))
        same(label + ": and nothing can go on", view.post("go")[0], 409)
        same(label + ": no such event", view.post("run-to", {"at": "99:1"})[0], 404)
        same(label + ": run to", view.post("run-to", {"at": "0:60"}), (200, {}))
        state = until(view, arrived("0:60"))
        stands(label, view, "0:60", state)
        same(label + ": who stands where", (state["processes"][0]["life"], state["processes"][0]["why"], state["processes"][0]["event"]),
             ("held", "after", 60))
        same(label + ": x of who stands", state["processes"][0]["logical"], view.get("event?at=0:60")["x"]["logical"][1])
        looks(label, view)
        same(label + ": further", view.post("run-to", {"at": "0:90"})[0], 200)
        stands(label, view, "0:90", until(view, arrived("0:90")))
        same(label + ": back", view.post("run-to", {"at": "0:30"})[0], 200)
        state = until(view, lambda s: arrived("0:30")(s) and s["processes"] and s["processes"][0]["event"] == 30)
        stands(label, view, "0:30", state)
        same(label + ": go with no set", view.post("go", {"ranks": "7:x"})[0], 400)
        same(label + ": all go on", view.post("go")[0], 200)
        state = until(view, lambda s: not s["running"])
        same(label + ": to the end", [(p["life"], p["bye"]) for p in state["processes"]], [("exited", "finalized")] * len(state["processes"]))
        view.post("run-to", {"at": "0:60"})
        until(view, arrived("0:60"))
        same(label + ": end", view.post("end")[0], 200)
        same(label + ": ended", until(view, lambda s: not s["running"])["running"], False)
        view.post("run-to", {"at": "0:60"})
        until(view, arrived("0:60"))
        view.get("stack?rank=0")
        pid = view.process.pid
        status, err = view.end(signal.SIGINT)
        check(label + ": Ctrl-C in the middle of a replay", status == 0 and "Sanitizer" not in err, err)
        left = [line for line in children(pid) if "defunct" not in line]
        check(label + ": nothing stays behind", not left, "\n".join(left))
        stays = [n for n in os.listdir(temporary) if n.startswith("hbdb")]
        check(label + ": no folder stays behind", not stays, stays)


def programs(label, place, binary):
    """Processes without MPI: found and stopped by their names."""
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    subprocess.run(["gcc", "-g", "-I", top + "/include", "-o", place.path + "/turns", top + "/tests/events/turns.c"], check=True)
    line = "./turns 1 60 & ./turns 2 30 & ./turns 3 & wait"
    name = "turns.%s.hbdb" % label
    subprocess.run([PLAIN, "record", "-o", name, "--", "sh", "-c", line], cwd=place.path, env=place.env, stdin=subprocess.DEVNULL,
                   capture_output=True, timeout=120, check=False)
    wanted = ["turns", "turns#2", "turns#3"]
    with View(place, name, "--at", "turns#2:2", binary=binary) as view:
        same(label + ": the link of an event", view.address.split("#", 1)[1], "at=turns%232:2&near=1")
        same(label + ": processes by name", [p["name"] for p in view.ready()["processes"]], wanted)
        for word, hits in (("turns%232", 2), ("turns", 1), ("turns%233", 3)):
            got = view.get("search?q=function:turn+rank:" + word)["hits"]
            same(label + ": search for rank:" + word, [h["at"].split(":")[0] for h in got], [word.replace("%23", "#")] * hits)
        status, _, text = view.ask("search?q=rank:turns%239")
        check(label + ": one that is not there", status == 400 and b"there is no process turns#9; there are turns, turns#2, turns#3" in text, text)
        if label != "plain":
            return
        same(label + ": run to", view.post("run-to", {"at": "turns#2:2"}), (200, {}))
        state = until(view, arrived("turns#2:2"))
        same(label + ": who stands where", {p["name"]: (p["life"], p["event"]) for p in state["processes"]},
             {"turns": ("held", 0), "turns#2": ("held", 2), "turns#3": ("held", 0)})
        number = next(p["rank"] for p in state["processes"] if p["name"] == "turns#2")
        frames = view.get("stack?rank=%d" % number)["frames"]
        check(label + ": its stack", any(f["function"] == "main" for f in frames), frames)
        same(label + ": one goes on by its name", view.post("go", {"ranks": "turns#2"}), (200, {"moved": 1}))
        until(view, lambda s: next(p["life"] for p in s["processes"] if p["name"] == "turns#2") == "exited")
        same(label + ": not one that is not there", view.post("go", {"ranks": "turns#9"})[0], 400)
        same(label + ": all go on", view.post("go")[0], 200)
        until(view, lambda s: not s["running"])


def foreign(label, place, recording, binary):
    """Of a recording that was not made here nothing is run, unless --trust is given."""
    state = {"XDG_STATE_HOME": place.path + "/others"}
    with View(place, recording, binary=binary, env=state) as view:
        run = view.ready()
        status, answer = view.post("run-to", {"at": "0:5"})
        check(label + ": a recording of somebody else is shown, and not replayed", not run["control"] and status == 409, answer)
        has(label + ": why, and what to do", answer["error"], "may come from somebody else", "hbdb view --trust ")
        same(label + ": no process was started", view.get("state")["processes"], [])
        view.end()
    with View(place, recording, "--trust", binary=binary, env=state) as view:
        view.ready()
        same(label + ": with --trust it is", view.post("run-to", {"at": "0:5"}), (200, {}))
        until(view, arrived("0:5"))
        err = view.end()[1]
        has(label + ": and the terminal shows the command", err, "as --trust was given:", "mpirun")


def without_command(label, place, recording, binary):
    os.rename(recording + "/manifest.json", recording + "/kept.json")
    with View(place, recording, binary=binary) as view:
        run = view.ready()
        status, answer = view.post("run-to", {"at": "0:5"})
        check(label + ": without a manifest it is shown, and not replayed", not run["control"] and run["no_control"] and status == 409, answer)
        same(label + ": state without control", view.get("state")["processes"], [])
        view.end()
    os.rename(recording + "/kept.json", recording + "/manifest.json")
    with open(os.path.join(recording, "manifest.json"), encoding="utf-8") as f:
        has(label + ": the manifest is back", f.read(), "command")
