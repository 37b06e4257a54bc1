! expect: HB-REQUEST-ACTIVE
! also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-CRASH HB-BUFFER-OVERLAP HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING HB-DEADLOCK-ORPHAN
! says: MPI_Startall names a request twice in its array
! why: the array of MPI_Startall has one request in two places
program main
  use mpi
  implicit none
  integer :: ierr, rank, requests(2), value
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  value = 1
  if (rank == 0) then
    call MPI_Recv_init(value, 1, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, requests(1), ierr)
    requests(2) = requests(1)
    call MPI_Startall(2, requests, ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Request_free(requests(1), ierr)
  else
    call MPI_Send(value, 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Finalize(ierr)
end program
