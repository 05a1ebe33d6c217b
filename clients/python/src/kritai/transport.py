"""One request's way: the retry loop, deadlines and keys."""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx

from kritai.errors import RETRIED_STATUSES, STILL_UNDER_WAY, DeadlineExceeded, KritaiError, Problem
from kritai.reach import Asking, Reach
from kritai.reading import parsed, raise_for, transport_error
from kritai.retry_policy import RetryPolicy
from kritai.way import CONNECT_S, Way

T = TypeVar("T")

HELD_S = 5.0
"""A call that failed after so long was served, and let go or cut: its reply has begun by then and
can tell no `Retry-After`."""


_ROUTE = re.compile(r"(?<=[^/:])(/+v1(/(rewards|verdicts|specs|runs|batches|groups|models))?)?/*$")


def server_address(url: str) -> str:
    """The server's own address: without the path of a route, which other vendors' clients are given (`/v1`)."""
    said = url.strip()
    while (bare := _ROUTE.sub("", said, count=1)) != said:
        said = bare
    return said


class Transport:
    """Sends requests to one server. Connections belong to the event loop that runs; a new loop gets
    new ones."""

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        *,
        retry: RetryPolicy,
        connections_max: int,
        way: Way | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        url = server_address(base_url or os.environ.get("KRITAI_BASE_URL", ""))
        if not url.startswith(("http://", "https://")):
            there = "has neither http:// nor https:// in front" if url else "is not set"
            raise ValueError(f"base_url (or KRITAI_BASE_URL) {there}; an example: http://127.0.0.1:8787")
        key = (api_key or os.environ.get("KRITAI_API_KEY", "")).strip()
        if not (key.isascii() and key.isprintable()):
            raise ValueError("api_key (or KRITAI_API_KEY) holds characters that no header can carry")
        self._base_url = url
        self._headers = {"user-agent": "kritai-python/0.1.0"}
        if key:
            self._headers["authorization"] = f"Bearer {key}"
        self._way = way or Way()
        self._reach = Reach(url, self._way.first_s)
        self._retry = retry
        self._connections_max = connections_max
        self._sleep = sleep
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: httpx.AsyncClient | None = None

    def _http(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client = self._way.client(self._headers, self._connections_max)
            self._loop = loop
        return self._client

    def __getstate__(self) -> dict[str, Any]:
        """Pickles also after use: connections belong to this process, and are left out."""
        return {**self.__dict__, "_client": None, "_loop": None}

    async def aclose(self) -> None:
        if self._client is not None and self._loop is asyncio.get_running_loop():
            await self._client.aclose()
        self._client = None

    async def json(
        self,
        method: str,
        path: str,
        deadline: float,
        body: bytes | None = None,
        idempotency_key: str | None = None,
        *,
        prefer: str | None = None,
        patient: bool = False,
    ) -> Any:
        """The reply's JSON, after as many retries as the policy and the deadline (on
        time.monotonic) allow; `patient`: the deadline alone.

        Raises KritaiError.
        """

        asking = self.asking(deadline)

        async def attempt() -> Any:
            opened = self.opened(method, path, body, idempotency_key, "application/json", prefer, asking)
            async with opened as response:
                content = await response.aread()
            return parsed(content, response.headers.get("x-request-id"))

        return await self.retrying(asking, attempt, patient)

    def asking(self, deadline: float) -> Asking:
        """A call that begins now."""
        return Asking(self._reach, deadline)

    async def retrying(self, asking: Asking, attempt: Callable[[], Awaitable[T]], patient: bool = False) -> T:
        """The one retry loop. Of a patient call only failures that come at once lengthen the
        pauses."""
        tries = 0
        while True:
            began = time.monotonic()
            try:
                return await within(asking.deadline, attempt())
            except KritaiError as error:
                if patient and time.monotonic() - began >= HELD_S:
                    tries = 0
                await self.pause_before_retry(error, tries, asking, patient)
            tries += 1

    async def pause_before_retry(self, error: KritaiError, tries: int, asking: Asking, patient: bool = False) -> None:
        """Waits before the next attempt, or raises `error` when there is none: not retryable, too
        many, or too late.

        Work that is still under way on the server has not failed, so waiting for it has no bound
        but the deadline.
        """
        again = error.retryable and (error.status is None or error.status in RETRIED_STATUSES)
        too_many = tries >= self._retry.retries_max and error.status != STILL_UNDER_WAY and not patient
        if not again or isinstance(error, DeadlineExceeded) or too_many:
            raise asking.final(error)
        wait_s = self._retry.wait_s(tries, error.problem.retry_after_s, random.random())
        if time.monotonic() + wait_s >= asking.deadline:
            raise asking.final(error)
        asking.asks_again(error, time.monotonic() + wait_s)
        await self._sleep(wait_s)

    async def pause(self, tries: int, deadline: float) -> bool:
        """Waits as after `tries` failures; False, at once, when that would be too late."""
        wait_s = self._retry.base_s / 2 + self._retry.wait_s(tries, None, random.random())
        if time.monotonic() + wait_s >= deadline:
            return False
        await self._sleep(wait_s)
        return True

    @asynccontextmanager
    async def opened(
        self,
        method: str,
        path: str,
        body: bytes | None,
        idempotency_key: str | None,
        accept: str,
        prefer: str | None = None,
        asking: Asking | None = None,
    ) -> AsyncIterator[httpx.Response]:
        """One attempt, of a call that may ask again: the 2xx reply, open for reading. What goes wrong, then
        or while it is read, is raised as a KritaiError."""
        headers = {"accept": accept}
        if body is not None:
            headers["content-type"] = "application/json"
        if idempotency_key is not None:
            headers["idempotency-key"] = idempotency_key
        if prefer is not None:
            headers["prefer"] = prefer
        http = self._http()
        told: dict[str, Any] = {}
        if asking is not None:
            limits = http.timeout.as_dict()
            limits["connect"] = asking.connect_s(limits["connect"] or CONNECT_S)
            told = {"extensions": {"trace": asking.trace, "timeout": limits}}
        try:
            request = http.build_request(method, self._base_url + path, content=body, headers=headers, **told)
            response = await http.send(request, stream=True)
            self._reach.answered()
            try:
                if not response.is_success:
                    await raise_for(response)
                yield response
            finally:
                await response.aclose()
        except httpx.HTTPError as fault:
            raise transport_error(fault) from None


async def within(deadline: float, work: Awaitable[T]) -> T:
    """`work`, cancelled at the deadline."""
    try:
        return await asyncio.wait_for(work, max(0.0, deadline - time.monotonic()))
    except asyncio.TimeoutError:
        detail = "timeout_s of the call passed before there was an answer"
        raise DeadlineExceeded(Problem("client_deadline", detail, retryable=True)) from None
