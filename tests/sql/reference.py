"""What `hbdb dump --json` says of a recording, and what follows from it: messages matched by the rule that they do not
overtake each other, written here once more, for programs with one thread per process."""
import collections
import json

ANY, PROC_NULL = -1, -2
SENDS = {"MPI_Send", "MPI_Isend", "MPI_Ssend", "MPI_Issend", "MPI_Rsend", "MPI_Bsend"}


class Recording:
    def __init__(self, place, name):
        status, out, err = place.run("dump", "--json", name)
        self.status = status
        self.events = [json.loads(line) for line in out.splitlines()]
        self.of = {(e["rank"], e["lane"], e["event"]): e for e in self.events}
        self.ranks = sorted({e["rank"] for e in self.events})

    def place(self, e):
        """As `hbdb dump` prints it."""
        return "%s:%d" % (e["file"].rsplit("/", 1)[-1], e["line"]) if "file" in e else e.get("address")

    def communicators(self):
        """(rank, number of the communicator there) -> its members, for WORLD and what MPI_Comm_dup made of it."""
        world = tuple(self.ranks)
        known = {(r, 0): ("WORLD", world) for r in self.ranks}
        for e in self.events:
            if e["function"] == "MPI_Comm_dup" and e["comm"] == 0:
                known[e["rank"], e["new_comm"]] = ("a copy", world)
        return known

    def messages(self):
        """(send, post, done): events, None where there is none."""
        known = self.communicators()
        sent, posts = collections.defaultdict(list), []
        by_posting = {}
        for e in self.events:
            comm = known.get((e["rank"], e.get("comm")))
            if e["function"] in SENDS and e["peer"] != PROC_NULL and comm and "result" not in e:
                sent[comm, e["rank"], e["peer"], e["tag"]].append(e)
            elif e["function"] == "MPI_Recv" and comm and e["peer"] != PROC_NULL:
                done = None if e.get("never_returned") else e
                posts.append([e, done, (comm, e.get("source", e["peer"]), e["rank"], e.get("source_tag", e["tag"]))])
            elif e["function"] == "MPI_Irecv" and comm:
                posts.append([e, None, None])
                by_posting[e["rank"], e["posting"]] = (posts[-1], comm)
            for a in e.get("answers", []):
                post, comm = by_posting.get((e["rank"], a["posting"]), (None, None))
                if not post or a.get("status") not in ("as posted", "message"):
                    continue
                asked = post[0]
                post[1:] = [e, (comm, a.get("source", asked["peer"]), e["rank"], a.get("tag", asked["tag"]))]
        taken = collections.Counter()
        found = []
        for post, done, channel in posts:
            if not done:
                found.append((None, post, None))
                continue
            found.append((sent[channel][taken[channel]], post, done))
            taken[channel] += 1
        for channel, sends in sent.items():
            found += [(e, None, None) for e in sends[taken[channel]:]]
        return found


def seconds(ns):
    return ns / 1e9


def near(a, b, slack=2e-9):
    return a == b if a is None or b is None else abs(a - b) <= slack
