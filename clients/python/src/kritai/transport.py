"""Owns one request's way: the retry loop, deadlines, keys, and the reading of replies. Knows no
route."""

from __future__ import annotations

import asyncio
import email.utils
import functools
import json
import os
import random
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import httpx

from kritai.errors import (
    RETRIED_STATUSES,
    STILL_UNDER_WAY,
    BadReply,
    DeadlineExceeded,
    InvalidRequest,
    KritaiError,
    Problem,
    Unavailable,
    error_of_reply,
)
from kritai.reply_fields import Fields, Reply

T = TypeVar("T")

CONNECT_S = 10.0
SILENCE_S = 120.0
"""Longest silence while a reply is awaited. Of a gathered sample the server says nothing for up to
90 s, else something at least every 10 s."""
HELD_S = 5.0
"""A call that failed after so long was served, and let go or cut: its reply has begun by then and
can tell no `Retry-After`."""


@dataclass(frozen=True)
class RetryPolicy:
    """Full jitter: attempt k waits a random share of min(cap_s, base_s * 2^k); after `Retry-After`
    at least that long."""

    retries_max: int = 6
    base_s: float = 0.5
    cap_s: float = 20.0

    def wait_s(self, tries: int, retry_after_s: float | None, share: float) -> float:
        """Seconds to wait after `tries` failures before this one. `share` is random in [0, 1)."""
        if retry_after_s is not None:
            return retry_after_s + share * self.base_s
        return share * float(min(self.cap_s, self.base_s * 2.0 ** min(tries, 64)))


def retry_after_s(value: str | None, now: float) -> float | None:
    """`Retry-After` as seconds from `now` (Unix time): a number, or a date; None when absent or
    neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - now
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds) if seconds < float("inf") else None


@functools.cache
def _tls() -> ssl.SSLContext:
    """Reading the certificates takes some 20 ms, so it is done once a process."""
    return httpx.create_ssl_context()


@dataclass(frozen=True)
class Way:
    """How the server is reached, beside its address.

    headers: sent with every request, a gateway's own key among them.
    proxy: `http://user:password@host:port`; else the environment's HTTPS_PROXY and NO_PROXY.
    verify: an ssl.SSLContext of one's own (a private authority, a client's certificate); False trusts
        whoever answers.
    http_client: makes the httpx.AsyncClient, once for each event loop, in place of all these.
    """

    headers: Mapping[str, str] | None = None
    proxy: str | None = None
    verify: ssl.SSLContext | bool = True
    http_client: Callable[[], httpx.AsyncClient] | None = None


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
        url = base_url or os.environ.get("KRITAI_BASE_URL", "")
        if not url.startswith(("http://", "https://")):
            raise ValueError("base_url (or KRITAI_BASE_URL) must be an http:// or https:// URL")
        key = (api_key or os.environ.get("KRITAI_API_KEY", "")).strip()
        if not (key.isascii() and key.isprintable()):
            raise ValueError("api_key (or KRITAI_API_KEY) holds characters that no header can carry")
        self._base_url = url.rstrip("/")
        self._headers = {"user-agent": "kritai-python/0.1.0"}
        if key:
            self._headers["authorization"] = f"Bearer {key}"
        self._way = way or Way()
        self._headers |= {name.lower(): value for name, value in (self._way.headers or {}).items()}
        self._retry = retry
        self._limits = httpx.Limits(max_connections=connections_max, max_keepalive_connections=connections_max)
        self._sleep = sleep
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: httpx.AsyncClient | None = None

    def _http(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            timeout = httpx.Timeout(SILENCE_S, connect=CONNECT_S, pool=None)
            way = self._way
            if way.http_client is not None:
                self._client = way.http_client()
                self._client.headers.update(self._headers)
            else:
                self._client = httpx.AsyncClient(
                    headers=self._headers,
                    timeout=timeout,
                    limits=self._limits,
                    proxy=way.proxy,
                    verify=_tls() if way.verify is True else way.verify,
                    follow_redirects=False,
                )
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

        async def attempt() -> Any:
            async with self.opened(method, path, body, idempotency_key, "application/json", prefer) as response:
                content = await response.aread()
            return _parsed(content, response.headers.get("x-request-id"))

        return await self.retrying(deadline, attempt, patient)

    async def retrying(self, deadline: float, attempt: Callable[[], Awaitable[T]], patient: bool = False) -> T:
        """The one retry loop. Of a patient call only failures that come at once lengthen the
        pauses."""
        tries = 0
        while True:
            began = time.monotonic()
            try:
                return await within(deadline, attempt())
            except KritaiError as error:
                if patient and time.monotonic() - began >= HELD_S:
                    tries = 0
                await self.pause_before_retry(error, tries, deadline, patient)
            tries += 1

    async def pause_before_retry(self, error: KritaiError, tries: int, deadline: float, patient: bool = False) -> None:
        """Waits before the next attempt, or raises `error` when there is none: not retryable, too
        many, or too late.

        Work that is still under way on the server has not failed, so waiting for it has no bound
        but the deadline.
        """
        again = error.retryable and (error.status is None or error.status in RETRIED_STATUSES)
        too_many = tries >= self._retry.retries_max and error.status != STILL_UNDER_WAY and not patient
        if not again or isinstance(error, DeadlineExceeded) or too_many:
            raise error
        wait_s = self._retry.wait_s(tries, error.problem.retry_after_s, random.random())
        if time.monotonic() + wait_s >= deadline:
            raise error
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
    ) -> AsyncIterator[httpx.Response]:
        """One attempt: the 2xx reply, open for reading. What goes wrong, then or while it is read,
        is raised as a KritaiError."""
        headers = {"accept": accept}
        if body is not None:
            headers["content-type"] = "application/json"
        if idempotency_key is not None:
            headers["idempotency-key"] = idempotency_key
        if prefer is not None:
            headers["prefer"] = prefer
        try:
            request = self._http().build_request(method, self._base_url + path, content=body, headers=headers)
            response = await self._http().send(request, stream=True)
            try:
                if not response.is_success:
                    await _raise_for(response)
                yield response
            finally:
                await response.aclose()
        except httpx.HTTPError as fault:
            raise _transport_error(fault) from None


async def within(deadline: float, work: Awaitable[T]) -> T:
    """`work`, cancelled at the deadline."""
    try:
        return await asyncio.wait_for(work, max(0.0, deadline - time.monotonic()))
    except asyncio.TimeoutError:
        detail = "timeout_s of the call passed before there was an answer"
        raise DeadlineExceeded(Problem("client_deadline", detail, retryable=True)) from None


async def _raise_for(response: httpx.Response) -> NoReturn:
    content = await response.aread()
    wait_s = retry_after_s(response.headers.get("retry-after"), time.time())
    raise error_of_reply(response.status_code, content, response.headers.get("x-request-id"), wait_s)


def _transport_error(fault: httpx.HTTPError) -> KritaiError:
    """Names the class only, except where no connection was made: other texts may quote headers."""
    kind = type(fault).__name__
    if isinstance(fault, (httpx.ConnectError, httpx.ConnectTimeout)):
        return Unavailable(Problem("connection_failed", f"no connection: {fault or kind}", retryable=True))
    if isinstance(fault, (httpx.LocalProtocolError, httpx.UnsupportedProtocol)):
        return InvalidRequest(Problem("invalid_request", f"the request cannot be sent ({kind})"))
    if isinstance(fault, httpx.TransportError):
        detail = f"the connection was lost before the reply was whole ({kind})"
        return Unavailable(Problem("connection_lost", detail, retryable=True))
    return BadReply(Problem("bad_reply", f"the reply cannot be read ({kind})"))


def _parsed(content: bytes, request_id: str | None) -> Any:
    """JSON, with white space before it as slow replies have it. NaN and Infinity are no JSON."""
    try:
        reply = json.loads(content, parse_constant=_refuse_constant, object_hook=Fields)
        return Reply(reply, request_id) if isinstance(reply, dict) else reply
    except ValueError:
        detail = "the reply is not JSON, or was cut"
        raise BadReply(Problem("bad_reply", detail, status=200, request_id=request_id)) from None


def parsed_line(line: str) -> dict[str, Any]:
    """A line of an NDJSON stream."""
    event = _parsed(line.encode(), None)
    if not isinstance(event, dict):
        raise BadReply(Problem("bad_reply", "a line of the stream is no object", status=200))
    return event


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
