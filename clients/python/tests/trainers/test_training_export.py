"""A run's pairs and positives are datasets that TRL's DPO and SFT trainers take, by the real
`datasets` and TRL's own reading of them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from stack import running_stack

from kritai import Group, Kritai

SPEC: Any = {
    "signals": {"right": {"kind": "number", "field": "right", "range": [0, 1]}},
    "candidate": {"extract": "whole"},
    "log_texts": True,
}
RUN = [
    {"role": "assistant", "content": "I look.", "tool_calls": [{"type": "function", "function": {"name": "ls"}}]},
    {"role": "assistant", "content": "4"},
]


def groups() -> list[Group]:
    texts: Any = [{"text": f"{n}", "numbers": {"right": n / 4}} for n in range(4)]
    runs: Any = [{"messages": RUN, "numbers": {"right": 1}}, *texts]
    chat: Any = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "2 + 2"}]
    return [{"prompt": "2 + 2", "rollouts": texts}, {"prompt": chat, "rollouts": runs}]


def exported(url: str, table: Any, **query: Any) -> list[dict[str, Any]]:
    with Kritai(url) as client:
        until = time.monotonic() + 300
        while len(list(client.log.export("r", "groups"))) < 2:  # stored behind the reply
            assert time.monotonic() < until
            time.sleep(0.05)
        return list(client.log.export("r", table, **query))


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with running_stack(tmp_path_factory.mktemp("data")) as address:
        with Kritai(address) as client:
            client.rewards(groups(), run_id="r", step=0, spec=SPEC)
        yield address


def test_pairs_are_a_preference_dataset_through_json_lines_and_parquet(url: str, tmp_path: Path) -> None:
    from datasets import Dataset, load_dataset
    from trl.data_utils import is_conversational

    rows = exported(url, "pairs", per_group=2)
    dataset = Dataset.from_list(rows)
    assert {"prompt", "chosen", "rejected", "score_chosen", "score_rejected"} <= set(dataset.column_names)
    assert all(is_conversational(row) for row in dataset)
    assert [row["chosen"][-1]["content"] for row in dataset] == ["3", "2", "4", "3"]
    assert [row["rejected"][-1]["content"] for row in dataset] == ["0", "1", "0", "1"]
    assert rows[2]["chosen"] == RUN
    dataset.to_parquet(tmp_path / "pairs.parquet")
    dataset.to_json(tmp_path / "pairs.jsonl")
    for builder, name in (("parquet", "pairs.parquet"), ("json", "pairs.jsonl")):
        back = load_dataset(builder, data_files=str(tmp_path / name), split="train", cache_dir=str(tmp_path / builder))
        assert back["score_chosen"][:] == dataset["score_chosen"][:]


def test_positives_as_texts_are_a_prompt_and_a_completion(url: str) -> None:
    from datasets import Dataset
    from trl.data_utils import is_conversational

    rows = exported(url, "positives", form="text", least=0.5, per_group=9)
    dataset = Dataset.from_list(rows)
    assert [(row["prompt"], row["completion"], row["score"]) for row in dataset] == [
        ("2 + 2", "3", 0.75),
        ("2 + 2", "2", 0.5),
    ]
    assert not any(is_conversational(row) for row in dataset)
