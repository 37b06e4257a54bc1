! processes: 2
! why: mpi_f08: types, attributes, errhandlers, in place, nonblocking, user operation, window, file, sections
program f08
   use mpi_f08
   use iso_c_binding
   implicit none
   integer :: rank, n, i, position
   integer :: a(4, 6), b(6), x(10), y(10)
   integer(mpi_address_kind) :: extent, lb, bytes
   type(mpi_request) :: r(2)
   type(mpi_status) :: st(2)
   type(mpi_datatype) :: row, part, twice
   type(mpi_comm) :: c
   type(mpi_op) :: op
   type(mpi_win) :: win
   type(mpi_errhandler) :: h
   type(mpi_info) :: info
   type(c_ptr) :: base
   integer, pointer :: mem(:)
   integer(mpi_address_kind) :: val
   integer :: key, pack(40)
   logical :: flag
   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Type_vector(6, 1, 4, MPI_INTEGER, row)
   call MPI_Type_commit(row)
   a = rank
   call MPI_Irecv(b, 6, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, r(1))
   call MPI_Isend(a(2, 1), 1, row, 1 - rank, 1, MPI_COMM_WORLD, r(2))
   call MPI_Waitall(2, r, st)
   call MPI_Get_count(st(1), MPI_INTEGER, n)
   call MPI_Type_create_subarray(2, [4, 6], [2, 3], [1, 2], MPI_ORDER_FORTRAN, MPI_INTEGER, part)
   call MPI_Type_commit(part)
   call MPI_Sendrecv_replace(a, 1, part, 1 - rank, 2, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
   call MPI_Type_create_resized(MPI_INTEGER, 0_mpi_address_kind, 8_mpi_address_kind, twice)
   call MPI_Type_commit(twice)
   call MPI_Type_get_extent(twice, lb, extent)
   x = rank
   y = 0
   call MPI_Sendrecv(x, 5, twice, 1 - rank, 3, y, 5, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
   call MPI_Allreduce(MPI_IN_PLACE, x, 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
   call MPI_Comm_dup(MPI_COMM_WORLD, c)
   call MPI_Comm_set_name(c, "ours")
   call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, 0_mpi_address_kind)
   val = 7
   call MPI_Comm_set_attr(c, key, val)
   call MPI_Comm_get_attr(c, key, val, flag)
   call MPI_Comm_free_keyval(key)
   call MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN)
   call MPI_Bcast(x, 10, MPI_INTEGER, 0, c)
   if (rank == 0) then
      call MPI_Gather(MPI_IN_PLACE, 5, MPI_INTEGER, y, 5, MPI_INTEGER, 0, c)
   else
      call MPI_Gather(x, 5, MPI_INTEGER, y, 5, MPI_INTEGER, 0, c)
   end if
   call MPI_Info_create(info)
   call MPI_Info_set(info, "no_locks", "false")
   call MPI_Win_allocate(40_mpi_address_kind, 4, info, c, base, win)
   call MPI_Info_free(info)
   call c_f_pointer(base, mem, [10])
   mem = 0
   call MPI_Win_fence(0, win)
   call MPI_Put(x, 3, MPI_INTEGER, 1 - rank, 2_mpi_address_kind, 3, MPI_INTEGER, win)
   call MPI_Win_fence(0, win)
   n = n + mem(3)
   call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
   call MPI_Win_free(win)
   position = 0
   call MPI_Pack(x, 10, MPI_INTEGER, pack, 160, position, c)
   position = 0
   call MPI_Unpack(pack, 160, position, y, 10, MPI_INTEGER, c)
   call MPI_Type_free(row)
   call MPI_Type_free(part)
   call MPI_Type_free(twice)
   call MPI_Comm_free(c)
   print *, n, x(1), y(1), extent, flag
   call MPI_Finalize()
end program
