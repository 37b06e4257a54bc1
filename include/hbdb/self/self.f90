! Self-monitoring in Fortran: include/hbdb/self.h says what each of these does. Compile this file with the program, link with libhbdb-self.
!
!   use hb_self
!   integer(c_int) :: error, stream, step
!   error = hb_open_log('run.trace', stream)
!   error = hb_event_open('step', step)
!   call hb_event(step, i)            ! an integer, a real number, a text, or nothing
!   error = hb_shutdown(stream)
!
!   type(c_ptr) :: norm
!   norm = hb_value_sensor('norm', 0d0, 1d6)
!   error = hb_on(norm, HB_SELF_NOTIFY)
!   call hb_set(norm, x)
!
! Functions return 0 or an error number. Names and texts are taken without blanks at their end.
module hb_self
  use, intrinsic :: iso_c_binding
  implicit none
  private

  integer(c_int), parameter, public :: HB_POSIX_TRACE_LOOP = 1, HB_POSIX_TRACE_UNTIL_FULL = 2, HB_POSIX_TRACE_FLUSH = 3, &
    HB_POSIX_TRACE_APPEND = 4
  integer(c_int), parameter, public :: HB_SELF_CALL = 1, HB_SELF_NOTIFY = 2, HB_SELF_STOP_THREAD = 3, HB_SELF_STOP_PROCESS = 4, &
    HB_SELF_ABORT = 5, HB_SELF_RESTART = 6, HB_SELF_DEBUG = 7

  public :: hb_open_log, hb_event_open, hb_event, hb_start, hb_stop, hb_flush, hb_clear, hb_shutdown, hb_lost
  public :: hb_assertion, hb_value_sensor, hb_rate, hb_heartbeat, hb_memory, hb_stack
  public :: hb_assert, hb_set, hb_count, hb_beat, hb_depth, hb_check, hb_watch, hb_last, hb_is_tripped, hb_on, hb_go, hb_notify

  interface hb_event
    module procedure event_alone, event_integer, event_long, event_real, event_text
  end interface

  interface
    function c_open(path, attr, trid) bind(C, name='hb_self_open') result(error)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: attr
      integer(c_int), intent(out) :: trid
      integer(c_int) :: error
    end function
    function c_eventid_open(name, id) bind(C, name='hb_posix_trace_eventid_open') result(error)
      import
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: id
      integer(c_int) :: error
    end function
    subroutine c_event(id, data, n) bind(C, name='hb_posix_trace_event')
      import
      integer(c_int), value :: id
      type(c_ptr), value :: data
      integer(c_size_t), value :: n
    end subroutine
    function hb_start(trid) bind(C, name='hb_posix_trace_start') result(error)
      import
      integer(c_int), value :: trid
      integer(c_int) :: error
    end function
    function hb_stop(trid) bind(C, name='hb_posix_trace_stop') result(error)
      import
      integer(c_int), value :: trid
      integer(c_int) :: error
    end function
    function hb_flush(trid) bind(C, name='hb_posix_trace_flush') result(error)
      import
      integer(c_int), value :: trid
      integer(c_int) :: error
    end function
    function hb_clear(trid) bind(C, name='hb_posix_trace_clear') result(error)
      import
      integer(c_int), value :: trid
      integer(c_int) :: error
    end function
    function hb_shutdown(trid) bind(C, name='hb_posix_trace_shutdown') result(error)
      import
      integer(c_int), value :: trid
      integer(c_int) :: error
    end function
    function hb_lost(trid, lost) bind(C, name='hb_self_lost') result(error)
      import
      integer(c_int), value :: trid
      integer(c_int64_t), intent(out) :: lost
      integer(c_int) :: error
    end function

    function c_assertion(name) bind(C, name='hb_self_assertion') result(sensor)
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: sensor
    end function
    function c_value(name, low, high) bind(C, name='hb_self_value') result(sensor)
      import
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: low, high
      type(c_ptr) :: sensor
    end function
    function c_rate(name, low, high, seconds) bind(C, name='hb_self_rate') result(sensor)
      import
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: low, high, seconds
      type(c_ptr) :: sensor
    end function
    function c_heartbeat(name, seconds) bind(C, name='hb_self_heartbeat') result(sensor)
      import
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: seconds
      type(c_ptr) :: sensor
    end function
    function c_memory(name, most) bind(C, name='hb_self_memory') result(sensor)
      import
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: most
      type(c_ptr) :: sensor
    end function
    function c_stack(name, most) bind(C, name='hb_self_stack') result(sensor)
      import
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: most
      type(c_ptr) :: sensor
    end function
    function c_assert(sensor, condition) bind(C, name='hb_self_assert') result(good)
      import
      type(c_ptr), value :: sensor
      integer(c_int), value :: condition
      integer(c_int) :: good
    end function
    subroutine hb_set(sensor, number) bind(C, name='hb_self_set')
      import
      type(c_ptr), value :: sensor
      real(c_double), value :: number
    end subroutine
    subroutine hb_count(sensor, n) bind(C, name='hb_self_count')
      import
      type(c_ptr), value :: sensor
      integer(c_int64_t), value :: n
    end subroutine
    subroutine hb_beat(sensor) bind(C, name='hb_self_beat')
      import
      type(c_ptr), value :: sensor
    end subroutine
    subroutine hb_depth(sensor) bind(C, name='hb_self_depth')
      import
      type(c_ptr), value :: sensor
    end subroutine
    function hb_check() bind(C, name='hb_self_check') result(tripped)
      import
      integer(c_int) :: tripped
    end function
    function hb_watch(seconds) bind(C, name='hb_self_watch') result(error)
      import
      real(c_double), value :: seconds
      integer(c_int) :: error
    end function
    function hb_last(sensor) bind(C, name='hb_self_last') result(number)
      import
      type(c_ptr), value :: sensor
      real(c_double) :: number
    end function
    function c_is_tripped(sensor) bind(C, name='hb_self_is_tripped') result(tripped)
      import
      type(c_ptr), value :: sensor
      integer(c_int) :: tripped
    end function
    function c_on(sensor, what, action, user) bind(C, name='hb_self_on') result(error)
      import
      type(c_ptr), value :: sensor, user
      integer(c_int), value :: what
      type(c_funptr), value :: action
      integer(c_int) :: error
    end function
    function hb_go() bind(C, name='hb_self_go') result(threads)
      import
      integer(c_int) :: threads
    end function
    function c_notify(kind, name, number, text) bind(C, name='hb_self_notify') result(error)
      import
      character(kind=c_char), intent(in) :: kind(*), name(*), text(*)
      real(c_double), value :: number
      integer(c_int) :: error
    end function
  end interface

contains

  function hb_open_log(path, stream) result(error)
    character(*), intent(in) :: path
    integer(c_int), intent(out) :: stream
    integer(c_int) :: error
    error = c_open(trim(path)//c_null_char, c_null_ptr, stream)
  end function

  function hb_event_open(name, id) result(error)
    character(*), intent(in) :: name
    integer(c_int), intent(out) :: id
    integer(c_int) :: error
    error = c_eventid_open(trim(name)//c_null_char, id)
  end function

  subroutine event_alone(id)
    integer(c_int), intent(in) :: id
    call c_event(id, c_null_ptr, 0_c_size_t)
  end subroutine

  subroutine event_integer(id, number)
    integer(c_int), intent(in) :: id
    integer(c_int), intent(in), target :: number
    call c_event(id, c_loc(number), 4_c_size_t)
  end subroutine

  subroutine event_long(id, number)
    integer(c_int), intent(in) :: id
    integer(c_int64_t), intent(in), target :: number
    call c_event(id, c_loc(number), 8_c_size_t)
  end subroutine

  ! As a text: the data of an event do not say what they are.
  subroutine event_real(id, number)
    integer(c_int), intent(in) :: id
    real(c_double), intent(in) :: number
    character(32) :: text
    write (text, '(g0)') number
    call event_text(id, text)
  end subroutine

  subroutine event_text(id, text)
    integer(c_int), intent(in) :: id
    character(*), intent(in) :: text
    character(kind=c_char, len=len_trim(text) + 1), target :: copy
    copy = trim(text)//c_null_char
    call c_event(id, c_loc(copy), int(len(copy), c_size_t))
  end subroutine

  function hb_assertion(name) result(sensor)
    character(*), intent(in) :: name
    type(c_ptr) :: sensor
    sensor = c_assertion(trim(name)//c_null_char)
  end function

  function hb_value_sensor(name, low, high) result(sensor)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: low, high
    type(c_ptr) :: sensor
    sensor = c_value(trim(name)//c_null_char, low, high)
  end function

  function hb_rate(name, low, high, seconds) result(sensor)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: low, high, seconds
    type(c_ptr) :: sensor
    sensor = c_rate(trim(name)//c_null_char, low, high, seconds)
  end function

  function hb_heartbeat(name, seconds) result(sensor)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: seconds
    type(c_ptr) :: sensor
    sensor = c_heartbeat(trim(name)//c_null_char, seconds)
  end function

  function hb_memory(name, most) result(sensor)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: most
    type(c_ptr) :: sensor
    sensor = c_memory(trim(name)//c_null_char, most)
  end function

  function hb_stack(name, most) result(sensor)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: most
    type(c_ptr) :: sensor
    sensor = c_stack(trim(name)//c_null_char, most)
  end function

  subroutine hb_assert(sensor, condition)
    type(c_ptr), intent(in) :: sensor
    logical, intent(in) :: condition
    integer(c_int) :: unused
    unused = c_assert(sensor, merge(1_c_int, 0_c_int, condition))
  end subroutine

  function hb_is_tripped(sensor) result(tripped)
    type(c_ptr), intent(in) :: sensor
    logical :: tripped
    tripped = c_is_tripped(sensor) /= 0
  end function

  ! action: of HB_SELF_CALL, a subroutine with bind(C): see hb_self_action in self.h.
  function hb_on(sensor, what, action) result(error)
    type(c_ptr), intent(in) :: sensor
    integer(c_int), intent(in) :: what
    type(c_funptr), intent(in), optional :: action
    integer(c_int) :: error
    type(c_funptr) :: it
    it = c_null_funptr
    if (present(action)) it = action
    error = c_on(sensor, what, it, c_null_ptr)
  end function

  function hb_notify(kind, name, number, text) result(error)
    character(*), intent(in) :: kind, name, text
    real(c_double), intent(in) :: number
    integer(c_int) :: error
    error = c_notify(trim(kind)//c_null_char, trim(name)//c_null_char, number, trim(text)//c_null_char)
  end function
end module
