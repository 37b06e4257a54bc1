! why: a strided section, a derived type and characters, each received as something of the same signature
program main
  use mpi_f08
  implicit none
  integer :: rank, matrix(4, 4), row(4)
  character(len=8) :: text
  type(MPI_Datatype) :: line
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  matrix = rank
  text = 'abcdefgh'
  call MPI_Type_vector(4, 1, 4, MPI_INTEGER, line)
  call MPI_Type_commit(line)
  if (rank == 0) then
    call MPI_Send(matrix, 1, line, 1, 0, MPI_COMM_WORLD)
    call MPI_Send(text, 8, MPI_CHARACTER, 1, 1, MPI_COMM_WORLD)
  else
    call MPI_Recv(row, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Recv(text, 8, MPI_CHARACTER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end if
  call MPI_Type_free(line)
  call MPI_Finalize()
end program main
