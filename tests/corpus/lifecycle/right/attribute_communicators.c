/*
 * processes: 2
 * why: attributes whose callbacks call MPI: a library's communicator is freed with the user's
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int key, tkey, wkey, deleted;

static int copy(MPI_Comm old, int k, void *extra, void *in, void *out, int *flag)
{
	MPI_Comm *mine = malloc(sizeof *mine);
	MPI_Comm_dup(*(MPI_Comm *)in, mine);
	*(void **)out = mine;
	*flag = 1;
	return MPI_SUCCESS;
}
static int drop(MPI_Comm comm, int k, void *value, void *extra)
{
	int rank;
	MPI_Comm_rank(*(MPI_Comm *)value, &rank);
	MPI_Comm_free(value);
	free(value);
	deleted++;
	return MPI_SUCCESS;
}
static int tdrop(MPI_Datatype t, int k, void *value, void *extra)
{
	deleted++;
	return MPI_SUCCESS;
}
static int wdrop(MPI_Win w, int k, void *value, void *extra)
{
	MPI_Group g;
	MPI_Win_get_group(w, &g);
	MPI_Group_free(&g);
	deleted++;
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	int flag, sum, one = 1, zero = 0;
	MPI_Comm user, *lib = malloc(sizeof *lib), twice, *found;
	MPI_Init(&argc, &argv);
	MPI_Comm_create_keyval(copy, drop, &key, NULL);
	MPI_Type_create_keyval(MPI_TYPE_DUP_FN, tdrop, &tkey, NULL);
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, wdrop, &wkey, NULL);
	MPI_Comm_dup(MPI_COMM_WORLD, &user);
	MPI_Comm_dup(user, lib);
	MPI_Comm_set_attr(user, key, lib);
	MPI_Comm_dup(user, &twice);
	MPI_Comm_get_attr(twice, key, &found, &flag);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *found);
	MPI_Comm_delete_attr(twice, key);
	MPI_Comm_free(&twice);
	MPI_Comm_free(&user);
	MPI_Comm_free_keyval(&key);
	MPI_Datatype t, u;
	MPI_Type_contiguous(3, MPI_INT, &t);
	MPI_Type_set_attr(t, tkey, &zero);
	MPI_Type_dup(t, &u);
	MPI_Type_free(&t);
	MPI_Type_free(&u);
	MPI_Type_free_keyval(&tkey);
	MPI_Win win;
	int *mem;
	MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	MPI_Win_set_attr(win, wkey, &zero);
	int *unit, *create, *model;
	void *base;
	MPI_Aint *size;
	MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
	MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &flag);
	MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
	MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &create, &flag);
	MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
	MPI_Win_free(&win);
	MPI_Win_free_keyval(&wkey);
	printf("%d %d\n", sum, deleted);
	MPI_Finalize();
	return 0;
}
