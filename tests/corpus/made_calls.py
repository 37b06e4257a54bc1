"""Templates of generate.py: every function with each of its arguments wrong, by the kind that src/calls/mpi.calls gives it."""
import os
import re

import programs

# Correct calls, made by all processes. What they use is declared in SETUP.
SETUP = """int n = 0, k = 0, *p = NULL, dims[2] = {0, 0}, on[2] = {1, 1}, zero[8] = {0}, one[8] = {1, 1, 1, 1, 1, 1, 1, 1}, who[2] = {0, 1};
int ranges[1][3] = {{0, 0, 1}}, next = (rank + 1) % size, self = rank;
MPI_Aint lb, extent, places[8] = {0, 16, 32, 48};
MPI_Count big, big2;
MPI_Datatype type, raw, made = MPI_DATATYPE_NULL, types[8] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
MPI_Comm cart, graph, inter, half, made_comm = MPI_COMM_NULL;
MPI_Group group, made_group = MPI_GROUP_NULL;
MPI_Info info, made_info = MPI_INFO_NULL;
MPI_Op op = MPI_SUM;
MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
MPI_Message message;
MPI_Win win;
char text[MPI_MAX_OBJECT_NAME + MPI_MAX_INFO_VAL + MPI_MAX_LIBRARY_VERSION_STRING + MPI_MAX_ERROR_STRING];
static int window[64];
dims[0] = size;
MPI_Type_contiguous(2, MPI_INT, &type);
MPI_Type_commit(&type);
MPI_Type_contiguous(1, MPI_INT, &raw);
dims[0] = size, dims[1] = 1;
MPI_Cart_create(comm, 1, dims, on, 0, &cart);
MPI_Dist_graph_create_adjacent(comm, 1, &next, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
MPI_Comm_split(comm, rank % 2, 0, &half);
MPI_Intercomm_create(half, 0, comm, 1 - rank % 2, 9, &inter);
MPI_Comm_group(comm, &group);
MPI_Info_create(&info);
MPI_Info_set(info, "key", "value");
MPI_Win_create(window, sizeof window, 4, MPI_INFO_NULL, comm, &win);
"""
CLEAN = """
MPI_Win_free(&win);
MPI_Info_free(&info);
MPI_Group_free(&group);
MPI_Comm_free(&inter);
MPI_Comm_free(&half);
MPI_Comm_free(&graph);
MPI_Comm_free(&cart);
MPI_Type_free(&raw);
MPI_Type_free(&type);"""
IO = ("MPI_File file;\nchar name[100];\nsnprintf(name, sizeof name, \"gen.%d\", rank);\n"
      "MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);\n",
      "\nMPI_File_close(&file);")
FREE_COMM, FREE_TYPE, FREE_GROUP, WAIT = "MPI_Comm_free(&made_comm);", "MPI_Type_free(&made);", "MPI_Group_free(&made_group);", "MPI_Wait(r, st);"
EXCHANGE = "MPI_Irecv(b, 1, MPI_INT, next, 3, comm, r + 1);\n"
GOT = "MPI_Wait(r + 1, st);"
SENT = "MPI_Isend(a, 1, MPI_INT, next, 3, comm, r + 1);\n"
EPOCH = ("MPI_Win_lock_all(0, win);\n", "MPI_Win_unlock_all(win);")
FENCE = ("MPI_Win_fence(0, win);\n", "MPI_Win_fence(0, win);")
# (before, call, after); or the call alone
CALLS = []


def calls(*lines, before="", after=""):
    for line in lines:
        CALLS.append((before, line, after))


calls("MPI_Send(a, 1, MPI_INT, next, 3, comm)", "MPI_Ssend(a, 1, MPI_INT, next, 3, comm)", before=EXCHANGE, after=GOT)
calls("MPI_Rsend(a, 1, MPI_INT, next, 3, comm)", before=EXCHANGE + "MPI_Barrier(comm);\n", after=GOT)
calls("MPI_Irsend(a, 1, MPI_INT, next, 3, comm, r)", before=EXCHANGE + "MPI_Barrier(comm);\n", after=GOT + "\n" + WAIT)
calls("MPI_Isend(a, 1, MPI_INT, next, 3, comm, r)", "MPI_Issend(a, 1, MPI_INT, next, 3, comm, r)", before=EXCHANGE, after=WAIT + "\n" + GOT)
calls("MPI_Send_init(a, 1, MPI_INT, next, 3, comm, r)", "MPI_Ssend_init(a, 1, MPI_INT, next, 3, comm, r)", "MPI_Rsend_init(a, 1, MPI_INT, next, 3, comm, r)",
      "MPI_Bsend_init(a, 1, MPI_INT, next, 3, comm, r)", "MPI_Recv_init(a, 1, MPI_INT, next, 3, comm, r)", after="MPI_Request_free(r);")
calls("MPI_Recv(b, 1, MPI_INT, next, 3, comm, st)", before=SENT, after=GOT)
calls("MPI_Irecv(b, 1, MPI_INT, next, 3, comm, r)", before=SENT, after=GOT + "\n" + WAIT)
calls("MPI_Probe(next, 3, comm, st)", before=SENT, after="MPI_Recv(b, 1, MPI_INT, next, 3, comm, st);\n" + GOT)
calls("MPI_Mprobe(next, 3, comm, &message, st)", before=SENT, after="MPI_Mrecv(b, 1, MPI_INT, &message, st);\n" + GOT)
calls("MPI_Mrecv(b, 1, MPI_INT, &message, st)", before=SENT + "MPI_Mprobe(next, 3, comm, &message, st);\n", after=GOT)
calls("MPI_Imrecv(b, 1, MPI_INT, &message, r)", before=SENT + "MPI_Mprobe(next, 3, comm, &message, st);\n", after=GOT + "\n" + WAIT)
calls("MPI_Iprobe(next, 3, comm, &flag, st)", "MPI_Improbe(next, 99, comm, &flag, &message, st)")
calls("MPI_Sendrecv(a, 1, MPI_INT, next, 3, b, 1, MPI_INT, next, 3, comm, st)", "MPI_Sendrecv_replace(a, 1, MPI_INT, next, 3, next, 3, comm, st)",
      "MPI_Barrier(comm)", "MPI_Bcast(a, 4, MPI_INT, 0, comm)", "MPI_Reduce(a, b, 4, MPI_INT, op, 0, comm)", "MPI_Allreduce(a, b, 4, MPI_INT, op, comm)",
      "MPI_Scan(a, b, 4, MPI_INT, op, comm)", "MPI_Exscan(a, b, 4, MPI_INT, op, comm)", "MPI_Reduce_scatter_block(a, b, 4, MPI_INT, op, comm)",
      "MPI_Reduce_scatter(a, b, one, MPI_INT, op, comm)", "MPI_Gather(a, 4, MPI_INT, b, 4, MPI_INT, 0, comm)", "MPI_Scatter(a, 4, MPI_INT, b, 4, MPI_INT, 0, comm)",
      "MPI_Allgather(a, 4, MPI_INT, b, 4, MPI_INT, comm)", "MPI_Alltoall(a, 4, MPI_INT, b, 4, MPI_INT, comm)",
      "MPI_Gatherv(a, 1, MPI_INT, b, one, who, MPI_INT, 0, comm)", "MPI_Scatterv(a, one, who, MPI_INT, b, 1, MPI_INT, 0, comm)",
      "MPI_Allgatherv(a, 1, MPI_INT, b, one, who, MPI_INT, comm)", "MPI_Alltoallv(a, one, who, MPI_INT, b, one, who, MPI_INT, comm)",
      "MPI_Alltoallw(a, one, (int[]){0, 4}, types, b, one, (int[]){0, 4}, types, comm)",
      "MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, graph)", "MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, graph)",
      "MPI_Neighbor_allgatherv(a, 1, MPI_INT, b, one, who, MPI_INT, graph)", "MPI_Neighbor_alltoallv(a, one, who, MPI_INT, b, one, who, MPI_INT, graph)")
calls("MPI_Ibarrier(comm, r)", "MPI_Ibcast(a, 4, MPI_INT, 0, comm, r)", "MPI_Ireduce(a, b, 4, MPI_INT, op, 0, comm, r)", "MPI_Iallreduce(a, b, 4, MPI_INT, op, comm, r)",
      "MPI_Iscan(a, b, 4, MPI_INT, op, comm, r)", "MPI_Iexscan(a, b, 4, MPI_INT, op, comm, r)", "MPI_Ireduce_scatter_block(a, b, 4, MPI_INT, op, comm, r)",
      "MPI_Ireduce_scatter(a, b, one, MPI_INT, op, comm, r)", "MPI_Igather(a, 4, MPI_INT, b, 4, MPI_INT, 0, comm, r)", "MPI_Iscatter(a, 4, MPI_INT, b, 4, MPI_INT, 0, comm, r)",
      "MPI_Iallgather(a, 4, MPI_INT, b, 4, MPI_INT, comm, r)", "MPI_Ialltoall(a, 4, MPI_INT, b, 4, MPI_INT, comm, r)",
      "MPI_Igatherv(a, 1, MPI_INT, b, one, who, MPI_INT, 0, comm, r)", "MPI_Iscatterv(a, one, who, MPI_INT, b, 1, MPI_INT, 0, comm, r)",
      "MPI_Iallgatherv(a, 1, MPI_INT, b, one, who, MPI_INT, comm, r)", "MPI_Ialltoallv(a, one, who, MPI_INT, b, one, who, MPI_INT, comm, r)",
      "MPI_Ineighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, graph, r)", "MPI_Ineighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, graph, r)", after=WAIT)
calls("MPI_Comm_dup(comm, &made_comm)", "MPI_Comm_dup_with_info(comm, info, &made_comm)", "MPI_Comm_create(comm, group, &made_comm)",
      "MPI_Comm_create_group(comm, group, 3, &made_comm)", "MPI_Comm_split(comm, 0, rank, &made_comm)", "MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, info, &made_comm)",
      "MPI_Intercomm_create(half, 0, comm, 1 - rank % 2, 10, &made_comm)", "MPI_Intercomm_merge(inter, rank % 2, &made_comm)",
      "MPI_Cart_create(comm, 1, dims, on, 0, &made_comm)", "MPI_Cart_sub(cart, on, &made_comm)",
      "MPI_Graph_create(comm, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &made_comm)",
      "MPI_Dist_graph_create_adjacent(comm, 1, &next, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, info, 0, &made_comm)",
      "MPI_Dist_graph_create(comm, 1, &self, one, &next, MPI_UNWEIGHTED, info, 0, &made_comm)", after=FREE_COMM)
calls("MPI_Comm_idup(comm, &made_comm, r)", after=WAIT + "\n" + FREE_COMM)
calls("MPI_Comm_rank(comm, &n)", "MPI_Comm_size(comm, &n)", "MPI_Comm_compare(comm, half, &n)", "MPI_Comm_test_inter(comm, &flag)", "MPI_Comm_remote_size(inter, &n)",
      "MPI_Comm_set_name(half, \"name\")", "MPI_Topo_test(comm, &n)", "MPI_Cart_coords(cart, 0, 1, dims)", "MPI_Cart_rank(cart, zero, &n)",
      "MPI_Cart_get(cart, 1, dims, one, zero)", "MPI_Cart_shift(cart, 0, 1, &n, &k)", "MPI_Cartdim_get(cart, &n)", "MPI_Dims_create(size, 1, (int[]){0})",
      "MPI_Dist_graph_neighbors_count(graph, &n, &k, &flag)", "MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN)",
      "MPI_Group_size(group, &n)", "MPI_Group_rank(group, &n)", "MPI_Group_compare(group, group, &n)", "MPI_Group_translate_ranks(group, 2, who, group, dims)",
      "MPI_Type_size(type, &n)", "MPI_Type_get_extent(type, &lb, &extent)", "MPI_Type_get_true_extent(type, &lb, &extent)", "MPI_Type_get_name(type, text, &n)",
      "MPI_Type_set_name(type, \"name\")", "MPI_Type_size_x(type, &big)", "MPI_Type_get_extent_x(type, &big, &big2)", "MPI_Get_address(a, &lb)",
      "MPI_Info_set(info, \"other\", \"value\")", "MPI_Info_get(info, \"key\", 20, text, &flag)", "MPI_Info_get_nkeys(info, &n)", "MPI_Info_get_nthkey(info, 0, text)",
      "MPI_Info_get_valuelen(info, \"key\", &n, &flag)", "MPI_Op_commutative(op, &n)", "MPI_Reduce_local(a, b, 4, MPI_INT, op)", "MPI_Initialized(&flag)", "MPI_Finalized(&flag)",
      "MPI_Query_thread(&n)", "MPI_Is_thread_main(&flag)", "MPI_Get_processor_name(text, &n)", "MPI_Get_version(&n, &k)", "MPI_Get_library_version(text, &n)", "MPI_Error_class(MPI_ERR_COUNT, &n)",
      "MPI_Error_string(MPI_ERR_COUNT, text, &n)", "MPI_Pack_size(1, MPI_INT, comm, &n)", "MPI_Pack(a, 1, MPI_INT, b, 100, &n, comm)", "MPI_Unpack(a, 100, &n, b, 1, MPI_INT, comm)",
      "MPI_Win_set_name(win, \"name\")", "MPI_Win_get_name(win, text, &n)", "MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN)", "MPI_Comm_get_attr(comm, MPI_TAG_UB, &p, &flag)",
      "MPI_Win_get_attr(win, MPI_WIN_SIZE, &p, &flag)")
calls("MPI_Comm_group(comm, &made_group)", "MPI_Comm_remote_group(inter, &made_group)", "MPI_Group_incl(group, 2, who, &made_group)", "MPI_Group_excl(group, 1, who, &made_group)",
      "MPI_Group_range_incl(group, 1, ranges, &made_group)", "MPI_Group_union(group, group, &made_group)", "MPI_Group_intersection(group, group, &made_group)",
      "MPI_Win_get_group(win, &made_group)", after=FREE_GROUP)
calls("MPI_Group_difference(group, group, &made_group)", after="if (made_group != MPI_GROUP_EMPTY)\nMPI_Group_free(&made_group);")
calls("MPI_Type_contiguous(2, MPI_INT, &made)", "MPI_Type_vector(2, 1, 2, MPI_INT, &made)", "MPI_Type_create_hvector(2, 1, 16, MPI_INT, &made)", "MPI_Type_indexed(2, one, who, MPI_INT, &made)",
      "MPI_Type_create_hindexed(2, one, places, MPI_INT, &made)", "MPI_Type_create_indexed_block(2, 1, who, MPI_INT, &made)", "MPI_Type_create_hindexed_block(2, 1, places, MPI_INT, &made)",
      "MPI_Type_create_struct(2, one, places, types, &made)", "MPI_Type_create_subarray(1, (int[]){4}, (int[]){2}, zero, MPI_ORDER_C, MPI_INT, &made)",
      "MPI_Type_create_resized(MPI_INT, 0, 8, &made)", "MPI_Type_dup(type, &made)", after=FREE_TYPE)
calls("MPI_Type_commit(&made)", before="MPI_Type_contiguous(2, MPI_INT, &made);\n", after=FREE_TYPE)
calls("MPI_Type_free(&made)", before="MPI_Type_contiguous(2, MPI_INT, &made);\n")
calls("MPI_Comm_free(&made_comm)", before="MPI_Comm_dup(comm, &made_comm);\n")
calls("MPI_Group_free(&made_group)", before="MPI_Comm_group(comm, &made_group);\n")
calls("MPI_Info_free(&made_info)", before="MPI_Info_create(&made_info);\n")
calls("MPI_Info_create(&made_info)", "MPI_Info_dup(info, &made_info)", after="MPI_Info_free(&made_info);")
calls("MPI_Info_delete(info, \"gone\")", before="MPI_Info_set(info, \"gone\", \"value\");\n")
calls("MPI_Comm_get_errhandler(comm, &handler)", after="MPI_Errhandler_free(&handler);")
calls("MPI_Errhandler_free(&handler)", before="MPI_Comm_get_errhandler(comm, &handler);\n")
calls("MPI_Wait(r, st)", "MPI_Waitall(1, r, st)", "MPI_Waitany(1, r, &n, st)", "MPI_Waitsome(1, r, &n, dims, st)", before="MPI_Ibarrier(comm, r);\n")
calls("MPI_Test(r, &flag, st)", "MPI_Testall(1, r, &flag, st)", "MPI_Testany(1, r, &n, &flag, st)", "MPI_Testsome(1, r, &n, dims, st)", before="MPI_Ibarrier(comm, r);\n", after=WAIT)
calls("MPI_Get_count(st, MPI_INT, &n)", "MPI_Get_elements(st, MPI_INT, &n)", before="MPI_Recv(a, 1, MPI_INT, MPI_PROC_NULL, 0, comm, st);\n")
calls("MPI_Start(r)", "MPI_Startall(1, r)", before="MPI_Recv_init(a, 1, MPI_INT, MPI_PROC_NULL, 0, comm, r);\n", after=WAIT + "\nMPI_Request_free(r);")
calls("MPI_Request_free(r)", before="MPI_Recv_init(a, 1, MPI_INT, MPI_PROC_NULL, 0, comm, r);\n")
calls("MPI_Cancel(r)", before="MPI_Irecv(a, 1, MPI_INT, next, 9, comm, r);\n", after=WAIT)
calls("MPI_Win_fence(0, win)", after="MPI_Win_fence(0, win);")
calls("MPI_Put(a, 1, MPI_INT, rank, 0, 1, MPI_INT, win)", "MPI_Get(a, 1, MPI_INT, rank, 0, 1, MPI_INT, win)", "MPI_Accumulate(a, 1, MPI_INT, rank, 0, 1, MPI_INT, op, win)",
      "MPI_Get_accumulate(a, 1, MPI_INT, b, 1, MPI_INT, rank, 0, 1, MPI_INT, op, win)", "MPI_Fetch_and_op(a, b, MPI_INT, rank, 0, op, win)",
      "MPI_Compare_and_swap(a, c, b, MPI_INT, rank, 0, win)", before=FENCE[0], after=FENCE[1])
calls("MPI_Rput(a, 1, MPI_INT, rank, 0, 1, MPI_INT, win, r)", "MPI_Rget(a, 1, MPI_INT, rank, 0, 1, MPI_INT, win, r)", "MPI_Raccumulate(a, 1, MPI_INT, rank, 0, 1, MPI_INT, op, win, r)",
      before=EPOCH[0], after=WAIT + "\n" + EPOCH[1])
calls("MPI_Win_flush(rank, win)", "MPI_Win_flush_all(win)", "MPI_Win_flush_local(rank, win)", "MPI_Win_flush_local_all(win)", "MPI_Win_sync(win)", before=EPOCH[0], after=EPOCH[1])
calls("MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win)", after="MPI_Win_unlock(rank, win);")
calls("MPI_Win_unlock(rank, win)", before="MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);\n")
calls("MPI_Win_lock_all(0, win)", after="MPI_Win_unlock_all(win);")
calls("MPI_Win_unlock_all(win)", before="MPI_Win_lock_all(0, win);\n")
calls("MPI_Win_post(group, 0, win)", after="MPI_Win_start(group, 0, win);\nMPI_Win_complete(win);\nMPI_Win_wait(win);")
calls("MPI_Win_start(group, 0, win)", before="MPI_Win_post(group, 0, win);\n", after="MPI_Win_complete(win);\nMPI_Win_wait(win);")
calls("MPI_Win_create(window, 64, 4, info, comm, &other)", "MPI_Win_allocate(64, 4, info, comm, &p, &other)", "MPI_Win_create_dynamic(info, comm, &other)", before="MPI_Win other;\n", after="MPI_Win_free(&other);")
calls("MPI_Win_free(&other)", before="MPI_Win other;\nMPI_Win_create_dynamic(info, comm, &other);\n")
calls("MPI_Op_create(add, 1, &made_op)", before="MPI_Op made_op;\n", after="MPI_Op_free(&made_op);")
calls("MPI_Op_free(&made_op)", before="MPI_Op made_op;\nMPI_Op_create(add, 1, &made_op);\n")
calls("MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &n, NULL)", after="MPI_Comm_free_keyval(&n);")
calls("MPI_Alloc_mem(64, info, &p)", after="MPI_Free_mem(p);")
for _line in ("MPI_File_write(file, a, 1, MPI_INT, st)", "MPI_File_read(file, a, 1, MPI_INT, st)", "MPI_File_write_at(file, 0, a, 1, MPI_INT, st)",
              "MPI_File_read_at(file, 0, a, 1, MPI_INT, st)", "MPI_File_write_all(file, a, 1, MPI_INT, st)", "MPI_File_read_all(file, a, 1, MPI_INT, st)",
              "MPI_File_write_at_all(file, 0, a, 1, MPI_INT, st)", "MPI_File_seek(file, 0, MPI_SEEK_SET)", "MPI_File_get_size(file, &offset)",
              "MPI_File_set_view(file, 0, MPI_INT, MPI_INT, \"native\", info)", "MPI_File_set_size(file, 64)", "MPI_File_sync(file)", "MPI_File_get_position(file, &offset)"):
    calls(_line, before=IO[0] + "MPI_Offset offset;\n", after=IO[1][1:])
calls("MPI_File_iwrite(file, a, 1, MPI_INT, r)", "MPI_File_iread_at(file, 0, a, 1, MPI_INT, r)", before=IO[0], after=WAIT + IO[1])
calls("MPI_File_open(comm, \"gen.all\", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file)", before="MPI_File file;\n", after="MPI_File_close(&file);")

ARG = "HB-ARG-"
# by kind: name of the error, what is given, what it must be called. MPI_Info arguments may mostly be MPI_INFO_NULL.
BAD = {
    "sbuf": [("null", "NULL", ARG + "BUFFER")], "rbuf": [("null", "NULL", ARG + "BUFFER")],
    "count": [("negative", "-1", ARG + "COUNT")], "icount": [("negative", "-1", ARG + "COUNT")], "nreq": [("negative", "-1", ARG + "COUNT")],
    "dtype": [("null", "MPI_DATATYPE_NULL", ARG + "TYPE"), ("uncommitted", "raw", ARG + "UNCOMMITTED")],
    "dest": [("high", "size", ARG + "RANK"), ("low", "-17", ARG + "RANK")], "source": [("high", "size", ARG + "RANK"), ("low", "-17", ARG + "RANK")],
    "root": [("high", "size", ARG + "ROOT"), ("low", "-17", ARG + "ROOT")], "tag": [("negative", "-17", ARG + "TAG")],
    "comm": [("null", "MPI_COMM_NULL", ARG + "COMM")], "op": [("null", "MPI_OP_NULL", ARG + "OP")], "win": [("null", "MPI_WIN_NULL", ARG + "WIN")],
    "group": [("null", "MPI_GROUP_NULL", ARG + "HANDLE")], "file": [("null", "MPI_FILE_NULL", ARG + "HANDLE")], "errh": [("null", "MPI_ERRHANDLER_NULL", ARG + "HANDLE")],
    "counts": [("null", "NULL", ARG + "POINTER|HB-ARG-BUFFER"), ("negative", "(int[]){-1, -1, -1, -1}", ARG + "COUNT|HB-ARG-VALUE")], "displs": [("null", "NULL", ARG + "POINTER|HB-ARG-BUFFER")],
    "dtypes": [("null", "(MPI_Datatype[]){MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}", ARG + "TYPE")],
    "cintptr": [("null", "NULL", ARG + "POINTER|HB-ARG-VALUE|HB-ARG-BUFFER")], "reqs": [("null", "NULL", ARG + "POINTER|HB-ARG-REQUEST")],
    "infoptr": [("null", "NULL", ARG + "POINTER")], "cstr": [("null", "NULL", ARG + "POINTER|HB-ARG-VALUE")], "str": [("null", "NULL", ARG + "POINTER")],
}
for _kind in ("intptr", "flag", "newcomm", "newtype", "newreq", "request", "groupptr", "typeptr", "commptr", "winptr", "aintptr", "cntptr", "opptr", "newmsg", "message", "index",
              "outcount", "indices", "errhptr", "fileptr", "offsetptr"):
    BAD[_kind] = [("null", "NULL", ARG + "POINTER" + ("|HB-ARG-REQUEST|HB-ARG-HANDLE" if _kind in ("request", "message", "typeptr", "commptr", "groupptr", "winptr", "opptr") else ""))]
NOT_COMMUNICATING = ("Type_", "Pack_size", "Get_count", "Get_elements", "Get_address")


def table():
    """Parameters by function: [(name, kind)]."""
    with open(os.path.join(programs.TOP, "src/calls/mpi.calls"), encoding="utf-8") as f:
        return {line.split()[0]: re.findall(r" (\w+):(\w+(?:\([^)]*\))?)", line) for line in f if line.startswith("MPI_")}


def split(call):
    """(function, arguments) of the text of a call."""
    name, _, rest = call.partition("(")
    depth, parts = 0, [""]
    for c in rest[:-1]:
        depth += c in "({[" or 0
        depth -= c in ")}]" or 0
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return name, [p.strip() for p in parts]


ALSO = "HB-ARG-BUFFER HB-ARG-ALIAS HB-ARG-COUNT HB-ARG-RANK HB-ARG-ROOT HB-ARG-TAG HB-ARG-COMM HB-ARG-TYPE HB-ARG-UNCOMMITTED HB-ARG-OP HB-ARG-REQUEST HB-ARG-WIN HB-ARG-HANDLE HB-ARG-POINTER " \
       "HB-ARG-VALUE HB-RMA-EPOCH-OPEN HB-RMA-EPOCH-NONE HB-RMA-EPOCH-END HB-RMA-EPOCH-TWICE HB-LEAK-DATATYPE HB-LEAK-GROUP HB-LEAK-OTHER HB-LEAK-OP HB-LEAK-FILE HB-COLLECTIVE-MISSING HB-COLLECTIVE-CALL HB-LEAK-PERSISTENT HB-HANDLE-FREED HB-REQUEST-INACTIVE HB-LEAK-MESSAGE"


def put(out):
    known = table()
    for before, call, after in CALLS:
        if "\n" in call:
            continue
        function, given = split(call)
        parameters = known[function]
        stem = "arguments/f_%s" % function[4:]

        def body(values):
            return SETUP + before + function + "(" + ", ".join(values) + ");\n" + after + CLEAN
        out.put(stem, body(given))
        for i, (name, kind) in enumerate(parameters[:len(given)]):
            if name in ("stride", "array_of_displacements", "comm_name", "weights"):
                kind = {"counts": "displs", "displs": "displs"}.get(kind, "")
            if kind == "comm" and name == "comm2" or kind.startswith("as("):
                continue
            for word, value, expect in BAD.get(kind, ()):
                if word == "uncommitted" and function[4:].startswith(NOT_COMMUNICATING):
                    continue
                out.put("%s_%s_%s" % (stem, name, word), body(given[:i] + [value] + given[i + 1:]), expect, also=ALSO)
