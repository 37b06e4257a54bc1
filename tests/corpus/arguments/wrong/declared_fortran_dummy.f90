! processes: 2
! expect: HB-BUFFER-TYPE
! why: an allocatable array of integers goes through a subroutine, which sends it as MPI_DOUBLE_PRECISION
program declared
  use mpi
  implicit none
  integer :: ierr
  integer, allocatable :: values(:)
  call MPI_Init(ierr)
  allocate(values(8))
  values = 1
  call share(values, 2)
  deallocate(values)
  call MPI_Finalize(ierr)
contains
  subroutine share(v, n)
    integer, intent(in) :: n
    integer, intent(inout) :: v(*)
    call MPI_Bcast(v, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  end subroutine
end program
