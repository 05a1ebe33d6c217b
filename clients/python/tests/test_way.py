"""How the server is reached: headers, a proxy, TLS and a custom client; and that a client leaves
nothing behind, nor has anything that does not pickle."""

from __future__ import annotations

import asyncio
import gc
import os
import pickle
import ssl
import threading
from typing import Any

import httpx
import pytest
from conftest import QUICK, expected, numbered
from fake_server import FakeServer, rewards, serving

from kritai import AsyncKritai, Kritai, Way


def test_headers_of_ones_own_go_with_every_request(server: FakeServer) -> None:
    way = Way(headers={"X-Gateway-Key": "g", "User-Agent": "mine"})
    with Kritai(server.url, "k", way=way) as client:
        client.rewards(numbered(1))
    sent = server.received[0].headers
    assert (sent["x-gateway-key"], sent["user-agent"], sent["authorization"]) == ("g", "mine", "Bearer k")


def test_a_proxy_gets_the_requests_whole(server: FakeServer) -> None:
    with Kritai("http://kritai.invalid", way=Way(proxy=server.url)) as client:
        assert client.rewards(numbered(2)).rewards == expected(2)
    assert server.received[0].path.startswith("http://kritai.invalid/v1/rewards")


def test_tls_and_a_proxy_reach_httpx(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, Any]] = []
    real = httpx.AsyncClient

    def made(**settings: Any) -> httpx.AsyncClient:
        given.append(settings)
        return real(transport=httpx.MockTransport(lambda request: httpx.Response(200, json={})))

    monkeypatch.setattr(httpx, "AsyncClient", made)
    own = ssl.create_default_context()
    for verify in (own, False):
        with Kritai("http://127.0.0.1:9", way=Way(verify=verify), retry=QUICK) as client:
            client.call("GET", "/healthz")
    assert [settings["verify"] for settings in given] == [own, False]


def test_an_httpx_client_of_ones_own_sends_with_the_key(server: FakeServer) -> None:
    made: list[httpx.AsyncClient] = []

    def http_client() -> httpx.AsyncClient:
        made.append(httpx.AsyncClient(headers={"x-mine": "1"}))
        return made[-1]

    with Kritai(server.url, "k", way=Way(http_client=http_client)) as client:
        client.rewards(numbered(1))
        client.rewards(numbered(1))
    assert len(made) == 1
    assert made[0].is_closed
    assert [(each.headers["x-mine"], each.headers["authorization"]) for each in server.received] == [
        ("1", "Bearer k")
    ] * 2


def test_a_client_pickles_before_and_after_use(server: FakeServer) -> None:
    with Kritai(server.url, "k") as client:
        fresh = pickle.loads(pickle.dumps(client))
        client.rewards(numbered(1))
        used = pickle.loads(pickle.dumps(client))
    for copy in (fresh, used):
        with copy:
            assert copy.rewards(numbered(2)).rewards == expected(2)
    assert {each.headers["authorization"] for each in server.received} == {"Bearer k"}

    async def use() -> Any:
        async with AsyncKritai(server.url) as own:
            await own.rewards(numbered(1))
            return pickle.loads(pickle.dumps(own))

    copied = asyncio.run(use())
    assert asyncio.run(copied.rewards(numbered(1))).rewards == expected(1)


def test_a_client_that_is_dropped_ends_its_thread_and_its_handles() -> None:
    with serving(rewards) as server:
        for _ in range(3):
            before = set(threading.enumerate())
            client = Kritai(server.url)
            client.rewards(numbered(1))
            [thread] = [one for one in set(threading.enumerate()) - before if one.name == "kritai"]
            handles = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 3
            del client
            gc.collect()
            thread.join(60)
            assert not thread.is_alive()
            gc.collect()
            if os.path.isdir("/proc/self/fd"):
                assert len(os.listdir("/proc/self/fd")) <= handles - 3
