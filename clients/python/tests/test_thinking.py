"""The text that drop_thinking takes away and the text it leaves."""

from __future__ import annotations

import pytest
from conftest import numbered
from fake_server import rewards, serving

from kritai import Group, Kritai, RetryPolicy, Unavailable, drop_thinking


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>long</think>answer", "<think></think>answer"),
        ("from the template</think>answer", "</think>answer"),
        ("no tags", "no tags"),
        ("<think>never closed", "<think>"),
        ("before<think>a</think>between<think>b</think>after", "before<think></think>between<think></think>after"),
        ("<think>a<think>b</think>c", "<think><think></think>c"),
        ("<think>a</think>b</think>c", "<think></think>b</think>c"),
        ("", ""),
        ("[THINK]long[/THINK]answer", "[THINK][/THINK]answer"),
        ("<thinking>long</thinking>answer", "<thinking></thinking>answer"),
        ("<THINK>long</THINK>answer", "<THINK></THINK>answer"),
        ("<thinking>sloppy</think>answer", "<thinking></think>answer"),
        ("<|channel>thought\nlong<channel|>answer", "<|channel><channel|>answer"),
        (
            "<|channel|>analysis<|message|>long<|end|><|start|>assistant<|channel|>commentary<|message|>more"
            "<|end|><|start|>assistant<|channel|>final<|message|>answer",
            "<|channel|>analysis<|channel|>final<|message|>answer",
        ),
        ("analysisWe must think. <think>assistantfinalanswer", "analysisassistantfinalanswer"),
        ("from the template</thinking>answer</THINK>", "</thinking>answer</THINK>"),
        ("<think>a [THINK] word</thinking></think>b", "<think></think>b"),
        ("List<Think> state[THINK]", "List<Think> state[THINK]"),
        ("[THINK]never closed", "[THINK]"),
    ],
)
def test_think_blocks_are_emptied_and_every_tag_is_kept(text: str, left: str) -> None:
    assert drop_thinking(text) == left
    assert drop_thinking(left) == left


def test_what_is_sent_has_no_thinking_and_what_the_caller_holds_is_untouched() -> None:
    groups: list[Group] = [{"prompt": "<think>kept</think>", "rollouts": [{"text": "0", "length_tokens": 9}]}]
    groups[0]["rollouts"] = [{"text": "<think>" + "x" * 1000 + "</think>1", "length_tokens": 9}]
    with serving(lambda request, number: None) as server:
        client = Kritai(server.url, retry=RetryPolicy(retries_max=0))
        with pytest.raises(Unavailable, match="connection_lost"):
            client.rewards(groups, drop_thinking=True)
    sent = server.received[0].json["groups"][0]
    assert sent["rollouts"] == [{"text": "<think></think>1", "length_tokens": 9}]
    assert sent["prompt"] == "<think>kept</think>"
    assert len(groups[0]["rollouts"][0]["text"]) > 1000


def test_thinking_is_sent_unless_it_is_to_be_dropped() -> None:
    with serving(rewards) as server:
        Kritai(server.url).rewards(numbered(1))
    assert server.received[0].json["groups"][0]["rollouts"][0]["text"] == "0.0"
