! expect: HB-COLLECTIVE-OP
! why: operations of a reduction differ
program main
  use mpi_f08
  implicit none
  integer :: rank
  double precision :: value, total
  type(MPI_Op) :: op
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  value = rank
  op = MPI_SUM
  if (rank == 1) op = MPI_MAX
  call MPI_Allreduce(value, total, 1, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD)
  call MPI_Finalize()
end program main
