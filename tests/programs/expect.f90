! What expect.h is to C: lines into $HB_EXPECT.RANK, output with the rank in front, a random wait.
module expecting
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  private
  public :: expect, expect_open, text, say, wrong, linger
  integer :: unit = -1

  interface
    integer(c_int) function usleep(us) bind(c)
      import :: c_int
      integer(c_int), value :: us
    end function
  end interface

contains

  subroutine expect_open(rank)
    integer, intent(in) :: rank
    character(4096) :: path
    integer :: length, missing
    call get_environment_variable('HB_EXPECT', path, length, missing)
    if (missing == 0) open (newunit=unit, file=path(1:length) // '.' // text(rank), status='replace')
  end subroutine

  subroutine expect(line)
    character(*), intent(in) :: line
    if (unit == -1) return
    write (unit, '(a)') line
    flush (unit)
  end subroutine

  function text(n)
    integer, intent(in) :: n
    character(:), allocatable :: text
    character(20) :: digits
    write (digits, '(i0)') n
    text = trim(digits)
  end function

  subroutine say(rank, what)
    integer, intent(in) :: rank
    character(*), intent(in) :: what
    write (*, '(i0, 2a)') rank, ': ', what
    flush (6)
  end subroutine

  ! Data are wrong: this process ends with status 1, and the launcher ends the others.
  subroutine wrong(what)
    character(*), intent(in) :: what
    write (0, '(2a)') 'wrong: ', what
    error stop 1
  end subroutine

  subroutine linger(most)
    integer, intent(in) :: most
    integer :: now
    integer(c_int) :: done
    call system_clock(now)
    done = usleep(int(mod(abs(now / 7), most + 1), c_int))
  end subroutine
end module
