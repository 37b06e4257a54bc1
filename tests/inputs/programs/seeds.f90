! Clocks and seeds of Fortran.
program seeds
  use mpi
  implicit none
  integer :: rank, error, ticks, rate, values(8), n, sum
  integer, allocatable :: seed(:)
  integer(8) :: long
  real :: x, cpu
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call system_clock(ticks, rate)
  call system_clock(long)
  call cpu_time(cpu)
  call date_and_time(values=values)
  call random_seed(size=n)
  allocate(seed(n))
  call random_seed()
  call random_number(x)
  call random_seed(get=seed)
  write (*, '(i0, a, i0, 1x, i0, 1x, f12.6, 8(1x, i0), 1x, f10.8, 1x, i0)') rank, ': fortran ', ticks, long, cpu, values, x, seed(1)
  call mpi_allreduce(seed(1) / 4, sum, 1, mpi_integer, mpi_sum, mpi_comm_world, error)
  write (*, '(i0, a, i0)') rank, ': sum ', sum
  call mpi_finalize(error)
end program
