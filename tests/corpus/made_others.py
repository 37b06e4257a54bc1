"""Templates of generate.py: who waits for whom, collectives, objects that are never freed, partitions, sessions, races."""
from shapes import ranks

ANY = "HB-DEADLOCK-CYCLE|HB-DEADLOCK-ORPHAN"
SEND, RECV = "MPI_%s(a, 4, MPI_INT, %d, %d, comm);", "MPI_Recv(b, 4, MPI_INT, %d, %d, comm, st);"


def send(to, tag=3, how="Send"):
    return SEND % (how, to, tag)


def recv(source, tag=3):
    return RECV % (source, tag)


WAITING = [  # name, what each rank does, expected
    ("recv_recv", [recv(1) + "\n" + send(1), recv(0) + "\n" + send(0)], ANY),
    ("ssend_ssend", [send(1, 3, "Ssend") + "\n" + recv(1), send(0, 3, "Ssend") + "\n" + recv(0)], ANY),
    ("send_send", [send(1) + "\n" + recv(1), send(0) + "\n" + recv(0)], "HB-DEADLOCK-POTENTIAL|" + ANY),
    ("ring_recv3", [recv(2) + "\n" + send(1), recv(0) + "\n" + send(2), recv(1) + "\n" + send(0)], ANY),
    ("ring_ssend3", [send(1, 3, "Ssend") + "\n" + recv(2), send(2, 3, "Ssend") + "\n" + recv(0), send(0, 3, "Ssend") + "\n" + recv(1)], ANY),
    ("ring_send3", [send(1) + "\n" + recv(2), send(2) + "\n" + recv(0), send(0) + "\n" + recv(1)], "HB-DEADLOCK-POTENTIAL|" + ANY),
    ("ring_right3", [send(1) + "\n" + recv(2), recv(0) + "\n" + send(2), recv(1) + "\n" + send(0)], None),
    ("ring_right4", [send(1) + "\n" + recv(3), recv(0) + "\n" + send(2), recv(1) + "\n" + send(3), recv(2) + "\n" + send(0)], None),
    ("even_odd4", [send(1) + "\n" + recv(3), recv(0) + "\n" + send(2), send(3) + "\n" + recv(1), recv(2) + "\n" + send(0)], None),
    ("recv_then_barrier", [recv(1) + "\nMPI_Barrier(comm);", "MPI_Barrier(comm);\n" + send(0)], ANY),
    ("ssend_across_barrier", [send(1, 3, "Ssend") + "\nMPI_Barrier(comm);", "MPI_Barrier(comm);\n" + recv(0)], ANY),
    ("send_across_barrier", [send(1) + "\nMPI_Barrier(comm);", "MPI_Barrier(comm);\n" + recv(0)], "HB-DEADLOCK-POTENTIAL|" + ANY),
    ("isend_across_barrier", ["MPI_Isend(a, 4, MPI_INT, 1, 3, comm, r);\nMPI_Barrier(comm);\nMPI_Wait(r, st);", "MPI_Barrier(comm);\n" + recv(0)], None),
    ("bcast_and_recv", ["MPI_Bcast(a, 4, MPI_INT, 0, comm);\n" + send(1), recv(0) + "\nMPI_Bcast(a, 4, MPI_INT, 0, comm);"], "HB-DEADLOCK-POTENTIAL|" + ANY),
    ("reduce_and_recv", ["MPI_Reduce(a, b, 4, MPI_INT, MPI_SUM, 1, comm);\n" + send(1), recv(0) + "\nMPI_Reduce(a, b, 4, MPI_INT, MPI_SUM, 1, comm);"], "HB-DEADLOCK-POTENTIAL|" + ANY),
    ("allreduce_and_recv", ["MPI_Allreduce(a, b, 4, MPI_INT, MPI_SUM, comm);\n" + send(1), recv(0) + "\nMPI_Allreduce(a, b, 4, MPI_INT, MPI_SUM, comm);"], ANY),
    ("ibarrier_and_recv", ["MPI_Ibarrier(comm, r);\nMPI_Wait(r, st);\n" + send(1), recv(0) + "\nMPI_Ibarrier(comm, r);\nMPI_Wait(r, st);"], ANY),
    ("ibarrier_overlap", ["MPI_Ibarrier(comm, r);\n" + send(1) + "\nMPI_Wait(r, st);", recv(0) + "\nMPI_Ibarrier(comm, r);\nMPI_Wait(r, st);"], None),
    ("wait_before_send", ["MPI_Irecv(b, 4, MPI_INT, 1, 3, comm, r);\nMPI_Wait(r, st);\n" + send(1), "MPI_Irecv(b, 4, MPI_INT, 0, 3, comm, r);\nMPI_Wait(r, st);\n" + send(0)], ANY),
    ("test_before_send", ["MPI_Irecv(b, 4, MPI_INT, 1, 3, comm, r);\nwhile (!flag)\nMPI_Test(r, &flag, st);\n" + send(1),
                          "MPI_Irecv(b, 4, MPI_INT, 0, 3, comm, r);\nwhile (!flag)\nMPI_Test(r, &flag, st);\n" + send(0)], "HB-HANG-POLL|HB-HANG|" + ANY),
    ("persistent_before_send", ["MPI_Recv_init(b, 4, MPI_INT, 1, 3, comm, r);\nMPI_Start(r);\nMPI_Wait(r, st);\n" + send(1) + "\nMPI_Request_free(r);",
                                "MPI_Recv_init(b, 4, MPI_INT, 0, 3, comm, r);\nMPI_Start(r);\nMPI_Wait(r, st);\n" + send(0) + "\nMPI_Request_free(r);"], ANY),
    ("waitany_nobody", ["MPI_Irecv(b, 4, MPI_INT, 1, 3, comm, r);\nMPI_Irecv(c, 4, MPI_INT, 1, 4, comm, r + 1);\nMPI_Waitany(2, r, &index, st);", ""], ANY),
    ("probe_probe", ["MPI_Probe(1, 3, comm, st);\n" + recv(1) + "\n" + send(1), "MPI_Probe(0, 3, comm, st);\n" + recv(0) + "\n" + send(0)], ANY),
    ("sendrecv_chain", ["MPI_Sendrecv(a, 4, MPI_INT, 1, 3, b, 4, MPI_INT, 1, 3, comm, st);", recv(0)], ANY),
    ("sendrecv_wrong_partner3", ["MPI_Sendrecv(a, 4, MPI_INT, 1, 3, b, 4, MPI_INT, 1, 3, comm, st);", "MPI_Sendrecv(a, 4, MPI_INT, 2, 3, b, 4, MPI_INT, 2, 3, comm, st);",
                                 "MPI_Sendrecv(a, 4, MPI_INT, 0, 3, b, 4, MPI_INT, 0, 3, comm, st);"], ANY + "|HB-HANG"),
    ("sendrecv_ring4", ["MPI_Sendrecv(a, 4, MPI_INT, (rank + 1) % size, 3, b, 4, MPI_INT, (rank + size - 1) % size, 3, comm, st);"] * 4, None),
    ("two_for_one", [send(1), recv(0) + "\n" + recv(0)], ANY),
    ("one_for_two", [send(1) + "\n" + send(1), recv(0)], "HB-MESSAGE-LOST"),
    ("three_and_missing", [recv(1) + "\n" + recv(2), send(0), ""], ANY),
    ("any_and_missing", ["MPI_Recv(b, 4, MPI_INT, MPI_ANY_SOURCE, 3, comm, st);\nMPI_Recv(b, 4, MPI_INT, MPI_ANY_SOURCE, 3, comm, st);", send(0), ""], ANY),
    ("order_of_tags", [send(1, 3, "Ssend") + "\n" + send(1, 4, "Ssend"), recv(0, 4) + "\n" + recv(0, 3)], ANY),
    ("order_of_tags_small", [send(1, 3) + "\n" + send(1, 4), recv(0, 4) + "\n" + recv(0, 3)], "HB-DEADLOCK-POTENTIAL|" + ANY),
    ("order_of_isends", ["MPI_Isend(a, 4, MPI_INT, 1, 3, comm, r);\nMPI_Isend(a, 4, MPI_INT, 1, 4, comm, r + 1);\nMPI_Waitall(2, r, st);", recv(0, 4) + "\n" + recv(0, 3)], None),
    ("barrier_one_less", ["MPI_Barrier(comm);\nMPI_Barrier(comm);", "MPI_Barrier(comm);"], "HB-COLLECTIVE-MISSING|" + ANY),
    ("barrier_of_rank", ["", "MPI_Barrier(comm);"], "HB-COLLECTIVE-MISSING|" + ANY),
    ("order_of_comms", ["MPI_Barrier(d);\nMPI_Barrier(comm);", "MPI_Barrier(comm);\nMPI_Barrier(d);"], "HB-COLLECTIVE-CALL|" + ANY),
    ("order_of_calls", ["MPI_Bcast(a, 4, MPI_INT, 0, comm);\nMPI_Barrier(comm);", "MPI_Barrier(comm);\nMPI_Bcast(a, 4, MPI_INT, 0, comm);"], "HB-COLLECTIVE-CALL"),
    ("order_of_reduces", ["MPI_Reduce(a, b, 4, MPI_INT, MPI_SUM, 0, comm);\nMPI_Bcast(a, 4, MPI_INT, 0, comm);", "MPI_Bcast(a, 4, MPI_INT, 0, comm);\nMPI_Reduce(a, b, 4, MPI_INT, MPI_SUM, 0, comm);"], "HB-COLLECTIVE-CALL"),
    ("order_of_nonblocking", ["MPI_Ibcast(a, 4, MPI_INT, 0, comm, r);\nMPI_Ibarrier(comm, r + 1);\nMPI_Waitall(2, r, st);", "MPI_Ibarrier(comm, r);\nMPI_Ibcast(a, 4, MPI_INT, 0, comm, r + 1);\nMPI_Waitall(2, r, st);"], "HB-COLLECTIVE-CALL"),
    ("comm_swapped", ["MPI_Bcast(a, 4, MPI_INT, 0, comm);\nMPI_Bcast(b, 4, MPI_INT, 0, d);", "MPI_Bcast(b, 4, MPI_INT, 0, d);\nMPI_Bcast(a, 4, MPI_INT, 0, comm);"], "HB-COLLECTIVE-CALL|HB-DEADLOCK-POTENTIAL|" + ANY),
    ("subset_of_world3", ["MPI_Barrier(comm);", "MPI_Barrier(comm);", ""], "HB-COLLECTIVE-MISSING|" + ANY),
    ("gather_missing3", ["MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, 0, comm);", "MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, 0, comm);", ""], "HB-COLLECTIVE-MISSING|" + ANY),
    ("bcast_extra", ["MPI_Bcast(a, 4, MPI_INT, 0, comm);\nMPI_Bcast(a, 4, MPI_INT, 0, comm);", "MPI_Bcast(a, 4, MPI_INT, 0, comm);"], "HB-COLLECTIVE-MISSING"),
    ("blocking_and_not", ["MPI_Ibarrier(comm, r);\nMPI_Wait(r, st);", "MPI_Barrier(comm);"], "HB-COLLECTIVE-CALL"),
    ("finalize_early", ["", recv(0)], ANY),
    ("dup_missing", ["MPI_Comm e;\nMPI_Comm_dup(comm, &e);\nMPI_Comm_free(&e);", "MPI_Barrier(comm);"], "HB-COLLECTIVE-CALL"),
    ("split_and_dup", ["MPI_Comm e;\nMPI_Comm_split(comm, 0, 0, &e);\nMPI_Comm_free(&e);", "MPI_Comm e;\nMPI_Comm_dup(comm, &e);\nMPI_Comm_free(&e);"], "HB-COLLECTIVE-CALL"),
    ("roots_differ", ["MPI_Bcast(a, 4, MPI_INT, 0, comm);", "MPI_Bcast(a, 4, MPI_INT, 1, comm);"], "HB-COLLECTIVE-ROOT"),
    ("gather_roots_differ", ["MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, 0, comm);", "MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, 1, comm);"], "HB-COLLECTIVE-ROOT"),
    ("roots_differ3", ["MPI_Reduce(a, b, 4, MPI_INT, MPI_SUM, rank == 2, comm);"] * 3, "HB-COLLECTIVE-ROOT"),
    ("rank_dependent_count", ["MPI_Bcast(a, 4, MPI_INT, 0, comm);", "MPI_Bcast(a, 5, MPI_INT, 0, comm);"], "HB-COLLECTIVE-COUNT"),
    ("gatherv_uneven3", ["MPI_Gatherv(a, rank + 1, MPI_INT, b, (int[]){1, 2, 3}, (int[]){0, 1, 3}, MPI_INT, 0, comm);"] * 3, None),
    ("gatherv_uneven_wrong3", ["MPI_Gatherv(a, rank + 1, MPI_INT, b, (int[]){1, 2, 2}, (int[]){0, 1, 3}, MPI_INT, 0, comm);"] * 3, "HB-COLLECTIVE-COUNT"),
    ("scatterv_uneven_wrong", ["MPI_Scatterv(a, (int[]){1, 2}, (int[]){0, 1}, MPI_INT, b, 1, MPI_INT, 0, comm);"] * 2, "HB-COLLECTIVE-COUNT"),
    ("allgatherv_wrong", ["MPI_Allgatherv(a, rank + 1, MPI_INT, b, (int[]){1, 1}, (int[]){0, 1}, MPI_INT, comm);"] * 2, "HB-COLLECTIVE-COUNT"),
    ("alltoallv_wrong", ["MPI_Alltoallv(a, (int[]){1, 2}, (int[]){0, 1}, MPI_INT, b, (int[]){1, 1}, (int[]){0, 1}, MPI_INT, comm);"] * 2, "HB-COLLECTIVE-COUNT"),
    ("reduce_scatter_wrong", ["MPI_Reduce_scatter(a, b, rank ? (int[]){2, 1} : (int[]){1, 2}, MPI_INT, MPI_SUM, comm);"] * 2, "HB-COLLECTIVE-COUNT"),
    ("allreduce_op", ["MPI_Allreduce(a, b, 4, MPI_INT, rank ? MPI_SUM : MPI_MAX, comm);"] * 2, "HB-COLLECTIVE-OP"),
    ("allreduce_in_place", ["MPI_Allreduce(MPI_IN_PLACE, b, 4, MPI_INT, MPI_SUM, comm);"] * 2, None),
    ("reduce_in_place_root", ["if (rank == 0)\nMPI_Reduce(MPI_IN_PLACE, b, 4, MPI_INT, MPI_SUM, 0, comm);\nelse\nMPI_Reduce(b, NULL, 4, MPI_INT, MPI_SUM, 0, comm);"] * 2, None),
    ("in_place_all", ["MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 4, MPI_INT, comm);\nMPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 4, MPI_INT, comm);\n"
                      "MPI_Gather(rank ? (void *)a : MPI_IN_PLACE, 4, MPI_INT, b, 4, MPI_INT, 0, comm);\nMPI_Scatter(a, 4, MPI_INT, rank ? (void *)b : MPI_IN_PLACE, 4, MPI_INT, 0, comm);\n"
                      "MPI_Scan(MPI_IN_PLACE, b, 4, MPI_INT, MPI_SUM, comm);\nMPI_Exscan(MPI_IN_PLACE, b, 4, MPI_INT, MPI_SUM, comm);\n"
                      "MPI_Reduce_scatter_block(MPI_IN_PLACE, b, 4, MPI_INT, MPI_SUM, comm);"] * 2, None),
    ("nothing_at_others", ["MPI_Gather(a, 4, MPI_INT, rank ? NULL : b, rank ? 0 : 4, rank ? MPI_DATATYPE_NULL : MPI_INT, 0, comm);\n"
                           "MPI_Scatter(rank ? NULL : a, rank ? 0 : 4, rank ? MPI_DATATYPE_NULL : MPI_INT, b, 4, MPI_INT, 0, comm);\nMPI_Reduce(a, rank ? NULL : b, 4, MPI_INT, MPI_SUM, 0, comm);"] * 2, None),
    ("zero_collectives", ["MPI_Bcast(NULL, 0, MPI_INT, 0, comm);\nMPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, comm);\nMPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, comm);\n"
                          "MPI_Alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_DOUBLE, comm);\nMPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 1, comm);"] * 2, None),
    ("two_nonblocking", ["MPI_Ibcast(a, 4, MPI_INT, 0, comm, r);\nMPI_Iallreduce(b, c, 4, MPI_INT, MPI_SUM, comm, r + 1);\nMPI_Wait(r + 1, st);\nMPI_Wait(r, st);"] * 2, None),
    ("nonblocking_same_buffer", ["MPI_Ibcast(a, 4, MPI_INT, 0, comm, r);\nMPI_Ibcast(a, 4, MPI_INT, 0, comm, r + 1);\nMPI_Waitall(2, r, st);"] * 2, "HB-BUFFER-OVERLAP"),
    ("iallreduce_alias", ["MPI_Iallreduce(a, a, 4, MPI_INT, MPI_SUM, comm, r);\nMPI_Wait(r, st);"] * 2, "HB-ARG-ALIAS"),
    ("self_collectives", ["MPI_Barrier(MPI_COMM_SELF);\nMPI_Bcast(a, 4, MPI_INT, 0, MPI_COMM_SELF);\nif (rank)\nMPI_Barrier(MPI_COMM_SELF);"] * 2, None),
    ("half_collectives4", ["MPI_Comm e;\nMPI_Comm_split(comm, rank % 2, rank, &e);\nif (rank % 2)\nMPI_Barrier(e);\nelse\nMPI_Bcast(a, 4, MPI_INT, 1, e);\nMPI_Comm_free(&e);"] * 4, None),
    ("half_undefined3", ["MPI_Comm e;\nMPI_Comm_split(comm, rank ? 1 : MPI_UNDEFINED, rank, &e);\nif (e != MPI_COMM_NULL) {\nMPI_Barrier(e);\nMPI_Comm_free(&e);\n}"] * 3, None),
]


def waiting(out):
    for name, parts, expect in WAITING:
        uses = any("(d)" in p or ", d)" in p for p in parts)
        n = max(2, len(parts))
        same = len(parts) > 1 and len(set(parts)) == 1
        body = parts[0] if same else "\n".join("if (rank == %d) {\n%s\n}" % x for x in enumerate(parts) if x[1])
        if uses:
            body = "MPI_Comm d;\nMPI_Comm_dup(comm, &d);\n" + body + "\nMPI_Comm_free(&d);"
        category = "collectives" if expect and "COLLECTIVE" in expect else "deadlock"
        out.put("%s/w_%s" % (category, name), body, expect, n, also="HB-COLLECTIVE-MISSING HB-COLLECTIVE-CALL HB-COLLECTIVE-COUNT HB-MESSAGE-TRUNCATED "
                "HB-DEADLOCK-POTENTIAL HB-LEAK-PERSISTENT HB-LEAK-OTHER HB-BUFFER-OVERLAP HB-BUFFER-WRITTEN")


OBJECTS = {  # name: (declare and make, free, expected when it is not freed)
    "comm_dup": ("MPI_Comm x;\nMPI_Comm_dup(comm, &x);", "MPI_Comm_free(&x);", "HB-LEAK-COMM"),
    "comm_split": ("MPI_Comm x;\nMPI_Comm_split(comm, rank, 0, &x);", "MPI_Comm_free(&x);", "HB-LEAK-COMM"),
    "comm_split_type": ("MPI_Comm x;\nMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &x);", "MPI_Comm_free(&x);", "HB-LEAK-COMM"),
    "comm_create": ("MPI_Group g;\nMPI_Comm x;\nMPI_Comm_group(comm, &g);\nMPI_Comm_create(comm, g, &x);\nMPI_Group_free(&g);", "MPI_Comm_free(&x);", "HB-LEAK-COMM"),
    "comm_create_group": ("MPI_Group g;\nMPI_Comm x;\nMPI_Comm_group(comm, &g);\nMPI_Comm_create_group(comm, g, 5, &x);\nMPI_Group_free(&g);", "MPI_Comm_free(&x);", "HB-LEAK-COMM"),
    "cart": ("int d = 2, o = 1;\nMPI_Comm x;\nMPI_Cart_create(comm, 1, &d, &o, 0, &x);", "MPI_Comm_free(&x);", "HB-LEAK-COMM"),
    "graph": ("MPI_Comm x;\nMPI_Graph_create(comm, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &x);", "MPI_Comm_free(&x);", "HB-LEAK-COMM"),
    "intercomm": ("MPI_Comm x;\nMPI_Intercomm_create(MPI_COMM_SELF, 0, comm, 1 - rank, 4, &x);", "MPI_Comm_free(&x);", "HB-LEAK-COMM"),
    "merged": ("MPI_Comm i, x;\nMPI_Intercomm_create(MPI_COMM_SELF, 0, comm, 1 - rank, 4, &i);\nMPI_Intercomm_merge(i, rank, &x);\nMPI_Comm_free(&i);", "MPI_Comm_free(&x);", "HB-LEAK-COMM"),
    "idup": ("MPI_Comm x;\nMPI_Comm_idup(comm, &x, r);\nMPI_Wait(r, st);", "MPI_Comm_free(&x);", "HB-LEAK-COMM"),
    "group": ("MPI_Group x;\nMPI_Comm_group(comm, &x);", "MPI_Group_free(&x);", "HB-LEAK-GROUP"),
    "group_incl": ("MPI_Group g, x;\nMPI_Comm_group(comm, &g);\nMPI_Group_incl(g, 1, &rank, &x);\nMPI_Group_free(&g);", "MPI_Group_free(&x);", "HB-LEAK-GROUP"),
    "contiguous": ("MPI_Datatype x;\nMPI_Type_contiguous(4, MPI_INT, &x);\nMPI_Type_commit(&x);", "MPI_Type_free(&x);", "HB-LEAK-DATATYPE"),
    "contiguous_raw": ("MPI_Datatype x;\nMPI_Type_contiguous(4, MPI_INT, &x);", "MPI_Type_free(&x);", "HB-LEAK-DATATYPE"),
    "vector": ("MPI_Datatype x;\nMPI_Type_vector(4, 1, 2, MPI_INT, &x);\nMPI_Type_commit(&x);", "MPI_Type_free(&x);", "HB-LEAK-DATATYPE"),
    "struct": ("MPI_Datatype x;\nMPI_Type_create_struct(1, (int[]){1}, (MPI_Aint[]){0}, (MPI_Datatype[]){MPI_INT}, &x);", "MPI_Type_free(&x);", "HB-LEAK-DATATYPE"),
    "type_dup": ("MPI_Datatype x;\nMPI_Type_dup(MPI_INT, &x);", "MPI_Type_free(&x);", "HB-LEAK-DATATYPE"),
    "resized": ("MPI_Datatype x;\nMPI_Type_create_resized(MPI_INT, 0, 8, &x);", "MPI_Type_free(&x);", "HB-LEAK-DATATYPE"),
    "op": ("MPI_Op x;\nMPI_Op_create(add, 1, &x);", "MPI_Op_free(&x);", "HB-LEAK-OP"),
    "info": ("MPI_Info x;\nMPI_Info_create(&x);", "MPI_Info_free(&x);", "HB-LEAK-OTHER"),
    "keyval": ("int x;\nMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &x, NULL);", "MPI_Comm_free_keyval(&x);", "HB-LEAK-MINOR"),
    "errhandler": ("MPI_Errhandler x;\nMPI_Comm_create_errhandler(failed, &x);", "MPI_Errhandler_free(&x);", "HB-LEAK-MINOR"),
    "win": ("MPI_Win x;\nMPI_Win_create(a, 64, 4, MPI_INFO_NULL, comm, &x);", "MPI_Win_free(&x);", "HB-LEAK-WIN"),
    "win_dynamic": ("MPI_Win x;\nMPI_Win_create_dynamic(MPI_INFO_NULL, comm, &x);", "MPI_Win_free(&x);", "HB-LEAK-WIN"),
    "file": ("MPI_File x;\nchar n[40];\nsnprintf(n, 40, \"gen.%d\", rank);\nMPI_File_open(MPI_COMM_SELF, n, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &x);", "MPI_File_close(&x);", "HB-LEAK-FILE"),
    "persistent": ("MPI_Request x;\nMPI_Send_init(a, 1, MPI_INT, 0, 3, comm, &x);", "MPI_Request_free(&x);", "HB-LEAK-PERSISTENT|HB-LEAK-REQUEST"),
}
USES = {"comm": "MPI_Barrier(k);", "contiguous": "MPI_Sendrecv(a, 1, k, rank, 3, b, 1, k, rank, 3, comm, st);", "vector": "MPI_Send(a, 1, k, MPI_PROC_NULL, 3, comm);",
        "op": "MPI_Allreduce(a, b, 1, MPI_INT, k, comm);", "group": "int n;\nMPI_Group_size(k, &n);", "info": "MPI_Info_set(k, \"a\", \"b\");"}


def objects(out):
    for name, (make, free, leak) in OBJECTS.items():
        also = "HB-LEAK-MINOR HB-LEAK-COMM HB-LEAK-WIN HB-HANDLE-FREED HB-ARG-COMM HB-ARG-TYPE HB-ARG-OP HB-ARG-HANDLE HB-ARG-WIN HB-ARG-REQUEST HB-ARG-VALUE HB-COLLECTIVE-MISSING HB-COLLECTIVE-CALL"
        out.put("lifecycle/x_%s" % name, make + "\n" + free)
        out.put("lifecycle/x_%s_leak" % name, make, leak, also=also)
        out.put("lifecycle/x_%s_leak_one" % name, make + "\nif (rank == 0)\n" + free if "comm" not in name and "win" not in name and name not in ("cart", "graph", "merged", "idup")
                else make, leak, also=also)
        out.put("lifecycle/x_%s_leak_loop" % name, "for (int i = 0; i < 3; i++) {\n%s\n}" % make, leak, also=also)
        out.put("lifecycle/x_%s_loop" % name, "for (int i = 0; i < 3; i++) {\n%s\n%s\n}" % (make, free))
        kind = make.split("x", 1)[0].rsplit("\n", 1)[-1].split()[0].rstrip(";")
        if kind != "int":
            again = free.replace("&x", "&k")
            out.put("lifecycle/x_%s_twice" % name, make + "\n%s k = x;\n%s\n%s" % (kind, free, again), "HB-HANDLE-FREED", also=also)
            out.put("lifecycle/x_%s_freed_null" % name, make + "\n%s\n%s" % (free, free), "HB-HANDLE-FREED|HB-ARG-COMM|HB-ARG-TYPE|HB-ARG-OP|HB-ARG-HANDLE|HB-ARG-WIN|HB-ARG-REQUEST", also=also)
        for stem, use in USES.items():
            if name.startswith(stem) and not (name.startswith("comm_split") and name == "comm_split"):
                out.put("lifecycle/x_%s_used" % name, make + "\n%s k = x;\n%s\n%s" % (kind, free, use), "HB-HANDLE-FREED|HB-ARG-COMM|HB-ARG-TYPE|HB-ARG-OP|HB-ARG-HANDLE", also=also)


PART = "MPI_%s_init(a, 4, 2, MPI_INT, %d, 3, comm, MPI_INFO_NULL, r);\n"
PS, PR = PART % ("Psend", 1), PART % ("Precv", 0)
READY = "for (int i = 0; i < 4; i++) {\na[2 * i] = i;\nMPI_Pready(i, r[0]);\n}\n"
ARRIVED = "for (int i = 0; i < 4; i++) {\nfor (flag = 0; !flag;)\nMPI_Parrived(r[0], i, &flag);\nsink = a[2 * i];\n}\n"
S, W, F = "MPI_Start(r);\n", "MPI_Wait(r, st);\n", "MPI_Request_free(r);"
PARTS = [
    ("whole", PS + S + READY + W + F, PR + S + W + F, None),
    ("arrived", PS + S + READY + W + F, PR + S + ARRIVED + W + F, None),
    ("range", PS + S + "MPI_Pready_range(0, 3, r[0]);\n" + W + F, PR + S + W + F, None),
    ("list", PS + S + "MPI_Pready_list(4, (int[]){3, 1, 2, 0}, r[0]);\n" + W + F, PR + S + W + F, None),
    ("rounds", PS + "for (int k = 0; k < 3; k++) {\n" + S + READY + W + "}\n" + F, PR + "for (int k = 0; k < 3; k++) {\n" + S + W + "}\n" + F, None),
    ("other_partitions", PS + S + READY + W + F, "MPI_Precv_init(a, 2, 4, MPI_INT, 0, 3, comm, MPI_INFO_NULL, r);\n" + S + W + F, None),
    ("ready_missing", PS + S + "MPI_Pready_range(0, 2, r[0]);\n" + W + F, PR + S + W + F, ANY + "|HB-HANG|HB-ARG-VALUE|HB-REQUEST-ACTIVE"),
    ("ready_none", PS + S + W + F, PR + S + W + F, ANY + "|HB-HANG"),
    ("ready_twice", PS + S + READY + "MPI_Pready(0, r[0]);\n" + W + F, PR + S + W + F, "HB-ARG-VALUE|HB-REQUEST-ACTIVE|HB-CALL-FAILED"),
    ("ready_high", PS + S + READY + "MPI_Pready(4, r[0]);\n" + W + F, PR + S + W + F, "HB-ARG-VALUE"),
    ("ready_negative", PS + S + READY + "MPI_Pready(-1, r[0]);\n" + W + F, PR + S + W + F, "HB-ARG-VALUE"),
    ("ready_before_start", PS + "MPI_Pready(0, r[0]);\n" + S + READY + W + F, PR + S + W + F, "HB-REQUEST-INACTIVE|HB-ARG-REQUEST|HB-REQUEST-ACTIVE"),
    ("ready_of_receive", PS + S + READY + W + F, PR + S + "MPI_Pready(0, r[0]);\n" + W + F, "HB-ARG-REQUEST"),
    ("arrived_of_send", PS + S + READY + "MPI_Parrived(r[0], 0, &flag);\n" + W + F, PR + S + W + F, "HB-ARG-REQUEST"),
    ("arrived_high", PS + S + READY + W + F, PR + S + "MPI_Parrived(r[0], 4, &flag);\n" + W + F, "HB-ARG-VALUE"),
    ("start_missing", PS + W + F, PR + W + F, "HB-REQUEST-INACTIVE"),
    ("wait_missing", PS + S + READY + F, PR + S + W + F, "HB-REQUEST-ACTIVE|HB-REQUEST-LOST|HB-LEAK-REQUEST"),
    ("wait_missing_recv", PS + S + READY + W + F, PR + S + F, "HB-REQUEST-ACTIVE|HB-REQUEST-LOST|HB-LEAK-REQUEST"),
    ("free_missing", PS + S + READY + W, PR + S + W + F, "HB-LEAK-PERSISTENT|HB-LEAK-REQUEST"),
    ("written_after_ready", PS + S + READY + "a[0] = 9;\n" + W + F, PR + S + W + F, "HB-BUFFER-WRITTEN"),
    ("written_in_loop", PS + S + "for (int i = 0; i < 4; i++) {\nMPI_Pready(i, r[0]);\na[2 * i] = 1 + i;\n}\n" + W + F, PR + S + W + F, "HB-BUFFER-WRITTEN"),
    ("read_before_arrived", PS + S + READY + W + F, PR + S + "sink = a[0];\n" + W + F, "HB-BUFFER-TOUCHED"),
    ("written_before_arrived", PS + S + READY + W + F, PR + S + "a[0] = 9;\n" + W + F, "HB-BUFFER-TOUCHED|HB-BUFFER-WRITTEN"),
    ("written_after_arrived", PS + S + READY + W + F, PR + S + ARRIVED + "a[0] = 3;\n" + W + F, None),
    ("sizes", PS + S + READY + W + F, "MPI_Precv_init(a, 4, 1, MPI_INT, 0, 3, comm, MPI_INFO_NULL, r);\n" + S + W + F, "HB-MESSAGE-TRUNCATED"),
    ("types", PS + S + READY + W + F, "MPI_Precv_init(a, 4, 2, MPI_FLOAT, 0, 3, comm, MPI_INFO_NULL, r);\n" + S + W + F, "HB-MESSAGE-TYPE"),
    ("tag", PS + S + READY + W + F, PR.replace(", 3, comm", ", 4, comm") + S + W + F, ANY + "|HB-MESSAGE-LOST|HB-MESSAGE-MISSING|HB-HANG"),
    ("with_recv", PS + S + READY + W + F, "MPI_Recv(a, 8, MPI_INT, 0, 3, comm, st);", ANY + "|HB-MESSAGE-LOST|HB-MESSAGE-MISSING|HB-HANG"),
    ("wildcard", PS + S + READY + W + F, "MPI_Precv_init(a, 4, 2, MPI_INT, MPI_ANY_SOURCE, 3, comm, MPI_INFO_NULL, r);\n" + S + W + F, "HB-ARG-RANK"),
    ("partitions_negative", "MPI_Psend_init(a, -1, 2, MPI_INT, 1, 3, comm, MPI_INFO_NULL, r);\n" + F, "", "HB-ARG-VALUE|HB-ARG-COUNT"),
]


def partitions(out):
    for name, first, second, expect in PARTS:
        out.put("lifecycle/y_" + name, ranks(first, second), expect, mpi="mpich", also="HB-MESSAGE-TRUNCATED HB-MESSAGE-TYPE HB-REQUEST-ACTIVE HB-REQUEST-LOST HB-LEAK-PERSISTENT HB-REQUEST-INACTIVE HB-ARG-REQUEST")


SESSION = "MPI_Session s;\nMPI_Group g;\nMPI_Comm x;\nMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);\n" \
    "MPI_Group_from_session_pset(s, \"mpi://WORLD\", &g);\nMPI_Comm_create_from_group(g, \"gen\", MPI_INFO_NULL, MPI_ERRORS_RETURN, &x);\n"
GF, CF, SF = "MPI_Group_free(&g);\n", "MPI_Comm_free(&x);\n", "MPI_Session_finalize(&s);\n"
BODY = "MPI_Barrier(x);\n"
SESSIONS = [
    ("whole", SESSION + BODY + GF + CF + SF, None), ("group_early", SESSION + GF + BODY + CF + SF, None),
    ("comm_leak", SESSION + BODY + GF + SF, "HB-LEAK-COMM"), ("group_leak", SESSION + BODY + CF + SF, "HB-LEAK-GROUP"),
    ("finalize_twice", SESSION + BODY + GF + CF + "MPI_Session k = s;\n" + SF + "MPI_Session_finalize(&k);\n", "HB-HANDLE-FREED|HB-ARG-HANDLE"),
    ("finalize_null", "MPI_Session s = MPI_SESSION_NULL;\n" + SF, "HB-ARG-HANDLE|HB-CALL-FAILED"),
    ("used_after", SESSION + BODY + GF + CF + "MPI_Session k = s;\n" + SF + "int n;\nMPI_Session_get_num_psets(k, MPI_INFO_NULL, &n);", "HB-HANDLE-FREED|HB-ARG-HANDLE"),
    ("type_leak", SESSION + "MPI_Datatype t;\nMPI_Type_contiguous(2, MPI_INT, &t);\n" + GF + CF + SF, "HB-LEAK-DATATYPE"),
    ("mismatch", SESSION + "if (rank)\nMPI_Barrier(x);\nelse\nMPI_Bcast(a, 1, MPI_INT, 0, x);\n" + GF + CF + SF, "HB-COLLECTIVE-CALL"),
    ("recv_recv", SESSION + "MPI_Recv(a, 1, MPI_INT, 1 - rank, 3, x, st);\nMPI_Send(a, 1, MPI_INT, 1 - rank, 3, x);\n" + GF + CF + SF, ANY),
    ("request", SESSION + "MPI_Isend(a, 1, MPI_INT, rank, 3, x, r);\nMPI_Recv(b, 1, MPI_INT, rank, 3, x, st);\n" + GF + CF + SF, "HB-LEAK-REQUEST|HB-FINALIZE-PENDING"),
]


def sessions(out):
    for name, body, expect in SESSIONS:
        out.put("lifecycle/z_" + name, body, expect, mpi="mpich", also="HB-COLLECTIVE-MISSING HB-LEAK-OTHER HB-LEAK-GROUP")


def put(out):
    waiting(out)
    objects(out)
    partitions(out)
    sessions(out)
