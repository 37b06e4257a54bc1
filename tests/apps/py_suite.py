"""mpi4py used widely: every test prints what it saw, so that a replay can be compared with its recording.

Lines begin with the name of the test and the rank. Lines with `free` tell what differs between free
runs: who was first, how often a poll said no. Everything else is the same in every run.
Run under any number of ranks from 2 on; the name of a test as argument runs it alone.
"""
import array
import random
import sys
import tempfile
import time
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
RANK = WORLD.rank
SIZE = WORLD.size
RIGHT = (RANK + 1) % SIZE
LEFT = (RANK - 1) % SIZE
TESTS = []
LINES = []


def test(function):
    """Registers a test; it is called with a communicator of its own."""
    TESTS.append(function)
    return function


def say(*what):
    LINES.append(" ".join(str(w) for w in what))


def check(got, wanted):
    if got != wanted:
        say("WRONG", repr(got), "instead of", repr(wanted))


def ints(*values):
    return array.array("i", values)


def room(n):
    return array.array("i", [-1] * n)


def lazy():
    """A pause of another length for each rank and call, so that orders vary."""
    time.sleep(random.random() * 0.002)


# ---- point to point ----

@test
def pickled(comm):
    for value in (None, True, 7, 2.5, "text", b"bytes", [1, {"a": (2, 3)}], list(range(5000))):
        got = comm.sendrecv(value, dest=RIGHT, source=LEFT, sendtag=3, recvtag=3)
        check(got, value)
    if RANK == 0:
        comm.send({"to": 1}, dest=1, tag=4)
        comm.ssend("sync", dest=1, tag=5)
    if RANK == 1:
        say(comm.recv(source=0, tag=4), comm.recv(source=0, tag=5))


@test
def buffers(comm):
    for n in (0, 1, 100, 50000):
        out, into = array.array("d", [RANK + 0.5] * n), array.array("d", [0.0] * n)
        comm.Sendrecv([out, n, MPI.DOUBLE], dest=RIGHT, sendtag=n % 100, recvbuf=[into, n, MPI.DOUBLE], source=LEFT, recvtag=n % 100)
        check(into.tolist(), [LEFT + 0.5] * n)
    both = ints(RANK, RANK * 2)
    comm.Sendrecv_replace(both, dest=RIGHT, source=LEFT)
    say(both.tolist())


@test
def modes(comm):
    MPI.Attach_buffer(bytearray(10000 + MPI.BSEND_OVERHEAD))
    into = room(1)
    request = comm.Irecv(into, source=LEFT, tag=1)
    comm.Bsend(ints(RANK), dest=RIGHT, tag=1)
    request.Wait()
    check(into[0], LEFT)
    for send in (comm.Issend, comm.Ibsend, comm.Isend, comm.Irsend):
        into = room(1)
        receive = comm.Irecv(into, source=LEFT, tag=2)
        comm.Barrier()
        sent = send(ints(RANK * 3), dest=RIGHT, tag=2)
        MPI.Request.Waitall([receive, sent])
        check(into[0], LEFT * 3)
    MPI.Detach_buffer()


@test
def wildcards(comm):
    status = MPI.Status()
    if RANK:
        for i in range(5):
            lazy()
            comm.send((RANK, i), dest=0, tag=10 + i)
        return
    order = []
    for _ in range(5 * (SIZE - 1)):
        got = comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
        check(got, (status.Get_source(), status.Get_tag() - 10))
        order.append("%d.%d" % got)
    say("free", *order)
    say("got", *sorted(order))


@test
def nonblocking_objects(comm):
    requests = [comm.isend((RANK, i), dest=RIGHT, tag=i) for i in range(4)]
    got = [comm.irecv(source=LEFT, tag=i) for i in reversed(range(4))]
    say([r.wait() for r in got])
    MPI.Request.waitall(requests)
    request = comm.irecv(source=LEFT, tag=9)
    comm.send("polled", dest=RIGHT, tag=9)
    polls = 0
    done, text = request.test()
    while not done:
        polls += 1
        done, text = request.test()
    say(text)
    say("free polls", polls)


@test
def waitany_waitsome(comm):
    if RANK:
        for i in range(4):
            lazy()
            comm.Send(ints(RANK * 100 + i), dest=0, tag=i)
        return
    buffers_ = [room(1) for _ in range(4 * (SIZE - 1))]
    requests = [comm.Irecv(b, source=1 + i // 4, tag=i % 4) for i, b in enumerate(buffers_)]
    order, left = [], len(requests)
    while left > len(requests) // 2:
        order.append(MPI.Request.Waitany(requests))
        left -= 1
    while left:
        some = MPI.Request.Waitsome(requests)
        order.append(some)
        left -= len(some)
    say("free", order)
    say([b[0] for b in buffers_])
    check(MPI.Request.Waitany(requests), MPI.UNDEFINED)


@test
def testany_testsome(comm):
    if RANK:
        for i in range(3):
            lazy()
            comm.Send(ints(RANK), dest=0, tag=i)
        return
    buffers_ = [room(1) for _ in range(3 * (SIZE - 1))]
    requests = [comm.Irecv(b, source=MPI.ANY_SOURCE, tag=i % 3) for i, b in enumerate(buffers_)]
    order, polls = [], 0
    while sum(r != MPI.REQUEST_NULL for r in requests) > 2:
        index, flag = MPI.Request.Testany(requests)
        if flag:
            order.append(index)
        polls += not flag
    while any(r != MPI.REQUEST_NULL for r in requests):
        some = MPI.Request.Testsome(requests)
        order += some or []
        polls += not some
    say("free", order, [b[0] for b in buffers_], polls)
    say(sorted(b[0] for b in buffers_))


@test
def testall_cancel(comm):
    into = [room(1), room(1)]
    requests = [comm.Irecv(b, source=LEFT, tag=i) for i, b in enumerate(into)]
    lazy()
    for i in range(2):
        comm.Send(ints(i + RANK), dest=RIGHT, tag=i)
    polls = 0
    while not MPI.Request.Testall(requests):
        polls += 1
    say([b[0] for b in into])
    say("free polls", polls)
    status = MPI.Status()
    request = comm.Irecv(room(1), source=LEFT, tag=77)
    request.Cancel()
    request.Wait(status)
    say("cancelled", status.Is_cancelled())


@test
def persistent(comm):
    into, out = room(1), room(1)
    receive, send = comm.Recv_init(into, source=LEFT, tag=6), comm.Send_init(out, dest=RIGHT, tag=6)
    for i in range(5):
        out[0] = RANK * 10 + i
        if i % 2:
            MPI.Prequest.Startall([receive, send])
        else:
            receive.Start()
            send.Start()
        MPI.Request.Waitall([receive, send])
        check(into[0], LEFT * 10 + i)
    receive.Free()
    send.Free()


@test
def persistent_wildcard(comm):
    if RANK:
        for i in range(6):
            lazy()
            comm.Send(ints(RANK, i), dest=0, tag=i)
        return
    into, status, order, polls = room(2), MPI.Status(), [], 0
    request = comm.Recv_init(into, source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG)
    for _ in range(6 * (SIZE - 1)):
        request.Start()
        while not request.Get_status(status):
            polls += 1
        request.Test(status)
        check((status.source, status.tag), tuple(into))
        order.append("%d.%d" % tuple(into))
    request.Free()
    say("free", *order, "polls", polls)
    say(*sorted(order))


@test
def probes(comm):
    status = MPI.Status()
    comm.Send(array.array("d", [1.0] * (RANK + 3)), dest=RIGHT, tag=RANK)
    comm.Probe(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
    n = status.Get_count(MPI.DOUBLE)
    say("probed", n, status.source, status.tag, status.Get_elements(MPI.DOUBLE), status.error)
    comm.Recv(array.array("d", [0.0] * n), source=status.source, tag=status.tag)
    comm.Barrier()
    polls = 0
    if RANK == 0:
        lazy()
    comm.isend([RANK], dest=RIGHT, tag=1).wait()
    while not comm.iprobe(source=LEFT, tag=1):
        polls += 1
    check(comm.recv(source=LEFT, tag=1), [LEFT])
    say("free polls", polls)


@test
def matched_probes(comm):
    if RANK:
        for i in range(3):
            lazy()
            comm.send([RANK] * i, dest=0, tag=i)
            comm.Send(ints(RANK, i), dest=0, tag=50)
        return
    order, status = [], MPI.Status()
    for i in range(6 * (SIZE - 1)):
        message = comm.improbe(status=status) if i % 2 else comm.mprobe(status=status)
        while message is None:
            message = comm.improbe(status=status)
        order.append("%d.%d" % (status.source, status.tag))
        if status.tag == 50 and i % 3:
            message.Irecv(room(2)).Wait()
        elif status.tag == 50:
            message.Recv(room(2))
        else:
            check(message.recv(), [status.source] * status.tag)
    say("free", *order)
    say(*sorted(order))


@test
def nobody(comm):
    status = MPI.Status()
    comm.Send(ints(1), dest=MPI.PROC_NULL)
    into = room(1)
    comm.Recv(into, source=MPI.PROC_NULL, status=status)
    say(status.source == MPI.PROC_NULL, status.tag == MPI.ANY_TAG, status.Get_count(MPI.INT), into[0])
    say(comm.iprobe(source=MPI.PROC_NULL), comm.mprobe(source=MPI.PROC_NULL) == MPI.MESSAGE_NO_PROC)


# ---- collectives ----

@test
def collective_objects(comm):
    say(comm.bcast({"root": RANK} if RANK == 1 else None, root=1))
    say(comm.gather(RANK ** 2, root=0), comm.allgather("r%d" % RANK))
    say(comm.scatter([("to", i) for i in range(SIZE)] if RANK == 0 else None, root=0))
    say(comm.alltoall([(RANK, i) for i in range(SIZE)]))
    say(comm.reduce(RANK + 1, op=MPI.PROD, root=SIZE - 1), comm.allreduce((RANK, -RANK), op=max))
    say(comm.scan(RANK + 1), comm.exscan(RANK + 1))
    comm.barrier()


@test
def collective_buffers(comm):
    one, all_ = ints(RANK + 1), room(SIZE)
    comm.Allgather(one, all_)
    check(all_.tolist(), list(range(1, SIZE + 1)))
    comm.Gather(one, all_ if RANK == 0 else None, root=0)
    comm.Scatter(all_ if RANK == 0 else None, one, root=0)
    comm.Bcast(one, root=SIZE - 1)
    say("last", one[0])
    for op in (MPI.SUM, MPI.PROD, MPI.MAX, MPI.MIN, MPI.BAND, MPI.BOR, MPI.BXOR, MPI.LAND, MPI.LOR, MPI.LXOR):
        into = room(2)
        comm.Allreduce(ints(RANK + 1, RANK % 2), into, op=op)
        say(into.tolist())
    into = ints(RANK, 1)
    comm.Allreduce(MPI.IN_PLACE, into)
    comm.Reduce(MPI.IN_PLACE if RANK == 0 else into, into if RANK == 0 else None, root=0)
    say(into.tolist())
    into = room(1)
    comm.Reduce_scatter_block(ints(*range(SIZE)), into)
    comm.Reduce_scatter(ints(*range(SIZE)), into, recvcounts=[1] * SIZE)
    comm.Scan(ints(RANK), into)
    say(into[0])
    comm.Exscan(ints(RANK), into)


@test
def collective_vectors(comm):
    counts = [i + 1 for i in range(SIZE)]
    starts = [sum(counts[:i]) for i in range(SIZE)]
    mine = ints(*[RANK] * counts[RANK])
    all_ = room(sum(counts))
    comm.Allgatherv(mine, [all_, counts, starts, MPI.INT])
    say(all_.tolist())
    comm.Gatherv(mine, [all_, counts, starts, MPI.INT] if RANK == 0 else None, root=0)
    comm.Scatterv([all_, counts, starts, MPI.INT] if RANK == 0 else None, mine, root=0)
    into = room(SIZE)
    comm.Alltoall(ints(*[RANK * 10 + i for i in range(SIZE)]), into)
    say(into.tolist())
    ones, places = [1] * SIZE, list(range(SIZE))
    comm.Alltoallv([into, ones, places, MPI.INT], [room(SIZE), ones, places, MPI.INT])
    comm.Alltoallw([into, (ones, [4 * p for p in places]), [MPI.INT] * SIZE], [room(SIZE), (ones, [4 * p for p in places]), [MPI.INT] * SIZE])


@test
def collective_nonblocking(comm):
    one, two, all_ = ints(RANK), ints(RANK if RANK == 0 else -1), room(SIZE)
    total = room(1)
    requests = [comm.Ibarrier(), comm.Ibcast(two, root=0), comm.Iallgather(one, all_), comm.Iallreduce(one, total)]
    MPI.Request.Waitall(requests)
    say(two[0], all_.tolist(), total[0])
    request, polls = comm.Ibarrier(), 0
    lazy()
    while not request.Test():
        polls += 1
    say("free polls", polls)
    order = []
    # No Iscan: with 8 ranks Open MPI 4.1.4's own writes past the end of its memory.
    requests = [comm.Ireduce(one, total if RANK == 0 else None, root=0), comm.Ialltoall(all_, room(SIZE)),
                comm.Igather(one, room(SIZE) if RANK == 0 else None)]
    for _ in requests:
        order.append(MPI.Request.Waitany(requests))
    say("free", order)


@test
def own_operations(comm):
    def mixed(a, b, _type):
        x, y = memoryview(a).cast("i"), memoryview(b).cast("i")
        for i in range(len(x)):
            y[i] = (x[i] * 31 + y[i]) % 1000003
    op = MPI.Op.Create(mixed, commute=False)
    into = room(3)
    comm.Allreduce(ints(RANK, RANK + 1, 7), into, op=op)
    say(into.tolist(), op.Is_commutative())
    op.Free()
    say(comm.allreduce([RANK], op=lambda a, b: a + b))


# ---- communicators ----

@test
def constructors(comm):
    twice = comm.Dup()
    half = twice.Split(color=RANK % 2, key=-RANK)
    say(half.rank, half.size, half.allgather(RANK))
    none = comm.Split(color=0 if RANK == 0 else MPI.UNDEFINED, key=0)
    say(none == MPI.COMM_NULL)
    group = comm.Get_group().Incl(list(range(0, SIZE, 2)))
    some = comm.Create(group)
    if some != MPI.COMM_NULL:
        say("evens", some.allreduce(RANK))
        again = comm.Create_group(group, tag=5)
        say(MPI.Comm.Compare(some, again) == MPI.CONGRUENT)
        again.Free()
        some.Free()
    shared = comm.Split_type(MPI.COMM_TYPE_SHARED)
    say("shared", shared.size)
    copy, request = comm.Idup()
    request.Wait()
    say(copy.allreduce(1))
    for c in (twice, half, shared, copy) + (() if none == MPI.COMM_NULL else (none,)):
        c.Free()
    group.Free()


@test
def topologies(comm):
    ring = comm.Create_cart([SIZE], periods=[True])
    low, high = ring.Shift(0, 1)
    say(ring.Get_coords(ring.rank), low, high, ring.neighbor_allgather(RANK))
    row = ring.Sub([True])
    row.Free()
    graph = comm.Create_dist_graph_adjacent([LEFT], [RIGHT])
    into = room(1)
    graph.Neighbor_allgather(ints(RANK), into)
    check(into[0], LEFT)
    graph.Ineighbor_alltoall(ints(RANK + 5), into).Wait()
    check(into[0], LEFT + 5)
    say(MPI.Compute_dims(12, 2), graph.Get_dist_neighbors_count())
    ring.Free()
    graph.Free()


@test
def intercommunicators(comm):
    side = RANK % 2
    local = comm.Split(side, RANK)
    inter = local.Create_intercomm(0, comm, 1 - side, tag=3)
    say(inter.Is_inter(), inter.size, inter.remote_size, inter.allgather(RANK))
    if local.rank == 0:
        inter.send("from %d" % side, dest=0, tag=1)
        say(inter.recv(source=MPI.ANY_SOURCE, tag=1))
    root = MPI.ROOT if side == 0 and local.rank == 0 else MPI.PROC_NULL if side == 0 else 0
    say(inter.bcast("shout" if side == 0 else None, root=root))
    merged = inter.Merge(high=bool(side))
    say(merged.size, merged.allreduce(1))
    for c in (merged, inter, local):
        c.Free()


# ---- attributes, errors, types, status ----

@test
def attributes(comm):
    told = []

    def copied(c, key, value):
        told.append("copied")
        return value + 1

    def deleted(c, key, value):
        told.append("deleted %d in %d" % (value, c.rank if c != MPI.COMM_NULL else -1))
        c.Barrier()
    key = MPI.Comm.Create_keyval(copied, deleted)
    comm.Set_attr(key, 5)
    copy = comm.Dup()
    say(copy.Get_attr(key), comm.Get_attr(key), comm.Get_attr(MPI.TAG_UB) is not None)
    copy.Free()
    comm.Delete_attr(key)
    MPI.Comm.Free_keyval(key)
    say(told)


@test
def errors(comm):
    comm.Set_errhandler(MPI.ERRORS_RETURN)
    for wrong in (lambda: comm.Send(ints(1), dest=SIZE + 3), lambda: comm.Send(ints(1), dest=0, tag=-5),
                  lambda: comm.Bcast(ints(1), root=-7), lambda: comm.Recv(room(1), source=SIZE)):
        try:
            wrong()
            say("no error")
        except MPI.Exception as e:
            say(MPI.Get_error_string(e.Get_error_class())[:16])
    into = room(1)
    comm.Isend(ints(1, 2, 3), dest=RIGHT, tag=1)
    try:
        comm.Recv(into, source=LEFT, tag=1)
    except MPI.Exception as e:
        say(e.Get_error_class() == MPI.ERR_TRUNCATE)
    comm.Isend(ints(1, 2, 3), dest=RIGHT, tag=2)
    status = MPI.Status()
    try:  # one at a time: Open MPI 4.1.4's Waitall can spin for ever when a request has failed
        comm.Irecv(into, source=LEFT, tag=2).Wait(status)
    except MPI.Exception as e:
        say("wait", e.Get_error_class() == MPI.ERR_TRUNCATE, status.source)
    comm.Barrier()


@test
def types(comm):
    column = MPI.INT.Create_vector(3, 1, 4).Commit()
    pair = MPI.Datatype.Create_struct([1, 2], [0, 8], [MPI.INT, MPI.DOUBLE]).Commit()
    out, into = ints(*range(12)), room(12)
    comm.Sendrecv([out, 1, column], dest=RIGHT, recvbuf=[into, 1, column], source=LEFT)
    say(into.tolist(), column.Get_size(), pair.Get_extent())
    comm.Sendrecv([bytearray(24), 1, pair], dest=RIGHT, recvbuf=[bytearray(24), 1, pair], source=LEFT)
    block = bytearray(MPI.INT.Pack_size(2, comm))
    at = MPI.INT.Pack(ints(RANK, 2), block, 0, comm)
    comm.Sendrecv_replace([block, at, MPI.PACKED], dest=RIGHT, source=LEFT)
    MPI.INT.Unpack(block, 0, memoryview(into)[:2], comm)
    check(into[0], LEFT)
    resized = column.Create_resized(0, 4).Commit()
    for t in (resized, column, pair):
        t.Free()


@test
def generalised_requests(comm):
    told = []
    request = MPI.Grequest.Start(lambda s: told.append("query"), lambda: told.append("free"), lambda done: told.append("cancel %s" % done))
    say(request.Test())
    request.Cancel()
    request.Complete()
    request.Wait()
    say(told)


# ---- one-sided, files ----

@test
def windows(comm):
    memory = ints(*[0] * SIZE)
    win = MPI.Win.Create(memory, 4, comm=comm)
    win.Fence()
    win.Put(ints(RANK + 1), RIGHT, target=RANK)
    win.Fence()
    check(memory[LEFT], LEFT + 1)
    into = room(1)
    win.Get(into, RIGHT, target=RANK)
    win.Fence()
    check(into[0], RANK + 1)
    win.Lock(0)
    win.Accumulate(ints(1), 0, target=0, op=MPI.SUM)
    win.Unlock(0)
    comm.Barrier()
    win.Lock(0, MPI.LOCK_SHARED)
    win.Get(into, 0, target=0)
    win.Flush(0)
    win.Unlock(0)
    say(into[0])
    comm.Barrier()
    win.Free()
    win = MPI.Win.Allocate(4 * SIZE, 4, comm=comm)
    group = comm.Get_group()
    win.Post(group.Incl([LEFT]))
    win.Start(group.Incl([RIGHT]))
    win.Put(ints(RANK), RIGHT, target=0)
    win.Complete()
    win.Wait()
    say(memoryview(win).cast("i")[0])
    win.Free()


@test
def files(comm):
    name = comm.bcast(tempfile.mktemp(prefix="hbdb-py-suite.") if RANK == 0 else None)
    f = MPI.File.Open(comm, name, MPI.MODE_CREATE | MPI.MODE_RDWR)
    f.Set_view(0, MPI.INT, MPI.INT)
    f.Write_at_all(RANK * 2, ints(RANK, RANK + 100))
    f.Sync()
    comm.Barrier()
    into = room(2)
    f.Read_at(RIGHT * 2, into)
    say(into.tolist(), f.Get_size())
    f.Iread_at(LEFT * 2, into).Wait()
    say(into.tolist())
    f.Seek_shared(0)
    f.Write_ordered(ints(RANK))
    comm.Barrier()
    f.Read_at_all(0, into)
    say(into.tolist())
    f.Close()
    if RANK == 0:
        MPI.File.Delete(name)


def main():
    for function in TESTS:
        if sys.argv[1:] and function.__name__ not in sys.argv[1:]:
            continue
        comm = WORLD.Dup()
        try:
            function(comm)
        except Exception as e:  # a test that fails must not stop the others
            say("WRONG", type(e).__name__, e)
        comm.Free()
        mine = ["%s %d %s" % (function.__name__, RANK, line) for line in LINES]
        del LINES[:]
        for lines in WORLD.gather(mine) or []:
            for line in lines:
                print(line)
    if RANK == 0:
        print("tests", len(TESTS))


main()
