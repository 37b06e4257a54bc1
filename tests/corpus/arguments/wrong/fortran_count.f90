! expect: HB-ARG-COUNT
! also: HB-CALL-FAILED HB-FINALIZE-MISSING
! why: a count that was computed wrongly
program main
  implicit none
  include 'mpif.h'
  integer :: ierror, rank, values(4)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  values = rank
  call MPI_Bcast(values, 3 - 5, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
end program main
