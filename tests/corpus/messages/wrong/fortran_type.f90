! expect: HB-MESSAGE-TYPE
! why: single precision is received where double precision is sent
program main
  use mpi
  implicit none
  integer :: rank, ierror, status(MPI_STATUS_SIZE)
  double precision :: value
  real :: got(2)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  value = 1
  if (rank == 0) then
    call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierror)
  else
    call MPI_Recv(got, 2, MPI_REAL, 0, 0, MPI_COMM_WORLD, status, ierror)
  end if
  call MPI_Finalize(ierror)
end program main
