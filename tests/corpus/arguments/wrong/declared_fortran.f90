! processes: 2
! expect: HB-BUFFER-TYPE
! why: double precision numbers, summed up as MPI_REAL
program declared
  use mpi
  implicit none
  integer :: ierr
  double precision :: part(4), total(4)
  call MPI_Init(ierr)
  part = 1
  call MPI_Allreduce(part, total, 4, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
