! expect: HB-MESSAGE-LOST
! why: the last message of a loop is not received
program main
  use mpi_f08
  implicit none
  integer :: rank, i, value
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  do i = 1, 3
    value = i
    if (rank == 0) call MPI_Send(value, 1, MPI_INTEGER, 1, i, MPI_COMM_WORLD)
    if (rank == 1 .and. i < 3) call MPI_Recv(value, 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end do
  call MPI_Finalize()
end program main
