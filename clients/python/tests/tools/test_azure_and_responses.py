"""OpenAI's Python SDK as the Responses API's client and as Azure's, against the running stack."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from tool_stack import ToolStack

QUESTION = json.dumps({"question": "q", "candidates": ["short", "a longer one"]})


@pytest.fixture(params=["openai", "azure", "azure v1"])
def client(request: pytest.FixtureRequest, stack: ToolStack) -> openai.OpenAI:
    if request.param == "azure":
        return openai.AzureOpenAI(api_key=stack.key, azure_endpoint=stack.url, api_version="2026-01-01", max_retries=0)
    base = "/v1" if request.param == "openai" else "/openai/v1"
    return openai.OpenAI(api_key=stack.key, base_url=f"{stack.url}{base}", max_retries=0)


def test_a_response_is_read_whole_and_streamed(client: openai.OpenAI) -> None:
    whole = client.responses.create(model="default", input=QUESTION, instructions="Be fair.")
    assert (whole.output_text, whole.status, whole.usage and whole.usage.total_tokens) == ("\\boxed{B}", "completed", 8)
    asked: Any = [{"role": "user", "content": [{"type": "input_text", "text": QUESTION}]}]
    with client.responses.stream(model="default", input=asked) as stream:
        deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
        assert stream.get_final_response().output_text == "\\boxed{B}"
    assert deltas == ["\\boxed{B}"]


def test_a_chat_and_the_models_are_read(client: openai.OpenAI) -> None:
    messages: Any = [{"role": "user", "content": QUESTION}]
    reply = client.chat.completions.create(model="default", messages=messages)
    assert reply.choices[0].message.content == "\\boxed{B}"
    assert "default" in [model.id for model in client.models.list()]


def test_a_failure_is_its_own_class_and_never_a_verdict(client: openai.OpenAI, stack: ToolStack) -> None:
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="no-such-model", input=QUESTION)
    with pytest.raises(openai.BadRequestError) as caught:
        client.responses.create(model="default", input="Rate this.")
    assert caught.value.param == "input"
    stack.verifier.refuse(502, 1000)
    for stream in (False, True):
        with pytest.raises(openai.InternalServerError) as down:
            client.responses.create(model="default", input=QUESTION, stream=stream)
        assert down.value.code == "verifier_unavailable"
