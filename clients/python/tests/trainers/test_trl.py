"""A real GRPOTrainer run on the CPU: a tiny random model, rewards from the running stack, equal to
the run log row by row."""

from __future__ import annotations

import hashlib
import json
import math
import struct
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scalar_server import scalar_model
from scripted_verifier import scripted_verifier
from stack import database_variables, logged_groups, running_stack, stored_rows
from tiny_policy import PROGRAMS, PROMPTS, model, tokenizer

from kritai import Kritai
from kritai.shims.trl_reward import kritai_rewards

STEPS = 5
GENERATIONS = 4


def train(url: str, run_id: str, folder: Path, components: Sequence[str | None] = (None,), **options: Any) -> Any:
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    config = GRPOConfig(
        output_dir=str(folder),
        max_steps=STEPS,
        per_device_train_batch_size=2 * GENERATIONS,
        num_generations=GENERATIONS,
        max_completion_length=1,
        logging_steps=1,
        log_completions=True,
        multi_objective_aggregation="sum_then_normalize" if None in components else "normalize_then_sum",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
        seed=1,
    )
    words = tokenizer()
    trainer = GRPOTrainer(
        model=model(len(words)),
        reward_funcs=kritai_rewards(components, url, run_id=run_id, language="python", **options),
        args=config,
        train_dataset=Dataset.from_dict({"prompt": PROMPTS}),
        processing_class=words,
    )
    trainer.train()
    return trainer


def trained_and_stored(
    folder: Path, spec: dict[str, Any] | None = None, **variables: str
) -> tuple[Any, list[dict[str, Any]], list[dict[str, Any]]]:
    """A run's log history, its rows as the trainer logged them, and as Postgres holds them, which
    is what the run log's API tells."""
    import pandas

    run_id = f"trl-{uuid.uuid4()}"
    with running_stack(folder / "data", **database_variables(), **variables) as url:
        options: dict[str, Any] = {} if spec is None else {"spec": spec}
        trainer = train(url, run_id, folder, **options)
        with Kritai(url) as client:
            told = logged_groups(client, run_id, STEPS * len(PROMPTS))
    stored = stored_rows(run_id, folder / "data")
    assert [reward for row in told for reward in row["rewards"]] == [row["reward"] for row in stored]
    tables = [pandas.read_parquet(path) for path in sorted((folder / "completions").glob("*.parquet"))]
    history = [entry for entry in trainer.state.log_history if "rewards/kritai/mean" in entry]
    return history, [row for step, table in enumerate(tables) for row in rows_of_table(step, table)], stored


def test_the_rewards_that_a_grpo_run_logs_are_those_in_postgres_row_by_row(tmp_path: Path) -> None:
    history, trained, stored = trained_and_stored(tmp_path)
    assert len(trained) == STEPS * 2 * GENERATIONS
    assert [{**row, "reward": in_32_bits(row["reward"])} for row in stored] == trained
    assert len({row["reward"] for row in trained} - {None}) > 2
    assert len(history) == STEPS
    for step, entry in enumerate(history):
        rewards = [row["reward"] for row in stored if row["step"] == step]
        assert entry["rewards/kritai/mean"] == pytest.approx(sum(rewards) / len(rewards))
        assert entry["kritai/no_score"] == 0


def test_what_the_verifier_refused_is_null_in_postgres_and_left_out_by_the_trainer(tmp_path: Path) -> None:
    with scripted_verifier() as verifier:
        verifier.refuse(400, 10_000, about="times 3")
        history, trained, stored = trained_and_stored(tmp_path, VERIFIER_URL=verifier.url, VERIFIER_MODEL="scripted")
    assert [{**row, "reward": in_32_bits(row["reward"])} for row in stored] == trained
    refused = [row for row in trained if row["error"] is not None]
    assert refused
    assert {(row["prompt_hash"], row["reward"], row["error"]) for row in refused} == {
        (sha256(json.dumps(PROMPTS[1])), None, "verifier_rejected")
    }
    for step, entry in enumerate(history):
        rewards = [row["reward"] for row in trained if row["step"] == step]
        known = [reward for reward in rewards if reward is not None]
        assert entry["rewards/kritai/mean"] == pytest.approx(sum(known) / len(known))
        assert entry["kritai/no_score"] == pytest.approx(1 - len(known) / len(rewards))


def test_a_scalar_model_gives_the_rewards_of_a_grpo_run(tmp_path: Path) -> None:
    spec = {"candidate": {"extract": "whole"}, "signals": {"rm": {"kind": "scalar", "squash": "sigmoid"}}}
    with scalar_model() as (url, score):
        variables = {"VERIFIER_URL": url, "VERIFIER_PROTOCOL": "scalar", "VERIFIER_API": "vllm-classify"}
        history, trained, stored = trained_and_stored(tmp_path, spec, VERIFIER_MODEL="rm", **variables)
        assert len(trained) == STEPS * 2 * GENERATIONS
        assert [{**row, "reward": in_32_bits(row["reward"])} for row in stored] == trained
        texts = {sha256(program): program for program in PROGRAMS}
        prompts = {sha256(json.dumps(prompt)): prompt for prompt in PROMPTS}
        known = [row for row in stored if row["text_hash"] in texts]
        assert len(known) > STEPS
        for row in known:
            number = score(f"{prompts[row['prompt_hash']]}\n\n{texts[row['text_hash']]}")
            assert row["reward"] == pytest.approx(1 / (1 + math.exp(-number)), abs=1e-9)
    assert len({row["reward"] for row in known}) > 2
    assert all(entry["kritai/no_score"] == 0 for entry in history)


THREE: dict[str, dict[str, Any]] = {"quality": {"kind": "tournament"}, "best": {"kind": "tournament", "score": "top1"}}
THREE |= {"shape": {"kind": "format", "rules": ["has_candidate"], "penalty": 1}}


def test_three_components_are_normalised_each_by_itself_as_the_run_log_has_them(tmp_path: Path) -> None:
    import pandas

    run_id = f"trl-{uuid.uuid4()}"
    with running_stack(tmp_path / "data", **database_variables()) as url:
        trainer = train(url, run_id, tmp_path, tuple(THREE), spec={"signals": THREE})
        with Kritai(url) as client:
            groups = logged_groups(client, run_id, STEPS * len(PROMPTS))
            values = {
                (row["group_id"], row["rollout_index"], row["signal"]): row["value"]
                for row in client.log.export(run_id, table="signals")
            }
    # One request a step, whatever the number of functions.
    assert [row["step"] for row in groups] == [step for step in range(STEPS) for _ in PROMPTS]
    tables = [pandas.read_parquet(path) for path in sorted((tmp_path / "completions").glob("*.parquet"))]
    for step, table in enumerate(tables):
        ids = [row["id"] for row in groups if row["step"] == step]
        for name in THREE:
            logged = [values[group, at, name] for group in ids for at in range(GENERATIONS)]
            assert list(in_order(table)[name]) == [in_32_bits(value) for value in logged]
        assert list(table["advantage"]) == pytest.approx(normalised_then_summed(table, list(THREE)), abs=1e-4)
    means = [entry for entry in trainer.state.log_history if "rewards/quality/mean" in entry]
    assert len(means) == STEPS
    assert {name for name in THREE if f"rewards/{name}/mean" in means[0]} == set(THREE)


def in_order(table: Any) -> Any:
    """A step's rows, prompts in the order of the batch, each with its completions."""
    places = {prompt: at for at, prompt in enumerate(dict.fromkeys(table["prompt"]))}
    return table.assign(place=table["prompt"].map(places)).sort_values("place", kind="stable")


def normalised_then_summed(table: Any, names: list[str]) -> list[float]:
    """GDPO (arXiv 2601.05242): each component by its group's mean and deviation, their sum by the
    batch's; deviations of the sample, plus 1e-4."""
    total = sum(
        (table[name] - table.groupby("prompt")[name].transform("mean"))
        / (table.groupby("prompt")[name].transform("std") + 1e-4)
        for name in names
    )
    return list((total - total.mean()) / (total.std() + 1e-4))


def in_32_bits(number: float | None) -> float | None:
    """As a trainer's tensor keeps it."""
    return None if number is None else struct.unpack("f", struct.pack("f", number))[0]


def none_of_nan(value: Any) -> Any:
    """A table's columns keep None as NaN."""
    return None if value != value else value


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def rows_of_table(step: int, table: Any) -> list[dict[str, Any]]:
    """The rows of a step in the trainer's table, in the form of the database: prompts in the order of
    the batch, each with its completions.

    The table counts steps from 1; `global_step`, which is sent, counts from 0.
    """
    assert list(table["step"]) == [step + 1] * len(table)
    rows = [
        {
            "step": step,
            "prompt_hash": sha256(json.dumps(row["prompt"])),
            "text_hash": sha256(row["completion"]),
            "length_tokens": 1,
            "reward": none_of_nan(row["kritai"]),
            "error": none_of_nan(row["kritai_error"]),
        }
        for row in table.to_dict("records")
    ]
    prompts = list(dict.fromkeys(row["prompt_hash"] for row in rows))
    return sorted(rows, key=lambda row: prompts.index(row["prompt_hash"]))
