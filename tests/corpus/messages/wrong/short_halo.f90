! expect: HB-MESSAGE-SHORT
! says: what is behind them in the buffer stays as it was
! why: a halo of ten elements of which nine are sent: allowed, and told as a note
program main
  use mpi
  implicit none
  integer :: ierr, rank, step, requests(2)
  double precision :: row(10), halo(10)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  row = rank
  do step = 1, 4
    call MPI_Irecv(halo, 10, MPI_DOUBLE_PRECISION, 1 - rank, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(row, 9, MPI_DOUBLE_PRECISION, 1 - rank, 1, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  end do
  call MPI_Finalize(ierr)
end program
