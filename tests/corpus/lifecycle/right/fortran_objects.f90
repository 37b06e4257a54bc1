! why: everything made is freed, some of it while in use
program main
  use mpi_f08
  implicit none
  integer :: rank, values(4), got(2)
  type(MPI_Comm) :: comm
  type(MPI_Datatype) :: line
  type(MPI_Group) :: group
  type(MPI_Request) :: request(3)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_group(comm, group)
  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, line)
  call MPI_Type_commit(line)
  values = rank
  request(2) = MPI_REQUEST_NULL
  call MPI_Irecv(got, 2, MPI_INTEGER, 1 - rank, 0, comm, request(1))
  call MPI_Isend(values, 1, line, 1 - rank, 0, comm, request(3))
  call MPI_Type_free(line)
  call MPI_Comm_free(comm)
  call MPI_Group_free(group)
  call MPI_Waitall(3, request, MPI_STATUSES_IGNORE)
  call MPI_Finalize()
end program main
