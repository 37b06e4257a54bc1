! processes: 3
! why: MPI_IN_PLACE and MPI_BOTTOM are addresses in Fortran
program main
  use mpi_f08
  implicit none
  integer :: rank, all(3), total
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  all = 0
  all(rank + 1) = rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD)
  total = rank
  if (rank == 0) then
    call MPI_Reduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  else
    call MPI_Reduce(total, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  end if
  call MPI_Finalize()
end program main
