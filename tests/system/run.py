#!/usr/bin/env python3
"""hbdb manager and its consoles: nodes, programs, holds, several users, notifications, reactions."""
import json
import os
import shutil
import signal
import socket
import subprocess
import time

from lib import HBDB, Complex, check, finish, until
import wire

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def refused(what, *words):
    try:
        what()
    except wire.Refused as e:
        return all(word in str(e) for word in words)
    return False


def without_manager():
    with Complex() as c:
        for command in ("ps", "nodes", "events", "program"):
            status, out, err = c.run(command)
            check(status == 2 and not out and "'hbdb manager' runs one" in err, "hbdb %s without a manager says how to begin one" % command, err)
        status, _, err = c.run("manager", "--check-only")
        check(status == 2 and "--reactions" in err, "--check-only without a file", err)
        with open(c.path + "/wrong", "w", encoding="utf-8") as f:
            f.write("# first\nwhen rank 3 dies do\n  dance\n")
        status, _, err = c.run("manager", "--reactions", "wrong", "--check-only")
        check(status == 2 and "wrong:3:3: 'dance' makes no sense here" in err, "a mistake in a file of reactions: file, line, column", err)
        status, _, err = c.run("manager", "--reactions", "none")
        check(status == 2 and "none: No such file" in err, "a file of reactions that is not there", err)


def nodes(c):
    c.do("nodes", "add", "n1", "--platform", "local")
    check(until(lambda: c.rows("nodes")[0]["state"] == "up"), "a node is added and reached", c.rows("nodes"))
    check("n1" in c.do("nodes") and "up" in c.do("nodes"), "hbdb nodes shows it")
    status, _, err = c.run("nodes", "add", "n2", "--platform", "nothing")
    check(status == 2 and "nothing" in err, "a platform that is not there is refused", err)
    status, _, err = c.run("nodes", "add", "-x")
    check(status == 2, "a name that looks like an option is refused", err)
    status, _, err = c.run("nodes", "add", "n3", "--address", "-oProxyCommand=touch x")
    check(status == 2 and not os.path.exists(c.path + "/x"), "an address that looks like an option of ssh is refused", err)
    c.do("nodes", "add", "gone", "--platform", "ssh", "--address", "host.invalid")
    check(until(lambda: any(r["name"] == "gone" and r["state"] == "down" and r["why"] for r in c.rows("nodes"))), "a node that cannot be reached is down, and why",
          c.rows("nodes"))
    c.do("nodes", "remove", "gone")
    check(len(c.rows("nodes")) == 1, "and removed")
    status, _, err = c.run("nodes", "remove", "gone")
    check(status == 2 and "there is no node 'gone'" in err, "a second time it is not there", err)


def on_a_node(c):
    """hbdb nodes run."""
    check(c.run("nodes", "run", "n1", "--", "sh", "-c", "echo here; exit 7") == (7, "here\n", ""), "a command is run on a node: its output, its exit status")
    check(c.run("nodes", "run", "n1", "--", "sh", "-c", "kill -9 $$")[0] == 137, "and its signal")
    much = os.urandom(3000000)
    for command, back in ("cat", much), ("true", b""):
        done = subprocess.run([HBDB, "nodes", "run", "n1", "--", command], env=c.env, input=much, capture_output=True, timeout=300)
        check(done.returncode == 0 and done.stdout == back, "3 MB through %s there" % command, done.stderr)
    with subprocess.Popen([HBDB, "nodes", "run", "n1", "--", "sh", "-c", "echo $$; exec sleep 10000"], env=c.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        pid = int(run.stdout.readline())
        run.kill()
    check(until(lambda: not os.path.exists("/proc/%d" % pid)), "it is ended with who asked for it")
    for words, status, wanted in ((["n1", "--", "./nothing"], 127, "No such file"), (["n9", "--", "true"], 2, "no node 'n9'"), (["n1"], 2, "hbdb nodes run NAME -- COMMAND")):
        got = c.run("nodes", "run", *words)
        check(got[0] == status and wanted in got[2], "refused: nodes run %s" % " ".join(words), got)


# In the place of ssh: a login that greets, and runs what is behind the address.
SSH = """#!/bin/sh
echo "Welcome. Nobody is watching you."
while [ "${1#-}" != "$1" ]; do shift; done
[ "$1" = user@far ] || exit 255
shift
exec sh -c "$*"
"""


def over_ssh(c):
    c.do("nodes", "add", "far", "--address", "user@far")
    check(until(lambda: any(r["name"] == "far" and r["state"] == "up" for r in c.rows("nodes"))), "a node is reached by ssh, though the login greets", c.rows("nodes"))
    c.do("program", "add", "there", "--node", "far", "--", "sleep", "1000")
    c.do("program", "begin", "there")
    check(until(lambda: c.program("there")["state"] == "running"), "and a program begun there")
    pid = next(r["agent_pid"] for r in c.rows("nodes") if r["name"] == "far")
    os.kill(pid, signal.SIGKILL)
    check(until(lambda: any(r["name"] == "far" and r["state"] == "up" and r["agent_pid"] != pid for r in c.rows("nodes"))), "a connection that is lost is made again",
          c.rows("nodes"))
    check(c.program("there")["state"] == "running" and c.program("there")["runs"] == 1, "the program has not noticed", c.program("there"))
    c.do("program", "end", "there")
    check(until(lambda: c.program("there")["state"] == "ended"), "and is ended over the new one", c.program("there"))
    c.do("program", "remove", "there")
    c.do("nodes", "remove", "far")


def programs(c):
    status, _, err = c.run("program", "add", "p", "--node", "n9", "--", "true")
    check(status == 2 and "n9" in err, "a node that is not there", err)
    c.do("program", "add", "sleeper", "--node", "n1", "--", "sleep", "1000")
    c.do("program", "begin", "sleeper")
    check(until(lambda: c.program("sleeper")["state"] == "running"), "a program is begun")
    status, _, err = c.run("program", "begin", "sleeper")
    check(status == 2 and "runs already" in err, "not twice", err)
    process = c.program("sleeper")["process"]
    text = c.do("ps")
    check("node n1: up" in text and "program sleeper: running" in text and "#%d" % process in text, "hbdb ps shows complex, node, program, process", text)
    c.do("program", "stop", "#%d" % process)
    check(until(lambda: any(r["process"] == process and r["state"] == "stopped" for r in c.rows("ps"))), "a process is stopped", c.rows("ps"))
    c.do("program", "go", "#%d" % process)
    check(until(lambda: any(r["process"] == process and r["state"] == "running" for r in c.rows("ps"))), "and goes on")
    c.do("program", "restart", "sleeper")
    check(until(lambda: c.program("sleeper")["runs"] == 2 and c.program("sleeper")["state"] == "running"), "it is begun anew", c.program("sleeper"))
    c.do("program", "end", "sleeper")
    check(until(lambda: c.program("sleeper")["state"] == "ended"), "and ended, which is no failure", c.program("sleeper"))
    last = [e for e in c.rows("events", "--program", "sleeper") if e["kind"] in ("death", "exit")][-1]
    check(last["weight"] == "note" and "as it was told to end" in last["text"], "its event says that it was told to end, and is no error", last)
    for verb in (["stop"], ["signal", "--signal", "15"]):
        status, _, err = c.run("program", *verb, "#%d" % c.program("sleeper")["process"])
        check(status == 1 and "has ended" in err, "program %s of one that has ended: status 1" % verb[0], (status, err))
    c.do("program", "add", "bad", "--node", "n1", "--", "/no/such/program")
    c.do("program", "begin", "bad")
    check(until(lambda: c.program("bad")["state"] == "failed") and c.event("program", "could not be begun"), "a command that is not there", c.program("bad"))
    c.do("program", "add", "loop", "--node", "n1", "--restart", "failed", "--", "sh", "-c", "exit 3")
    c.do("program", "begin", "loop")
    check(until(lambda: c.program("loop")["runs"] >= 3), "one that fails is begun again", c.program("loop"))
    c.do("program", "end", "loop")
    stopped = c.program("loop")["runs"]
    time.sleep(1)  # nothing is waited for: should it be begun again, later checks see it, too
    check(c.program("loop")["runs"] <= stopped + 1 and not c.program("loop")["wanted"], "until it is ended by hand", c.program("loop"))


def holds(c):
    c.do("program", "add", "held", "--node", "n1", "--", "sleep", "1000")
    c.do("program", "begin", "held")
    until(lambda: c.program("held")["state"] == "running")
    mine = c.wire()
    mine.ask("hold", program="held", why="being looked at", while_here=True)
    status, _, err = c.run("program", "end", "held")
    check(status == 2 and "held by" in err and "being looked at" in err, "what another one holds is not moved, and who holds it is said", err)
    status, _, err = c.run("program", "hold", "held")
    check(status == 2 and "held by" in err, "nor held", err)
    check("held by" in c.do("ps"), "hbdb ps shows who holds it")
    process = c.program("held")["process"]
    status, _, err = c.run("program", "stop", "#%d" % process)
    check(status == 2 and "held by" in err, "nor are its processes", err)
    mine.close()
    check(until(lambda: c.run("program", "hold", "held", "--why", "me now")[0] == 0), "a hold ends with the console that has it")
    c.kill()
    c.begin()
    check(until(lambda: c.rows("nodes")[0]["state"] == "up") and "held by" in c.do("ps"), "one that is to stay outlives the manager")
    c.do("program", "release", "held")
    c.do("program", "end", "held")
    check(until(lambda: c.program("held")["state"] == "ended"), "released, it is moved again")


def events(c):
    last = c.rows("events")[-1]["event"]
    follow = subprocess.Popen([HBDB, "events", "-f", "--json", "--since", str(last)], env=c.env, stdout=subprocess.PIPE, text=True)
    w = c.wire()
    w.ask("note", text="one\x1b[31m\nand more")
    line = json.loads(follow.stdout.readline())
    check(line["event"] == last + 1 and "one" in line["text"], "hbdb events -f tells what happens", line)
    follow.send_signal(signal.SIGINT)
    check(follow.wait(60) == 0, "until Ctrl-C")
    text = c.do("events", "--since", str(last))
    check("\x1b" not in text and "\\x1b" in text, "what a terminal would obey is written out", text)
    check(len(c.do("events", "--since", "1h").splitlines()) == c.rows("events")[-1]["event"], "of the last hour: all")
    status, _, err = c.run("events", "--since", "yesterday")
    check(status == 2, "a time that is none is refused", err)
    check(refused(lambda: w.ask("nonsense"), "cannot be asked for 'nonsense'"), "an ask that is not known")
    channel = w.open("run", node="n1", command=["cat"])
    w.send(wire.BYTES, channel, b"through")
    w.wait(lambda: w.bytes.get(channel) == b"through")
    w.send(wire.END, channel, {})
    check(w.wait(lambda: w.ends.get(channel)) == {"status": 0}, "a command on a node, through its one connection")
    w.close()
    agent = wire.Wire([HBDB, "agent"], env=c.env)
    every, late = agent.ask("ps")["started"], agent.ask("ps", since=4000000000)["started"]
    agent.close()
    check(any("ended" in one for one in every) and not any("ended" in one for one in late), "an agent does not tell again what ended long ago", late)


def written(path):
    """What is in a file once a whole line is, else None."""
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    except FileNotFoundError:
        return None
    return text if text.endswith("\n") else None


RULES = """
when any process of watched fails do
  note "it was {process}, {status}",
  run sh -c "cat > got; echo \\"$0\\" > word" "{text}; $(touch hacked)",
  run shell "cat > shelled",
  notify datagram unix:@hbdb-test-%d,
  notify journal,
  restart it
when program watched fails at most once per 1h do note seldom-no-text
"""


def reactions():
    number = os.getpid()
    gram = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    gram.bind("\0hbdb-test-%d" % number)
    journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    with Complex(reactions=(RULES % number).replace("seldom-no-text", '"seldom"')) as c:
        journal.bind(c.path + "/journal")
        for s in (gram, journal):
            s.settimeout(60)
        c.env["HBDB_JOURNAL"] = c.path + "/journal"
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        until(lambda: c.rows("nodes")[0]["state"] == "up")
        c.do("program", "add", "watched", "--node", "n1", "--", "sh", "-c", "sleep 0.2; exit 7")
        c.do("program", "begin", "watched")
        event = json.loads(gram.recv(65536))
        check(event["kind"] == "exit" and event["data"]["status"] == 7 and event["program_name"] == "watched", "a failure reaches a datagram", event)
        sent = journal.recv(65536).decode()
        check("MESSAGE=" in sent and "PRIORITY=4" in sent and "HBDB_PROGRAM=watched" in sent, "and the journal", sent)
        # the program fails again and again, and each time both files are written anew: they may be empty at any moment
        got = until(lambda: written(c.path + "/got"))
        check(got and json.loads(got)["kind"] == "exit", "a command gets the event on its standard input", got)
        word = until(lambda: written(c.path + "/word"))
        check(word and "exited with status 7; $(touch hacked)" in word, "what an event has is one word", word)
        check(until(lambda: written(c.path + "/shelled")), "a shell gets it on its standard input, too")
        check(c.event("note", "it was watched, 7"), "a note")
        check(until(lambda: c.program("watched")["runs"] >= 2), "and the program is begun again", c.program("watched"))
        check(not os.path.exists(c.path + "/hacked"), "nothing of the event was obeyed")
        until(lambda: c.program("watched")["runs"] >= 3)
        c.kill()
        c.begin()
        runs = c.program("watched")["runs"]
        check(until(lambda: c.program("watched")["runs"] > runs), "a manager that begins anew goes on reacting")
        fired = c.table("SELECT line, fired, enabled FROM reaction ORDER BY line")
        check(fired[0][1] > 2 and fired[1][1] == 1 and all(r[2] for r in fired), "at most once per hour, over the death of the manager, too", fired)


def systemd():
    """Type=notify, by the plain protocol, with a watchdog."""
    with Complex() as c:
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.bind(c.path + "/notify")
        notify.settimeout(60)
        c.env["NOTIFY_SOCKET"] = c.path + "/notify"
        c.env["WATCHDOG_USEC"] = "2000000"
        c.begin(wait=False)
        check(notify.recv(100) == b"READY=1", "systemd is told when the manager is ready")
        check(c.run("ps")[0] == 0, "and it is")
        check(notify.recv(100) == b"WATCHDOG=1", "and that it lives")
        c.manager.terminate()
        said = [notify.recv(100)]
        while said[-1] == b"WATCHDOG=1":
            said.append(notify.recv(100))
        check(said[-1] == b"STOPPING=1" and c.manager.wait(60) == 0, "and that it ends", said)
        unit = open(TOP + "/share/systemd/hbdb-manager.service.in", encoding="ascii").read()
        check("Type=notify" in unit and "WatchdogSec=" in unit and "manager" in unit, "the unit says so")


def elsewhere():
    """A machine where logins have no hbdb in PATH: it is found where the manager's is; where that is not, it is said what to do."""
    with Complex() as c:
        own = c.path + "/own/hbdb"
        os.makedirs(c.path + "/config/hbdb/platforms")
        os.mkdir(c.path + "/own")
        shutil.copy(HBDB, own)
        with open(c.path + "/config/hbdb/platforms/far.platform", "w", encoding="ascii") as f:
            f.write("reach = env PATH=/usr/bin:/bin sh -c {quoted}\n")
        c.env["XDG_CONFIG_HOME"] = c.path + "/config"
        with open(c.said, "ab") as said:
            c.manager = subprocess.Popen([own, "manager"], cwd=c.path, env=c.env, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        until(lambda: c.run("ps")[0] == 0)
        c.do("nodes", "add", "f1", "--platform", "far")
        check(until(lambda: c.rows("nodes")[0]["state"] == "up"), "an agent is begun where the manager's hbdb is", c.run("nodes")[1])
        os.rename(own, own + ".gone")
        c.do("nodes", "add", "f2", "--platform", "far")
        listed(c)
        words = "hbdb does not run here: install it as %s, or in the PATH of logins without a terminal, which is /usr/bin:/bin" % own
        check(until(lambda: words in c.run("nodes")[1]), "a node without hbdb says what to do", c.run("nodes")[1])


def listed(c):
    """Nodes that a platform lists itself."""
    def platform(text):
        with open(c.path + "/config/hbdb/platforms/many.platform", "w", encoding="ascii") as f:
            f.write("reach = {command}\n" + text)

    platform("")
    status, _, err = c.run("nodes", "add", "--all", "--platform", "many")
    check(status == 2 and "does not say which nodes it has" in err, "a platform without a list is asked for its nodes in vain", err)
    platform('list = printf "l1\\n\\n l2 \\n"\n')
    status, _, err = c.run("nodes", "add", "--all", "--platform", "many")
    check(status == 2 and "a node's name is" in err, "what is no name of a node is refused", err)
    platform('list = printf "l1\\nl2\\n"\n')
    status, _, err = c.run("nodes", "add", "--all", "--platform", "many")
    check(status == 0 and "2 nodes of platform many" in err, "all nodes of a platform are added", err)
    check({("l1", "many", "l1"), ("l2", "many", "l2")} <= {(r["name"], r["platform"], r["address"]) for r in c.rows("nodes")}, "each by its name", c.run("nodes")[1])
    platform("list = false\n")
    status, _, err = c.run("nodes", "add", "--all", "--platform", "many")
    check(status == 2 and "ended with status 1" in err, "a list that fails is said", err)
    for wrong in (["add", "x", "--all"], ["--all"], ["add", "--all", "--address", "x"]):
        check(c.run("nodes", *wrong)[0] == 2, "hbdb nodes %s is refused" % " ".join(wrong))
    with open(c.path + "/config/hbdb/platforms/many.platform", "w", encoding="ascii") as f:
        f.write("reach = false {command}\n")
    for _ in range(5):  # it may have read what was said to it, or not
        c.do("nodes", "add", "silent", "--platform", "many")
        why = until(lambda: [r["why"] for r in c.rows("nodes") if r["name"] == "silent" and r["state"] == "down"])
        check(why == ["the other side ended before it said anything"], "a node whose command ends at once", why)
        c.do("nodes", "remove", "silent")
    for name in ("l1", "l2"):
        c.do("nodes", "remove", name)


def main():
    without_manager()
    with Complex() as c:
        os.mkdir(c.path + "/bin")
        with open(c.path + "/bin/ssh", "w", encoding="ascii") as f:
            f.write(SSH)
        os.chmod(c.path + "/bin/ssh", 0o755)
        c.env["PATH"] = c.path + "/bin:" + c.env["PATH"]
        c.begin()
        check("there are no nodes yet" in c.run("nodes")[2], "an empty complex says what to do")
        nodes(c)
        on_a_node(c)
        over_ssh(c)
        programs(c)
        holds(c)
        events(c)
        status, _, err = c.run("manager")
        check(status == 2 and "another manager" in err, "a second manager is refused", err)
    elsewhere()
    reactions()
    systemd()
    finish()


main()
