! processes: 3
! expect: HB-DEADLOCK-CYCLE
! why: every process of a ring waits for the one before it
program main
  use mpi_f08
  implicit none
  integer :: rank, size, value
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Recv(value, 1, MPI_INTEGER, modulo(rank - 1, size), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Send(value, 1, MPI_INTEGER, modulo(rank + 1, size), 0, MPI_COMM_WORLD)
  call MPI_Finalize()
end program main
