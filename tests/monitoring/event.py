#!/usr/bin/python3
"""hbdb debug --event: from the command that notifications and entries carry to the debugger where it happened."""
import os
import signal
import subprocess

from place import HBDB, Database, Folder, wait_for
from lib import check, finish, has, same

SLEEPER = """
#include <unistd.h>
volatile int count;
static void work(void) { count++; usleep(1000); }
int main(void) { (void)!write(1, "main\\n", 5); for (;;) work(); }
"""
JOB = """
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
volatile int rank, go_on = %d;
static void crash(void) { if (rank == 1) abort(); }
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, (int *)&rank);
	MPI_Barrier(MPI_COMM_WORLD);
	while (go_on)
		usleep(1000);
	crash();
	MPI_Barrier(MPI_COMM_WORLD);
	return 0;
}
"""
MPIRUN = ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1", "-n", "2"]


def boot():
    with open("/proc/sys/kernel/random/boot_id") as f:
        return f.read().strip()


def began(pid):
    with open("/proc/%d/stat" % pid) as f:
        return int(f.read().rpartition(")")[2].split()[19])


def build(place, compiler, name, source):
    subprocess.run([compiler, "-g", "-O0", "-x", "c", "-", "-o", place.file(name)], input=source.encode(), check=True)


def process(database, pid, **more):
    database.add("process", **dict({"node": 1, "pid": pid, "began": began(pid) if pid > 1 else 1, "boot": boot(), "state": "running", "since": 0}, **more))
    return database.db.execute("SELECT max(process) FROM process").fetchone()[0]


def debug(place, event, *commands):
    """The command as it stands in a notification, with what comes behind it at a prompt."""
    return place.run(HBDB, "debug", "--event", str(event), "--database", place.file("db"), "-c", "; ".join(commands), timeout=300)


def living(place, database):
    build(place, "cc", "sleeper", SLEEPER)
    child = place.start(place.file("sleeper"), stdout=subprocess.PIPE)
    child.stdout.readline()  # it is past the loader, where no main is below it
    number = process(database, child.pid, name="sleeper")
    event = database.event("stop", "warning", "sleeper was stopped", process=number)
    status, out, err = debug(place, event, "halt", "where")
    check("a process that lives is attached to", status == 0 and "main" in out, (status, out, err))
    has("what happened is said", err, "event %d: sleeper was stopped" % event)
    same("it goes on afterwards", child.poll(), None)
    child.send_signal(signal.SIGSTOP)
    def stopped():
        with open("/proc/%d/stat" % child.pid) as f:
            return f.read().rpartition(")")[2].split()[0] == "T"
    wait_for(stopped)
    status, first, err = debug(place, event, "halt", "print count")
    check("one that stands by SIGSTOP is attached to", status == 0 and "count = " in first, (status, first, err))
    check("and stands again", wait_for(stopped))
    same("without having moved", debug(place, event, "print count", "where", "print count")[1].count("count = "), 2)
    same("nor in another session", debug(place, event, "halt", "print count")[1], first)
    child.send_signal(signal.SIGCONT)
    database.db.execute("UPDATE process SET began = began + 1 WHERE process = ?", (number,))
    status, _, err = debug(place, event, "where")
    check("another process that got its number is not", status == 2 and "does not live" in err, (status, err))
    database.db.execute("UPDATE process SET began = began - 1, boot = 'another machine', state = 'running' WHERE process = ?", (number,))
    status, _, err = debug(place, event, "where")
    check("of one elsewhere it says where", status == 2 and "node alpha is not reached" in err and "there, hbdb debug --attach %d" % child.pid in err and "no manager answers" in err, (status, err))
    database.db.execute("UPDATE process SET boot = ? WHERE process = ?", (boot(), number))
    database.db.execute("UPDATE node SET host = 'a container'")
    status, _, err = debug(place, event, "where")
    check("of one with the same boot and another name, too", status == 2 and "there, hbdb debug --attach %d" % child.pid in err, (status, err))
    database.db.execute("UPDATE node SET host = ?", (os.uname().nodename,))
    place.end(child)


def job(place, database):
    """An event about a program: its processes; of one process of an MPI job: all of them."""
    build(place, "mpicc.openmpi", "job", JOB % 1)
    child = place.start(*MPIRUN, place.file("job"))
    def ranks():
        out = subprocess.run(["pgrep", "-P", str(child.pid)], capture_output=True, text=True).stdout.split()
        return [int(p) for p in out] if len(out) == 2 else None
    pids = wait_for(ranks)
    # both have MPI loaded, and are in the loop
    wait_for(lambda: all("libmpi" in open("/proc/%d/maps" % p).read() for p in pids))
    database.add("program", program=1, name="job", node=1, command="[]", state="hangs")
    starter = place.start(place.file("sleeper"))
    process(database, starter.pid, name="job", program=1)  # what starts a job is a process of its program, too, and has no log
    numbers = [process(database, pid, name=str(i), rank=i, program=1, log="rank.%d.log" % i) for i, pid in enumerate(pids)]
    for name, event in (("the program", database.event("hang", "error", "job hangs", program=1)), ("one process", database.event("stop", "warning", "1 stopped", process=numbers[1]))):
        status, out, err = debug(place, event, "halt", "print go_on")
        check("an event about %s leads to the whole job" % name, status == 0 and "[0:1]" in out.replace("[*]", "[0:1]") and "go_on = 1" in out, (status, out, err))
    place.end(child, signal.SIGTERM)


def dead(place, database):
    """One that died: its recording, at the last event of that process."""
    build(place, "mpicc.openmpi", "crash", JOB % 0)
    place.run(HBDB, "record", "-o", place.file("crash.hbdb"), "--", *MPIRUN, place.file("crash"), timeout=300)
    check("the run was recorded", os.path.isdir(place.file("crash.hbdb")))
    database.add("program", program=2, name="crash", node=1, command="[]", state="failed", recording=place.file("crash.hbdb"))
    number = process(database, 1, name="1", rank=1, program=2, recording=place.file("crash.hbdb"))
    database.db.execute("UPDATE process SET state = 'ended', signal = 6 WHERE process = ?", (number,))
    event = database.event("death", "error", "process 1 of crash died: signal 6 (Aborted)", process=number)
    status, out, err = debug(place, event, "status", "[1] cont", "[1] where")
    check("a death leads to the last event of who died, and behind it is why", status == 0 and "held" in out and "crash" in out.partition("held")[2],
          (status, out, err))
    event = database.event("death", "error", "crash failed", program=2)
    status, out, err = debug(place, event, "status")
    check("one about the program alone to the recording's beginning", status == 0 and "MPI_Init" in out, (status, out, err))
    os.rename(place.file("crash.hbdb"), place.file("gone.hbdb"))
    status, _, err = debug(place, event, "status")
    check("a recording that is not here is said", status == 2 and "is not on this machine" in err, (status, err))


# Rank 1 is in the past of who dies, has nothing more to do, and is killed with the job: in a replay it would go on for ever.
SLEEPS = """
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, v = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		MPI_Send(&v, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
	if (!rank) {
		MPI_Recv(&v, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		abort();
	}
	for (;;)
		sleep(1);
}
"""


def asleep(place, database):
    """One that was killed behind its last event stands there, as others do: it does not end by itself."""
    build(place, "mpicc.openmpi", "sleeps", SLEEPS)
    place.run(HBDB, "record", "-o", place.file("sleeps.hbdb"), "--", *MPIRUN, place.file("sleeps"), timeout=300)
    database.add("program", program=3, name="sleeps", node=1, command="[]", state="failed", recording=place.file("sleeps.hbdb"))
    number = process(database, 1, name="0", rank=0, program=3, began=2, recording=place.file("sleeps.hbdb"))
    database.db.execute("UPDATE process SET state = 'ended', signal = 6 WHERE process = ?", (number,))
    event = database.event("death", "error", "process 0 of sleeps died: signal 6 (Aborted)", process=number)
    status, out, err = debug(place, event, "set timeout 200", "status")
    check("who sleeps in the past of a death is held behind its last event", status == 0 and "[1] held after 1:2" in out and "[0] held after 0:2" in out, (status, out, err))


def refused(place, database):
    event = database.event("node", "note", "beta is up", node=1)
    for words, wanted in ((["--event", "x"], "takes the number"), (["--event", "0"], "takes the number"), (["--event", "99999"], "has no event 99999"),
                          (["--event", str(event)], "about no process"), (["--event", "1", "--at", "0:1"], "--at does not go with --event"),
                          (["--event", "1", "x.hbdb"], "by itself"), (["--event", "1", "--", "true"], "by itself"), (["--attach", "1"], "--database goes with --event")):
        status, _, err = place.run(HBDB, "debug", "--database", place.file("db"), *words)
        check("refused: %s" % " ".join(words), status == 2 and wanted in err, (status, err))
    status, _, err = place.run(HBDB, "debug", "--event", "1", "--database", place.file("none"))
    check("without a database it says what makes it", status == 3 and "hbdb manager" in err, (status, err))


def main():
    with Folder() as place:
        database = Database(place.file("db"))
        database.add("node", node=1, name="alpha", platform="local", address="", host=os.uname().nodename, boot=boot())
        living(place, database)
        job(place, database)
        dead(place, database)
        asleep(place, database)
        refused(place, database)
    finish()


main()
