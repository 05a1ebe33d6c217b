"""One loop a process, whoever starts it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import os
import signal
import threading
from collections.abc import Callable

import pytest
from fake_server import FakeServer

from kritai.gather import forget_shared, shared_gather
from kritai.loop_thread import LoopThread


async def where() -> int:
    return id(asyncio.get_running_loop())


def run_where(shared: LoopThread) -> object:
    return shared.run(where())


def at_once(threads: int, work: Callable[[], object]) -> list[object]:
    """The results of `work` in each of the threads, all released at the same moment."""
    start, given = threading.Barrier(threads), list[object]()

    def run() -> None:
        start.wait(10)
        given.append(work())

    started = [threading.Thread(target=run) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join(10)
    return given


def test_threads_that_start_it_at_once_share_one_loop() -> None:
    for shared in [LoopThread() for _ in range(100)]:
        loops = at_once(8, functools.partial(run_where, shared))
        shared.stop()
        assert (len(loops), len(set(loops))) == (8, 1)


def test_threads_that_ask_at_once_share_one_gathering_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRITAI_BASE_URL", "http://127.0.0.1:9")
    for _ in range(100):
        forget_shared()
        assert len({id(place) for place in at_once(8, lambda: shared_gather(4))}) == 1


def test_an_interruption_of_the_caller_cancels_the_work() -> None:
    begun, cancelled = threading.Event(), threading.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def interrupt() -> None:
        begun.wait(10)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    shared = LoopThread()
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        shared.run(work())
    assert cancelled.wait(10)
    shared.stop()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_gathers_by_itself(server: FakeServer) -> None:
    shared_gather(2).submit("p", "1")
    child = os.fork()
    if child == 0:
        answers = [shared_gather(2).submit("p", text) for text in ("5", "6")]
        os._exit(0 if [answer.result(10)["reward"] for answer in answers] == [5.0, 6.0] else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert [r["text"] for r in server.received[0].json["groups"][0]["rollouts"]] == ["5", "6"]


def test_a_stop_ends_the_work_that_another_thread_waits_for() -> None:
    shared, begun, told = LoopThread(), threading.Event(), threading.Event()

    async def work() -> None:
        begun.set()
        await asyncio.sleep(60)

    def wait() -> None:
        try:
            shared.run(work())
        except concurrent.futures.CancelledError:
            told.set()

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    assert begun.wait(10)
    shared.stop()
    assert told.wait(10)
    waiting.join(10)


def test_a_loop_that_is_stopped_once_more_while_it_ends_still_cleans_up() -> None:
    shared, begun, cleaned = LoopThread(), threading.Event(), threading.Event()

    async def held() -> None:
        loop = asyncio.get_running_loop()
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            for _ in range(3):
                loop.stop()
                await asyncio.sleep(0)
            cleaned.set()

    shared.submit(held())
    assert begun.wait(60)
    shared.stop()
    assert cleaned.wait(60)
