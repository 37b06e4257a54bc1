"""Templates of generate.py: receives from anybody, and the beginning and the end of a process."""
ANY = "HB-DEADLOCK-CYCLE|HB-DEADLOCK-ORPHAN"
SEND = "if (rank)\nMPI_Send(a, %s, %s, 0, %s, comm);\n"
RECV = "MPI_Recv(b, %d, %s, %s, %s, comm, st);\n"
W = "MPI_ANY_SOURCE"
LATE = "if (rank == 1)\nusleep(60000);\n"  # so that rank 2 is first


def root(*receives):
    return "if (rank == 0) {\n" + "".join(receives) + "}\n"


RACES = [  # name, text, expected
    ("two_any", SEND % (1, "MPI_INT", 3) + root(RECV % (1, "MPI_INT", W, 3) * 2), None),
    ("loop_any", SEND % (1, "MPI_INT", 3) + root("for (int i = 1; i < size; i++) {\n" + RECV % (1, "MPI_INT", W, 3) + "}\n"), None),
    ("any_any_tag", SEND % (1, "MPI_INT", "rank") + root("for (int i = 1; i < size; i++) {\n" + RECV % (1, "MPI_INT", W, "MPI_ANY_TAG") + "}\n"), None),
    ("any_different_tags", SEND % (1, "MPI_INT", "rank") + root("for (int i = 1; i < size; i++) {\n" + RECV % (1, "MPI_INT", W, "i") + "}\n"), None),
    ("any_then_one", SEND % (1, "MPI_INT", 3) + root(RECV % (1, "MPI_INT", W, 3) + RECV % (1, "MPI_INT", 2, 3)), "HB-MESSAGE-RACE-STARVED|HB-DEADLOCK-OTHER-ORDER|" + ANY),
    ("any_then_two", SEND % (1, "MPI_INT", 3) + root(RECV % (1, "MPI_INT", W, 3) + RECV % (1, "MPI_INT", 1, 3)), "HB-MESSAGE-RACE-STARVED|HB-DEADLOCK-OTHER-ORDER|" + ANY),
    ("one_then_any", SEND % (1, "MPI_INT", 3) + root(RECV % (1, "MPI_INT", 2, 3) + RECV % (1, "MPI_INT", W, 3)), None),
    ("sizes_differ", SEND % ("rank", "MPI_INT", 3) + LATE + root(RECV % (2, "MPI_INT", W, 3) + RECV % (1, "MPI_INT", W, 3)), "HB-MESSAGE-RACE-FIT|HB-MESSAGE-TRUNCATED"),
    ("sizes_fit", SEND % ("rank", "MPI_INT", 3) + root(RECV % (2, "MPI_INT", W, 3) * 2), None),
    ("types_differ", SEND % (1, "rank == 1 ? MPI_INT : MPI_FLOAT", 3) + root(RECV % (1, "MPI_INT", W, 3) + RECV % (1, "MPI_FLOAT", W, 3)), "HB-MESSAGE-RACE-FIT|HB-MESSAGE-TYPE"),
    ("irecv_any_then_one", SEND % (1, "MPI_INT", 3) + root("MPI_Irecv(b, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, r);\nMPI_Irecv(c, 1, MPI_INT, 1, 3, comm, r + 1);\nMPI_Waitall(2, r, st);\n"),
     "HB-HANG|HB-MESSAGE-RACE-STARVED|HB-DEADLOCK-OTHER-ORDER|" + ANY),
    ("probe_then_any", SEND % (1, "MPI_INT", 3) + root(("MPI_Probe(MPI_ANY_SOURCE, 3, comm, st);\n" + RECV % (1, "MPI_INT", "st->MPI_SOURCE", 3)) * 2), None),
    ("probe_then_wild", SEND % ("rank", "MPI_INT", 3) + root("int n;\n" + ("MPI_Probe(MPI_ANY_SOURCE, 3, comm, st);\nMPI_Get_count(st, MPI_INT, &n);\nMPI_Recv(b, n, MPI_INT, MPI_ANY_SOURCE, 3, comm, st);\n") * 2),
     "HB-MESSAGE-RACE-FIT|HB-MESSAGE-TRUNCATED"),
    ("mprobe", SEND % ("rank", "MPI_INT", 3) + root("int n;\nMPI_Message m;\n" + ("MPI_Mprobe(MPI_ANY_SOURCE, 3, comm, &m, st);\nMPI_Get_count(st, MPI_INT, &n);\nMPI_Mrecv(b, n, MPI_INT, &m, st);\n") * 2), None),
    ("barrier_between", "if (rank == 1)\nMPI_Send(a, 1, MPI_INT, 0, 3, comm);\n" + root(RECV % (1, "MPI_INT", W, 3)) + "MPI_Barrier(comm);\nif (rank == 2)\nMPI_Send(a, 1, MPI_INT, 0, 3, comm);\n" + root(RECV % (1, "MPI_INT", 2, 3)), None),
    ("barrier_not_enough", "if (rank == 1)\nMPI_Isend(a, 1, MPI_INT, 0, 3, comm, r);\nMPI_Barrier(comm);\nif (rank == 2)\nMPI_Isend(a, 1, MPI_INT, 0, 3, comm, r);\n" + root(RECV % (1, "MPI_INT", W, 3) + RECV % (1, "MPI_INT", 2, 3))
     + "else\nMPI_Wait(r, st);\n", "HB-MESSAGE-RACE-STARVED|HB-DEADLOCK-OTHER-ORDER|" + ANY),
    ("answer_to_source", "if (rank) {\nMPI_Send(a, 1, MPI_INT, 0, 3, comm);\nMPI_Recv(b, 1, MPI_INT, 0, 4, comm, st);\n}\n" + root("for (int i = 1; i < size; i++) {\n" + RECV % (1, "MPI_INT", W, 3) + "MPI_Send(a, 1, MPI_INT, st->MPI_SOURCE, 4, comm);\n}\n"), None),
    ("two_comms", "MPI_Comm d;\nMPI_Comm_dup(comm, &d);\nif (rank == 1)\nMPI_Send(a, 1, MPI_INT, 0, 3, comm);\nif (rank == 2)\nMPI_Send(a, 1, MPI_INT, 0, 3, d);\n" + root("MPI_Recv(b, 1, MPI_INT, MPI_ANY_SOURCE, 3, d, st);\n" + RECV % (1, "MPI_INT", 1, 3)) + "MPI_Comm_free(&d);\n", None),
    ("ssend_any_then_one", "if (rank)\nMPI_Ssend(a, 1, MPI_INT, 0, 3, comm);\n" + root(RECV % (1, "MPI_INT", W, 3) + RECV % (1, "MPI_INT", 1, 3)), "HB-MESSAGE-RACE-STARVED|HB-DEADLOCK-OTHER-ORDER|" + ANY),
    ("two_each", SEND % (1, "MPI_INT", 3) * 2 + root(RECV % (1, "MPI_INT", W, 3) * 2 + RECV % (1, "MPI_INT", 1, 3) + RECV % (1, "MPI_INT", 2, 3)), "HB-MESSAGE-RACE-STARVED|HB-DEADLOCK-OTHER-ORDER|" + ANY),
    ("two_each_any", SEND % (1, "MPI_INT", 3) * 2 + root(RECV % (1, "MPI_INT", W, 3) * 4), None),
    ("two_each_last", SEND % (1, "MPI_INT", 3) * 2 + root(RECV % (1, "MPI_INT", W, 3) * 3 + "int last = 0;\n" + RECV % (1, "MPI_INT", W, 3)), None),
]


def races(out):
    for name, text, expect in RACES:
        out.put("messages/c_" + name, text, expect, 3, also="HB-MESSAGE-TRUNCATED HB-DEADLOCK-POTENTIAL")


MAIN = "#include <mpi.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main(int argc, char **argv)\n{\n\tint rank = 0, size = 0, flag = 0, a[4] = {0};\n\tMPI_Request r[1];\n"
INIT, RANK, END = "MPI_Init(&argc, &argv);\n", "MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n", "MPI_Finalize();\n"
LIVES = [
    ("no_init", RANK + END, "HB-CALL-BEFORE-INIT"), ("rank_before_init", RANK + INIT + END, "HB-CALL-BEFORE-INIT"),
    ("send_before_init", "MPI_Send(a, 1, MPI_INT, 0, 0, MPI_COMM_SELF);\n" + INIT + END, "HB-CALL-BEFORE-INIT"),
    ("finalize_only", END, "HB-CALL-BEFORE-INIT"), ("init_twice", INIT + INIT + END, "HB-INIT-TWICE"), ("init_thread_twice", INIT + "MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &flag);\n" + END, "HB-INIT-TWICE"),
    ("no_finalize", INIT + RANK, "HB-FINALIZE-MISSING"), ("one_no_finalize", INIT + RANK + "if (rank == 0)\n" + END, "HB-FINALIZE-MISSING"),
    ("exit_no_finalize", INIT + RANK + "exit(0);\n", "HB-FINALIZE-MISSING"), ("finalize_twice", INIT + END + END, "HB-CALL-AFTER-FINALIZE"),
    ("rank_after_finalize", INIT + END + RANK, "HB-CALL-AFTER-FINALIZE"), ("barrier_after_finalize", INIT + END + "MPI_Barrier(MPI_COMM_WORLD);\n", "HB-CALL-AFTER-FINALIZE"),
    ("init_after_finalize", INIT + END + INIT, "HB-CALL-AFTER-FINALIZE|HB-INIT-TWICE"), ("type_free_after_finalize", "MPI_Datatype t;\n" + INIT + "MPI_Type_contiguous(2, MPI_INT, &t);\n" + END + "MPI_Type_free(&t);\n", "HB-CALL-AFTER-FINALIZE"),
    ("asks", "MPI_Initialized(&flag);\nMPI_Finalized(&flag);\nMPI_Get_version(&flag, &size);\n" + INIT + "MPI_Initialized(&flag);\n" + END + "MPI_Finalized(&flag);\nMPI_Initialized(&flag);\n", None),
    ("null_arguments", "MPI_Init(NULL, NULL);\n" + END, None), ("exit_after", INIT + END + "exit(0);\n", None), ("wtime_only", INIT + "while (MPI_Wtime() < 0)\n;\n" + END, None),
    ("return_inside", INIT + RANK + "if (rank == 1)\nreturn 0;\n" + END, "HB-FINALIZE-MISSING"), ("barrier_and_exit", INIT + RANK + "if (rank == 1)\nexit(3);\nMPI_Barrier(MPI_COMM_WORLD);\n" + END, "HB-FINALIZE-MISSING"),
    ("segv", INIT + RANK + "if (rank == 1)\n*(volatile int *)8 = 1;\nMPI_Barrier(MPI_COMM_WORLD);\n" + END, "HB-CRASH"),
]


def lives(out):
    for name, text, expect in LIVES:
        out.put("lifecycle/p_" + name, text, expect, head=MAIN, tail="\treturn 0;\n}\n", also="HB-LEAK-DATATYPE HB-CALL-BEFORE-INIT HB-CALL-AFTER-FINALIZE HB-COLLECTIVE-MISSING HB-INIT-TWICE")


def put(out):
    races(out)
    lives(out)
