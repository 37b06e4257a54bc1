"""How processes stand against the cut that they were to stop at."""


def last_of(l, order):
    return order.last[l.rank, l.lane]


def stands_as_cut(l, target, order):
    if l.stop == "inside":
        return l.over == l.event - 1 and l.inside and l.life in ("running", "held") and l.why == "-"
    if l.stop == "nothing":
        return (l.life == "held" and l.over == 1 and not l.inside) if l.lane == 0 else l.over == 0 and not l.inside
    if (l.stop == "after" or (l.rank, l.lane, l.event) == target) and not (l.lane and l.event == last_of(l, order)):
        return l.life == "held" and l.over == l.event and not l.inside and l.why != "-"
    return ended(l, order)


def ended(l, order):
    """MPI_Finalize is its last call, and it has said goodbye in it; threads besides the first end unseen; one that was killed from outside is held behind
    its last event, for it may not end by itself."""
    last = last_of(l, order)
    there = l.why in ("end", "signal") or l.lane > 0 or (l.why == "after" and l.rank in order.killed)
    return (l.life in ("exited", "dead") and l.over >= last - 1) or (l.over == last and there)


def judged(lines, target, order):
    """('exact' | 'more' | 'early' | 'unstarted' | 'wrong', lines that stand elsewhere). more: a call of the library waits for processes that the standard
    does not make it wait for, and others stand because of that. early: a call ended that the standard lets wait. unstarted: the first thread
    stands before it starts another one, which nothing in the recording orders."""
    off = [l for l in lines if not stands_as_cut(l, target, order)]
    if not off:
        return "exact", off
    reached = {(l.rank, l.lane): l.over + l.inside for l in lines}
    wanted = 0
    for l in off:
        l.waits = order.waits_for((l.rank, l.lane, l.over + 1), reached)
        if l.inside and l.over < l.event and l.arrival == "blocked" and l.waits:
            wanted += l.waits == "wanted"
        elif l.stop == "inside" and l.life == "held" and l.over == l.event:
            l.waits = "early"
        elif l.lane and not l.over and not l.inside:
            l.waits = "unstarted"
        else:
            return "wrong", off
    kinds = {l.waits for l in off}
    if "unstarted" in kinds:
        return "unstarted", off
    if kinds != {"early"}:
        return ("more" if wanted else "wrong"), off
    return "early", off
