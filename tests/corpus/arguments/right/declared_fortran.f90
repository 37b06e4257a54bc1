! processes: 2
! why: kinds of Fortran, dummy arguments, allocatable and common variables, each with a datatype that fits
program declared
  use mpi
  implicit none
  integer :: ierr, i
  integer(8) :: long
  real :: single(4)
  real(8), allocatable :: grid(:, :)
  complex(8) :: z(2)
  logical :: flag
  character(len=10) :: name
  integer :: packed(4)
  real(8) :: shared(6)
  common /block/ shared
  real(8) :: same(2)
  integer :: other(4)
  equivalence (same, other)
  call MPI_Init(ierr)
  allocate(grid(4, 4))
  grid = 0; single = 0; z = 0; shared = 0; long = 0; flag = .true.; name = 'x'; i = 1; same = 0; packed = 0
  call MPI_Bcast(i, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(long, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(single, 4, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(grid, 16, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(grid(1, 2), 4, MPI_REAL8, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(z, 2, MPI_DOUBLE_COMPLEX, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(z, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(flag, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(name, 10, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(packed, 16, MPI_PACKED, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(shared, 6, MPI_REAL8, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(other, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(same, 2, MPI_REAL8, 0, MPI_COMM_WORLD, ierr)
  call share(grid, 16)
  deallocate(grid)
  call MPI_Finalize(ierr)
contains
  subroutine share(v, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    call MPI_Bcast(v, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  end subroutine
end program
