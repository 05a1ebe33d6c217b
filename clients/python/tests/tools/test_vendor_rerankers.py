"""The clients of Voyage, Pinecone and Mixedbread, and rerankers over each of them, against the
running stack: what they read, how they send their key, and what they raise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mixedbread
import pinecone
import pytest
import voyageai
from rerankers.models.api_rankers import APIRanker
from tool_stack import ToolStack

DOCUMENTS = ["short", "the longest of the three", "in between"]
ORDER, SCORES = [1, 2, 0], [1.0, 0.5, 0.0]

Rows = list[tuple[int, float]]


def voyage(stack: ToolStack, query: str, documents: list[str], key: str) -> Rows:
    client = voyageai.Client(api_key=key, base_url=f"{stack.url}/voyage/v1")
    results = client.rerank(query, documents, model="rerank-2.5").results
    assert [result.document for result in results] == [documents[result.index] for result in results]
    return [(result.index, result.relevance_score) for result in results]


def pine(stack: ToolStack, query: str, documents: list[str], key: str) -> Rows:
    client = pinecone.Pinecone(
        api_key=key, host=f"{stack.url}/pinecone", retry_config=pinecone.RetryConfig(max_retries=0)
    )
    ranked = client.inference.rerank(model="bge-reranker-v2-m3", query=query, documents=documents)
    assert ranked.usage.rerank_units == 1
    assert [one.document for one in ranked.data] == [{"text": documents[one.index]} for one in ranked.data]
    return [(one.index, one.score) for one in ranked.data]


def bread(stack: ToolStack, query: str, documents: list[str], key: str) -> Rows:
    client = mixedbread.Mixedbread(api_key=key, base_url=f"{stack.url}/mixedbread", max_retries=0)
    ranked = client.rerank(query=query, input=documents, return_input=True)
    assert [one.input for one in ranked.data] == [documents[one.index] for one in ranked.data]
    return [(one.index, one.score) for one in ranked.data]


@dataclass
class Tool:
    """A client, and the names of what it raises: of a request at fault, of a key that is none, of a
    verifier that is away."""

    rank: Callable[[ToolStack, str, list[str], str], Rows]
    fault: str
    unauthorized: str
    unavailable: str


TOOLS = {
    "voyage": Tool(voyage, "InvalidRequestError", "AuthenticationError", "ServiceUnavailableError"),
    "pinecone": Tool(pine, "ApiError", "UnauthorizedError", "ServiceError"),
    "mixedbread": Tool(bread, "BadRequestError", "AuthenticationError", "InternalServerError"),
}


@pytest.fixture(params=list(TOOLS))
def tool(request: pytest.FixtureRequest) -> Tool:
    return TOOLS[request.param]


def test_it_reads_the_order_the_scores_and_the_documents(tool: Tool, stack: ToolStack) -> None:
    assert tool.rank(stack, "plain", DOCUMENTS, stack.key) == list(zip(ORDER, SCORES, strict=True))


@pytest.mark.usefixtures("waits")
def test_it_raises_its_own_classes(tool: Tool, stack: ToolStack) -> None:
    def raised(query: str, key: str) -> str:
        with pytest.raises(Exception, match=r".") as caught:
            tool.rank(stack, query, DOCUMENTS, key)
        return type(caught.value).__name__

    assert raised("long" * 100_000, stack.key) == tool.fault
    assert raised("key", "no-such-key") == tool.unauthorized
    stack.verifier.refuse(502, 1000)
    assert raised("away", stack.key) == tool.unavailable


@pytest.mark.parametrize(
    ("provider", "path"),
    [
        ("voyage", "/voyage/v1/rerank"),
        ("pinecone", "/pinecone/rerank"),
        ("mixedbread.ai", "/mixedbread/v1/reranking"),
        ("cohere", "/v1/rerank"),
        ("jina", "/v1/rerank"),
        ("text-embeddings-inference", "/rerank"),
    ],
)
def test_rerankers_ranks_through_each_of_its_providers(stack: ToolStack, provider: str, path: str) -> None:
    ranker = APIRanker("default", stack.key, provider, url=f"{stack.url}{path}")
    ranked = ranker.rank(provider, DOCUMENTS).results
    assert [(one.document.text, one.score) for one in ranked] == [
        (DOCUMENTS[at], score) for at, score in zip(ORDER, SCORES, strict=True)
    ]
