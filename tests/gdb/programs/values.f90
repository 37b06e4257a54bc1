! Variables of Fortran, looked at by gdb.
program values
  implicit none
  integer :: i
  real(8) :: grid(3)
  character(len=5) :: word
  grid = (/ 1.5d0, 2.5d0, 3.5d0 /)
  word = 'abcde'
  print '(a)', 'ready'
  flush(6)
  do i = 1, 100000
    call work(i, grid, word)
    call nap()
  end do
contains
  subroutine work(n, a, w)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(:)
    character(len=*), intent(in) :: w
    logical :: even
    even = mod(n, 2) == 0
    a(1) = a(1) + n
    if (even .and. w == 'never') print *, a
  end subroutine work
  subroutine nap()
    interface
      integer(4) function usleep(t) bind(c, name='usleep')
        integer(4), value :: t
      end function
    end interface
    integer :: k
    k = usleep(5000)
  end subroutine nap
end program values
