"""A verifier that answers or refuses as a test says: an OpenAI-compatible server on loopback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from fake_server import Received, Reply, serving

CANDIDATE = re.compile(r"\[CANDIDATE_([A-Z])\]\n(`{3,})[^\n`]*\n([\s\S]*?)\n\2\n\[/CANDIDATE_\1\]")
BEYOND_DEADLINE_S = 900
"""A Retry-After that is longer than any deadline: Kritai refuses the request at once and passes it on."""


@dataclass
class ScriptedVerifier:
    """Prefers the longest candidate, so that a right order is known."""

    url: str = ""
    status: int = 200
    refusals: int = 0
    about: str = ""
    retry_after_s: int = BEYOND_DEADLINE_S

    def refuse(self, status: int, times: int, about: str = "", retry_after_s: int = BEYOND_DEADLINE_S) -> None:
        """Refuses the next `times` questions that hold the text `about`, with a Retry-After of
        `retry_after_s`."""
        self.status, self.refusals, self.about, self.retry_after_s = status, times, about, retry_after_s

    def answer(self, request: Received, number: int) -> Reply:
        if request.method == "GET":
            return Reply(body={"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        question = request.json["messages"][-1]["content"]
        if self.refusals > 0 and self.about in question:
            self.refusals -= 1
            refusal = {"error": {"message": "scripted", "code": self.status}}
            return Reply(self.status, refusal, {"retry-after": str(self.retry_after_s)})
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
