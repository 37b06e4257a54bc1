! processes: 2
! expect: HB-BUFFER-FREED
! why: the array is deallocated while it is being sent
program heap_deallocated
  use mpi
  implicit none
  integer :: ierr, rank, request
  real(8), allocatable :: part(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate(part(500))
  part = rank
  if (rank == 0) then
    call MPI_Isend(part, 500, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, ierr)
    deallocate(part)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  else
    call MPI_Recv(part, 500, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    deallocate(part)
  end if
  call MPI_Finalize(ierr)
end program
