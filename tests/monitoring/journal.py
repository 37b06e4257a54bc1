#!/usr/bin/python3
"""hbdb journal with a socket of ours in the journal's place, and the services: their readiness and watchdog; --systemd: their units
under systemd-analyze, and a journald."""
import array
import os
import re
import signal
import socket
import struct
import subprocess
import sys

from place import BUILD, HBDB, Folder, example, wait_for
from lib import check, finish, has, same


class Socket:
    """A socket that takes datagrams; what came, and how."""

    def __init__(self, path):
        self.path = path
        self.open()

    def open(self):
        self.s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.s.bind(self.path)
        self.s.settimeout(120)

    def close(self):
        self.s.close()
        os.unlink(self.path)

    def take(self):
        """(bytes, whether they came in a file)"""
        size = array.array("i").itemsize
        data, extra, _, _ = self.s.recvmsg(1 << 20, socket.CMSG_SPACE(size))
        for _, _, content in extra:
            fd = array.array("i", content)[0]
            with os.fdopen(fd, "rb") as f:
                f.seek(0)
                return f.read(), True
        return data, False

    def silent(self):
        self.s.settimeout(1)
        try:
            return self.take()
        except TimeoutError:
            return None
        finally:
            self.s.settimeout(120)


def fields(entry):
    """The native format, read by its description: NAME=VALUE lines, or NAME, a length and the value."""
    found, at = {}, 0
    while at < len(entry):
        end = entry.index(b"\n", at)
        name, equal, value = entry[at:end].partition(b"=")
        at = end + 1
        if not equal:
            n = struct.unpack_from("<Q", entry, at)[0]
            value = entry[at + 8:at + 8 + n]
            at += 8 + n + 1
        if not re.match(rb"^[A-Z][A-Z0-9_]*$", name):
            raise ValueError("no name of a field: %r" % name)
        found[name.decode()] = value.decode()
    return found


def entries(place, database):
    journal = Socket(place.file("journal"))
    command = (HBDB, "journal", "--database", place.file("db"), "--socket", journal.path, "--place", place.file("place"))
    child = place.start(*command)
    check("it begins behind what there is", wait_for(lambda: os.path.exists(place.file("place"))))
    number = database.event(node=1, program=1, process=1, text="process 0 of farm died: signal 11")
    entry, in_file = journal.take()
    same("an event is an entry", (fields(entry), in_file), ({"MESSAGE": "process 0 of farm died: signal 11", "MESSAGE_ID": "5ac0dbaa63264d9cb7ba1d3dd3ac3bb9", "PRIORITY": "3",
        "SYSLOG_IDENTIFIER": "hbdb", "HBDB_EVENT": str(number), "HBDB_TIME": "1700000000000000", "HBDB_KIND": "death", "HBDB_WEIGHT": "error", "HBDB_NODE": "alpha",
        "HBDB_PROGRAM": "farm", "HBDB_PROCESS": "0", "HBDB_PID": "100", "HBDB_RECORDING": "/nowhere/farm.hbdb", "HBDB_COMMAND": "hbdb debug --event %d" % number}, False))
    number = database.event("note", "note", "two\nlines\nMESSAGE_ID=not this")
    got = fields(journal.take()[0])
    same("what has line feeds in it makes no fields", (got["MESSAGE"], got["PRIORITY"], got["MESSAGE_ID"][:4], "HBDB_NODE" in got), ("two\nlines\nMESSAGE_ID=not this", "6", "5ac0", False))
    long = "x" * (1 << 20)
    database.event("finding", "warning", long)
    entry, in_file = journal.take()
    same("what is too long for a datagram comes in a file", (fields(entry)["MESSAGE"] == long, fields(entry)["PRIORITY"], in_file), (True, "4", True))
    # away for a while
    same("it ends when told to", place.end(child), 0)
    numbers = [database.event(text=str(i)) for i in range(5)]
    child = place.start(*command)
    same("what happened meanwhile is written, once", [int(fields(journal.take()[0])["HBDB_EVENT"]) for _ in numbers], numbers)
    same("... and no more", journal.silent(), None)
    journal.close()
    numbers = [database.event(text=str(i)) for i in range(3)]
    check("a journal that is away is said", wait_for(lambda: "journal: " in place.log()), place.log())
    journal.open()
    same("and gets what happened when it is back", [int(fields(journal.take()[0])["HBDB_EVENT"]) for _ in numbers], numbers)
    # killed before it has noted the last one it would rightly write that again
    check("it notes how far it is", wait_for(lambda: place.log("place").startswith("%d " % numbers[-1])))
    place.end(child, signal.SIGKILL)
    number = database.event()
    child = place.start(*command)
    same("killed between two events it leaves none out", int(fields(journal.take()[0])["HBDB_EVENT"]), number)
    # the place cannot be written, as on a full disk
    os.mkdir(place.file("place.new"))
    numbers = [database.event(text=str(i)) for i in range(3)]
    same("where its place cannot be kept each event is written, once", [int(fields(journal.take()[0])["HBDB_EVENT"]) for _ in numbers], numbers)
    same("... and no more", journal.silent(), None)
    check("... and that is said", "is not kept" in place.log(), place.log())
    os.rmdir(place.file("place.new"))
    check("... and kept as soon as it can be", wait_for(lambda: place.log("place").startswith("%d " % numbers[-1])))
    place.end(child)
    status, _, err = place.run(HBDB, "journal", "--place", place.file("db"))
    check("a place that is none is refused", status == 2 and "no file of hbdb journal" in err, (status, err))


# A journald of our own: in mounts of its own, so that the machine's is not touched.
JOURNALD = """
mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/journal /run/log/journal || exit 9
[ -s /etc/machine-id ] || { echo 0123456789abcdef0123456789abcdef >/run/id; mount --bind /run/id /etc/machine-id; }
/lib/systemd/systemd-journald & journald=$!
until [ -S /run/systemd/journal/socket ]; do sleep 0.1; done
"$1" journal --database db --place real & hbdb=$!
until [ -e enough ]; do journalctl -q -o export MESSAGE_ID=5ac0dbaa63264d9cb7ba1d3dd3ac3bb9 >exported.new; mv exported.new exported; sleep 0.2; done
kill $hbdb $journald
"""


def real(place, database):
    """systemd-journald itself."""
    child = place.start("unshare", "-m", "--propagation", "private", "sh", "-c", JOURNALD, "sh", HBDB, log="journald")
    if not wait_for(lambda: os.path.exists(place.file("real")) or child.poll() is not None) or child.poll() is not None:
        print("-- no mounts of our own here, so no journald of our own: only its protocol was looked at\n" + place.log("journald"))
        return
    number = database.event(node=1, program=1, process=1, text="really there")
    database.event("finding", "warning", "x" * (1 << 20))
    def read():
        try:
            with open(place.file("exported"), "rb") as f:
                return f.read().decode(errors="replace")
        except FileNotFoundError:
            return ""
    check("journald takes the short entry and the long one", wait_for(lambda: len(read()) > 1 << 20), len(read()))
    has("... and knows its fields", read(), "MESSAGE=really there", "PRIORITY=3", "HBDB_EVENT=%d" % number, "HBDB_COMMAND=hbdb debug --event %d" % number, "HBDB_KIND=death", "_TRANSPORT=journal")
    open(place.file("enough"), "w").close()
    child.wait(timeout=60)


def services(place):
    """READY=1, and WATCHDOG=1 for as long as it moves."""
    said = Socket(place.file("notify"))
    for name, command in (("journal", (HBDB, "journal", "--database", place.file("db"), "--socket", place.file("nothing"))),
                          ("metrics", (HBDB, "metrics", "--database", place.file("db"), "--listen", "unix:" + place.file("served"))),
                          ("hbdb-snmp", (BUILD + "/hbdb-snmp", "-x", "unix:" + place.file("nobody"), "-d", place.file("db"), "-p", place.file("snmp.place")))):
        child = place.start(*command, env={"NOTIFY_SOCKET": said.path, "WATCHDOG_USEC": "1000000"})
        same("%s says that it is ready" % name, said.take()[0], b"READY=1\n")
        for _ in range(3):
            same("%s says that it moves" % name, said.take()[0], b"WATCHDOG=1\n")
        child.send_signal(signal.SIGSTOP)
        while said.silent():
            pass
        same("... and does not when it does not", said.silent(), None)
        child.send_signal(signal.SIGCONT)
        same("... and does again", said.take()[0], b"WATCHDOG=1\n")
        place.end(child)
        while said.silent():
            pass


def units(place):
    names = sorted(f for f in os.listdir(BUILD + "/share") if f.endswith(".service"))
    same("the units", names, ["hbdb-agent.service", "hbdb-journal.service", "hbdb-manager.service", "hbdb-metrics.service", "hbdb-snmp.service"])
    for name in names:
        with open(BUILD + "/share/" + name) as f:
            text = f.read()
        program = re.search(r"^ExecStart=(\S+)", text, re.M)[1]
        with open(place.file(name), "w") as f:
            f.write(text.replace(program, os.path.join(BUILD, os.path.basename(program))).replace("Documentation=", "#"))
        done = subprocess.run(["systemd-analyze", "verify", "--user", "--man=no", place.file(name)], capture_output=True, text=True,
            env=dict(place.env, XDG_RUNTIME_DIR=place.path))
        own = [line for line in (done.stdout + done.stderr).splitlines() if name in line and "Failed to " not in line]
        same("systemd-analyze has nothing to say of %s" % name, own, [])
        options = re.search(r"^ExecStart=\S+ ?(.*)$", text, re.M)[1].split()
        if options and options[0] in ("metrics", "journal"):
            help_text = subprocess.run([HBDB, "help", options[0]], capture_output=True, text=True).stdout
            has("its options are those of the command", help_text, *[o for o in options if o.startswith("--")])
    with open(place.file("broken.service"), "w") as f:
        f.write("[Service]\nExecStart=/nowhere/hbdb\nWatchdogSec=soon\n")
    done = subprocess.run(["systemd-analyze", "verify", "--user", "--man=no", place.file("broken.service")], capture_output=True, text=True,
        env=dict(place.env, XDG_RUNTIME_DIR=place.path))
    has("systemd-analyze sees a mistake", done.stdout + done.stderr, "broken.service")


def main():
    with Folder() as place:
        database = example(place.file("db"))
        entries(place, database)
        services(place)
        if "--systemd" in sys.argv[1:]:
            real(place, database)
            units(place)
    finish()


main()
