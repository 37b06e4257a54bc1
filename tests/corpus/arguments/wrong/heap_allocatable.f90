! processes: 2
! expect: HB-BUFFER-SIZE
! why: the allocatable array has half of what is received
program heap_allocatable
  use mpi
  implicit none
  integer :: ierr, rank
  real(8), allocatable :: part(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) then
    allocate(part(10))
    part = 1
    call MPI_Send(part, 5, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
  else
    allocate(part(5))
    call MPI_Recv(part, 10, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if
  call MPI_Finalize(ierr)
end program
