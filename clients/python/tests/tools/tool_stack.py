"""The real stack as other vendors' clients meet it: behind a key, over a scripted verifier; and the
statuses that they receive."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from scripted_verifier import ScriptedVerifier, scripted_verifier
from stack import running_stack

KEY = "the-key-of-the-tools"


@dataclass
class ToolStack:
    url: str
    key: str
    verifier: ScriptedVerifier


@contextmanager
def tool_stack(data_dir: Path) -> Iterator[ToolStack]:
    digest = hashlib.sha256(KEY.encode()).hexdigest()
    with scripted_verifier() as verifier:
        variables = {"VERIFIER_URL": verifier.url, "VERIFIER_MODEL": "scripted", "API_KEYS": f"tools:{digest}"}
        with running_stack(data_dir, **variables) as url:
            yield ToolStack(url, KEY, verifier)


@dataclass
class Statuses:
    """httpx clients that keep the status of each reply: how often a tool asked, and with what
    result."""

    seen: list[int] = field(default_factory=list)

    def client(self) -> httpx.Client:
        return httpx.Client(event_hooks={"response": [lambda reply: self.seen.append(reply.status_code)]})

    def async_client(self) -> httpx.AsyncClient:
        async def keep(reply: httpx.Response) -> None:
            self.seen.append(reply.status_code)

        return httpx.AsyncClient(event_hooks={"response": [keep]})
