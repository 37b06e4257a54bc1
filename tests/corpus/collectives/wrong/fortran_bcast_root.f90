! expect: HB-COLLECTIVE-ROOT
! also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED
! why: process numbers begin with 0, also in Fortran: process 1 forgot
program main
  use mpi
  implicit none
  integer :: rank, value, root, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  value = rank
  root = 0
  if (rank == 1) root = 1
  call MPI_Bcast(value, 1, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
end program main
