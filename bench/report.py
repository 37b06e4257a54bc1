"""The text that ./dev bench prints, and bench/results.md."""
import os
import platform
import subprocess
import time

from percall import OPERATIONS
from tables import columns, figure, median, with_spread

CALLS_IN_TURN = {"self_message": 3, "self_wildcard": 3}
LONG_NAMES = {
    "comm_rank": "Comm_rank (not recorded)", "iprobe_no": "Iprobe saying no", "test_null": "Test of a null request",
    "send_null": "Send to PROC_NULL", "send_tags": "the same, a new tag each",
    "recv_null": "Recv from PROC_NULL", "bcast_self": "Bcast on SELF", "allreduce_self": "Allreduce on SELF",
    "barrier_self": "Barrier on SELF", "self_message": "Isend+Recv+Wait to self",
    "self_wildcard": "Irecv ANY+Isend+Waitall", "own_event": "event of the program", "own_value": "the same, a value",
    "own_sent": "message of the program",
}
UNRECORDED = ("comm_rank", "iprobe_no")
PAGE_PER_PROCESS = 4096
ENOUGH_EVENTS = 10000  # below, what a recording costs once is most of it


class Report:
    def __init__(self, session, rows, machine, counted):
        self.session, self.machine, self.counted = session, machine, counted
        self.rows = [r for r in rows if r.bench.metrics and r.rounds]
        self.calls = {r.mpi: r for r in rows if not r.bench.metrics}
        self.failures = [(r, f) for r in rows for f in r.failures]
        self.levels = [v for v in session.levels if v != "bare"]

    def failed(self):
        return bool(self.failures or any(part.failures for part in self.session.parts))

    # -- times ---------------------------------------------------------------------------------

    def ratio(self, row, variant, metric):
        return [after / before for before, after in row.pairs(variant, metric) if before]

    def times(self):
        header = ["what", "MPI", "ranks", "n", "unit", "bare", "order", "events", "replay",
                  "order/bare", "events/bare", "replay/bare"]
        lines = []
        for row in self.rows:
            for metric, label, unit in row.bench.metrics:
                values = [figure(median(row.values(v, metric)))
                          for v in ("bare", "order", "events", "replay")]
                ratios = [with_spread(self.ratio(row, v, metric))
                          for v in ("order", "events", "replay")]
                lines.append([f"{row.bench.name}, {label}", row.mpi, row.bench.ranks[row.mpi],
                              len(row.rounds), unit] + values + ratios)
        return ["Time, each program by its own clock; medians of n rounds, ratios as medians of pairs "
                "[smallest..largest]", ""] + columns(header, lines)

    # -- one call ------------------------------------------------------------------------------

    def added_ns(self, mpi, variant, operation):
        row = self.calls.get(mpi)
        if row is None:
            return None
        return median([after - before for before, after in row.pairs(variant, f"{operation}.p10")])

    def counted_per_call(self, what, mpi, level, operation, added=True):
        """Per call, what the level adds to the bare call (or its own count)."""
        table = self.counted.get(what, {})
        mine = table.get((mpi, level), {}).get(operation)
        bare = table.get((mpi, "bare"), {}).get(operation)
        if mine is None or (added and bare is None):
            return None
        return (mine - (bare if added else 0)) / CALLS_IN_TURN.get(operation, 1)

    def one_call(self):
        if not any(row.rounds for row in self.calls.values()) and not self.counted:
            return []
        header = ["one call", "MPI", "bare ns", "order +ns", "events +ns", "bare instr", "order +instr",
                  "events +instr", "+alloc", "+syscalls/1e5"]
        lines = []
        for operation in OPERATIONS:
            for mpi in self.session.mpis:
                row = self.calls.get(mpi)
                bare = median(row.values("bare", f"{operation}.p10")) if row else None
                syscalls = self.counted_per_call("system calls", mpi, "events", operation)
                lines.append([LONG_NAMES[operation], mpi, figure(bare)]
                             + [figure(self.added_ns(mpi, v, operation)) for v in ("order", "events")]
                             + [figure(self.counted_per_call("instructions", mpi, "bare", operation, False))]
                             + [figure(self.counted_per_call("instructions", mpi, v, operation))
                                for v in ("order", "events")]
                             + [figure(self.counted_per_call("allocations", mpi, "events", operation)),
                                figure(None if syscalls is None else syscalls * 1e5)])
        return ["What hbdb adds to one call (one process; ns: p10 of batches; the last two at level events)",
                ""] + columns(header, lines)

    # -- size ----------------------------------------------------------------------------------

    @staticmethod
    def events(row):
        return median([r["events"].events for r in row.rounds if "events" in r and r["events"].events])

    def per_event(self, row, variant):
        """Bytes of the logs for an event of the run; its count is that of level events."""
        sizes = [r[variant].bytes / r["events"].events for r in row.rounds
                 if variant in r and r[variant].bytes and "events" in r and r["events"].events]
        return median(sizes)

    def sealing(self, row, variant):
        """Seconds from the program's end to that of `hbdb record`, less those of the bare launcher."""
        tails = [r[variant].tail - r["bare"].tail for r in row.rounds
                 if variant in r and "bare" in r and r[variant].tail and r["bare"].tail]
        return median(tails)

    def sizes(self):
        header = ["size after sealing", "MPI", "ranks", "events", "order KiB", "events KiB",
                  "order B/event", "events B/event", "sealing s", "events/s"]
        lines = []
        for row in self.rows:
            events = self.events(row)
            if not events:
                continue
            kib = [median([r[v].bytes / 1024 for r in row.rounds if v in r and r[v].bytes])
                   for v in ("order", "events")]
            seal = self.sealing(row, "events")
            # below that the start of a process is what one would see
            rate = f"{events / seal:.2e}" if seal and seal > 0.05 else "-"
            lines.append([row.bench.name, row.mpi, row.bench.ranks[row.mpi], int(events)]
                         + [figure(k) for k in kib]
                         + [figure(self.per_event(row, v)) for v in ("order", "events")]
                         + [figure(seal), rate])
        return ["Size of the sealed logs, and what `hbdb record` takes longer than the launcher after the "
                "program's end (level events)", ""] + columns(header, lines) if lines else []

    def wildcard(self, row):
        """Of every round at level order: (entropy, bytes, the same less a page per process), per receive."""
        found = []
        for done in row.rounds:
            if "order" not in done or not done["order"].bytes:
                continue
            outcome, ranks = done["order"], row.bench.ranks[row.mpi]
            n = outcome.values["messages"]
            found.append((outcome.values["entropy0"] / 8, outcome.values["entropy1"] / 8,
                          outcome.bytes / n, (outcome.bytes - PAGE_PER_PROCESS * ranks) / n))
        return [median(column) for column in zip(*found)]

    def wildcards(self):
        header = ["bytes per wildcard receive", "MPI", "ranks", "order-0 entropy", "order-1 entropy",
                  "recorded", "less 4 KiB/process", "of order-0"]
        lines = []
        for row in self.rows:
            found = self.wildcard(row) if row.bench.name == "stream" else None
            if found:
                entropy, entropy1, whole, less = found
                ratio = f"{max(less, 0) / entropy:.2f}" if entropy else "one sender"
                lines.append([row.bench.name, row.mpi, row.bench.ranks[row.mpi]]
                             + [f"{b:.4f}" for b in (entropy, entropy1, whole, less)] + [ratio])
        return ["Level order: what a choice costs, in bytes", ""] + columns(header, lines) if lines else []

    # -- the machine and the goals -------------------------------------------------------------

    def machine_lines(self):
        names = [("rdtsc.p10", "rdtsc"), ("rdtscp.p10", "rdtscp"), ("clock_gettime.p10", "clock_gettime"),
                 ("store.p10", "store to an own cache line"), ("locked_add.p10", "locked add"),
                 ("empty_call.p10", "empty call through a pointer (in each of these)"),
                 ("page_first_touch.mean", "first touch of a page of a mapped file")]
        lines = [[label, "", figure(self.machine[key])] for key, label in names if key in self.machine]
        return ["The machine itself", ""] + columns(["what", "", "ns"], lines)

    def worst(self, value_of, operations=None):
        """The largest over operations and MPIs, with its name; calls that bring new arguments stand alone."""
        operations = operations or [o for o in OPERATIONS if o not in UNRECORDED + ("send_tags",)]
        found = [(value_of(mpi, op), f"{LONG_NAMES[op]}, {mpi}")
                 for op in operations for mpi in self.session.mpis]
        return max((f for f in found if f[0] is not None), default=None)

    def goals(self):
        """(goal, limit, reached, where)."""
        yield "added ns per recorded call, events", 40, self.worst(lambda m, o: self.added_ns(m, "events", o))
        yield ("... when its arguments are new", 40,
               self.worst(lambda m, o: self.added_ns(m, "events", o), ["send_tags"]))
        for what, limit in (("instructions", 200), ("allocations", 0), ("system calls", 0.01)):
            yield (f"{what} per recorded call, events", limit,
                   self.worst(lambda m, o, w=what: self.counted_per_call(w, m, "events", o)))
        polls = [(median([b - a for a, b in row.pairs("events", metric)]), f"{label}, {row.mpi}")
                 for row in self.rows if row.bench.name == "poll" for metric, label, _ in row.bench.metrics
                 if row.pairs("events", metric)]
        yield "added ns per failed poll, events", 5, max(polls, default=None)
        sizes = [(self.per_event(row, "events"), f"{row.bench.name}, {row.mpi}") for row in self.rows
                 if (self.events(row) or 0) >= ENOUGH_EVENTS]
        sizes = [s for s in sizes if s[0] is not None]
        yield f"bytes per event, events ({ENOUGH_EVENTS} and more)", 6, max(sizes, default=None)
        shares = []
        for row in self.rows:
            found = self.wildcard(row) if row.bench.name == "stream" else None
            if found and found[0]:
                shares.append((max(found[3], 0) / found[0], f"{row.bench.name}, {row.mpi}"))
        yield "order: bytes less 4 KiB/process, of the entropy", 1.15, max(shares, default=None)
        farms = [(median(self.ratio(row, "replay", "task")), f"{row.bench.name}, {row.mpi}")
                 for row in self.rows if row.bench.program == "farm" and self.ratio(row, "replay", "task")]
        yield "replay / free run, farm", 1.1, max(farms, default=None)

    def goal_lines(self):
        lines = []
        for goal, limit, found in self.goals():
            if found is None:
                lines.append([goal, "not measured", figure(limit) if limit else "0", "-", "-"])
            else:
                lines.append([goal, found[1], figure(limit) if limit else "0", figure(found[0]),
                              "yes" if found[0] <= limit else "NO"])
        return ["Goals, each against its worst case", ""] + columns(
            ["goal", "worst case", "at most", "reached", "met"], lines)

    def facts(self):
        session = self.session
        kind = "quick" if session.options.quick else "full"
        cpu = "unknown processor"
        with open("/proc/cpuinfo") as info:
            for line in info:
                if line.startswith("model name"):
                    cpu = line.split(":", 1)[1].strip()
                    break
        load = os.getloadavg()[1]
        return [f"hbdb bench, {kind}, {time.strftime('%Y-%m-%d')}: {session.runner.cores} cores ({cpu}), "
                f"Linux {platform.release().split('-')[0]}, mean load of 5 minutes {load:.1f}",
                *(f"{mpi}: {version(session.runner, mpi)}" for mpi in session.mpis)]

    def remarks(self):
        lines = [f"missing: {m}" for m in self.session.missing + self.session.problems]
        if os.getloadavg()[1] > 2 * self.session.runner.cores:
            lines.append("the machine was busy with other things: times of more than one process mean little; "
                         "counts, sizes and times of single calls stand")
        told = {}
        for row, (variant, failure) in self.failures:
            told.setdefault((row.bench.name, row.mpi, variant, failure), 0)
            told[row.bench.name, row.mpi, variant, failure] += 1
        lines += [f"FAILED {n} times: {name}, {mpi}, {variant}: {failure}"
                  for (name, mpi, variant, failure), n in told.items()]
        return lines

    def text(self):
        parts = [self.facts(), self.times(), self.one_call(), self.sizes(), self.wildcards(),
                 self.machine_lines(), self.goal_lines(), *(part.lines() for part in self.session.parts), self.remarks()]
        spent = time.monotonic() - self.session.started
        return "\n\n".join("\n".join(p) for p in parts if p) + f"\n\n{spent:.0f} s"

    def markdown(self, text):
        return ("# Results of `./dev bench --write`\n\nWhat the figures mean stands in README.md. "
                f"The machine was shared while they were taken.\n\n```\n{text}\n```\n")


def version(runner, mpi):
    done = subprocess.run([f"mpirun.{mpi}", "--version"], capture_output=True, text=True,
                          env=runner.environment, check=False)
    text = done.stdout + done.stderr
    lines = [line.strip() for line in text.splitlines() if "ersion" in line or "mpirun" in line]
    return " ".join(lines[0].split()) if lines else "unknown version"
