! expect: HB-ARG-TYPE
! says: its entries overlap
! why: two blocks of a datatype share an element, and an array is received with it
program main
  use mpi
  implicit none
  integer :: ierr, rank, type, memory(8)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  memory = 0
  call MPI_Type_vector(2, 3, 2, MPI_INTEGER, type, ierr)
  call MPI_Type_commit(type, ierr)
  if (rank == 0) then
    call MPI_Recv(memory, 1, type, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  else
    call MPI_Send(memory, 6, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Type_free(type, ierr)
  call MPI_Finalize(ierr)
end program
