! why: a broadcast of characters and of a strided section
program main
  use mpi
  implicit none
  integer :: ierror, column, matrix(4, 4), rank
  character(len=10) :: text
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  text = 'hello'
  matrix = rank
  call MPI_Bcast(text, len(text), MPI_CHARACTER, 0, MPI_COMM_WORLD, ierror)
  call MPI_Type_vector(4, 1, 4, MPI_INTEGER, column, ierror)
  call MPI_Type_commit(column, ierror)
  if (rank == 0) then
    call MPI_Bcast(matrix(2, 1), 1, column, 0, MPI_COMM_WORLD, ierror)
  else
    call MPI_Bcast(matrix, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  end if
  call MPI_Type_free(column, ierror)
  call MPI_Finalize(ierror)
end program main
