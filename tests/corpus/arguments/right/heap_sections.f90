! processes: 2
! why: allocatable arrays, sections of them, and one that grows
program heap_sections
  use mpi
  implicit none
  integer :: ierr, rank, i
  real(8), allocatable :: a(:,:), b(:), c(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate(a(20, 20), b(20))
  a = rank
  do i = 1, 20
    call MPI_Sendrecv(a(:, i), 20, MPI_DOUBLE_PRECISION, 1 - rank, 0, b, 20, MPI_DOUBLE_PRECISION, 1 - rank, 0, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(a(i, :), 20, MPI_DOUBLE_PRECISION, 1 - rank, 0, b, 20, MPI_DOUBLE_PRECISION, 1 - rank, 0, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end do
  c = b
  do i = 1, 5
    c = [c, b]
    call MPI_Bcast(c, size(c), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  end do
  deallocate(a, b, c)
  call MPI_Finalize(ierr)
end program
