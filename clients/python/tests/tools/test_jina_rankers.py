"""The rankers of Haystack and LlamaIndex for Jina's API, against the running stack."""

from __future__ import annotations

import pytest
from haystack import Document
from haystack.utils import Secret
from haystack_integrations.components.rankers.jina import JinaRanker
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.postprocessor.jinaai_rerank import JinaRerank
from tool_stack import ToolStack

DOCUMENTS = ["short", "the longest of the three", "in between"]
BEST_FIRST = [DOCUMENTS[at] for at in (1, 2, 0)]


def haystack_ranker(stack: ToolStack) -> JinaRanker:
    key = Secret.from_token(stack.key)
    return JinaRanker(model="default", api_key=key, base_url=f"{stack.url}/v1/rerank")


def llama_ranker(stack: ToolStack, top_n: int = 3) -> JinaRerank:
    return JinaRerank(model="default", api_key=stack.key, base_url=f"{stack.url}/v1", top_n=top_n)


def nodes(texts: list[str]) -> list[NodeWithScore]:
    return [NodeWithScore(node=TextNode(text=text)) for text in texts]


def test_haystacks_ranker_orders_and_scores(stack: ToolStack) -> None:
    documents = [Document(content=text) for text in DOCUMENTS]
    ranked = haystack_ranker(stack).run(query="haystack", documents=documents)["documents"]
    assert [document.content for document in ranked] == BEST_FIRST
    assert [document.score for document in ranked] == [1.0, 0.5, 0.0]
    best = haystack_ranker(stack).run(query="haystack", documents=documents, top_k=1)["documents"]
    assert [document.content for document in best] == BEST_FIRST[:1]


def test_llamaindexs_ranker_orders_and_scores(stack: ToolStack) -> None:
    ranked = llama_ranker(stack, 2).postprocess_nodes(nodes(DOCUMENTS), QueryBundle("llama"))
    assert [(node.text, node.score) for node in ranked] == list(zip(BEST_FIRST, [1.0, 0.5], strict=False))


def test_one_document_is_a_ranking_and_both_raise_our_reason_when_there_is_no_order(stack: ToolStack) -> None:
    alone = haystack_ranker(stack).run(query="one", documents=[Document(content="alone")])["documents"]
    assert [(document.content, document.score) for document in alone] == [("alone", 1.0)]
    stack.verifier.refuse(502, 1000)
    with pytest.raises(RuntimeError, match="verifier"):
        haystack_ranker(stack).run(query="down", documents=[Document(content=text) for text in DOCUMENTS])
    with pytest.raises(RuntimeError, match="verifier"):
        llama_ranker(stack).postprocess_nodes(nodes(DOCUMENTS), QueryBundle("down"))
