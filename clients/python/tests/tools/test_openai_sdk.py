"""OpenAI's Python SDK against the running stack as a judge: whole and streamed verdicts, errors,
retries, sync and async."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import openai
import pytest
from tool_stack import Statuses, ToolStack

IMPATIENT = {"deadline_ms": 20_000}
"""Kritai gives up on an engine that asks for more, and the SDK asks again after what the engine said: it
waits for no more than a minute."""


def asked(question: str, candidates: tuple[str, ...] = ("short", "a longer one")) -> Any:
    return [{"role": "user", "content": json.dumps({"question": question, "candidates": candidates})}]


@pytest.fixture
def client(stack: ToolStack, statuses: Statuses) -> openai.OpenAI:
    return openai.OpenAI(api_key=stack.key, base_url=f"{stack.url}/v1", http_client=statuses.client())


def test_it_reads_a_verdict_whole_and_streamed(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(model="default", messages=asked("whole"))
    assert (whole.choices[0].message.content, whole.choices[0].finish_reason) == ("\\boxed{B}", "stop")
    assert (whole.usage.prompt_tokens, whole.usage.total_tokens) == (5, 8)
    options: Any = {"stream": True, "stream_options": {"include_usage": True}}
    chunks = list(client.chat.completions.create(model="default", messages=asked("streamed"), **options))
    deltas = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(deltas) == "\\boxed{B}"
    assert chunks[-1].usage.total_tokens == 8


def test_the_async_client_reads_the_same(stack: ToolStack) -> None:
    async def judged() -> list[str]:
        async with openai.AsyncOpenAI(api_key=stack.key, base_url=f"{stack.url}/v1") as client:
            whole = await client.chat.completions.create(model="default", messages=asked("async"))
            stream = await client.chat.completions.create(model="default", messages=asked("async"), stream=True)
            deltas = [chunk.choices[0].delta.content or "" async for chunk in stream]
            return [whole.choices[0].message.content, "".join(deltas)]

    assert asyncio.run(judged()) == ["\\boxed{B}", "\\boxed{B}"]


def test_it_lists_the_models(client: openai.OpenAI) -> None:
    assert "default" in [model.id for model in client.models.list()]


@pytest.mark.parametrize(("refusal", "told"), [(429, 429), (502, 503)], ids=["429", "503"])
def test_it_waits_as_long_as_retry_after_says_and_gets_its_verdict(
    client: openai.OpenAI,
    stack: ToolStack,
    statuses: Statuses,
    waits: list[float],
    refusal: int,
    told: int,
) -> None:
    stack.verifier.refuse(refusal, 2, retry_after_s=31)
    reply = client.chat.completions.create(model="default", messages=asked(f"retried {told}"), extra_query=IMPATIENT)
    assert reply.choices[0].message.content == "\\boxed{B}"
    assert statuses.seen == [told, told, 200]
    assert waits == [31.0, 31.0]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.usefixtures("waits")
def test_a_verifier_that_stays_away_is_an_error_and_never_a_verdict(
    client: openai.OpenAI, stack: ToolStack, statuses: Statuses, stream: bool
) -> None:
    stack.verifier.refuse(502, 1000, retry_after_s=31)
    with pytest.raises(openai.InternalServerError) as caught:
        client.chat.completions.create(model="default", messages=asked("lost"), stream=stream, extra_query=IMPATIENT)
    assert (caught.value.status_code, caught.value.code) == (503, "verifier_unavailable")
    assert statuses.seen == [503, 503, 503]


def test_a_fault_that_asking_again_cannot_mend_is_its_own_class_at_once(
    client: openai.OpenAI, statuses: Statuses
) -> None:
    with pytest.raises(openai.NotFoundError):
        client.chat.completions.create(model="no-such-model", messages=asked("model"))
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="default", messages=[{"role": "user", "content": "Rate this."}])
    assert caught.value.request_id
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="no-such-key").chat.completions.create(model="default", messages=asked("key"))
    assert statuses.seen == [404, 400, 401]
