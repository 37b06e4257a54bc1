! expect: HB-LEAK-REQUEST|HB-FINALIZE-PENDING
! also: HB-LEAK-REQUEST HB-FINALIZE-PENDING
! why: the request of a send is overwritten by that of a receive
program main
  use mpi
  implicit none
  integer :: rank, mine, other, ierror, request, status(MPI_STATUS_SIZE)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  mine = rank
  call MPI_Isend(mine, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, request, ierror)
  call MPI_Irecv(other, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, status, ierror)
  call MPI_Finalize(ierror)
end program main
