"""An address that cannot be reached is reported in one line, soon; and a first call fails fast where
that was asked for."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import pickle
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import numbered
from fake_server import FakeServer, rewards, serving

from kritai import AsyncKritai, Kritai, KritaiError, RetryPolicy, Unavailable, Way, reach
from kritai.reading import transport_error
from kritai.shims.trl_reward import kritai_reward
from kritai.shims.verl_gathered import compute_score

QUICK = RetryPolicy(retries_max=3, base_s=0.001, cap_s=0.002)
BATCH: dict[str, Any] = {"prompts": ["p", "p"], "completions": ["1", "2"]}


@pytest.fixture(autouse=True)
def _nobody_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "_answered", set())


@contextmanager
def refusing() -> Iterator[str]:
    """An address without a listener: its port is held, so that no other process takes it."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


@contextmanager
def silent() -> Iterator[str]:
    """An address that takes connections, and never finishes the handshake of TLS."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        yield f"https://127.0.0.1:{listening.getsockname()[1]}"


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "kritai"]


async def first_line(client: AsyncKritai) -> str:
    """The logger's first line while a call is under way, which is then ended."""
    said: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    class Listening(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if not said.done():
                said.set_result(record.getMessage())

    listening = Listening()
    logging.getLogger("kritai").addHandler(listening)
    call = asyncio.ensure_future(client.rewards(numbered(4), patient=True, on_failure="null"))
    try:
        return await asyncio.wait_for(said, 200)
    finally:
        call.cancel()
        logging.getLogger("kritai").removeHandler(listening)


def test_who_refuses_the_connection_is_told_at_the_first_try_without_the_key_in_its_path() -> None:
    with refusing() as url:
        client = AsyncKritai(f"{url.replace('//', '//user:password@')}/k/secret", "key")
        assert asyncio.run(first_line(client)) == f"cannot reach {url}: Connection refused; retrying for at most 180 s"


def test_who_takes_long_to_connect_is_told_before_the_connection_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "UNREACHED_S", 0.05)
    with silent() as url:
        client = AsyncKritai(url, way=Way(verify=ssl.create_default_context()))
        said = f"cannot reach {url}: no connection within 0.05 s; retrying for at most 180 s"
        assert asyncio.run(first_line(client)) == said


def test_the_line_goes_to_stderr_where_nobody_set_up_logging() -> None:
    with refusing() as url:
        call = (
            f"from kritai import Kritai\nKritai({url!r}).rewards([{{'prompt': 'p', 'rollouts': [{{'text': '1'}}]}}], "
        )
        program = [sys.executable, "-c", call + "patient=True, on_failure='null', progress=False)"]
        env = {**os.environ, "PYTHONPATH": str(Path(reach.__file__).parents[1])}
        with subprocess.Popen(program, stderr=subprocess.PIPE, text=True, env=env) as asking:
            assert asking.stderr is not None
            line = asking.stderr.readline()
            asking.kill()
    assert line == f"cannot reach {url}: Connection refused; retrying for at most 180 s\n"


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 9)"), "Connection refused"),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "Name or service not known"),
        (None, "all failed"),
    ],
)
def test_the_reason_is_the_systems_own_word(cause: Exception | None, said: str) -> None:
    fault = httpx.ConnectError("all failed")
    fault.__cause__ = cause
    assert transport_error(fault).problem.detail == f"no connection: {said}"


def test_a_certificate_that_nobody_vouches_for_is_told_as_such() -> None:
    refused = ssl.SSLCertVerificationError(1, "certificate verify failed")
    refused.verify_message = "self-signed certificate"
    fault = httpx.ConnectError("")
    fault.__cause__ = refused
    assert transport_error(fault).problem.detail == "no connection: TLS: self-signed certificate"


def test_the_limit_before_a_connection_is_told_is_below_five_seconds() -> None:
    assert reach.UNREACHED_S < 5


@pytest.mark.parametrize(("then", "lines"), [("complete", 0), ("failed", 0), (None, 1)])
def test_a_connection_that_is_made_is_not_told_however_slow_its_answer(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, then: str | None, lines: int
) -> None:
    monkeypatch.setattr(reach, "UNREACHED_S", 0.0)

    async def connect() -> None:
        asking = reach.Asking(reach.Reach("http://127.0.0.1:9", None), time.monotonic() + 180)
        await asking.trace("connection.connect_tcp.started", {})
        if then is not None:
            await asking.trace(f"connection.connect_tcp.{then}", {})
        for _ in range(3):  # the loop's turns, in which a timer that is due has its own
            await asyncio.sleep(0)

    asyncio.run(connect())
    assert len(told(caplog)) == lines


def test_an_outage_after_an_answer_is_told_anew(caplog: pytest.LogCaptureFixture) -> None:
    with Kritai("http://127.0.0.1:9", retry=QUICK) as client:
        for answers in (False, False, True, False):
            if answers:
                client.api._transport._reach.answered()
                continue
            with pytest.raises(Unavailable):
                client.rewards(numbered(1))
    assert len(told(caplog)) == 2


def test_a_first_call_fails_fast_where_that_is_asked_for_whatever_patience_says(
    caplog: pytest.LogCaptureFixture,
) -> None:
    for options in ({"patient": True, "on_failure": "null"}, {}):
        with refusing() as url, Kritai(url, way=Way(first_call_s=0.3)) as client:
            began = time.monotonic()
            with pytest.raises(
                Unavailable, match=r"no connection: Connection refused; .* first_call_s is 0\.3"
            ) as raised:
                client.rewards(numbered(2), timeout_s=120, **options)  # type: ignore[arg-type]
            assert time.monotonic() - began < 30
            assert not raised.value.retryable
            assert url.rpartition("/")[2] not in str(raised.value)


def test_a_connection_that_hangs_is_given_up_as_soon() -> None:
    way, said = Way(first_call_s=0.2, verify=False), r"first_call_s is 0\.2"
    with silent() as url, Kritai(url, way=way) as client, pytest.raises(Unavailable, match=said):
        client.rewards(numbered(1), patient=True, on_failure="null", timeout_s=120)


def test_before_the_first_answer_a_connection_has_no_longer_than_the_call() -> None:
    ends = time.monotonic() + 180
    known = reach.Reach("http://127.0.0.1:9", 3.0)
    assert 0 < reach.Asking(known, ends).connect_s(10.0) <= 3
    assert reach.Asking(reach.Reach("http://127.0.0.1:9", None), ends).connect_s(10.0) == 10
    known.answered()
    assert reach.Asking(known, ends).connect_s(10.0) == 10


def test_after_the_first_answer_an_outage_is_waited_out_as_ever() -> None:
    with serving(rewards) as server:
        url = server.url
        with Kritai(url, way=Way(first_call_s=0.01)) as client:
            assert client.rewards(numbered(1)).flat == [0.0, 0.01]
    with Kritai(url, way=Way(first_call_s=0.01)) as client:
        result = client.rewards(numbered(1), patient=True, on_failure="null", timeout_s=1)
    assert result.flat == [None, None]


def test_a_server_that_refuses_has_been_reached() -> None:
    with serving(lambda request, number: None if number < 2 else rewards(request, number)) as server:
        way = Way(first_call_s=0)
        with Kritai(server.url, way=way, retry=QUICK) as client:
            assert client.rewards(numbered(1)).flat == [0.0, 0.01]


def test_trainers_name_it_in_the_environment_or_in_their_function(monkeypatch: pytest.MonkeyPatch) -> None:
    with refusing() as url:
        way = Way(first_call_s=0.1, headers={"x-mine": "1"})
        reward = pickle.loads(pickle.dumps(kritai_reward(url, way=way)))
        with pytest.raises(Unavailable, match=r"first_call_s is 0\.1"):
            asyncio.run(reward(**BATCH))
        monkeypatch.setenv("KRITAI_FIRST_CALL_S", "0.2")
        monkeypatch.setenv("KRITAI_BASE_URL", url)
        with pytest.raises(Unavailable, match=r"first_call_s is 0\.2"):
            asyncio.run(kritai_reward(url)(**BATCH))
        scoring = compute_score("d", "1", "6", {"question": "p"}, group_size=2, fallback=0.0)
        with pytest.raises(KritaiError, match=r"first_call_s is 0\.2"):
            asyncio.run(scoring)


def test_a_way_of_ones_own_goes_with_a_trainers_function(server: FakeServer) -> None:
    reward = kritai_reward(server.url, way=Way(headers={"x-mine": "1"}))
    assert asyncio.run(reward(**BATCH)) == [1.0, 2.0]
    assert server.received[0].headers["x-mine"] == "1"


def test_a_client_of_ones_own_keeps_its_own_limits_of_time(server: FakeServer) -> None:
    seen: list[dict[str, Any]] = []

    class Noting(httpx.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            seen.append(request.extensions["timeout"])
            return await super().handle_async_request(request)

    def made() -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=Noting(), timeout=httpx.Timeout(7, connect=3))

    with Kritai(server.url, way=Way(http_client=made)) as client:
        client.rewards(numbered(1))
    assert seen == [{"connect": 3, "read": 7, "write": 7, "pool": 7}]
