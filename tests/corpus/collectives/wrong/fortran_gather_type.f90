! processes: 3
! expect: HB-COLLECTIVE-TYPE
! why: the root takes reals where integers are sent
program main
  implicit none
  include 'mpif.h'
  integer :: rank, value, ierror
  real :: all(3)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  value = rank
  if (rank == 0) then
    call MPI_Gather(1.0, 1, MPI_REAL, all, 1, MPI_REAL, 0, MPI_COMM_WORLD, ierror)
  else
    call MPI_Gather(value, 1, MPI_INTEGER, all, 1, MPI_REAL, 0, MPI_COMM_WORLD, ierror)
  end if
  call MPI_Finalize(ierror)
end program main
