! expect: HB-LEAK-COMM HB-LEAK-DATATYPE
! why: a communicator and a datatype that are never freed
program main
  use mpi_f08
  implicit none
  type(MPI_Comm) :: comm
  type(MPI_Datatype) :: pair
  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Type_contiguous(2, MPI_REAL, pair)
  call MPI_Type_commit(pair)
  call MPI_Barrier(comm)
  call MPI_Finalize()
end program main
