"""Owns a verifier that answers or refuses as a test says: an OpenAI-compatible server on loopback.
Knows no tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fake_server import Received, Reply, serving

CANDIDATE = re.compile(r"\[CANDIDATE_([A-Z])\]\n(`{3,})[^\n`]*\n([\s\S]*?)\n\2\n\[/CANDIDATE_\1\]")
BEYOND_PATIENCE = {"retry-after": "900"}
"""Kritai asks a failing verifier again until the deadline; one that may only be asked after it is
told to the client at once."""


@dataclass
class ScriptedVerifier:
    """Prefers the longest candidate, so that a right order is known."""

    url: str = ""
    status: int = 200
    refusals: int = 0
    about: str = ""

    def refuse(self, status: int, times: int, about: str = "") -> None:
        """From here on the next `times` questions that hold the text `about` are refused."""
        self.status, self.refusals, self.about = status, times, about

    def answer(self, request: Received, number: int) -> Reply:
        if request.method == "GET":
            return Reply(body={"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        question = request.json["messages"][-1]["content"]
        if self.refusals > 0 and self.about in question:
            self.refusals -= 1
            return Reply(self.status, {"error": {"message": "scripted", "code": self.status}}, dict(BEYOND_PATIENCE))
        shown = CANDIDATE.findall(question)
        letter = max(shown, key=lambda candidate: len(candidate[2]))[0]
        message = {"role": "assistant", "content": f"\\boxed{{{letter}}}"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return Reply(body={"id": "x", "choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 3}})


@contextmanager
def scripted_verifier() -> Iterator[ScriptedVerifier]:
    verifier = ScriptedVerifier()
    with serving(verifier.answer) as server:
        verifier.url = server.url
        yield verifier
