"""Random programs of messages, epochs and fences on two windows, and what orders their events, by the definition in docs/ORDER.md: nothing
here is taken from src/model."""
import random

import rawlog

WIN = ("win", rawlog.WINDOW)
NOPRECEDE, NOSUCCEED = 4, 8


def log(rank, size=2):
    one = rawlog.Log(rank, size)
    one.function("MPI_Send", rawlog.SEND, *rawlog.MESSAGE, ("dest", rawlog.RANK), ("tag", rawlog.TAG), *rawlog.COMM_ARGS)
    one.function("MPI_Recv", rawlog.RECV, *rawlog.MESSAGE, ("source", rawlog.RANK), ("tag", rawlog.TAG), *rawlog.COMM_ARGS)
    one.function("MPI_Win_create", rawlog.RMA, ("disp_unit", rawlog.NUMBER), *rawlog.COMM_ARGS)
    one.function("MPI_Win_fence", rawlog.RMA, ("assert", rawlog.NUMBER), WIN)
    for name in ("MPI_Win_post", "MPI_Win_start"):
        one.function(name, rawlog.RMA, ("group", rawlog.DIGEST), WIN)
    for name in ("MPI_Win_complete", "MPI_Win_wait", "MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_free"):
        one.function(name, rawlog.RMA, WIN)
    one.datatype(0, 4, "MPI_INT")
    one.comm(0, -1, 0, 0, rank, list(range(size)))
    for group in range(1, 1 << size):
        one.array(100 + group, members(group))
    return one


def members(group):
    return [rank for rank in range(16) if group >> rank & 1]


class Program:
    """A run that can have happened: its events come one after the other, each when it can return."""

    def __init__(self, seed, size=4, steps=60):
        self.random = random.Random(seed)
        self.size = size
        self.logs = [log(rank, size) for rank in range(size)]
        self.needs = {}  # (rank, event): the events whose enters its exit needs, and how much later that makes it
        self.names = {}
        self.flight = {}  # (from, to): events of sends
        self.posted, self.started = {}, {}  # (rank, window): event, group
        self.posts, self.starts, self.completes = {}, {}, {}  # (window, target, origin): events
        self.ends = {}  # window: the last fence began an epoch
        for window in range(2):
            self.collective("MPI_Win_create", (1, 0), (window,), True)
        self.locked = set()
        for _ in range(steps):
            self.random.choice((self.send, self.receive, self.post, self.start, self.start, self.complete, self.wait, self.wait, self.fence, self.lock))()
        for window in range(2):
            self.collective("MPI_Win_free", (window,), (), window in self.locked)
            for _ in range(size):
                self.random.choice((self.send, self.receive))()

    def event(self, rank, name, args=(), results=(), needs=()):
        self.logs[rank].event(name, args, results)
        at = (rank, self.logs[rank].events)
        self.needs[at] = list(needs)
        self.names[at] = name
        return at

    def collective(self, name, args, results, meets):
        at = [self.event(rank, name, args, results) for rank in range(self.size)]
        for one in at if meets else ():
            self.needs[one] = [(other, 0) for other in at]

    def pair(self):
        return self.random.sample(range(self.size), 2)

    def send(self):
        source, dest = self.pair()
        self.flight.setdefault((source, dest), []).append(self.event(source, "MPI_Send", (1, 0, dest, 0, 0)))

    def receive(self):
        for (source, dest), sends in self.random.sample(sorted(self.flight.items()), len(self.flight)):
            if sends:
                self.event(dest, "MPI_Recv", (1, 0, source, 0, 0), needs=[(sends.pop(0), 1)])
                return

    def others(self, rank):
        return self.random.randrange(1, 1 << self.size) & ~(1 << rank)

    def post(self):
        rank, window = self.random.randrange(self.size), self.random.randrange(2)
        group = self.others(rank)
        if (rank, window) in self.posted or not group:
            return
        at = self.event(rank, "MPI_Win_post", (100 + group, window))
        self.posted[rank, window] = group, {}
        for origin in members(group):
            self.posts.setdefault((window, rank, origin), []).append(at)
            self.posted[rank, window][1][origin] = len(self.posts[window, rank, origin])

    def start(self):
        """Only for targets that have posted, so that any complete can return, whether it has fetched data or not."""
        rank, window = self.random.randrange(self.size), self.random.randrange(2)
        ready = [t for t in range(self.size) if len(self.posts.get((window, t, rank), ())) > self.starts.get((window, t, rank), 0)]
        if (rank, window) in self.started or not ready:
            return
        targets = self.random.sample(ready, self.random.randrange(1, len(ready) + 1))
        self.event(rank, "MPI_Win_start", (100 + sum(1 << t for t in targets), window))
        self.started[rank, window] = {}
        for target in targets:
            k = self.starts[window, target, rank] = self.starts.get((window, target, rank), 0) + 1
            self.started[rank, window][target] = self.posts[window, target, rank][k - 1]

    def complete(self):
        for (rank, window), posts in self.random.sample(sorted(self.started.items()), len(self.started)):
            fetched = [t for t in posts if self.random.random() < 0.5]
            at = self.event(rank, "MPI_Win_complete", (window,), fetched, [(posts[t], 0) for t in fetched])
            for target in posts:
                self.completes.setdefault((window, target, rank), []).append(at)
            del self.started[rank, window]
            return

    def wait(self):
        for (rank, window), (_, numbers) in sorted(self.posted.items()):
            done = [self.completes.get((window, rank, origin), [])[k - 1:k] for origin, k in numbers.items()]
            if all(done):
                self.event(rank, "MPI_Win_wait", (window,), needs=[(one[0], 0) for one in done])
                del self.posted[rank, window]
                return

    def fence(self):
        window = self.random.randrange(2)
        asserts = self.random.choice((0, 0, NOPRECEDE, NOSUCCEED))
        if any(w == window for _, w in (*self.posted, *self.started)):
            return
        self.collective("MPI_Win_fence", (asserts, window), (), self.ends.get(window, False) and not asserts & NOPRECEDE)
        self.ends[window] = not asserts & NOSUCCEED

    def lock(self):
        """That somebody locks a window shows that its end is a barrier; the lock itself orders nothing."""
        rank, window = self.random.randrange(self.size), self.random.randrange(2)
        if self.random.random() < 0.15:
            self.event(rank, "MPI_Win_lock", (window,))
            self.event(rank, "MPI_Win_unlock", (window,))
            self.locked.add(window)

    def clocks(self):
        """By event: the clock of its exit, and its Lamport time."""
        enter, leave = {}, {}  # (clock, time)
        left = {rank: 1 for rank in range(self.size)}
        while any(left[rank] <= self.logs[rank].events for rank in left):
            for rank, event in left.items():
                at = (rank, event)
                if at not in self.needs:
                    continue
                clock, time = leave.get((rank, event - 1), ([0] * self.size, 0))
                enter[at] = [*clock[:rank], event, *clock[rank + 1:]], time + 1
                if not all(other in enter for other, _ in self.needs[at]):
                    continue
                clock, time = enter[at]
                for other, later in self.needs[at]:
                    clock = [max(a, b) for a, b in zip(clock, enter[other][0])]
                    time = max(time, enter[other][1] + later)
                leave[at] = clock, time
                left[rank] += 1
        return leave
