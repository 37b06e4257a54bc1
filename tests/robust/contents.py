"""Contents of collectives and messages: a replay says where they differ, why, and what it did not compare; it goes on.
Buffers that only the MPI library can read: no load of hbdb's own touches them."""
import re

from lib import test

COMPARED = 66  # contents of two processes in the collectives of contents.c


def replayed(t, mode, *options):
    t.run(["rm", "-rf", t.path("r.hbdb")])
    done = t.record(t.launch(2, t.program("contents"), mode))
    t.want(done.status == 0, "record: status %d\n%s" % (done.status, done.tail()))
    return t.replay(*options)


@test("contents/same")
def same(t):
    done = replayed(t, "same")
    t.want(done.status == 0 and done.said.endswith("events: no difference"), "status %d\n%s" % (done.status, done.said))
    looked = [line for line in t.dump("--json") if '"check":' in line and "MPI_Bcast" in line]
    t.want(len(looked) == 2 and '"check":null' not in "".join(looked), "no check of a broadcast: %s" % looked)


@test("contents/seed")
def seed(t):
    """Random numbers that one process broadcasts: everything after them differs, and the first is named."""
    done = replayed(t, "random")
    t.want(done.status == 0, "status %d\n%s" % (done.status, done.said))
    first = done.said.splitlines()
    t.want(re.search("rank 0, event 2: the same call, but its input data differs from the recording", first[0]), "first: " + first[0])
    t.want("MPI_Bcast(count=1" in first[1] and "contents.c:" in first[1], "second: " + first[1])
    t.want("rank 1, event 2: the same call, but its result differs from the recording" in done.said, done.said)
    found = re.search(r"no difference in the calls; (\d+) of (\d+) contents that were compared differ$", done.said)
    # a side of one byte may agree by chance
    t.want(found and int(found[2]) == COMPARED and int(found[1]) > COMPARED - 10, "last: " + done.said)


@test("contents/stop")
def stop(t):
    done = replayed(t, "random", "--contents", "stop")
    t.want(done.status == 1 and "rank 0, event 2" in done.said and "ended there" in done.said, "status %d\n%s" % (done.status, done.said))
    done = t.replay("--contents", "ignore")
    t.want(done.status == 0 and "event 2" not in done.said, "ignore: status %d\n%s" % (done.status, done.said))


@test("contents/reasons")
def reasons(t):
    for mode, texts in (("time", ["what looks like the time of day, 0 bytes"]),
                        ("text", ["it sends different data", "a text that ends early"]),
                        ("pending", ["the data itself shows no reason", "the buffer of MPI_Isend changed while its send was pending", "contents.c:"])):
        done = replayed(t, mode)
        while mode == "time" and done.said.endswith("no difference"):  # the same second
            done = t.replay()
        for text in texts:
            t.want(done.status == 0 and text in done.said, "%s: %r is not said, status %d\n%s" % (mode, text, done.status, done.said))


@test("contents/holes")
def holes(t):
    done = replayed(t, "holes")
    t.want(re.search(r"nor in the %d contents that were compared; contents not compared: 1 with datatypes that have holes$" % COMPARED, done.said),
           done.said)


# mode: what the process that gives other contents says, and the one that gets them
LATER = {
    "ibcast": ("its input data differs", "the result of the MPI_Ibcast of event 2 differs"),
    "igatherv": ("its input data differs", "the result of the MPI_Igatherv of event 9 differs"),
    "persistent": (r"the input data of the MPI_Allreduce_init of event \d+ differs", r"the result of the MPI_Allreduce_init of event \d+ differs"),
    "between": (r"its input data differs from the recording\n.*MPI_Bcast\(.*root=ROOT", "its result differs"),
    "grid": (r"its input data differs from the recording\n.*MPI_Neighbor_alltoall\(", r"its result differs from the recording\n.*MPI_Neighbor_alltoall\("),
    "graph": (r"its input data differs from the recording\n.*MPI_Ineighbor_alltoall\(", "the result of the MPI_Ineighbor_alltoall"),
}


@test("contents/later")
def later(t):
    """Collectives that are over later, between groups and among neighbours: alike in every run, or not, and then whose."""
    counted = {"openmpi": 37, "mpich": 49}[t.mpi]  # Open MPI 4 has no persistent ones
    for mode in ["same"] + [m for m in LATER if (t.mpi, m) != ("openmpi", "persistent")]:
        t.run(["rm", "-rf", t.path("r.hbdb")])
        done = t.record(t.launch(2, t.program("later"), mode))
        t.want(done.status == 0, "%s: record: status %d\n%s" % (mode, done.status, done.tail()))
        done = t.replay()
        if mode == "same":
            t.want(done.status == 0 and done.said.endswith("events: no difference"), "status %d\n%s" % (done.status, done.said))
            continue
        gave, got = ("rank %d, .*: the same call, but %s" % it for it in enumerate(LATER[mode]))
        found = re.search(r"(\d+) of (\d+) contents that were compared differ$", done.said)
        t.want(done.status == 0 and re.search(gave, done.said) and re.search(got, done.said) and found and int(found[1]) >= 2,
               "%s: status %d\n%s" % (mode, done.status, done.said))
        t.want(int(found[2]) == counted, "%s: %s contents compared, not %d" % (mode, found[2], counted))


@test("contents/unseen")
def unseen(t):
    """What passes without being an event is said to be not compared."""
    done = t.record(t.launch(2, t.program("handles")))
    t.want(done.status == 0, "record: status %d\n%s" % (done.status, done.tail()))
    done = t.replay()
    t.want(done.status == 0 and re.search(r"contents not compared: .*, 12 one-sided, 12 of files$", done.said), done.said)


def opaque(t, *options):
    command = t.launch(2, t.program("opaque"))
    bare = t.run(command)
    t.want(bare.status == 0 and bare.out.count("3 faults") == 2, "alone: status %d\n%s%s" % (bare.status, bare.out, bare.tail()))
    done = t.record(command, *options)
    t.same_run(bare, done)
    t.silent(done, "wildcard receives are kept", "only the MPI library can read")
    again = t.replay()
    t.want("--level" in options or re.search(r"contents not compared: \d+ in memory that only "
                                             r"the MPI library reads$", again.said), "not said: " + again.said)
    t.want(again.status == 0 and again.lines() == bare.lines(), "replay: status %d\n%s\n%s" % (again.status, again.lines(), again.tail()))


@test("buffers/opaque-events")
def opaque_events(t):
    opaque(t)


@test("buffers/opaque-racing")
def opaque_racing(t):
    """The prefix of a message is not put into one datatype with memory of another kind, and nothing is copied behind it."""
    opaque(t, "--level", "racing")


@test("buffers/opaque-crash")
def opaque_crash(t):
    """A process that faults by itself ends as it would."""
    command = t.launch(2, t.program("opaque"), "crash")
    bare = t.run(command)
    t.want(bare.status != 0, "does not crash alone")
    t.same_status(bare, t.record(command))


@test("buffers/gpu")
def gpu(t):
    """Where the library of a GPU is loaded it says whose memory an address is, though a load would not fault."""
    command = t.launch(2, t.program("managed"), t.program("libcuda.so.1"))
    done = t.record(command)
    t.want(done.status == 0 and done.out.count(": asked") == 2, "record: status %d\n%s%s" % (done.status, done.out, done.tail()))
    looked = [line for line in t.dump("--json") if "MPI_Bcast" in line]
    unknown = [line for line in looked if '"check":null' in line]
    t.want((len(looked), len(unknown)) == (22, 10), "%d of %d contents are not known" % (len(unknown), len(looked)))
    done = t.replay()
    t.want("nor in the 12 contents that were compared; contents not compared: 10 in memory that only the MPI library reads" in done.said, done.said)
