"""Reports a server that cannot be reached, and limits how long a first call keeps trying."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from kritai.errors import KritaiError, Unavailable

UNREACHED_S = 4.0
"""Seconds after which a missing connection is reported, though it is still tried."""

CONNECT_S_MIN = 1.0
"""Minimum connection timeout, enough over a long distance."""

NO_CONNECTION = "connection_failed"

_log = logging.getLogger("kritai")
_answered: set[str] = set()
"""The addresses that have answered in this process, with whatever reply."""


class Reach:
    """The reachability of one server, over all calls of a client. An unreachable server is reported in
    one line, again only after it has answered."""

    def __init__(self, base_url: str, first_call_s: float | None) -> None:
        parts = urlsplit(base_url)
        # Neither a password nor a path, which may hold a key.
        self._address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self._first_call_s = first_call_s
        self._told = False

    @property
    def first_call_s(self) -> float | None:
        """How long a call asks for a server that never answered; None: as for any other."""
        return None if self._address in _answered else self._first_call_s

    def answered(self) -> None:
        self._told = False
        _answered.add(self._address)

    def tell(self, reason: str, until_s: float) -> None:
        if not self._told:
            self._told = True
            _log.warning("cannot reach %s: %s; retrying for at most %.0f s", self._address, reason, until_s)


class Asking:
    """One call, from its first try to its `deadline` (time.monotonic)."""

    def __init__(self, reach: Reach, deadline: float) -> None:
        self.deadline = deadline
        self._reach = reach
        self._began = time.monotonic()
        self._connecting: asyncio.TimerHandle | None = None

    @property
    def _until_s(self) -> float:
        first_s, left_s = self._reach.first_call_s, self.deadline - self._began
        return left_s if first_s is None else min(first_s, left_s)

    def connect_s(self, most_s: float) -> float:
        """The timeout of a connection attempt."""
        if self._reach.first_call_s is None:
            return most_s
        return min(most_s, max(CONNECT_S_MIN, self._began + self._until_s - time.monotonic()))

    async def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Receives httpx's events of a request's connection; reports the server when no connection is
        made in time."""
        if self._connecting is not None:
            self._connecting.cancel()
            self._connecting = None
        if event.endswith(("connect_tcp.started", "start_tls.started")):
            said = (f"no connection within {UNREACHED_S:g} s", self._until_s)
            self._connecting = asyncio.get_running_loop().call_later(UNREACHED_S, self._reach.tell, *said)

    def answered(self) -> None:
        self._reach.answered()

    def asks_again(self, error: KritaiError, at: float) -> None:
        """Called before a wait until `at`: reports that the server cannot be reached. Raises where the
        first call has to fail sooner."""
        if error.code != NO_CONNECTION:
            return
        if self._reach.first_call_s is not None and at >= self._began + self._until_s:
            raise self.final(error) from None
        self._reach.tell(error.problem.detail.removeprefix("no connection: "), self._until_s)

    def final(self, error: KritaiError) -> KritaiError:
        """The error with which the call ends. For a first call that has to fail fast it is not
        retryable, so that no caller takes it for an outage."""
        first_s = self._reach.first_call_s
        if error.code != NO_CONNECTION or first_s is None:
            return error
        detail = f"{error.problem.detail}; no call has had an answer yet, and first_call_s is {first_s:g}"
        return Unavailable(replace(error.problem, detail=detail, retryable=False))
