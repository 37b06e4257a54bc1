! An array that is written through a view of a file, from storage with a halo, and never registered. Argument: "wrong" for one element that is off in
! the third step.
program view
  use mpi
  use hbdb_compare
  implicit none
  integer, parameter :: global(2) = [20, 24]
  integer :: error, processes, rank, grid, dims(2), at(2), part(2), first(2), i, j, t, share, memory, file
  logical :: periods(2)
  real(8), allocatable :: u(:, :)
  character(len=16) :: what

  call MPI_Init(error)
  call get_command_argument(1, what)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  dims = 0
  periods = .false.
  call MPI_Dims_create(processes, 2, dims, error)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, error)
  call MPI_Comm_rank(grid, rank, error)
  call MPI_Cart_coords(grid, rank, 2, at, error)
  first = global * at / dims
  part = global * (at + 1) / dims - first
  call MPI_Type_create_subarray(2, global, part, first, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, share, error)
  call MPI_Type_commit(share, error)
  call MPI_Type_create_subarray(2, part + 2, part, [1, 1], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, memory, error)
  call MPI_Type_commit(memory, error)
  allocate (u(0:part(1) + 1, 0:part(2) + 1))
  u = 0
  call MPI_File_open(grid, "viewf.out", MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file, error)
  call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, share, "native", MPI_INFO_NULL, error)
  do t = 1, 5
    call MPI_File_write_all(file, u, 1, memory, MPI_STATUS_IGNORE, error)
    call hb_loop("sweep")
    do j = 1, part(2)
      do i = 1, part(1)
        u(i, j) = u(i, j) + (first(1) + i) * 1.5d0 + (first(2) + j) * t
        if (what == "wrong" .and. t == 3 .and. first(1) + i == 13 .and. first(2) + j == 17) u(i, j) = u(i, j) + 0.5d0
      end do
    end do
    call hb_loop_end("sweep")
  end do
  call MPI_File_close(file, error)
  call MPI_Finalize(error)
end program
