! why: both receive first, but do not wait for it
program main
  use mpi
  implicit none
  integer :: rank, mine, other, ierror, request(2), statuses(MPI_STATUS_SIZE, 2)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  mine = rank
  call MPI_Irecv(other, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, request(1), ierror)
  call MPI_Issend(mine, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, request(2), ierror)
  call MPI_Waitall(2, request, statuses, ierror)
  call MPI_Finalize(ierror)
end program main
