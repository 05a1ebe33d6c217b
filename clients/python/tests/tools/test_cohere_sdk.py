"""Cohere's Python SDK, v1 and v2, sync and async, against the running stack: what it reads, raises
and repeats."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import cohere
import cohere.errors
import pytest
from tool_stack import Statuses, ToolStack

DOCUMENTS = ["short", "the longest of the three", "in between"]
ORDER, SCORES = [1, 2, 0], [1.0, 0.5, 0.0]

Rank = Callable[..., Any]


@pytest.fixture(
    params=[
        (cohere.Client, "1"),
        (cohere.ClientV2, "2"),
        (cohere.AsyncClient, "1"),
        (cohere.AsyncClientV2, "2"),
    ],
    ids=["v1", "v2", "async v1", "async v2"],
)
def sdk(request: pytest.FixtureRequest) -> tuple[type, str]:
    kind: tuple[type, str] = request.param
    return kind


@pytest.fixture
def rank(sdk: tuple[type, str], stack: ToolStack, statuses: Statuses) -> Rank:
    """A rerank through the flavour of the SDK, waited for."""
    kind = sdk[0]

    def call(query: str, documents: Any = DOCUMENTS, *, key: str = stack.key, **more: Any) -> Any:
        if not kind.__name__.startswith("Async"):
            client = kind(key, base_url=stack.url, httpx_client=statuses.client())
            return client.rerank(model="default", query=query, documents=documents, **more)

        async def scored() -> Any:
            async with statuses.async_client() as http:
                client = kind(key, base_url=stack.url, httpx_client=http)
                return await client.rerank(model="default", query=query, documents=documents, **more)

        return asyncio.run(scored())

    return call


def test_it_reads_the_order_the_scores_and_the_tokens(rank: Rank, sdk: tuple[type, str]) -> None:
    reply = rank("plain")
    assert [result.index for result in reply.results] == ORDER
    assert [result.relevance_score for result in reply.results] == SCORES
    assert (reply.meta.api_version.version, reply.meta.tokens.input_tokens) == (sdk[1], 15)
    assert len(reply.id) == 26
    assert [result.index for result in rank("best of n", top_n=1).results] == [1]


@pytest.mark.parametrize(("refusal", "told"), [(429, 429), (502, 503)], ids=["429", "503"])
def test_it_waits_as_long_as_retry_after_says_and_gets_its_scores(
    rank: Rank, stack: ToolStack, statuses: Statuses, waits: list[float], refusal: int, told: int
) -> None:
    stack.verifier.refuse(refusal, 2)
    reply = rank(f"retried {told}", DOCUMENTS[:2])
    assert [result.index for result in reply.results] == [1, 0]
    assert statuses.seen == [told, told, 200]
    # The engine asked for 900 s; the SDK waits a minute at most.
    assert waits == [60.0, 60.0]


@pytest.mark.parametrize(
    ("refusal", "error", "code"),
    [
        (429, cohere.errors.TooManyRequestsError, "verifier_overloaded"),
        (502, cohere.errors.ServiceUnavailableError, "verifier_unavailable"),
    ],
    ids=["429", "503"],
)
@pytest.mark.usefixtures("waits")
def test_a_failure_that_outlasts_its_three_tries_is_its_own_class_with_our_code(
    rank: Rank, stack: ToolStack, statuses: Statuses, refusal: int, error: type[Exception], code: str
) -> None:
    stack.verifier.refuse(refusal, 1000)
    with pytest.raises(error) as caught:
        rank(f"failed {code}")
    body: Any = caught.value.body  # type: ignore[attr-defined]
    assert (body["code"], body["retryable"]) == (code, True)
    assert body["message"]
    assert len(statuses.seen) == 3


def test_a_fault_that_asking_again_cannot_mend_is_its_own_class_at_once(
    rank: Rank, stack: ToolStack, statuses: Statuses
) -> None:
    with pytest.raises(cohere.errors.BadRequestError) as caught:
        rank("none", [])
    assert caught.value.headers["x-request-id"] == caught.value.body["request_id"]
    with pytest.raises(cohere.errors.UnauthorizedError):
        rank("key", key="no-such-key")
    stack.verifier.refuse(400, 1000)
    with pytest.raises(cohere.errors.UnprocessableEntityError):
        rank("rejected")
    assert statuses.seen == [400, 401, 422]


def test_v1_reads_documents_that_are_objects(stack: ToolStack) -> None:
    documents = [{"title": f"t{at}", "text": text} for at, text in enumerate(DOCUMENTS)]
    client = cohere.Client(stack.key, base_url=stack.url)
    reply = client.rerank(query="objects", documents=documents, return_documents=True)
    assert [result.document.text for result in reply.results] == [DOCUMENTS[at] for at in ORDER]
