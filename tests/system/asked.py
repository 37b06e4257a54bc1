#!/usr/bin/env python3
"""What is asked of a manager one after the other, as in a script; what it says when it cannot begin; reactions over its death."""
import os
import signal
import socket
import sqlite3
import subprocess
import time

from lib import HBDB, Complex, check, finish, until


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def at_once():
    """Nobody waits until a node is up: the manager does."""
    with Complex() as c:
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        c.do("program", "add", "one", "--node", "n1", "--", "sleep", "1000")
        status, _, err = c.run("program", "begin", "one")
        check(status == 0 and c.program("one")["state"] in ("begins", "running"), "a program is begun on a node that was just added", err)
        until(lambda: c.program("one")["state"] == "running")
        c.kill()
        c.begin()
        status, _, err = c.run("program", "end", "one")
        check(status == 0, "and ended by a manager that was just begun", err)
        check(until(lambda: c.program("one")["state"] == "ended"), "it ends", c.program("one"))
        c.do("nodes", "add", "n2", "--address", "nowhere.invalid")
        c.do("program", "add", "two", "--node", "n2", "--", "true")
        status, _, err = c.run("program", "begin", "two")
        check(status == 2 and "n2 is down" in err, "of a node that is not reached it is said when that is known", err)
        status, out, _ = c.run("ps", "--program", "one")
        check(status == 0 and "program one" in out and "program two" not in out, "ps of one program shows no other one", out)
        for args in (("ps", "--program", "nix"), ("events", "--program", "nix"), ("ps", "--node", "nix"), ("events", "--node", "nix", "--follow")):
            status, out, err = c.run(*args)
            check(status == 2 and "'nix'" in err, "a name that there is not: %s" % " ".join(args), out + err)
        status, _, err = c.run("program", "signal", "one:one")
        check(status == 2 and "--signal NUMBER" in err, "a signal without a number", err)
        status, _, err = c.run("program", "signal", "one:one", "--signal", "65")
        check(status == 2 and "1 to 64" in err, "and with one that there is not", err)


def output():
    with Complex() as c:
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        c.do("program", "add", "talks", "--node", "n1", "--restart", "failed", "--", "sh", "-c", "echo said; echo wrong >&2; exit 3")
        status, _, err = c.run("program", "output", "talks")
        check(status == 2 and "not begun yet" in err, "a program that never ran has written nothing", err)
        c.do("program", "begin", "talks")
        until(lambda: c.program("talks")["failed"] >= 2)

        def shown():
            """Of a run that is over: the next one may begin at any moment, and has written nothing then."""
            before, got, after = c.program("talks"), c.run("program", "output", "talks"), c.program("talks")
            return got if before["state"] == after["state"] == "failed" and before["runs"] == after["runs"] else None
        got = until(shown)
        check(got and got[:2] == (0, "said\nwrong\n"), "what a program wrote is shown, from its node", got)
        c.do("program", "end", "talks")
        until(lambda: c.program("talks")["state"] in ("ended", "failed"))
        failed = c.program("talks")["failed"]
        c.do("program", "add", "talks", "--node", "n1", "--", "sleep", "1000")
        c.do("program", "begin", "talks")
        until(lambda: c.program("talks")["state"] == "running")
        c.do("program", "end", "talks")
        until(lambda: c.program("talks")["state"] == "ended")
        row = c.program("talks")
        check(row["failures"] == 0 and row["failed"] >= failed, "a good run ends a row of failures, and how many there were is still known", row)
        status, out, _ = c.run("metrics")
        check('hbdb_program_failures_total{program="talks"} %d\n' % row["failed"] in out, "which is what counters count", out)


def begun_and_ended():
    """Asked for at once, before an answer to the first could come: as when two people do it, or a node is far away."""
    with Complex() as c:
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        c.do("program", "add", "both", "--node", "n1", "--", "sleep", "1000")
        until(lambda: c.rows("nodes")[0]["state"] == "up")
        w = c.wire()
        for turn in range(5):
            asks = [w.begin(what, program="both") for what in ("begin", "end")]
            answers = [w.wait(lambda: w.answers.pop(ask, None)) for ask in asks]
            check(not any("error" in a for a in answers), "begun and ended at once", answers)
            check(until(lambda: c.program("both")["runs"] == turn + 1 and c.program("both")["state"] == "ended"), "it ends", c.program("both"))
        asks = [w.begin(what, program="both") for what in ("begin", "restart")]
        answers = [w.wait(lambda: w.answers.pop(ask, None)) for ask in asks]
        check(until(lambda: c.program("both")["runs"] == turn + 3 and c.program("both")["state"] == "running"), "and begun again", (answers, c.program("both")))
        w.close()


def left():
    """Whoever ran a command on a node goes away, one whose input was over before."""
    with Complex() as c:
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        until(lambda: c.rows("nodes")[0]["state"] == "up")
        for number in (signal.SIGKILL, signal.SIGTERM):
            console = subprocess.Popen([HBDB, "nodes", "run", "n1", "--", "sh", "-c", "echo $$; exec sleep 1000"], env=c.env, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE)
            pid = int(console.stdout.readline())
            # the end of its input has come through
            until(lambda: c.run("ps")[0] == 0)
            console.send_signal(number)
            console.wait(60)
            console.stdout.close()
            check(until(lambda: not alive(pid)), "what was run ends with who ran it (signal %d)" % number)


def stubborn():
    """What a command has begun itself ends with it, at the latest when it is killed."""
    with Complex() as c:
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        c.do("program", "add", "deaf", "--node", "n1", "--cwd", c.path, "--", "sh", "-c", "trap '' TERM; sleep 1000 & echo $! > child; wait; wait")
        c.do("program", "begin", "deaf")
        child = int(until(lambda: os.path.exists(c.path + "/child") and open(c.path + "/child", encoding="ascii").read()))
        c.do("program", "end", "deaf")
        check(until(lambda: c.program("deaf")["state"] == "ended"), "a program that does not hear SIGTERM is killed")
        check(until(lambda: not alive(child)), "with what it had begun")


def cannot_begin():
    with Complex("--allow", "nobody-of-this-name") as c:
        c.begin(wait=False)
        c.manager.wait(60)
        said = open(c.said, encoding="utf-8").read()
        check(c.manager.returncode == 2 and "nobody-of-this-name" in said and "listens" not in said, "who cannot begin does not say that he listens", said)
    with Complex() as c:
        os.makedirs(c.path + "/state/hbdb")
        c.begin()
        c.kill()
        base = sqlite3.connect(c.database)
        base.execute("DROP TABLE hold")
        base.commit()
        base.close()
        c.begin(wait=False)
        c.manager.wait(60)
        said = open(c.said, encoding="utf-8").read()
        check(c.manager.returncode == 3 and "tables are missing" in said and "move it away" in said, "a database without a table is none", said)
        check(os.path.exists(c.database), "it stays where it is")


def news_alone():
    """A node on which something has ended before it was in the complex."""
    with Complex() as c:
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        for name, command in (("over", ["false"]), ("lives", ["sleep", "1000"])):
            c.do("program", "add", name, "--node", "n1", "--", *command)
            c.do("program", "begin", name)
        check(until(lambda: c.program("over")["state"] == "failed" and c.program("lives")["state"] == "running"), "one ends, and one runs")
        c.kill()
        for name in ("complex.db", "complex.db-wal", "complex.db-shm"):
            if os.path.exists(c.path + "/state/hbdb/" + name):
                os.unlink(c.path + "/state/hbdb/" + name)
        # ends are told by the second
        over = time.time()
        until(lambda: time.time() > over + 2)
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        check(until(lambda: c.event("start", "lives")), "who lives is told of by a manager that knows nothing yet")
        c.do("program", "add", "later", "--node", "n1", "--", "false")
        c.do("program", "begin", "later")
        check(until(lambda: c.event("exit", "later")), "and how one ended that it has begun")
        check(not c.event("exit", "over"), "what had ended before is no news", c.run("events")[1])


CLOCK = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *t)
{
	long back = 0;
	long status = syscall(SYS_clock_gettime, clock, t);
	FILE *f = clock == CLOCK_REALTIME && getenv("BACK") ? fopen(getenv("BACK"), "r") : NULL;
	if (f && fscanf(f, "%ld", &back) == 1)
		t->tv_sec -= back;
	if (f)
		fclose(f);
	return (int)status;
}
"""


def clock_back():
    """The manager's clock is set back by an hour, as whoever begins or ends something waits."""
    with Complex() as c:
        with open(c.path + "/clock.c", "w", encoding="utf-8") as f:
            f.write(CLOCK)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", c.path + "/clock.so", c.path + "/clock.c"], check=True)

        def back(seconds):
            with open(c.path + "/back.new", "w", encoding="ascii") as f:
                f.write(str(seconds))
            os.rename(c.path + "/back.new", c.path + "/back")
        c.env.update(LD_PRELOAD=c.path + "/clock.so", BACK=c.path + "/back")
        c.begin()
        c.env.pop("LD_PRELOAD")
        c.do("nodes", "add", "n1", "--platform", "local")
        c.do("program", "add", "fails", "--node", "n1", "--restart", "failed", "--", "false")
        c.do("program", "add", "deaf", "--node", "n1", "--cwd", c.path, "--", "sh", "-c", "trap '' TERM; touch deaf; while :; do sleep 1; done")
        c.do("program", "begin", "fails")
        c.do("program", "begin", "deaf")
        # a pause that is long enough to be met
        until(lambda: os.path.exists(c.path + "/deaf") and c.program("fails")["failures"] >= 3 and c.program("fails")["retry"])
        c.do("program", "end", "deaf")
        runs = c.program("fails")["runs"]
        back(3600)
        check(until(lambda: c.program("fails")["runs"] > runs), "a program is begun again though the clock was set back", c.program("fails"))
        check(until(lambda: c.program("deaf")["state"] == "ended"), "and one that hears no SIGTERM is killed", c.program("deaf"))


SLOW = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
	if (!(hints->ai_flags & AI_NUMERICHOST))
		sleep(1000);
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
	return real(node, service, hints, found);
}
"""


def slow_names():
    """Who is asked for the address of a host does not answer."""
    with Complex(reactions="when any process exits do notify datagram udp:slow.invalid:9, notify datagram udp:127.0.0.1:9, note \"behind it\"\n") as c:
        with open(c.path + "/slow.c", "w", encoding="utf-8") as f:
            f.write(SLOW)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", c.path + "/slow.so", c.path + "/slow.c"], check=True)
        c.env["LD_PRELOAD"] = c.path + "/slow.so"
        c.begin()
        del c.env["LD_PRELOAD"]
        c.do("nodes", "add", "n1", "--platform", "local")
        c.do("program", "add", "ends", "--node", "n1", "--", "true")
        c.do("program", "begin", "ends")
        check(until(lambda: c.table("SELECT 1 FROM event WHERE text LIKE '%behind it'")), "a datagram for a host whose name nobody tells holds up nothing behind it")
        check(c.run("ps")[0] == 0, "nor the manager")
        c.kill()
        c.begin()
        check(c.manager.poll() is None, "nor the next one, though somebody still waits for the name")


def older():
    """A database of the first version of its tables."""
    with Complex() as c:
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        c.do("program", "add", "kept", "--node", "n1", "--", "false")
        c.do("program", "begin", "kept")
        until(lambda: c.program("kept")["state"] == "failed")
        c.kill()
        base = sqlite3.connect(c.database)
        for table, column in (("program", "part"), ("program", "failed"), ("program", "output"), ("process", "messages"), ("process", "event_rate"),
                              ("process", "message_rate")):
            base.execute("ALTER TABLE %s DROP COLUMN %s" % (table, column))
        base.execute("PRAGMA user_version = 1")
        base.commit()
        base.close()
        status, _, err = c.run("metrics")
        check(status == 3 and "version is 1" in err and "hbdb manager of this version brings it up" in err, "who only reads says what has to be done", err)
        c.begin()
        row = c.program("kept")
        check(row["state"] == "failed" and row["failed"] == 1 and row["output"] is None, "a manager brings it up to date, and keeps what is in it", row)
        check(c.run("metrics")[0] == 0, "then others read it")


RULES = """when program once is failed do note "a state"
when process first exits and process second exits within 1h do note "a pair"
when sensor heat over 50 do note "hot {value}"
"""


def notes(c, text):
    return [row for row in c.rows("events", "--since", "0") if row["kind"] == "note" and text in row["text"]]


def again(c):
    c.kill()
    c.begin()
    check(until(lambda: c.rows("nodes")[0]["state"] == "up"), "a manager that was killed begins anew")


def say(c, value):
    """Until it has been heard: the agent of before may have it, which goes with its manager, and the next one listens when that is gone."""
    last = c.rows("events")[-1]["event"]

    def heard():
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
                s.connect(c.path + "/run/hbdb/notify")
                s.send(b"hbdb-self 1 %d tripped heat %d hot" % (os.getpid(), value))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        return until(lambda: [row for row in c.rows("events", "--since", str(last)) if row["kind"] == "sensor" and row["data"]["value"] == value], 2)
    check(until(heard), "a sensor that says %d is heard" % value)


def ran(c, name):
    c.do("program", "begin", name)
    until(lambda: c.program(name)["runs"] and c.program(name)["state"] in ("failed", "ended"))


def over_deaths():
    """What reactions knew before the death of the manager counts behind it, and nothing is done twice."""
    with Complex(reactions=RULES) as c:
        c.begin()
        c.do("nodes", "add", "n1", "--platform", "local")
        until(lambda: c.rows("nodes")[0]["state"] == "up")
        for name in ("once", "first", "second"):
            c.do("program", "add", name, "--node", "n1", "--", "false" if name == "once" else "true")
        ran(c, "once")
        ran(c, "first")
        say(c, 60)
        check(until(lambda: notes(c, "a state") and notes(c, "hot")), "a state and a sensor make rules due")
        # the mark of a state is written when what was due is done
        until(lambda: c.table("SELECT 1 FROM mark WHERE name LIKE 'holds %' AND value = 1"))
        again(c)
        say(c, 61)
        # two looks at states, a second each
        turns = c.event("note", "a state")
        ran(c, "second")
        check(until(lambda: notes(c, "a pair")), "a happening from before the death and one behind it are a pair")
        until(lambda: c.table("SELECT max(time) - (SELECT time FROM event WHERE event = ?) > 3000000 FROM event", turns["event"])[0][0], 10)
        check(len(notes(c, "a state")) == 1, "a state that held before and still does is no news", notes(c, "a state"))
        check(len(notes(c, "hot")) == 1, "nor is a sensor that was beyond its limit", notes(c, "hot"))
        say(c, 10)
        say(c, 70)
        check(until(lambda: notes(c, "hot 70")), "it is when it was back")
        c.do("program", "add", "once", "--node", "n1", "--", "true")
        ran(c, "once")
        until(lambda: not c.table("SELECT 1 FROM mark WHERE name LIKE 'holds %' AND value = 1"))
        again(c)
        c.do("program", "add", "once", "--node", "n1", "--", "false")
        ran(c, "once")
        check(until(lambda: len(notes(c, "a state")) == 2), "and a state that did not hold meanwhile")


def main():
    at_once()
    over_deaths()
    output()
    begun_and_ended()
    left()
    stubborn()
    cannot_begin()
    older()
    news_alone()
    clock_back()
    slow_names()
    finish()


if __name__ == "__main__":
    main()
