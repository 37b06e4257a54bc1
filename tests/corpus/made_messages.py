"""Templates of generate.py: messages, their requests and their buffers."""
from shapes import ranks

BARRIER = "MPI_Barrier(comm);"
SEND = {  # name: (the call, start, complete, free)
    "send": ("MPI_Send(%s);", "", "", ""),
    "ssend": ("MPI_Ssend(%s);", "", "", ""),
    "isend": ("MPI_Isend(%s, &r[0]);", "", "W", ""),
    "issend": ("MPI_Issend(%s, &r[0]);", "", "W", ""),
    "send_init": ("MPI_Send_init(%s, &r[0]);", "MPI_Start(&r[0]);", "W", "MPI_Request_free(&r[0]);"),
    "ssend_init": ("MPI_Ssend_init(%s, &r[0]);", "MPI_Startall(1, r);", "W", "MPI_Request_free(&r[0]);"),
}
RECV = {
    "recv": ("MPI_Recv(%s, st);", "", "", ""),
    "irecv": ("MPI_Irecv(%s, &r[0]);", "", "W", ""),
    "recv_init": ("MPI_Recv_init(%s, &r[0]);", "MPI_Start(&r[0]);", "W", "MPI_Request_free(&r[0]);"),
}
DONE = {  # ways to complete r[0 .. n), n is %d
    "wait": None,
    "waitall": "MPI_Waitall(%(n)d, r, st);",
    "waitany": "for (int i = 0; i < %(n)d; i++)\nMPI_Waitany(%(n)d, r, &index, st);",
    "waitsome": "for (done = 0; done < %(n)d; done += flag) {\nint at[8];\nMPI_Waitsome(%(n)d, r, &flag, at, st);\n}",
    "test": "for (int i = 0; i < %(n)d; i++)\nfor (flag = 0; !flag;)\nMPI_Test(&r[i], &flag, st);",
    "testall": "for (flag = 0; !flag;)\nMPI_Testall(%(n)d, r, &flag, st);",
    "testany": "for (done = 0; done < %(n)d; done += flag)\nMPI_Testany(%(n)d, r, &index, &flag, st);",
    "testsome": "for (done = 0; done < %(n)d; done += flag) {\nint at[8];\nMPI_Testsome(%(n)d, r, &flag, at, st);\n}",
    "status": "for (int i = 0; i < %(n)d; i++) {\nfor (flag = 0; !flag;)\nMPI_Request_get_status(r[i], &flag, st);\nMPI_Wait(&r[i], st);\n}",
    "ignored": "MPI_Waitall(%(n)d, r, MPI_STATUSES_IGNORE);",
}
# a store, a load: what it looks like in a program; %s an index
STORES = {
    "plain": "a[%s] = 9;", "plus": "a[%s]++;", "pointer": "int *p = a;\np[%s] = 9;", "function": "change(&a[%s]);",
    "memcpy": "memcpy(a + %s, b, 4);", "memset": "memset(&a[%s], 7, 4);", "rank": "if (rank < size)\na[%s] = 9;",
}
LOADS = {"plain": "sink = a[%s];", "function": "sink = look(&a[%s]);", "memcpy": "memcpy(c, &a[%s], 4);", "condition": "if (a[%s] == 12345)\nsink = 1;",
         "print": "fprintf(stderr, \"%%d\\n\", a[%s]);"}


def done(way, n=1):
    if way == "wait":
        return "\n".join("MPI_Wait(&r[%d], MPI_STATUS_IGNORE);" % i for i in range(n))
    return DONE[way] % {"n": n}


def side(table, name, arguments, way="wait", touch="", after=""):
    """A send or a receive with all that belongs to it; touch stands while it is pending, after when it is complete."""
    text, start, wait, free = table[name]
    return "\n".join(x for x in (text % arguments, start, touch, done(way) if wait else "", after, free) if x)


def kinds(out):
    """Every kind of send to every kind of receive, and every way to complete them."""
    for s in SEND:
        for r in RECV:
            out.put("messages/k_%s_%s" % (s, r), ranks(side(SEND, s, "a, 4, MPI_INT, 1, 3, comm"), side(RECV, r, "a, 4, MPI_INT, 0, 3, comm")))
    for way in DONE:
        sends = "\n".join("MPI_Isend(a + %d, 1, MPI_INT, 1, %d, comm, &r[%d]);" % (i, i, i) for i in range(3))
        receives = "\n".join("MPI_Irecv(b + %d, 1, MPI_INT, 0, %d, comm, &r[%d]);" % (i, i, i) for i in range(3))
        out.put("messages/ways_" + way, ranks(sends + "\n" + done(way, 3), receives + "\n" + done(way, 3)))
        starts = ranks(sends.replace("MPI_Isend", "MPI_Send_init"), receives.replace("MPI_Irecv", "MPI_Recv_init"))
        free = "\nfor (int i = 0; i < 3; i++)\nMPI_Request_free(&r[i]);"
        if way not in ("testsome", "waitsome", "testany", "waitany", "status"):
            out.put("messages/ways_persistent_" + way, starts + "\nfor (int k = 0; k < 3; k++) {\nMPI_Startall(3, r);\n" + done(way, 3) + "\n}" + free)


def touched(out):
    for name, count, at in (("one", 1, "0"), ("first", 4, "0"), ("last", 4, "3"), ("middle", 64, "32"), ("any", 1000, "501")):
        for form, text in STORES.items():
            if name not in ("one", "middle") and form not in ("plain", "function"):
                continue
            arguments = "a, %d, MPI_INT, %%d, 3, comm" % count
            for s in ("isend", "issend", "send_init"):
                out.put("lifecycle/t_%s_%s_store_%s" % (s, name, form),
                        ranks(side(SEND, s, arguments % 1, touch=text % at), side(RECV, "recv", arguments % 0)), "HB-BUFFER-WRITTEN")
                out.put("lifecycle/t_%s_%s_after_%s" % (s, name, form),
                        ranks(side(SEND, s, arguments % 1, after=text % at), side(RECV, "recv", arguments % 0)))
            for r in ("irecv", "recv_init"):
                out.put("lifecycle/t_%s_%s_store_%s" % (r, name, form),
                        ranks(side(SEND, "send", arguments % 1), side(RECV, r, arguments % 0, touch=text % at)),
                        "HB-BUFFER-TOUCHED|HB-BUFFER-WRITTEN")
        for form, text in LOADS.items():
            if name not in ("one", "middle") and form != "plain":
                continue
            arguments = "a, %d, MPI_INT, %%d, 3, comm" % count
            for s in ("isend", "send_init"):
                out.put("lifecycle/t_%s_%s_load_%s" % (s, name, form),
                        ranks(side(SEND, s, arguments % 1, touch=text % at), side(RECV, "recv", arguments % 0)))
            for r in ("irecv", "recv_init"):
                out.put("lifecycle/t_%s_%s_load_%s" % (r, name, form),
                        ranks(side(SEND, "send", arguments % 1), side(RECV, r, arguments % 0, touch=text % at)), "HB-BUFFER-TOUCHED")
                out.put("lifecycle/t_%s_%s_loaded_%s" % (r, name, form),
                        ranks(side(SEND, "send", arguments % 1), side(RECV, r, arguments % 0, after=text % at)))
    for way in DONE:
        out.put("lifecycle/t_way_store_" + way, ranks(side(SEND, "isend", "a, 4, MPI_INT, 1, 3, comm", way, "a[1] = 5;"),
                                                      side(RECV, "recv", "a, 4, MPI_INT, 0, 3, comm")), "HB-BUFFER-WRITTEN")
        out.put("lifecycle/t_way_load_" + way, ranks(side(SEND, "send", "a, 4, MPI_INT, 1, 3, comm"),
                                                     side(RECV, "irecv", "a, 4, MPI_INT, 0, 3, comm", way, "sink = a[1];")), "HB-BUFFER-TOUCHED")
        out.put("lifecycle/t_way_beside_" + way, ranks(side(SEND, "isend", "a, 4, MPI_INT, 1, 3, comm", way, "a[4] = 5;"),
                                                       side(RECV, "irecv", "a + 4, 4, MPI_INT, 0, 3, comm", way, "a[3] = a[8] = 5;")))
    # of a heap or stack buffer, and from a barrier between
    for where, make, drop in (("heap", "int *h = malloc(64);\nmemset(h, 0, 64);", "free(h);"), ("stack", "int h[16] = {0};", "")):
        out.put("lifecycle/t_%s_store" % where, make + "\n" + ranks(
            "MPI_Isend(h, 16, MPI_INT, 1, 3, comm, r);\nh[8] = 5;\nMPI_Wait(r, st);", "MPI_Recv(h, 16, MPI_INT, 0, 3, comm, st);") + "\n" + drop, "HB-BUFFER-WRITTEN")
        out.put("lifecycle/t_%s_load" % where, make + "\n" + ranks(
            "MPI_Send(h, 16, MPI_INT, 1, 3, comm);", "MPI_Irecv(h, 16, MPI_INT, 0, 3, comm, r);\nsink = h[0];\nMPI_Wait(r, st);") + "\n" + drop, "HB-BUFFER-TOUCHED")
        out.put("lifecycle/t_%s_barrier" % where, make + "\n" + ranks(
            "MPI_Isend(h, 16, MPI_INT, 1, 3, comm, r);\nMPI_Barrier(comm);\nh[8] = 5;\nMPI_Wait(r, st);",
            "MPI_Barrier(comm);\nMPI_Recv(h, 16, MPI_INT, 0, 3, comm, st);") + "\n" + drop, "HB-BUFFER-WRITTEN")
    loop = "for (int i = 0; i < 4; i++) {\n%s\n}"
    out.put("lifecycle/t_loop_store", loop % ranks("MPI_Isend(a, 4, MPI_INT, 1, i, comm, r);\na[i]++;\nMPI_Wait(r, st);", "MPI_Recv(a, 4, MPI_INT, 0, i, comm, st);"),
            "HB-BUFFER-WRITTEN")
    out.put("lifecycle/t_loop_isends_one_buffer", ranks(
        "for (int i = 0; i < 4; i++) {\na[0] = i;\nMPI_Isend(a, 1, MPI_INT, 1, i, comm, &r[i]);\n}\nMPI_Waitall(4, r, st);",
        "for (int i = 0; i < 4; i++)\nMPI_Recv(a, 1, MPI_INT, 0, i, comm, st);"), "HB-BUFFER-WRITTEN")
    out.put("lifecycle/t_loop_isends_own_buffers", ranks(
        "for (int i = 0; i < 4; i++) {\na[i] = i;\nMPI_Isend(a + i, 1, MPI_INT, 1, i, comm, &r[i]);\n}\nMPI_Waitall(4, r, st);",
        "for (int i = 0; i < 4; i++)\nMPI_Recv(a, 1, MPI_INT, 0, i, comm, st);"))
    out.put("lifecycle/t_same_value", ranks("a[0] = 9;\nMPI_Isend(a, 1, MPI_INT, 1, 3, comm, r);\na[0] = 9;\nMPI_Wait(r, st);",
                                            "MPI_Recv(a, 1, MPI_INT, 0, 3, comm, st);"), "HB-BUFFER-WRITTEN")
    out.put("lifecycle/t_call_fills", ranks(
        "MPI_Isend(a, 4, MPI_INT, 1, 3, comm, r);\nMPI_Recv(a, 4, MPI_INT, 1, 4, comm, st);\nMPI_Wait(r, st);",
        "MPI_Irecv(b, 4, MPI_INT, 0, 3, comm, r);\nMPI_Send(a, 4, MPI_INT, 0, 4, comm);\nMPI_Wait(r, st);"), "HB-BUFFER-OVERLAP|HB-BUFFER-WRITTEN")
    out.put("lifecycle/t_call_sends", ranks(
        "MPI_Irecv(a, 4, MPI_INT, 1, 3, comm, r);\nMPI_Send(a, 4, MPI_INT, 1, 4, comm);\nMPI_Wait(r, st);",
        "MPI_Recv(b, 4, MPI_INT, 0, 4, comm, st);\nMPI_Send(a, 4, MPI_INT, 0, 3, comm);"), "HB-BUFFER-OVERLAP")


LIFE = [  # name, rank 0, rank 1, expected
    ("isend_no_wait", "MPI_Isend(a, 1, MPI_INT, 1, 3, comm, r);", "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);", "HB-LEAK-REQUEST|HB-FINALIZE-PENDING"),
    ("irecv_no_wait", "MPI_Irecv(a, 1, MPI_INT, 1, 3, comm, r);", "MPI_Send(b, 1, MPI_INT, 0, 3, comm);", "HB-LEAK-REQUEST|HB-FINALIZE-PENDING"),
    ("wait_one_of_two", "MPI_Isend(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Isend(a, 1, MPI_INT, 1, 4, comm, r + 1);\nMPI_Wait(r, st);",
     "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);\nMPI_Recv(b, 1, MPI_INT, 0, 4, comm, st);", "HB-LEAK-REQUEST|HB-FINALIZE-PENDING"),
    ("overwritten", "MPI_Isend(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Isend(a, 1, MPI_INT, 1, 4, comm, r);\nMPI_Wait(r, st);",
     "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);\nMPI_Recv(b, 1, MPI_INT, 0, 4, comm, st);", "HB-LEAK-REQUEST|HB-FINALIZE-PENDING"),
    ("irecv_overwritten", "MPI_Irecv(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Irecv(b, 1, MPI_INT, 1, 4, comm, r);\nMPI_Wait(r, st);",
     "MPI_Send(b, 1, MPI_INT, 0, 3, comm);\nMPI_Send(b, 1, MPI_INT, 0, 4, comm);", "HB-LEAK-REQUEST|HB-FINALIZE-PENDING"),
    ("tested_once", "MPI_Irecv(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Test(r, &flag, st);\nMPI_Barrier(comm);",
     "MPI_Barrier(comm);\nMPI_Send(b, 1, MPI_INT, 0, 3, comm);", "HB-LEAK-REQUEST|HB-FINALIZE-PENDING"),
    ("start_missing", "MPI_Send_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Wait(r, st);\nMPI_Request_free(r);",
     "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);", "HB-REQUEST-INACTIVE"),
    ("start_missing_recv", "MPI_Recv_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Wait(r, st);\nMPI_Request_free(r);",
     "MPI_Send(b, 1, MPI_INT, 0, 3, comm);", "HB-REQUEST-INACTIVE"),
    ("start_missing_test", "MPI_Recv_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Test(r, &flag, st);\nMPI_Request_free(r);",
     "MPI_Send(b, 1, MPI_INT, 0, 3, comm);", "HB-REQUEST-INACTIVE|HB-MESSAGE-LOST"),
    ("started_twice", "MPI_Send_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Start(r);\nMPI_Start(r);\nMPI_Wait(r, st);\nMPI_Request_free(r);",
     "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);", "HB-REQUEST-ACTIVE"),
    ("recv_started_twice", "MPI_Recv_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Start(r);\nMPI_Start(r);\nMPI_Wait(r, st);\nMPI_Request_free(r);",
     "MPI_Send(b, 1, MPI_INT, 0, 3, comm);", "HB-REQUEST-ACTIVE"),
    ("startall_of_started", "MPI_Recv_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Recv_init(b, 1, MPI_INT, 1, 4, comm, r + 1);\nMPI_Start(r + 1);\nMPI_Startall(2, r);\n"
     "MPI_Waitall(2, r, st);\nMPI_Request_free(r);\nMPI_Request_free(r + 1);",
     "MPI_Send(b, 1, MPI_INT, 0, 3, comm);\nMPI_Send(b, 1, MPI_INT, 0, 4, comm);", "HB-REQUEST-ACTIVE"),
    ("not_freed", "MPI_Send_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Start(r);\nMPI_Wait(r, st);", "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);",
     "HB-LEAK-PERSISTENT|HB-LEAK-REQUEST"),
    ("freed_active", "MPI_Recv_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Start(r);\nMPI_Request_free(r);", "MPI_Send(b, 1, MPI_INT, 0, 3, comm);",
     "HB-REQUEST-LOST"),
    ("freed_twice", "MPI_Send_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Start(r);\nMPI_Wait(r, st);\nMPI_Request_free(r);\nMPI_Request_free(r);",
     "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);", "HB-ARG-REQUEST"),
    ("free_null", "r[0] = MPI_REQUEST_NULL;\nMPI_Request_free(r);", "", "HB-ARG-REQUEST"),
    ("start_null", "r[0] = MPI_REQUEST_NULL;\nMPI_Start(r);", "", "HB-ARG-REQUEST"),
    ("cancel_null", "r[0] = MPI_REQUEST_NULL;\nMPI_Cancel(r);", "", "HB-ARG-REQUEST"),
    ("wait_pointer", "MPI_Isend(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Wait(NULL, st);", "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);", "HB-ARG-POINTER"),
    ("isend_pointer", "MPI_Isend(a, 1, MPI_INT, 1, 3, comm, NULL);", "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);", "HB-ARG-POINTER"),
    ("copy_waited_twice", "MPI_Isend(a, 1, MPI_INT, 1, 3, comm, r);\nr[1] = r[0];\nMPI_Wait(r, st);\nMPI_Wait(r + 1, st);",
     "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);", "HB-HANDLE-FREED"),
    ("waitall_negative", "MPI_Waitall(-1, r, st);", "", "HB-ARG-COUNT"),
    ("freed_then_started", "MPI_Send_init(a, 1, MPI_INT, 1, 3, comm, r);\nr[1] = r[0];\nMPI_Request_free(r);\nMPI_Start(r + 1);",
     "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);", "HB-HANDLE-FREED"),
    ("start_isend", "MPI_Isend(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Start(r);\nMPI_Wait(r, st);", "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);",
     "HB-ARG-REQUEST|HB-REQUEST-ACTIVE"),
    ("cancel_lost", "MPI_Irecv(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Cancel(r);", "", "HB-LEAK-REQUEST|HB-FINALIZE-PENDING"),
    ("improbe_lost", "MPI_Message m;\nMPI_Mprobe(1, 3, comm, &m, st);", "MPI_Send(b, 1, MPI_INT, 0, 3, comm);", "HB-LEAK-MESSAGE"),
    ("mrecv_twice", "MPI_Message m, k;\nMPI_Mprobe(1, 3, comm, &m, st);\nk = m;\nMPI_Mrecv(a, 1, MPI_INT, &m, st);\nMPI_Mrecv(a, 1, MPI_INT, &k, st);",
     "MPI_Send(b, 1, MPI_INT, 0, 3, comm);", "HB-HANDLE-FREED"),
    ("mrecv_null", "MPI_Message m = MPI_MESSAGE_NULL;\nMPI_Mrecv(a, 1, MPI_INT, &m, st);", "", "HB-ARG-HANDLE"),
]


def life(out):
    for name, first, second, expect in LIFE:
        out.put("lifecycle/l_" + name, ranks(first, second), expect, also="HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-PERSISTENT HB-REQUEST-ACTIVE "
                "HB-MESSAGE-TRUNCATED HB-REQUEST-INACTIVE HB-HANDLE-FREED HB-ARG-REQUEST HB-BUFFER-OVERLAP")


RIGHT = [
    ("null_requests", "r[0] = r[1] = MPI_REQUEST_NULL;\nMPI_Wait(r, st);\nMPI_Waitall(2, r, st);\nMPI_Test(r, &flag, st);\nMPI_Waitany(2, r, &index, st);", ""),
    ("waitall_nothing", "MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);\nMPI_Waitany(0, NULL, &index, st);", ""),
    ("inactive_after_use", "MPI_Send_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Start(r);\nMPI_Wait(r, st);\nMPI_Wait(r, st);\nMPI_Request_free(r);",
     "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);"),
    ("inactive_in_waitall", "MPI_Send_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Send_init(a, 1, MPI_INT, 1, 4, comm, r + 1);\nMPI_Start(r);\nMPI_Waitall(2, r, st);\n"
     "MPI_Start(r + 1);\nMPI_Waitall(2, r, st);\nMPI_Request_free(r);\nMPI_Request_free(r + 1);",
     "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);\nMPI_Recv(b, 1, MPI_INT, 0, 4, comm, st);"),
    ("never_started_freed", "MPI_Send_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Request_free(r);", ""),
    ("freed_active_send", "MPI_Isend(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Request_free(r);\nMPI_Recv(b, 1, MPI_INT, 1, 4, comm, st);",
     "MPI_Recv(b, 1, MPI_INT, 0, 3, comm, st);\nMPI_Send(a, 1, MPI_INT, 0, 4, comm);"),
    ("cancelled_waited", "MPI_Irecv(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Cancel(r);\nMPI_Wait(r, st);\nMPI_Test_cancelled(st, &flag);", ""),
    ("cancelled_freed", "MPI_Irecv(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Cancel(r);\nMPI_Request_free(r);", ""),
    ("cancelled_persistent", "MPI_Recv_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Start(r);\nMPI_Cancel(r);\nMPI_Wait(r, st);\nMPI_Request_free(r);", ""),
    ("zero_null", "MPI_Send(NULL, 0, MPI_INT, 1, 3, comm);\nMPI_Isend(NULL, 0, MPI_DOUBLE, 1, 4, comm, r);\nMPI_Wait(r, st);",
     "MPI_Recv(NULL, 0, MPI_INT, 0, 3, comm, st);\nMPI_Irecv(NULL, 0, MPI_DOUBLE, 0, 4, comm, r);\nMPI_Wait(r, st);"),
    ("zero_other_type", "MPI_Send(NULL, 0, MPI_INT, 1, 3, comm);", "MPI_Recv(b, 4, MPI_DOUBLE, 0, 3, comm, st);"),
    ("proc_null_all", "MPI_Send(a, 1, MPI_INT, MPI_PROC_NULL, 3, comm);\nMPI_Recv(b, 1, MPI_INT, MPI_PROC_NULL, 3, comm, st);\n"
     "MPI_Sendrecv(a, 1, MPI_INT, MPI_PROC_NULL, 0, b, 1, MPI_INT, MPI_PROC_NULL, 0, comm, st);\nMPI_Isend(a, 1, MPI_INT, MPI_PROC_NULL, 0, comm, r);\n"
     "MPI_Irecv(b, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, comm, r + 1);\nMPI_Waitall(2, r, st);\nMPI_Probe(MPI_PROC_NULL, 0, comm, st);\n"
     "MPI_Rsend(a, 1, MPI_INT, MPI_PROC_NULL, 3, comm);\nMPI_Ssend(a, 1, MPI_INT, MPI_PROC_NULL, 3, comm);\n"
     "MPI_Send_init(a, 1, MPI_INT, MPI_PROC_NULL, 3, comm, r);\nMPI_Start(r);\nMPI_Wait(r, st);\nMPI_Request_free(r);", ""),
    ("proc_null_overlap", "MPI_Irecv(a, 1, MPI_INT, MPI_PROC_NULL, 0, comm, r);\na[0] = 3;\nMPI_Isend(a, 1, MPI_INT, MPI_PROC_NULL, 0, comm, r + 1);\na[0] = 4;\nMPI_Waitall(2, r, st);", ""),
    ("zero_overlap", "MPI_Irecv(a, 0, MPI_INT, 1, 0, comm, r);\na[0] = 3;\nMPI_Wait(r, st);\nsink = a[0];", "MPI_Send(a, 0, MPI_INT, 0, 0, comm);"),
    ("tags_wildcard", "MPI_Irecv(a, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, r);\nMPI_Irecv(b, 1, MPI_INT, MPI_ANY_SOURCE, 4, comm, r + 1);\nMPI_Waitall(2, r, st);",
     "MPI_Send(a, 1, MPI_INT, 0, 4, comm);\nMPI_Send(a, 1, MPI_INT, 0, 3, comm);"),
    ("any_tag_then_given", "MPI_Recv(a, 1, MPI_INT, 1, MPI_ANY_TAG, comm, st);\nMPI_Recv(a, 1, MPI_INT, st->MPI_SOURCE, st->MPI_TAG + 1, comm, st);",
     "MPI_Send(a, 1, MPI_INT, 0, 4, comm);\nMPI_Send(a, 1, MPI_INT, 0, 5, comm);"),
    ("bottom", "MPI_Aint at;\nMPI_Datatype t;\nint one = 1;\nMPI_Get_address(a, &at);\nMPI_Type_create_hindexed(1, &one, &at, MPI_INT, &t);\nMPI_Type_commit(&t);\n"
     "MPI_Isend(MPI_BOTTOM, 1, t, 1, 3, comm, r);\na[1] = 5;\nMPI_Wait(r, st);\nMPI_Type_free(&t);", "MPI_Recv(a, 1, MPI_INT, 0, 3, comm, st);"),
    ("type_freed_pending", "MPI_Datatype t;\nMPI_Type_contiguous(2, MPI_INT, &t);\nMPI_Type_commit(&t);\nMPI_Isend(a, 1, t, 1, 3, comm, r);\nMPI_Type_free(&t);\nMPI_Wait(r, st);",
     "MPI_Recv(a, 2, MPI_INT, 0, 3, comm, st);"),
    ("comm_freed_pending", "MPI_Comm d;\nMPI_Comm_dup(MPI_COMM_SELF, &d);\nMPI_Irecv(a, 1, MPI_INT, 0, 3, d, r);\nMPI_Send(b, 1, MPI_INT, 0, 3, d);\nMPI_Comm_free(&d);\nMPI_Wait(r, st);", ""),
    ("sendrecv_self", "MPI_Sendrecv(a, 1, MPI_INT, 0, 3, b, 1, MPI_INT, 0, 3, MPI_COMM_SELF, st);", ""),
    ("holes", "MPI_Datatype t;\nMPI_Type_vector(4, 1, 2, MPI_INT, &t);\nMPI_Type_commit(&t);\nMPI_Isend(a, 1, t, 1, 3, comm, r);\na[1] = a[3] = 5;\nMPI_Wait(r, st);\nMPI_Type_free(&t);",
     "MPI_Datatype t;\nMPI_Type_vector(4, 1, 2, MPI_INT, &t);\nMPI_Type_commit(&t);\nMPI_Irecv(a, 1, t, 0, 3, comm, r);\na[1] = a[3] = 5;\nsink = a[5];\nMPI_Wait(r, st);\nMPI_Type_free(&t);"),
    ("two_sends_one_buffer", "MPI_Isend(a, 4, MPI_INT, 1, 3, comm, r);\nMPI_Isend(a, 4, MPI_INT, 1, 4, comm, r + 1);\nsink = a[0];\nMPI_Waitall(2, r, st);",
     "MPI_Recv(a, 4, MPI_INT, 0, 3, comm, st);\nMPI_Recv(a, 4, MPI_INT, 0, 4, comm, st);"),
    ("bsend_written", "static char space[1000];\nint n;\nvoid *p;\nMPI_Buffer_attach(space, 1000);\nMPI_Bsend(a, 1, MPI_INT, 1, 3, comm);\na[0] = 4;\nMPI_Buffer_detach(&p, &n);",
     "MPI_Recv(a, 1, MPI_INT, 0, 3, comm, st);"),
    ("rsend_posted", "MPI_Recv(b, 0, MPI_INT, 1, 9, comm, st);\nMPI_Rsend(a, 1, MPI_INT, 1, 3, comm);",
     "MPI_Irecv(a, 1, MPI_INT, 0, 3, comm, r);\nMPI_Send(b, 0, MPI_INT, 0, 9, comm);\nMPI_Wait(r, st);"),
    ("irsend_barrier", "MPI_Barrier(comm);\nMPI_Irsend(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Wait(r, st);",
     "MPI_Irecv(a, 1, MPI_INT, 0, 3, comm, r);\nMPI_Barrier(comm);\nMPI_Wait(r, st);"),
    ("rsend_init_barrier", "MPI_Rsend_init(a, 1, MPI_INT, 1, 3, comm, r);\nMPI_Barrier(comm);\nMPI_Start(r);\nMPI_Wait(r, st);\nMPI_Request_free(r);",
     "MPI_Recv_init(a, 1, MPI_INT, 0, 3, comm, r);\nMPI_Start(r);\nMPI_Barrier(comm);\nMPI_Wait(r, st);\nMPI_Request_free(r);"),
    ("probe_sizes", "MPI_Probe(1, 3, comm, st);\nint k;\nMPI_Get_count(st, MPI_INT, &k);\nint *p = malloc(k * sizeof *p);\nMPI_Recv(p, k, MPI_INT, 1, 3, comm, st);\nfree(p);",
     "MPI_Send(a, 9, MPI_INT, 0, 3, comm);"),
    ("iprobe_loop", "while (!flag)\nMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, st);\nMPI_Recv(a, 9, MPI_INT, st->MPI_SOURCE, st->MPI_TAG, comm, st);",
     "MPI_Send(a, 9, MPI_INT, 0, 3, comm);"),
    ("improbe_imrecv", "MPI_Message m;\nwhile (!flag)\nMPI_Improbe(1, 3, comm, &flag, &m, st);\nMPI_Imrecv(a, 9, MPI_INT, &m, r);\nMPI_Wait(r, st);",
     "MPI_Send(a, 9, MPI_INT, 0, 3, comm);"),
    ("replace", "MPI_Sendrecv_replace(a, 9, MPI_INT, 1, 3, 1, 3, comm, st);", "MPI_Sendrecv_replace(a, 9, MPI_INT, 0, 3, 0, 3, comm, st);"),
    ("sendrecv_and_recv", "MPI_Sendrecv(a, 9, MPI_INT, 1, 3, b, 9, MPI_INT, 1, 4, comm, st);", "MPI_Recv(a, 9, MPI_INT, 0, 3, comm, st);\nMPI_Send(a, 9, MPI_INT, 0, 4, comm);"),
    ("shorter", "MPI_Send(a, 3, MPI_INT, 1, 3, comm);", "MPI_Recv(b, 9, MPI_INT, 0, 3, comm, st);"),
    ("packed", "int at = 0;\nMPI_Pack(a, 3, MPI_INT, b, 100, &at, comm);\nMPI_Send(b, at, MPI_PACKED, 1, 3, comm);", "MPI_Recv(b, 3, MPI_INT, 0, 3, comm, st);"),
    ("to_itself", "MPI_Irecv(b, 3, MPI_INT, 0, 3, comm, r);\nMPI_Send(a, 3, MPI_INT, 0, 3, comm);\nMPI_Wait(r, st);", ""),
    ("tag_zero_and_upper", "int *ub;\nMPI_Comm_get_attr(comm, MPI_TAG_UB, &ub, &flag);\nMPI_Send(a, 1, MPI_INT, 1, *ub, comm);",
     "int *ub;\nMPI_Comm_get_attr(comm, MPI_TAG_UB, &ub, &flag);\nMPI_Recv(a, 1, MPI_INT, 0, *ub, comm, st);"),
    ("status_of_get_status", "MPI_Irecv(a, 1, MPI_INT, 1, 3, comm, r);\nwhile (!flag)\nMPI_Request_get_status(r[0], &flag, st);\nsink = a[0];\nMPI_Wait(r, st);", "MPI_Send(a, 1, MPI_INT, 0, 3, comm);"),
    ("test_then_use", "MPI_Irecv(a, 1, MPI_INT, 1, 3, comm, r);\nfor (;;) {\nMPI_Test(r, &flag, st);\nif (flag)\nbreak;\n}\na[0]++;", "MPI_Send(a, 1, MPI_INT, 0, 3, comm);"),
    ("persistent_refill", "MPI_Send_init(a, 4, MPI_INT, 1, 3, comm, r);\nfor (int i = 0; i < 4; i++) {\na[0] = i;\nMPI_Start(r);\nMPI_Wait(r, st);\na[1] = i;\n}\nMPI_Request_free(r);",
     "for (int i = 0; i < 4; i++)\nMPI_Recv(a, 4, MPI_INT, 0, 3, comm, st);"),
    ("persistent_both", "MPI_Send_init(a, 4, MPI_INT, 1, 3, comm, r);\nMPI_Recv_init(b, 4, MPI_INT, 1, 3, comm, r + 1);\nfor (int i = 0; i < 4; i++) {\nMPI_Startall(2, r);\n"
     "MPI_Waitall(2, r, st);\na[0] = b[0];\n}\nMPI_Request_free(r);\nMPI_Request_free(r + 1);",
     "MPI_Send_init(a, 4, MPI_INT, 0, 3, comm, r);\nMPI_Recv_init(b, 4, MPI_INT, 0, 3, comm, r + 1);\nfor (int i = 0; i < 4; i++) {\nMPI_Startall(2, r);\n"
     "MPI_Waitall(2, r, st);\na[0] = b[0];\n}\nMPI_Request_free(r);\nMPI_Request_free(r + 1);"),
]


def right(out):
    for name, first, second in RIGHT:
        out.put("messages/r_" + name, ranks(first, second))


MATCH = [  # name, sender, receiver, expected
    ("tag", "a, 4, MPI_INT, 1, 3, comm", "a, 4, MPI_INT, 0, 4, comm", "HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE|HB-MESSAGE-LOST|HB-MESSAGE-MISSING"),
    ("self", "a, 4, MPI_INT, 0, 3, comm", "a, 4, MPI_INT, 0, 3, comm", "HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE|HB-MESSAGE-LOST|HB-MESSAGE-MISSING"),
    ("comm", "a, 4, MPI_INT, 0, 3, MPI_COMM_SELF", "a, 4, MPI_INT, 0, 3, comm", "HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE|HB-MESSAGE-LOST|HB-MESSAGE-MISSING"),
    ("count", "a, 5, MPI_INT, 1, 3, comm", "a, 4, MPI_INT, 0, 3, comm", "HB-MESSAGE-TRUNCATED"),
    ("type", "a, 4, MPI_INT, 1, 3, comm", "a, 4, MPI_FLOAT, 0, 3, comm", "HB-MESSAGE-TYPE"),
    ("type_size", "a, 4, MPI_INT, 1, 3, comm", "a, 2, MPI_DOUBLE, 0, 3, comm", "HB-MESSAGE-TYPE"),
    ("type_char", "a, 4, MPI_CHAR, 1, 3, comm", "a, 4, MPI_INT, 0, 3, comm", "HB-MESSAGE-TYPE"),
    ("type_long", "a, 4, MPI_LONG, 1, 3, comm", "a, 4, MPI_DOUBLE, 0, 3, comm", "HB-MESSAGE-TYPE"),
    ("type_and_count", "a, 4, MPI_DOUBLE, 1, 3, comm", "a, 4, MPI_INT, 0, 3, comm", "HB-MESSAGE-TYPE|HB-MESSAGE-TRUNCATED"),
]
PERSISTENT_OR = ("send", "ssend", "isend", "send_init")


def match(out):
    for name, sent, received, expect in MATCH:
        for s in PERSISTENT_OR:
            for r in RECV:
                out.put("messages/m_%s_%s_%s" % (name, s, r), ranks(side(SEND, s, sent), side(RECV, r, received)), expect,
                        also="HB-MESSAGE-TRUNCATED HB-LEAK-PERSISTENT")


def put(out):
    kinds(out)
    touched(out)
    life(out)
    right(out)
    match(out)
