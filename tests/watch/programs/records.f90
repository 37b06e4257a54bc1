module grid
  implicit none
  real(8), allocatable :: u(:), v(:)
  real(8) :: w(8)          ! @w
  complex(8) :: z(4)       ! @z
  integer :: k(8)          ! @k
end module
program main
  use grid
  implicit none
  integer :: i
  real(4), allocatable :: mine(:)
  allocate(u(8))           ! @u
  allocate(v(0:9))         ! @v
  allocate(mine(8))        ! @mine
  !$omp parallel do
  do i = 1, 8
    u(i) = i
    v(i) = 0
    mine(i) = 1
    w(i) = 2*i
    k(i) = i
  end do
  !$omp parallel do schedule(dynamic,1)
  do i = 2, 8
    w(i) = w(i-1) + u(i)   ! @dependence
    if (i < 4) z(i) = (1d0, 2d0)
  end do
  print *, sum(w), sum(mine), sum(k), z(2), sum(v(1:8))
end program
