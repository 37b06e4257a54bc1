! Matrices of ScaLAPACK that nobody registered: their descriptors tell. Argument: "wrong", one element is off before the matrix is taken apart.
program solve
  use mpi
  use hbdb_compare
  implicit none
  integer, parameter :: n = 60, nb = 8
  integer :: error, processes, context, rows, columns, row, column, lr, lc, i, j, dims(2), desc(9)
  integer, external :: numroc, indxl2g
  real(8), allocatable :: a(:, :), b(:, :)
  character(len=16) :: what

  call MPI_Init(error)
  call get_command_argument(1, what)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  dims = 0
  call MPI_Dims_create(processes, 2, dims, error)
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, "Row", dims(1), dims(2))
  call blacs_gridinfo(context, rows, columns, row, column)
  lr = numroc(n, nb, row, 0, rows)
  lc = numroc(n, nb, column, 0, columns)
  call descinit(desc, n, n, nb, nb, 0, 0, context, lr, error)
  allocate (a(lr, lc))
  allocate (b(lr, lc))
  do j = 1, lc
    do i = 1, lr
      a(i, j) = 1d0 / (indxl2g(i, nb, row, 0, rows) + 2 * indxl2g(j, nb, column, 0, columns))
      if (indxl2g(i, nb, row, 0, rows) == indxl2g(j, nb, column, 0, columns)) a(i, j) = a(i, j) + 90
    end do
  end do
  call hb_loop("copy")
  call pdlacpy("A", n, n, a, 1, 1, desc, b, 1, 1, desc)
  call hb_loop_end("copy")
  do j = 1, lc
    do i = 1, lr
      if (what == "wrong" .and. indxl2g(i, nb, row, 0, rows) == 41 .and. indxl2g(j, nb, column, 0, columns) == 22) b(i, j) = b(i, j) + 0.25d0
    end do
  end do
  call hb_loop("factors")
  call pdpotrf("L", n, b, 1, 1, desc, error)
  call hb_loop_end("factors")
  call blacs_gridexit(context)
  call MPI_Finalize(error)
end program
