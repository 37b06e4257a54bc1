! expect: HB-ARG-RANK
! also: HB-HANG HB-CALL-FAILED HB-FINALIZE-MISSING
! why: process numbers begin with 0: the last is one less than there are
program main
  use mpi_f08
  implicit none
  integer :: rank, size, value
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  value = rank
  if (rank == 0) call MPI_Send(value, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD)
  call MPI_Finalize()
end program main
