"""An event loop on a separate thread, on which synchronous code runs coroutines."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import threading
import weakref
from collections.abc import AsyncIterator, Coroutine, Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar

from kritai.call_site import carrying

T = TypeVar("T")


class ProcessLock:
    """A lock for module-level state, fresh in a forked process: a fork may copy the lock while it is
    held by a thread that the child does not have."""

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


_starting = ProcessLock()


class LoopThread:
    """Starts with the first use, again in a forked process. Any thread may submit; the thread does
    not keep the process alive."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0

    def _running(self) -> asyncio.AbstractEventLoop:
        with _starting:
            if self._loop is None or self._pid != os.getpid():
                self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
                threading.Thread(target=_serve, args=(self._loop,), name="kritai", daemon=True).start()
                # A LoopThread dropped without stop() leaves no thread and no handle behind.
                weakref.finalize(self, _ended, self._loop, self._pid).atexit = False
            return self._loop

    def __reduce__(self) -> tuple[type[LoopThread], tuple[()]]:
        """A copy in another process has no loop yet."""
        return (LoopThread, ())

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Starts `work` on the loop. Cancelling the future cancels it."""
        started: concurrent.futures.Future[T] = carrying(asyncio.run_coroutine_threadsafe, work, self._running())
        return started

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs `work` to its end. An interruption (Ctrl-C) cancels it, at whatever moment it
        comes."""
        loop = self._running()
        call = _Call(work)
        try:
            future: concurrent.futures.Future[T] = carrying(asyncio.run_coroutine_threadsafe, call.run(), loop)
            while (
                not future.done()
            ):  # Python misses a signal that comes just before it blocks, so it never blocks for long
                concurrent.futures.wait([future], timeout=1.0)
                if loop.is_closed() and not future.done():
                    raise RuntimeError("the client was closed while this call began")
            return future.result()
        except BaseException:
            with contextlib.suppress(RuntimeError):  # a closed loop has nothing left to abandon
                loop.call_soon_threadsafe(call.abandon)
            raise

    def iterate(self, events: AsyncIterator[T]) -> Iterator[T]:
        """The events, one at a time; the source is closed when the caller stops early."""

        async def following() -> tuple[T] | None:
            async for event in events:
                return (event,)
            return None

        try:
            while (event := self.run(following())) is not None:
                yield event[0]
        finally:
            self.run(_closed(events))

    def stop(self) -> None:
        """Ends the loop's thread; work that is still on it is cancelled. A later use starts a new
        one."""
        with _starting:
            loop, self._loop = self._loop, None
            if loop is not None:
                _ended(loop, self._pid)


def _ended(loop: asyncio.AbstractEventLoop, pid: int) -> None:
    """Ends the loop's thread, where it is of this process and still runs."""
    if pid == os.getpid():
        with contextlib.suppress(RuntimeError):  # closed already
            loop.call_soon_threadsafe(loop.stop)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Runs the loop until it is stopped, then cancels the tasks left on it, so that no caller waits for
    work that would never end."""
    try:
        loop.run_forever()
        while tasks := asyncio.all_tasks(loop):
            for task in tasks:
                task.cancel()
            _to_its_end(loop, asyncio.wait(tasks))
        _to_its_end(loop, loop.shutdown_asyncgens())
        # The connection closed last releases its socket in the next loop iteration.
        _to_its_end(loop, asyncio.sleep(0))
    finally:
        loop.close()


def _to_its_end(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any]) -> None:
    """Runs `work` to its end, also when the loop is stopped again meanwhile (a client dropped while it
    is closed): otherwise open connections would stay open."""
    task = loop.create_task(work)
    while not task.done():
        with contextlib.suppress(RuntimeError):  # stopped before the task was done
            loop.run_until_complete(task)


class _Call(Generic[T]):
    """Work that may be abandoned before, while or after it runs. Used on the loop only."""

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self._work = work
        self._task: asyncio.Task[Any] | None = None
        self._abandoned = False

    async def run(self) -> T:
        self._task = asyncio.current_task()
        if self._abandoned:
            self._work.close()
            raise asyncio.CancelledError
        return await self._work

    def abandon(self) -> None:
        self._abandoned = True
        if self._task is not None:
            self._task.cancel()


async def _closed(events: AsyncIterator[Any]) -> None:
    close = getattr(events, "aclose", None)
    if close is not None:
        await close()
