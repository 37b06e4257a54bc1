! Variables that Fortran and MPI write.
program sums
  use mpi
  implicit none
  integer :: ierr, rank, i, total, got
  real(8) :: field(4)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  total = 0
  field = 0
  do i = 1, 10
    call MPI_Allreduce(rank + i, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    total = total + got
    field(2) = total * 0.5d0
  end do
  call MPI_Finalize(ierr)
end program
