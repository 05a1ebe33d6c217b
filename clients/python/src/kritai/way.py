"""How a server is reached: the httpx client that is made for it."""

from __future__ import annotations

import functools
import os
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx

CONNECT_S = 10.0
SILENCE_S = 120.0
"""Longest silence while a reply is awaited. For a gathered sample the server is silent for up to 90 s,
else it sends something at least every 10 s."""


@functools.cache
def _tls() -> ssl.SSLContext:
    """Reading the certificates takes some 20 ms, so it is done once a process."""
    return httpx.create_ssl_context()


@dataclass(frozen=True)
class Way:
    """How the server is reached, beside its address.

    headers: sent with every request, a gateway's own key among them.
    proxy: `http://user:password@host:port`; else the environment's HTTPS_PROXY and NO_PROXY.
    verify: a custom ssl.SSLContext (a private authority, a client's certificate); False trusts any server.
    http_client: makes the httpx.AsyncClient, once for each event loop, in place of all these.
    first_call_s: until the server has answered once in this process, a call that cannot reach it raises
        Unavailable after this time, whatever `patient` and `on_failure` say. Default:
        KRITAI_FIRST_CALL_S, else such a call is retried as any other.
    """

    headers: Mapping[str, str] | None = None
    proxy: str | None = None
    verify: ssl.SSLContext | bool = True
    http_client: Callable[[], httpx.AsyncClient] | None = None
    first_call_s: float | None = None

    def client(self, headers: Mapping[str, str], connections_max: int) -> httpx.AsyncClient:
        """A new client, for one event loop; the user's headers override these."""
        sent = {**headers, **{name.lower(): value for name, value in (self.headers or {}).items()}}
        if self.http_client is not None:
            made = self.http_client()
            made.headers.update(sent)
            return made
        return httpx.AsyncClient(
            headers=sent,
            timeout=httpx.Timeout(SILENCE_S, connect=CONNECT_S, pool=None),
            limits=httpx.Limits(max_connections=connections_max, max_keepalive_connections=connections_max),
            proxy=self.proxy,
            verify=_tls() if self.verify is True else self.verify,
            follow_redirects=False,
        )

    @property
    def first_s(self) -> float | None:
        """`first_call_s`, by default the environment's."""
        named = os.environ.get("KRITAI_FIRST_CALL_S")
        return float(named) if self.first_call_s is None and named else self.first_call_s
