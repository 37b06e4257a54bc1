"""Templates of generate.py: windows."""
from shapes import ranks

ALSO = "HB-RMA-RACE HB-RMA-LOCAL HB-RMA-EPOCH-NONE HB-RMA-EPOCH-OPEN HB-RMA-EPOCH-END HB-RMA-EPOCH-TWICE HB-COLLECTIVE-MISSING HB-COLLECTIVE-CALL"
MAKE = {
    "allocate": "int *m;\nMPI_Win w;\nMPI_Win_allocate(256, 4, MPI_INFO_NULL, comm, &m, &w);\nmemset(m, 0, 256);\n",
    "create": "static int m[64];\nMPI_Win w;\nMPI_Win_create(m, 256, 4, MPI_INFO_NULL, comm, &w);\n",
    "heap": "int *m = calloc(64, 4);\nMPI_Win w;\nMPI_Win_create(m, 256, 4, MPI_INFO_NULL, comm, &w);\n",
}
BARRIER = "MPI_Barrier(comm);\n"
FREE = "\nMPI_Win_free(&w);"
# {b} origin buffer, {t} target, {d} displacement; whether it writes the target, the kind for conflicts, whether it needs a wait
OPS = {
    "put": "MPI_Put({b}, 1, MPI_INT, {t}, {d}, 1, MPI_INT, w);",
    "get": "MPI_Get({b}, 1, MPI_INT, {t}, {d}, 1, MPI_INT, w);",
    "acc": "MPI_Accumulate({b}, 1, MPI_INT, {t}, {d}, 1, MPI_INT, MPI_SUM, w);",
    "getacc": "MPI_Get_accumulate({b}, 1, MPI_INT, {b} + 16, 1, MPI_INT, {t}, {d}, 1, MPI_INT, MPI_SUM, w);",
    "fop": "MPI_Fetch_and_op({b}, {b} + 16, MPI_INT, {t}, {d}, MPI_SUM, w);",
    "cas": "MPI_Compare_and_swap({b}, {b} + 8, {b} + 16, MPI_INT, {t}, {d}, w);",
    "rput": "MPI_Rput({b}, 1, MPI_INT, {t}, {d}, 1, MPI_INT, w, &r[{k}]);",
    "rget": "MPI_Rget({b}, 1, MPI_INT, {t}, {d}, 1, MPI_INT, w, &r[{k}]);",
    "racc": "MPI_Raccumulate({b}, 1, MPI_INT, {t}, {d}, 1, MPI_INT, MPI_SUM, w, &r[{k}]);",
}
KIND = {"put": "put", "rput": "put", "get": "get", "rget": "get"}


def conflict(x, y):
    x, y = KIND.get(x, "acc"), KIND.get(y, "acc")
    return not (x == y == "get" or x == y == "acc")


def op(name, buffer="a", target=1, at=0, number=0):
    return OPS[name].format(b=buffer, t=target, d=at, k=number)


def waits(*names):
    return "".join("\nMPI_Wait(&r[%d], st);" % i for i, n in enumerate(names) if n[0] == "r")


# sync: (everybody before, origin begins, origin ends, everybody after, target's own begin and end); %(t)s the target
SYNC = {
    "fence": ("MPI_Win_fence(0, w);", "", "", "MPI_Win_fence(0, w);"),
    "fence_asserts": ("MPI_Win_fence(MPI_MODE_NOPRECEDE, w);", "", "", "MPI_Win_fence(MPI_MODE_NOSUCCEED, w);"),
    "shared": ("", "MPI_Win_lock(MPI_LOCK_SHARED, %(t)s, 0, w);", "MPI_Win_unlock(%(t)s, w);", "MPI_Barrier(comm);"),
    "exclusive": ("", "MPI_Win_lock(MPI_LOCK_EXCLUSIVE, %(t)s, 0, w);", "MPI_Win_unlock(%(t)s, w);", "MPI_Barrier(comm);"),
    "lockall": ("MPI_Win_lock_all(0, w);", "", "", "MPI_Win_unlock_all(w);\nMPI_Barrier(comm);"),
    "lockall_flush": ("MPI_Win_lock_all(0, w);", "", "MPI_Win_flush(%(t)s, w);", "MPI_Barrier(comm);\nMPI_Win_unlock_all(w);"),
    "lockall_flushall": ("MPI_Win_lock_all(MPI_MODE_NOCHECK, w);", "", "MPI_Win_flush_all(w);", "MPI_Barrier(comm);\nMPI_Win_unlock_all(w);"),
}
PASSIVE_REQUESTS = ("shared", "exclusive", "lockall", "lockall_flush", "lockall_flushall")
GROUPS = "MPI_Group world, origins, targets;\nint who[3] = {0, 1, 2};\nMPI_Comm_group(comm, &world);\n" \
    "MPI_Group_incl(world, 1, who + 1, &targets);\nMPI_Group_excl(world, 1, who + 1, &origins);\n"
UNGROUP = "\nMPI_Group_free(&world);\nMPI_Group_free(&targets);\nMPI_Group_free(&origins);"


def epoch(sync, text):
    """What an origin does in its epoch towards rank 1."""
    _, begin, end, _ = SYNC[sync]
    return "\n".join(x for x in (begin % {"t": 1} if begin else "", text, end % {"t": 1} if end else "") if x)


def program(sync, origins, target="", make="allocate"):
    """origins: by rank, what each does in its epoch; rank 1 does target between the synchronizations of all."""
    before, _, _, after = SYNC[sync]
    parts = {rank: epoch(sync, text) for rank, text in origins.items()}
    if target:
        parts[1] = target
    body = "\n".join("if (rank == %d) {\n%s\n}" % x for x in sorted(parts.items()))
    return MAKE[make] + BARRIER + (before + "\n" if before else "") + body + "\n" + after + FREE


def pscw(origins, target="", make="allocate"):
    n = len(origins)
    body = "if (rank == 1) {\nMPI_Win_post(origins, 0, w);\n%s\nMPI_Win_wait(w);\n}" % target
    for rank, text in sorted(origins.items()):
        body += " else if (rank == %d) {\nMPI_Win_start(targets, 0, w);\n%s\nMPI_Win_complete(w);\n}" % (rank, text)
    return MAKE[make] + GROUPS + BARRIER + body + UNGROUP + FREE, n + 1


def requests_of(sync, *names):
    return sync in PASSIVE_REQUESTS or not any(n[0] == "r" for n in names)


def pairs(out):
    """Two accesses, by one origin and by two, in one epoch and in two, to one place and to two."""
    for sync in SYNC:
        for x in OPS:
            for y in OPS:
                if not requests_of(sync, x, y):
                    continue
                bad = "HB-RMA-RACE" if conflict(x, y) else None
                first, second = op(x), op(y, "b", number=1)
                ends = waits(x, y)
                out.put("onesided/o_%s_%s_%s" % (sync, x, y), program(sync, {0: first + "\n" + second + ends}), bad, also=ALSO)
                out.put("onesided/o_%s_%s_%s_apart" % (sync, x, y), program(sync, {0: first + "\n" + op(y, "b", at=1, number=1) + ends}))
                if x <= y:
                    one = first + waits(x)
                    two = op(y, "b") + waits(y)
                    lock = bad and sync != "exclusive"
                    out.put("onesided/p_%s_%s_%s" % (sync, x, y), program(sync, {0: one, 2: two}), "HB-RMA-RACE" if lock else None, 3, also=ALSO)
                    out.put("onesided/p_%s_%s_%s_apart" % (sync, x, y), program(sync, {0: one, 2: op(y, "b", at=1) + waits(y)}), None, 3)
    for x in OPS:
        for y in OPS:
            if x[0] == "r" and x != "r" or y[0] == "r":
                continue
            bad = "HB-RMA-RACE" if conflict(x, y) else None
            text, n = pscw({0: op(x) + "\n" + op(y, "b")})
            out.put("onesided/o_pscw_%s_%s" % (x, y), text, bad, n, also=ALSO)
            text, n = pscw({0: op(x), 2: op(y, "b")})
            out.put("onesided/p_pscw_%s_%s" % (x, y), text, bad, n, also=ALSO)


STORE, LOAD = "m[0] = 5;", "sink = m[0];"
LOCALS = {"store": "m[0] = 5;", "load": "sink = m[0];", "store_alias": "int *p = m;\np[0]++;", "store_function": "change(m);",
          "load_function": "sink = look(m);", "memcpy_in": "memcpy(m, b, 4);", "memcpy_out": "memcpy(c, m, 4);", "memset": "memset(m, 0, 16);",
          "load_print": "fprintf(stderr, \"%d\\n\", m[0]);", "store_loop": "for (int i = 0; i < 4; i++)\nm[i] = i;",
          "load_condition": "if (m[0] == 12345)\nsink = 2;"}


def target_side(out):
    """The target loads and stores while others access."""
    for sync in SYNC:
        for x in OPS:
            if not requests_of(sync, x):
                continue
            for name, text in LOCALS.items():
                writes = "store" in name or "in" == name[-2:] or "set" in name
                bad = writes or KIND.get(x) != "get"
                if name not in ("store", "load") and (x not in ("put", "get") or sync not in ("fence", "lockall", "shared")):
                    continue
                out.put("onesided/t_%s_%s_%s" % (sync, x, name), program(sync, {0: op(x) + waits(x)}, text), "HB-RMA-RACE" if bad else None, also=ALSO)
            out.put("onesided/t_%s_%s_other" % (sync, x), program(sync, {0: op(x, at=9) + waits(x)}, "m[1] = 3;\nsink = m[2];"))
    for x in ("put", "get", "acc"):
        for name in ("store", "load", "store_function", "memcpy_out"):
            writes = "store" in name
            text, n = pscw({0: op(x)}, LOCALS[name])
            out.put("onesided/t_pscw_%s_%s" % (x, name), text, "HB-RMA-RACE" if writes or x != "get" else None, n, also=ALSO)
    # afterwards, it may
    for name, text in LOCALS.items():
        for make in MAKE:
            out.put("onesided/t_%s_after_fence_%s" % (make, name), program("fence", {0: op("put")}, make=make).replace(
                FREE, "\nif (rank == 1) {\n%s\n}\nMPI_Win_fence(0, w);" % text + FREE))
        out.put("onesided/t_after_lockall_%s" % name, MAKE["allocate"] + BARRIER + "MPI_Win_lock_all(0, w);\nif (rank == 0) {\n%s\nMPI_Win_flush(1, w);\n}\n%s"
                "MPI_Win_sync(w);\nif (rank == 1) {\n%s\n}\nMPI_Win_unlock_all(w);" % (op("put"), BARRIER, text) + FREE)
        out.put("onesided/t_after_own_lock_%s" % name, MAKE["allocate"] + BARRIER + "if (rank == 0) {\n%s\n}\n%sif (rank == 1) {\n"
                "MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w);\n%s\nMPI_Win_unlock(1, w);\n}" % (epoch("exclusive", op("put")), BARRIER, text) + FREE)
        out.put("onesided/t_before_%s" % name, MAKE["create"] + "if (rank == 1) {\n%s\n}\n" % text + BARRIER
                + "MPI_Win_fence(0, w);\nif (rank == 0) {\n%s\n}\nMPI_Win_fence(0, w);" % op("put") + FREE)


BUFFERS = {"store": "a[0] = 5;", "load": "sink = a[0];", "store_alias": "int *p = a;\n*p = 5;", "store_function": "change(a);",
           "load_function": "sink = look(a);", "memcpy_in": "memcpy(a, c, 4);", "memcpy_out": "memcpy(c, a, 4);", "memset": "memset(a, 1, 4);",
           "load_condition": "if (a[0] == 12345)\nsink = 2;", "store_plus": "a[0]++;"}


def origin_side(out):
    """The origin loads and stores its buffer before the access is complete, and after."""
    for sync in SYNC:
        for x in ("put", "get", "acc", "fop", "rput", "rget"):
            if not requests_of(sync, x):
                continue
            for name, text in BUFFERS.items():
                writes = "store" in name or name in ("memcpy_in", "memset")
                bad = writes or KIND.get(x) == "get"
                if name not in ("store", "load") and (x not in ("put", "get") or sync not in ("fence", "lockall", "shared")):
                    continue
                out.put("onesided/b_%s_%s_%s" % (sync, x, name), program(sync, {0: op(x) + "\n" + text + waits(x)}),
                        "HB-RMA-LOCAL|HB-BUFFER-WRITTEN|HB-BUFFER-TOUCHED" if bad else None, also=ALSO)
                if x[0] == "r":
                    out.put("onesided/b_%s_%s_%s_waited" % (sync, x, name), program(sync, {0: op(x) + waits(x) + "\n" + text}))
            out.put("onesided/b_%s_%s_beside" % (sync, x), program(sync, {0: op(x) + "\na[1] = 4;\nsink = a[2];" + waits(x)}))
    for x in ("put", "get", "acc"):
        for name in ("store", "load", "store_function", "memcpy_out"):
            text, n = pscw({0: op(x) + "\n" + BUFFERS[name]})
            bad = "store" in name or x == "get"
            out.put("onesided/b_pscw_%s_%s" % (x, name), text, "HB-RMA-LOCAL|HB-BUFFER-WRITTEN|HB-BUFFER-TOUCHED" if bad else None, n, also=ALSO)
            out.put("onesided/b_flushlocal_%s_%s" % (x, name), program("lockall", {0: op(x) + "\nMPI_Win_flush_local(1, w);\n" + BUFFERS[name]}))
            out.put("onesided/b_flushlocalall_%s_%s" % (x, name), program("lockall", {0: op(x) + "\nMPI_Win_flush_local_all(w);\n" + BUFFERS[name]}))
            text, n = pscw({0: op(x) + "\nMPI_Win_complete(w);\n" + BUFFERS[name]})
            out.put("onesided/b_pscw_after_%s_%s" % (x, name), text.replace(BUFFERS[name] + "\nMPI_Win_complete(w);", BUFFERS[name]), None, n)
            out.put("onesided/b_fence_after_%s_%s" % (x, name), program("fence", {0: op(x)}).replace(FREE, "\nif (rank == 0) {\n%s\n}" % BUFFERS[name] + FREE))
    # calls that use the buffer
    for x in ("put", "get"):
        for y in ("put", "get"):
            bad = "HB-RMA-LOCAL|HB-BUFFER-OVERLAP" if "get" in (x, y) else None
            out.put("onesided/b_two_%s_%s" % (x, y), program("fence", {0: op(x) + "\n" + op(y, at=1)}), bad, also=ALSO)
        out.put("onesided/b_sent_%s" % x, program("fence", {0: op(x) + "\nMPI_Send(a, 1, MPI_INT, 1, 3, comm);"}, "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);"),
                "HB-RMA-LOCAL|HB-BUFFER-OVERLAP" if x == "get" else None, also=ALSO)
        out.put("onesided/b_received_%s" % x, program("fence", {0: op(x) + "\nMPI_Recv(a, 1, MPI_INT, 1, 3, comm, st);"}, "MPI_Send(b, 1, MPI_INT, 0, 3, comm);"),
                "HB-RMA-LOCAL|HB-BUFFER-OVERLAP|HB-BUFFER-WRITTEN", also=ALSO)
        out.put("onesided/b_bcast_%s" % x, program("fence", {0: op(x)}).replace("\nMPI_Win_fence(0, w);\nMPI_Win_free", "\nMPI_Bcast(a, 1, MPI_INT, 0, comm);\nMPI_Win_fence(0, w);\nMPI_Win_free"),
                "HB-RMA-LOCAL|HB-BUFFER-OVERLAP" if x == "get" else None, also=ALSO)
        out.put("onesided/b_reduce_%s" % x, program("fence", {0: op(x)}).replace("\nMPI_Win_fence(0, w);\nMPI_Win_free", "\nMPI_Allreduce(b, a, 1, MPI_INT, MPI_SUM, comm);\nMPI_Win_fence(0, w);\nMPI_Win_free"),
                "HB-RMA-LOCAL|HB-BUFFER-OVERLAP|HB-BUFFER-WRITTEN", also=ALSO)


def ordered(out):
    """Conflicting accesses that something orders."""
    lock = "MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\n%s\nMPI_Win_unlock(1, w);"
    ordered_by = {
        "fence": ("MPI_Win_fence(0, w);\n", "if (rank == 0) {\n%s\n}\nMPI_Win_fence(0, w);\nif (rank == %d) {\n%s\n}\nMPI_Win_fence(0, w);"),
        "barrier": (BARRIER, "if (rank == 0) {\n" + lock + "\n}\n" + BARRIER + "if (rank == %d) {\n" + lock + "\n}\n" + BARRIER),
        "flush": ("MPI_Win_lock_all(0, w);\n", "if (rank == 0) {\n%s\nMPI_Win_flush(1, w);\n}\n" + BARRIER + "if (rank == %d) {\n%s\n}\nMPI_Win_unlock_all(w);"),
        "message": ("MPI_Win_lock_all(0, w);\n", "if (rank == 0) {\n%s\nMPI_Win_flush_all(w);\nMPI_Send(c, 0, MPI_INT, 2, 7, comm);\n} else if (rank == 2) {\n"
                    "MPI_Recv(c, 0, MPI_INT, 0, 7, comm, st);\n}\nif (rank == %d) {\n%s\n}\nMPI_Win_unlock_all(w);"),
    }
    for how, (before, body) in ordered_by.items():
        for x in ("put", "get", "acc"):
            for y in ("put", "get", "acc"):
                for who in (0, 2):
                    out.put("onesided/s_%s_%s_%s_%d" % (how, x, y, who), MAKE["allocate"] + BARRIER + before + body % (op(x), who, op(y, "b")) + FREE, None, 3)
    not_ordered = {
        "barrier_no_flush": "MPI_Win_lock_all(0, w);\nif (rank == 0) {\n%s\n}\n" + BARRIER + "if (rank == 2) {\n%s\n}\nMPI_Win_unlock_all(w);",
        "flush_no_barrier": "MPI_Win_lock_all(0, w);\nif (rank == 0) {\n%s\nMPI_Win_flush(1, w);\n}\nif (rank == 2) {\n%s\nMPI_Win_flush(1, w);\n}\nMPI_Win_unlock_all(w);",
        "flush_local": "MPI_Win_lock_all(0, w);\nif (rank == 0) {\n%s\nMPI_Win_flush_local(1, w);\n}\n" + BARRIER + "if (rank == 2) {\n%s\n}\nMPI_Win_unlock_all(w);",
        "wrong_target": "MPI_Win_lock_all(0, w);\nif (rank == 0) {\n%s\nMPI_Win_flush(2, w);\n}\n" + BARRIER + "if (rank == 2) {\n%s\n}\nMPI_Win_unlock_all(w);",
        "locks": "if (rank == 0) {\n" + lock + "\n}\nif (rank == 2) {\n" + lock + "\n}\n" + BARRIER,
        "barrier_inside": "if (rank == 0) {\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\n%s\n}\n" + BARRIER + "if (rank == 2) {\n" + lock + "\n}\nif (rank == 0)\nMPI_Win_unlock(1, w);\n" + BARRIER,
    }
    for how, body in not_ordered.items():
        for x, y in (("put", "put"), ("put", "get"), ("get", "put"), ("acc", "put"), ("acc", "get")):
            if how == "flush_local" and x == "get":
                continue
            out.put("onesided/u_%s_%s_%s" % (how, x, y), MAKE["allocate"] + BARRIER + body % (op(x), op(y, "b")) + FREE, "HB-RMA-RACE", 3, also=ALSO)
        out.put("onesided/u_%s_get_get" % how, MAKE["allocate"] + BARRIER + body % (op("get"), op("get", "b")) + FREE, None, 3)
    # of one origin: a flush orders, a barrier does not
    for how, text, bad in (("flush", "%s\nMPI_Win_flush(1, w);\n%s", None), ("flushall", "%s\nMPI_Win_flush_all(w);\n%s", None),
                           ("flushlocal", "%s\nMPI_Win_flush_local(1, w);\n%s", "HB-RMA-RACE"), ("nothing", "%s\n%s", "HB-RMA-RACE")):
        for x, y in (("put", "put"), ("put", "get"), ("acc", "put")):
            out.put("onesided/v_%s_%s_%s" % (how, x, y), MAKE["allocate"] + BARRIER + "if (rank == 0) {\nMPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w);\n"
                    + text % (op(x), op(y, "b")) + "\nMPI_Win_unlock(1, w);\n}\n" + BARRIER + FREE, bad, also=ALSO)
    for x in ("rput", "racc"):
        out.put("onesided/v_wait_%s_put" % x, MAKE["allocate"] + BARRIER + "if (rank == 0) {\nMPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w);\n%s\nMPI_Wait(r, st);\n%s\n"
                "MPI_Win_unlock(1, w);\n}\n" % (op(x), op("put", "b")) + BARRIER + FREE, "HB-RMA-RACE", also=ALSO)
    out.put("onesided/v_wait_rget_put", MAKE["allocate"] + BARRIER + "if (rank == 0) {\nMPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w);\n%s\nMPI_Wait(r, st);\n%s\n"
            "MPI_Win_unlock(1, w);\n}\n" % (op("rget"), op("put", "b")) + BARRIER + FREE)


E = "HB-RMA-EPOCH-"
EPOCHS = [  # name, text, expected
    ("put_no_epoch", "if (rank == 0) {\n@put\n}", E + "NONE"),
    ("get_no_epoch", "if (rank == 0) {\n@get\n}", E + "NONE"),
    ("acc_no_epoch", "if (rank == 0) {\n@acc\n}", E + "NONE"),
    ("fop_no_epoch", "if (rank == 0) {\n@fop\n}", E + "NONE"),
    ("cas_no_epoch", "if (rank == 0) {\n@cas\n}", E + "NONE"),
    ("put_before_fence", "if (rank == 0) {\n@put\n}\nMPI_Win_fence(0, w);\nMPI_Win_fence(0, w);", E + "NONE"),
    ("put_before_lock", "if (rank == 0) {\n@put\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\nMPI_Win_unlock(1, w);\n}", E + "NONE"),
    ("put_after_unlock", "if (rank == 0) {\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\nMPI_Win_unlock(1, w);\n@put\n}", E + "NONE"),
    ("put_after_unlockall", "MPI_Win_lock_all(0, w);\nMPI_Win_unlock_all(w);\nif (rank == 0) {\n@put\n}", E + "NONE"),
    ("put_after_nosucceed", "MPI_Win_fence(0, w);\nMPI_Win_fence(MPI_MODE_NOSUCCEED, w);\nif (rank == 0) {\n@put\n}", E + "NONE"),
    ("lock_other", "if (rank == 0) {\nMPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);\n@put\nMPI_Win_unlock(0, w);\n}", E + "NONE"),
    ("rput_in_fence", "MPI_Win_fence(0, w);\nif (rank == 0) {\n@rput\nMPI_Wait(r, st);\n}\nMPI_Win_fence(0, w);", "HB-RMA-EPOCH-NONE"),
    ("unlock_only", "if (rank == 0)\nMPI_Win_unlock(1, w);", E + "END"),
    ("unlockall_only", "MPI_Win_unlock_all(w);", E + "END"),
    ("unlock_other", "if (rank == 0) {\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\nMPI_Win_unlock(0, w);\n}", E + "END"),
    ("unlock_twice", "if (rank == 0) {\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\nMPI_Win_unlock(1, w);\nMPI_Win_unlock(1, w);\n}", E + "END"),
    ("unlockall_twice", "MPI_Win_lock_all(0, w);\nMPI_Win_unlock_all(w);\nMPI_Win_unlock_all(w);", E + "END"),
    ("unlockall_of_lock", "if (rank == 0) {\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\nMPI_Win_unlock_all(w);\n}", E + "END"),
    ("unlock_of_lockall", "MPI_Win_lock_all(0, w);\nif (rank == 0)\nMPI_Win_unlock(1, w);\nelse\nMPI_Win_unlock_all(w);", E + "END"),
    ("lock_only", "if (rank == 0)\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);", E + "OPEN"),
    ("lockall_only", "MPI_Win_lock_all(0, w);", E + "OPEN"),
    ("lock_and_put_only", "if (rank == 0) {\nMPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w);\n@put\n}", E + "OPEN"),
    ("lock_twice", "if (rank == 0) {\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\nMPI_Win_unlock(1, w);\n}", E + "TWICE"),
    ("lock_two_targets", "if (rank == 0) {\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\nMPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);\n@put\nMPI_Win_unlock(0, w);\nMPI_Win_unlock(1, w);\n}", None),
    ("lockall_twice", "MPI_Win_lock_all(0, w);\nMPI_Win_lock_all(0, w);\nMPI_Win_unlock_all(w);", E + "TWICE"),
    ("lock_in_lockall", "MPI_Win_lock_all(0, w);\nif (rank == 0) {\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\nMPI_Win_unlock(1, w);\n}\nMPI_Win_unlock_all(w);", E + "TWICE"),
    ("fence_in_lock", "MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w);\nMPI_Win_fence(0, w);\nMPI_Win_unlock(rank, w);", E + "TWICE|" + E + "OPEN"),
    ("fence_in_lockall", "MPI_Win_lock_all(0, w);\nMPI_Win_fence(0, w);\nMPI_Win_unlock_all(w);", E + "TWICE|" + E + "OPEN"),
    ("lock_in_fence", "MPI_Win_fence(0, w);\nif (rank == 0) {\n@put\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\n@get\nMPI_Win_unlock(1, w);\n}\nMPI_Win_fence(0, w);", E + "TWICE"),
    ("fence_one", "MPI_Win_fence(0, w);\nif (rank == 0) {\n@put\n}", E + "OPEN"),
    ("fence_one_rank", "if (rank == 0)\nMPI_Win_fence(0, w);\nelse\nMPI_Barrier(comm);", "HB-COLLECTIVE-CALL|HB-COLLECTIVE-MISSING|HB-DEADLOCK-CYCLE|HB-DEADLOCK-ORPHAN"),
    ("flush_without_lock", "if (rank == 0)\nMPI_Win_flush(1, w);", E + "NONE|" + E + "END"),
    ("flushall_without_lock", "MPI_Win_flush_all(w);", E + "NONE|" + E + "END"),
    ("flushlocal_without_lock", "if (rank == 0)\nMPI_Win_flush_local(1, w);", E + "NONE|" + E + "END"),
    ("flush_in_fence", "MPI_Win_fence(0, w);\nif (rank == 0) {\n@put\nMPI_Win_flush(1, w);\n}\nMPI_Win_fence(0, w);", E + "NONE|" + E + "END"),
    ("complete_only", "if (rank == 0)\nMPI_Win_complete(w);", E + "END"),
    ("wait_only", "if (rank == 0)\nMPI_Win_wait(w);", E + "END"),
    ("test_only", "if (rank == 0)\nMPI_Win_test(w, &flag);", E + "END"),
    ("start_only", "#if (rank == 0)\nMPI_Win_start(targets, 0, w);\nif (rank == 1) {\nMPI_Win_post(origins, 0, w);\n}", E + "OPEN"),
    ("post_only", "#if (rank == 1)\nMPI_Win_post(origins, 0, w);", E + "OPEN"),
    ("post_twice", "#if (rank == 1) {\nMPI_Win_post(origins, 0, w);\nMPI_Win_post(origins, 0, w);\nMPI_Win_wait(w);\n} else {\nMPI_Win_start(targets, 0, w);\nMPI_Win_complete(w);\n}", E + "TWICE"),
    ("start_twice", "#if (rank == 1) {\nMPI_Win_post(origins, 0, w);\nMPI_Win_wait(w);\n} else {\nMPI_Win_start(targets, 0, w);\nMPI_Win_start(targets, 0, w);\nMPI_Win_complete(w);\n}", E + "TWICE"),
    ("wait_twice", "#if (rank == 1) {\nMPI_Win_post(origins, 0, w);\nMPI_Win_wait(w);\nMPI_Win_wait(w);\n} else {\nMPI_Win_start(targets, 0, w);\nMPI_Win_complete(w);\n}", E + "END"),
    ("complete_twice", "#if (rank == 1) {\nMPI_Win_post(origins, 0, w);\nMPI_Win_wait(w);\n} else {\nMPI_Win_start(targets, 0, w);\nMPI_Win_complete(w);\nMPI_Win_complete(w);\n}", E + "END"),
    ("put_to_other_than_start", "#if (rank == 1) {\nMPI_Win_post(origins, 0, w);\nMPI_Win_wait(w);\n} else {\nMPI_Win_start(targets, 0, w);\nMPI_Put(a, 1, MPI_INT, 0, 0, 1, MPI_INT, w);\nMPI_Win_complete(w);\n}", E + "NONE"),
    ("put_after_complete", "#if (rank == 1) {\nMPI_Win_post(origins, 0, w);\nMPI_Win_wait(w);\n} else {\nMPI_Win_start(targets, 0, w);\nMPI_Win_complete(w);\n@put\n}", E + "NONE"),
    ("complete_missing", "#if (rank == 1) {\nMPI_Win_post(origins, 0, w);\nMPI_Win_wait(w);\n} else {\nMPI_Win_start(targets, 0, w);\n@put\n}", E + "OPEN|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE|HB-HANG"),
    ("post_missing", "#if (rank == 1) {\n} else {\nMPI_Win_start(targets, 0, w);\n@put\nMPI_Win_complete(w);\n}", "HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE|HB-HANG"),
    ("start_missing", "#if (rank == 1) {\nMPI_Win_post(origins, 0, w);\nMPI_Win_wait(w);\n}", "HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE|HB-HANG"),
    ("two_pscw", "#for (int i = 0; i < 3; i++) {\nif (rank == 1) {\nMPI_Win_post(origins, 0, w);\nMPI_Win_wait(w);\nm[0]++;\n} else {\nMPI_Win_start(targets, 0, w);\n@put\nMPI_Win_complete(w);\n}\n}", None),
    ("fence_then_lock", "MPI_Win_fence(0, w);\nif (rank == 0) {\n@put\n}\nMPI_Win_fence(0, w);\nMPI_Barrier(comm);\nif (rank == 0) {\nMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);\n@put\nMPI_Win_unlock(1, w);\n}\nMPI_Barrier(comm);", None),
    ("empty_epochs", "MPI_Win_fence(0, w);\nMPI_Win_fence(0, w);\nMPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);\nMPI_Win_unlock(0, w);\nMPI_Win_lock_all(0, w);\nMPI_Win_unlock_all(w);", None),
    ("put_proc_null", "MPI_Win_fence(0, w);\nMPI_Put(a, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w);\na[0] = 3;\nMPI_Get(a, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w);\nMPI_Win_fence(0, w);", None),
    ("put_zero", "MPI_Win_fence(0, w);\nif (rank == 0) {\nMPI_Put(NULL, 0, MPI_INT, 1, 0, 0, MPI_INT, w);\nMPI_Put(a, 0, MPI_INT, 1, 0, 0, MPI_INT, w);\n}\nMPI_Win_fence(0, w);", None),
    ("range", "MPI_Win_fence(0, w);\nif (rank == 0) {\nMPI_Put(a, 1, MPI_INT, 1, 64, 1, MPI_INT, w);\n}\nMPI_Win_fence(0, w);", "HB-RMA-RANGE"),
    ("range_count", "MPI_Win_fence(0, w);\nif (rank == 0) {\nMPI_Get(a, 65, MPI_INT, 1, 0, 65, MPI_INT, w);\n}\nMPI_Win_fence(0, w);", "HB-RMA-RANGE"),
    ("disp_negative", "MPI_Win_fence(0, w);\nif (rank == 0) {\nMPI_Put(a, 1, MPI_INT, 1, -1, 1, MPI_INT, w);\n}\nMPI_Win_fence(0, w);", "HB-RMA-RANGE|HB-ARG-VALUE"),
    ("types", "MPI_Win_fence(0, w);\nif (rank == 0) {\nMPI_Put(a, 1, MPI_INT, 1, 0, 1, MPI_FLOAT, w);\n}\nMPI_Win_fence(0, w);", "HB-RMA-TYPE"),
    ("counts", "MPI_Win_fence(0, w);\nif (rank == 0) {\nMPI_Put(a, 1, MPI_INT, 1, 0, 2, MPI_INT, w);\n}\nMPI_Win_fence(0, w);", "HB-RMA-TYPE"),
    ("last_place", "MPI_Win_fence(0, w);\nif (rank == 0) {\nMPI_Put(a, 1, MPI_INT, 1, 63, 1, MPI_INT, w);\nMPI_Put(a, 63, MPI_INT, 1, 0, 63, MPI_INT, w);\n}\nMPI_Win_fence(0, w);", None),
    ("self", "MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w);\nMPI_Put(a, 1, MPI_INT, rank, 0, 1, MPI_INT, w);\nMPI_Win_flush(rank, w);\nsink = m[0];\nMPI_Win_unlock(rank, w);", None),
]


def epochs(out):
    for name, text, expect in EPOCHS:
        for x in ("put", "get", "acc", "fop", "cas", "rput"):
            text = text.replace("@" + x, op(x))
        grouped = "#" in text
        body = MAKE["allocate"] + (GROUPS.replace("world, 1, who + 1, &origins", "world, 1, who + 1, &origins") if grouped else "") \
            + BARRIER + text.replace("#", "") + (UNGROUP if grouped else "") + FREE
        out.put("onesided/e_" + name, body, expect, also=ALSO + " HB-RMA-RANGE HB-CALL-FAILED")
    out.put("onesided/e_win_not_freed", MAKE["allocate"] + "MPI_Win_fence(0, w);", "HB-LEAK-WIN", also=ALSO)
    out.put("onesided/e_win_freed_twice", MAKE["allocate"] + "MPI_Win k = w;\nMPI_Win_free(&w);\nMPI_Win_free(&k);", "HB-HANDLE-FREED", also=ALSO)
    out.put("onesided/e_used_after_free", MAKE["allocate"] + "MPI_Win k = w;\nMPI_Win_free(&w);\nMPI_Win_fence(0, k);", "HB-HANDLE-FREED|HB-ARG-WIN", also=ALSO)


def put(out):
    pairs(out)
    target_side(out)
    origin_side(out)
    ordered(out)
    epochs(out)
