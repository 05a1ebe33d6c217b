# Threads where there are none: each runs to its end when it is started; one that would have to wait for
# another ends the run.


def _threads():
    import _thread
    import concurrent.futures
    import posix
    import queue
    import sys
    import threading
    import time

    # Its number is put in where this is loaded (budget.ts).
    unsupported_exit = UNSUPPORTED_EXIT

    def start(self):
        if not self._initialized:
            raise RuntimeError("thread.__init__() not called")
        if self._started.is_set():
            raise RuntimeError("threads can only be started once")
        self._started.set()
        self._ident = threading.get_ident()
        here = threading._active.get(self._ident)
        threading._active[self._ident] = self
        try:
            self.run()
        except SystemExit:
            pass
        except BaseException:
            threading.excepthook(threading.ExceptHookArgs([*sys.exc_info(), self]))
        finally:
            threading._active[self._ident] = here
            self._is_over = True

    def join(self, timeout=None):
        if not self._started.is_set():
            raise RuntimeError("cannot join thread before it is started")
        if self is threading.current_thread():
            raise RuntimeError("cannot join current thread")

    def is_alive(self):
        return self._started.is_set() and not hasattr(self, "_is_over")

    def wait(self, timeout=None):
        """No other thread runs, so notify will never be called."""
        if timeout is None:
            posix._exit(unsupported_exit)
        time.sleep(timeout)
        return False

    def start_new_thread(function, args, kwargs={}):
        try:
            function(*args, **kwargs)
        except SystemExit:
            pass
        except BaseException:
            sys.excepthook(*sys.exc_info())
        return _thread.get_ident()

    def submit(self, fn, /, *args, **kwargs):
        future = concurrent.futures.Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future

    def lock_of(kind):
        """A lock whose holder can only be the one thread that there is, so that waiting for it
        would be for ever."""

        class Lock:
            def __init__(self):
                self._lock = kind()

            def acquire(self, blocking=True, timeout=-1):
                if self._lock.acquire(False):
                    return True
                if blocking and timeout < 0:
                    posix._exit(unsupported_exit)
                return False

            def release(self):
                self._lock.release()

            def locked(self):
                return self._lock.locked()

            def _at_fork_reinit(self):
                self._lock._at_fork_reinit()

            def __enter__(self):
                return self.acquire()

            def __exit__(self, *error):
                self._lock.release()

        return Lock

    # Named before the locks are replaced, for its module takes one when it is loaded.
    concurrent.futures.ThreadPoolExecutor.submit = submit
    threading.Thread.start = start
    threading.Thread.join = join
    threading.Thread.is_alive = is_alive
    threading.Condition.wait = wait
    threading.Lock = lock_of(_thread.allocate_lock)
    _thread.start_new_thread = _thread.start_new = start_new_thread
    queue.SimpleQueue = queue._PySimpleQueue
    stack_size = [0]

    def set_stack_size(size=0):
        before, stack_size[0] = stack_size[0], size
        return before

    threading.stack_size = _thread.stack_size = set_stack_size


_threads()
del _threads
