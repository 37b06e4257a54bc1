#!/usr/bin/python3
"""The command of a recording that may come from somebody else is not run without a word; which recording is meant without a name."""
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import time

CLI = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli")
sys.path.insert(0, CLI)
import lib  # noqa: E402
from lib import HBDB, check, has, same  # noqa: E402

# Recording: writes a log. Replaying: says that it ran, and what of its environment nobody may set.
APP = r"""import os, sys
sys.path.insert(0, %r)
if os.environ["HBDB_MODE"] == "record":
    import rawlog
    rawlog.example().write(os.environ["HBDB_DIR"])
else:
    with open(%r, "a") as f:
        f.write("ran %%s %%s\n" %% (os.environ.get("BASH_ENV"), os.environ.get("OMPI_MCA_test")))
    open(os.environ["HBDB_DIR"] + "/done.0", "w").write("\n")
"""
EVIL = "a b\x1b[2J'\n\u202e" + 5000 * "x" + "end"


class Here:
    def __init__(self, place):
        self.place, self.ran = place, place.path + "/ran"
        os.mkdir(place.path + "/work")
        with open(place.path + "/app.py", "w") as f:
            f.write(APP % (CLI, self.ran))
        place.script("app", "exec /usr/bin/python3 %s/app.py \"$@\"\n" % place.path)

    def record(self, name, *words, **more):
        return self.run("record", "-o", name, "--mpi", "openmpi", self.place.path + "/app", *words, **more)

    def run(self, *args, folder="work", env=None, drop=()):
        full = dict(self.place.env, **(env or {}))
        for name in drop:
            full.pop(name, None)
        done = subprocess.run([HBDB, *args], cwd=self.place.path + "/" + folder, env=full, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=120, start_new_session=True)
        return done.returncode, done.stdout, done.stderr

    def times(self):
        """How often a recorded command was run since the last question, with what."""
        lines = open(self.ran).read().splitlines() if os.path.exists(self.ran) else []
        if lines:
            os.unlink(self.ran)
        return lines

    def manifest(self, name):
        return self.place.path + "/work/" + name + "/manifest.json"

    def copy(self, name, **changes):
        """A copy of mine.hbdb, changed by somebody else."""
        shutil.copytree(self.place.path + "/work/mine.hbdb", self.place.path + "/work/" + name)
        with open(self.manifest(name)) as f:
            m = json.load(f)
        m.update(changes)
        with open(self.manifest(name), "w") as f:
            json.dump({k: v for k, v in m.items() if v is not None}, f)
        return m


def own(h):
    status, _, err = h.record("mine.hbdb")
    same("recorded, without a word about it", (status, "remember" in err), (0, False))
    made = h.place.path + "/state/hbdb/made"
    names = os.listdir(made)
    same("one file remembers it, for the user only", [oct(os.stat(made + "/" + n).st_mode & 0o777) for n in names], ["0o600"])
    status, _, err = h.run("replay", "mine")
    same("an own recording is replayed, nothing is asked", (status, len(h.times()), "somebody else" in err), (0, 1, False))
    root = os.geteuid() == 0
    same("root is told what runs, others are not", "running as root: %s/app\n" % h.place.path in err, root)
    shutil.copytree(h.place.path + "/work/mine.hbdb", h.place.path + "/work/copy.hbdb")
    os.rename(h.place.path + "/work/copy.hbdb", h.place.path + "/elsewhere.hbdb")
    status, _, err = h.run("replay", h.place.path + "/elsewhere.hbdb")
    same("a copy of it elsewhere is own, too", (status, len(h.times())), (0, 1))
    status, _, err = h.run("replay", "-o", "again.hbdb", "mine")
    h.times()
    check("a replay is told of, too", status == 0, err)
    before = os.environ.get("OMPI_MCA_test")
    h.copy("more.hbdb", environment=dict(json.load(open(h.manifest("mine.hbdb")))["environment"], BASH_ENV="/tmp/x", LD_AUDIT="/tmp/y"))
    status, _, err = h.run("replay", "more")
    same("variables that hbdb does not record are not set", (status, h.times()), (0, ["ran None %s" % before]))


def refused(h, what, name, *wanted, **more):
    status, out, err = h.run("replay", name, **more)
    same("%s: not run, 2" % what, (status, h.times()), (2, []))
    has("%s: said why, and what to do" % what, err, "hbdb: nothing was run", "--trust", *wanted)
    return err


def foreign(h):
    h.copy("command.hbdb", command=["sh", "-c", "touch /tmp/never", EVIL])
    err = refused(h, "another command", "command", "its command, folder, environment or nodes are no longer what they were",
                  "  sh -c 'touch /tmp/never' $'a b\\x1b[2J\\'\\x0a\\u202e" + 5000 * "x" + "end'\n", "  in the folder %s/work\n"
                  % os.path.realpath(h.place.path))
    check("and shown so that no terminal obeys it", "\x1b" not in err and "\u202e" not in err)
    h.copy("folder.hbdb", folder="/tmp")
    refused(h, "another folder", "folder", "in the folder /tmp\n")
    m = h.copy("path.hbdb", environment={"PATH": "/tmp/evil", "OMPI_MCA_test": "a b", "LD_PRELOAD": "/tmp/e.so"})
    err = refused(h, "other variables", "path", "with PATH=/tmp/evil in the environment", "with OMPI_MCA_test='a b' in the env")
    check("one that is never set is not told", "LD_PRELOAD" not in err, err)
    for what, name in ((None, "none"), ("0" * 32, "unknown"), ("../recent", "path-id"), (m["id"].upper(), "upper"), (7, "number"),
                       (m["id"] + "/", "longer")):
        h.copy("id-%s.hbdb" % name, id=what)
        refused(h, "an identity that is %s" % name, "id-" + name, "somebody else")
    status, _, err = h.run("replay", "--trust", "id-none")
    same("--trust runs it", (status, len(h.times())), (0, 1))
    has("and shows it", err, "may come from somebody else", "as --trust was given:\n  %s/app\n" % h.place.path)
    status, _, err = h.run("replay", "--mpi", "openmpi", "command", "--", h.place.path + "/app")
    same("with a command of the user's nothing is asked", (status, len(h.times()), "somebody" in err), (0, 1, False))
    for words in (["debug", "command", "-c", "exit"], ["debug", "command", "--json", "-c", "exit"]):
        status, _, err = h.run(*words)
        same("%s: not run, 2" % words[:3], (status, h.times(), "say --trust" in err), (2, [], True))
    status, _, err = h.run("debug", "id-none", "--trust", "-c", "exit")
    check("debug --trust goes on", "somebody else" in err and "nothing was run" not in err, err)
    h.times()
    for words in (["info"], ["dump"], ["check"], ["verify"], ["races"]):
        err = h.run(*words, "command")[2]
        check("%s runs nothing and asks nothing" % words[0], "somebody" not in err and not h.times(), err)
    if os.geteuid() == 0:
        h.copy("other.hbdb")
        os.chown(h.place.path + "/work/other.hbdb/rank.0.log", 12345, -1)
        refused(h, "a file of another user", "other", "other.hbdb/rank.0.log belongs to another user")
    h.run("record", "-o", "../gone.hbdb", "--mpi", "openmpi", h.place.path + "/app", folder="lib")
    os.rename(h.place.path + "/lib", h.place.path + "/lib2")
    refused(h, "the folder is gone", "../gone.hbdb", "is not there any more", "its command would run in this one",
            env={"HBDB_LIBRARY_FOLDER": h.place.path + "/lib2"})
    os.rename(h.place.path + "/lib2", h.place.path + "/lib")


def memory(h):
    """Where hbdb remembers is missing, or not private."""
    refused(h, "no home", "mine", "neither XDG_STATE_HOME nor HOME", drop=("HOME", "XDG_STATE_HOME"))
    refused(h, "another home", "mine", "does not remember to have made it", env={"XDG_STATE_HOME": h.place.path + "/nothing"})
    _, _, err = h.record("unkept.hbdb", env={"XDG_STATE_HOME": "/dev/null/x"})
    has("a home that cannot be written is told of when it is recorded", err, "cannot remember that this recording is yours",
        "XDG_STATE_HOME names another", "unkept.hbdb: 1 process")
    refused(h, "a home that cannot be read", "unkept", "Not a directory", env={"XDG_STATE_HOME": "/dev/null/x"})
    file = "%s/state/hbdb/made/%s" % (h.place.path, json.load(open(h.manifest("mine.hbdb")))["id"])
    os.chmod(file, 0o622)
    refused(h, "a memory that others can write", "mine", "is not a private file")
    os.chmod(file, 0o600)
    os.rename(file, file + ".real")
    os.symlink(file + ".real", file)
    refused(h, "a memory that is a link", "mine", "somebody else")
    os.rename(file + ".real", file)
    same("again as it was", (h.run("replay", "mine")[0], len(h.times())), (0, 1))
    made = os.path.dirname(file)
    for i in range(2100):
        open("%s/%032x" % (made, i), "w").close()
        os.utime("%s/%032x" % (made, i), (i, i))
    h.record("newest.hbdb")
    left = os.listdir(made)
    check("it does not grow for ever", len(left) <= 2000 and "%032x" % 0 not in left and "%032x" % 2099 in left, len(left))
    same("and the last ones are kept", (h.run("replay", "newest")[0], h.run("replay", "mine")[0], len(h.times())), (0, 0, 2))


def on_terminal(h, answer, *args, ahead=b""):
    """(status, what was shown): the answer is typed when the question is there."""
    leader, follower = pty.openpty()
    os.write(leader, ahead)
    child = subprocess.Popen([HBDB, *args], cwd=h.place.path + "/work", env=dict(h.place.env, TERM="dumb"), stdin=follower,
                             stdout=follower, stderr=follower, start_new_session=True)
    os.close(follower)
    shown, typed, end = b"", False, time.monotonic() + 120
    while time.monotonic() < end:
        if not select.select([leader], [], [], 1)[0]:
            continue
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
        if b"[y/N] " in shown and not typed:
            typed = True
            os.write(leader, answer)
    os.close(leader)
    return child.wait(timeout=60), shown.decode(errors="replace").replace("\r\n", "\n"), typed


def asked(h):
    for answer, runs in ((b"y\n", True), (b"Yes\n", True), (b"n\n", False), (b"\n", False), (b"yesterday\n", False), (b"\x04", False)):
        status, shown, typed = on_terminal(h, answer, "replay", "id-none")
        check("%r on a terminal" % answer, typed and (status, len(h.times())) == ((0, 1) if runs else (2, 0)), (status, shown))
    has("the command stands above the question", shown, "its command is:\n  %s/app\n" % h.place.path, "run it? [y/N]", "nothing was run")
    status, shown, typed = on_terminal(h, b"n\n", "replay", "id-none", ahead=b"y\n")
    check("what was typed before is no answer", typed and status == 2 and not h.times(), (status, shown))
    status, shown, typed = on_terminal(h, b"n\n", "debug", "id-none")
    check("debug asks, too", typed and status == 2 and not h.times(), (status, shown))
    status, shown, typed = on_terminal(h, b"", "replay", "mine")
    check("of an own recording nothing is asked", not typed and status == 0 and len(h.times()) == 1, (status, shown))


def last(h):
    """Of this folder, else of this terminal session, else of the user."""
    top = h.place.path
    for folder in "one", "two", "three":
        os.mkdir(top + "/" + folder)
    record = '"%s" record -o %%s --mpi openmpi "%s/app" && ' % (HBDB, top)
    info = '"%s" info 2>&1 >/dev/null' % HBDB

    def session(text):
        return subprocess.run(["setsid", "-w", "sh", "-c", "cd %s; " % top + text], env=h.place.env, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=120, check=False).stdout

    session("cd one; " + record % "first.hbdb" + record % "second.hbdb" + "cd ../two; " + record % "../two/other.hbdb" + "true")
    same("the last one of this folder", session("cd one; " + info), "hbdb: recording second.hbdb\n")
    same("and not that of another one", session("cd two; " + info), "hbdb: recording other.hbdb\n")
    has("else the user's last, and which it is", session("cd three; " + info), "hbdb: recording %s/two/other.hbdb: none was made in this "
        "folder or in this terminal session; this is your last one\n" % top)
    shown = session("cd one; " + record % "third.hbdb" + "setsid -w sh -c 'cd ../two; %s true'; cd ../three; %s"
                    % (record % "later.hbdb", info))
    has("but first that of this terminal session", shown, "hbdb: recording %s/one/third.hbdb: none was made in this folder; this is the "
        "last one of this terminal session\n" % top)
    session("cd three; " + record % "../one/there.hbdb" + "true")
    same("one that was made from here counts", session("cd three; " + info), "hbdb: recording %s/one/there.hbdb\n" % top)
    same("so does one that lies here", session("cd one; " + info), "hbdb: recording there.hbdb\n")
    shutil.rmtree(top + "/one/there.hbdb")
    same("one that is gone does not", session("cd one; " + info), "hbdb: recording third.hbdb\n")
    for name in "second", "third":
        shutil.rmtree("%s/one/%s.hbdb" % (top, name))
    os.rename(top + "/one/first.hbdb", top + "/one/best.hbdb")
    same("another name does not hide it", session("cd one; " + info), "hbdb: recording best.hbdb\n")
    with open(top + "/state/hbdb/recent", "r+") as f:
        f.seek(0, 2)
        f.write("not JSON\n[1]\n" + 3000 * (json.dumps(["s", "/nowhere", "/nowhere/" + 40 * "x"]) + "\n"))
    same("and lines that mean nothing are passed over", session("cd two; " + info), "hbdb: recording later.hbdb\n")
    session("cd two; " + record % "end.hbdb" + "true")
    check("the list does not grow for ever", os.path.getsize(top + "/state/hbdb/recent") < 150000)
    same("and keeps its end", session("cd two; " + info), "hbdb: recording end.hbdb\n")


def names(h):
    open(h.place.path + "/work/mine", "w").close()
    same("a file of the name lies beside it", (h.run("replay", "mine")[0], len(h.times())), (0, 1))
    same("for every command", [h.run(c, "mine")[0] for c in ("info", "dump", "verify")], [0, 0, 0])
    err = h.run("debug", "mine", "-c", "exit")[2]
    check("debug, too", "is a file" not in err and len(h.times()) == 1, err)
    os.unlink(h.place.path + "/work/mine")
    os.mkdir(h.place.path + "/work/mine")
    same("a folder that is none, too", h.run("info", "mine")[0], 0)
    os.rmdir(h.place.path + "/work/mine")
    for name, meant in (("mien", "'mine.hbdb'"), ("mnie.hbdb", "'mine.hbdb'"), ("../work/mime", "'../work/mine.hbdb'"),
                        ("./elsewere", None)):
        status, _, err = h.run("info", name)
        same("%s is no recording" % name, status, 3)
        check("%s: a near name, or none" % name, ("did you mean %s?" % meant in err) if meant else "did you" not in err, err)


def nodes(h):
    """A recording that names nodes: hbdb connects to those of its own, and to others when it is told to."""
    place, part = h.place, h.place.path + "/hbdb-" + 32 * "a"
    said = place.path + "/reached"
    place.script("bin/ssh", 'echo "ssh $*" >> %s\necho "no route" >&2\nexit 255\n' % said)
    place.script("bin/srun", 'echo "srun $SLURM_JOB_ID $*" >> %s\n[ -e %s/job ] || { echo "Invalid job id specified" >&2; exit 1; }\n'
                 'while [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n' % (said, place.path))
    env = {"PATH": place.path + "/bin:" + place.env["PATH"]}

    def reached():
        lines = open(said).read().splitlines() if os.path.exists(said) else []
        if lines:
            os.unlink(said)
        return lines

    far = [{"name": "far.example", "folder": part, "missing": True}]
    h.copy("far.hbdb", nodes=far)
    status, _, err = h.run("record", "--fetch", "far", env=env)
    same("nodes that it did not have when it was made are not connected to", (status, reached()), (2, []))
    has("and it is said why, and which", err, "nodes are no longer what they were", "It names far.example", "--from-elsewhere")
    h.copy("foreign.hbdb", nodes=far, id=32 * "b")
    status, _, err = h.run("record", "--fetch", "foreign", env=env)
    same("nor those of a recording from somebody else", (status, reached(), "does not remember" in err), (2, [], True))
    status, _, err = h.run("record", "--fetch", "--from-elsewhere", "foreign", env=env)
    same("unless one says so", (status, ["far.example" in line for line in reached()]), (3, [True]))
    has("what then happens is said", err, "the node far.example is lost")
    same("the word goes with --fetch", h.run("record", "--from-elsewhere", "--", "true", env=env)[0], 2)
    h.copy("running.hbdb", nodes=far, id=32 * "b", exit_status=None, seconds=None)
    status, _, err = h.run("hang", "running", env=env)
    same("hbdb hang does not connect, either", (reached(), "--from-elsewhere" in err), ([], True))
    h.run("hang", "--from-elsewhere", "running", env=env)
    same("unless one says so", len(reached()), 1)
    # through the job of Slurm's that it was made in; when that is over, as other machines
    import rawlog
    rawlog.example(1, 2).write(part)
    h.copy("job.hbdb", nodes=[dict(far[0], slurm="77")], id=32 * "b")
    status, _, err = h.run("record", "--fetch", "--from-elsewhere", "job", env=env)
    same("a job of Slurm's that is over: srun is tried, then ssh", (status, [line.split()[0] for line in reached()], "is not reached through job 77 of Slurm" in err), (3, ["srun", "ssh"], True))
    open(place.path + "/job", "w").close()
    status, _, err = h.run("record", "--fetch", "--from-elsewhere", "job", env=env)
    lines = reached()
    same("one that goes on: through it, and through nothing else", (status, len(lines), lines[0].split()[:2] if lines else [], "--overlap" in str(lines), "2 processes" in err),
         (0, 1, ["srun", "77"], True, True))
    check("its part was fetched, and removed there", not os.path.exists(part) and any(n.startswith("node.") for n in os.listdir(place.path + "/work/job.hbdb")), err)
    h.copy("evil.hbdb", nodes=[dict(far[0], slurm="77; x")], id=32 * "b")
    status, _, err = h.run("record", "--fetch", "--from-elsewhere", "evil", env=env)
    same("a number of a job that is none makes a node none", (status, reached()), (2, []))


with lib.Place() as here:
    h = Here(here)
    own(h)
    foreign(h)
    memory(h)
    asked(h)
    nodes(h)
    last(h)
    names(h)
lib.finish()
