"""What verl's row becomes, and that what is missing of it is said in plain words."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kritai.shims import verl_gathered, verl_reward
from kritai.verl_row import verl_body

CHAT = [{"role": "user", "content": "q"}]


@pytest.mark.parametrize(
    ("prompt", "kept"),
    [("a template", True), (CHAT, True), (5, False), ([{"role": "user"}], False), ([], False), ([["q"]], False)],
)
def test_a_rows_own_prompt_stays_beside_the_question_where_it_can_be_one(prompt: Any, kept: bool) -> None:
    body = verl_body("d", "a", "6", {"question": "q", "prompt": prompt, "index": 3}, "question", told=True)
    row = {"question": "q", "index": 3}
    assert body["extra_info"] == ({**row, "prompt": prompt} if kept else row)
    assert verl_body("d", "a", "6", {"question": "q", "prompt": prompt}, "question", told=False)["extra_info"] == {
        "question": "q"
    }


def test_a_prompt_under_another_key_is_the_question_too() -> None:
    body = verl_body("d", "a", "6", {"prompt": CHAT}, "prompt", told=True)
    assert body["extra_info"] == {"question": CHAT, "prompt": CHAT}


@pytest.mark.parametrize("extra_info", [{"index": 1, "split": "train"}, {"question": None}, {}, None])
@pytest.mark.parametrize("shim", [verl_reward, verl_gathered])
def test_a_row_without_its_prompt_is_told_where_it_must_be(shim: Any, extra_info: Any) -> None:
    with pytest.raises(ValueError, match=r"extra_info has no 'question'.*prompt_key"):
        asyncio.run(shim.compute_score("d", "a", "6", extra_info, group_size=8))


def test_a_group_size_that_is_not_named_is_told_by_its_name() -> None:
    with pytest.raises(ValueError, match=r"reward_kwargs\.group_size is missing"):
        asyncio.run(verl_reward.compute_score("d", "a", "6", {"question": "q"}))
