! Constructs of OpenMP in Fortran.
subroutine fill(a, n)
  integer :: n, i
  real(8) :: a(n)
  !$omp parallel do schedule(dynamic, 7)
  do i = 1, n
     a(i) = i
  end do
end subroutine

program openmp
  integer :: i
  real(8) :: a(1000), s
  s = 0
  call fill(a, 1000)
  !$omp parallel do reduction(+:s)
  do i = 1, 1000
     s = s + a(i)
  end do
  !$omp parallel workshare
  a(:) = a(:) + 1
  !$omp end parallel workshare
  print '(f0.1)', s
end program
