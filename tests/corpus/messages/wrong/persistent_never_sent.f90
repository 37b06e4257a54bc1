! expect: HB-MESSAGE-MISSING
! why: a persistent receive is started, and nothing is ever sent: one request, told once
program main
  use mpi
  implicit none
  integer :: ierr, rank, request, value
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) then
    call MPI_Recv_init(value, 1, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, request, ierr)
    call MPI_Start(request, ierr)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
