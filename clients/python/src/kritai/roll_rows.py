"""Reads what ROLL passes to a reward worker, and scores it."""

from __future__ import annotations

import os
from typing import Any

from kritai.default_run import shared_run
from kritai.gather import gathered_score, score_or
from kritai.request_types import Rollout
from kritai.scored_rows import score_rows
from kritai.stated_facts import plain

OWN = frozenset(("domain", "id", "rollout_id", "tag"))
"""Columns that ROLL itself writes next to a dataset's, or reads to choose a worker."""


async def rewards_of(data: Any, tokenizer: Any) -> list[float]:
    """The rewards of a call's samples: several of one prompt as a group; a single sample by the
    server's gathering, when the others of its group come by separate calls. Raises NoScore where one is
    missing and KRITAI_FALLBACK names no number."""
    env = os.environ
    timeout_s = float(env.get("KRITAI_TIMEOUT_S", "600"))
    fallback = float(env["KRITAI_FALLBACK"]) if "KRITAI_FALLBACK" in env else None
    prompts, texts = (
        tokenizer.batch_decode(data.batch[name], skip_special_tokens=True) for name in ("prompts", "responses")
    )
    step = plain(data.meta_info.get("global_step"))
    columns = {
        name: [plain(value) for value in column] for name, column in data.non_tensor_batch.items() if name not in OWN
    }
    options: dict[str, Any] = {"spec": env.get("KRITAI_SPEC", "default"), "run_id": shared_run("roll")}
    if len(texts) == 1:
        row = {name: column[0] for name, column in columns.items()}
        told = {**options, "log_step": step}
        size = int(env.get("KRITAI_GROUP_SIZE", "1"))
        return [await gathered_score(prompts[0], texts[0], row, size, timeout_s, fallback, told)]
    lengths = data.batch["attention_mask"][:, -data.batch["responses"].shape[-1] :].sum(dim=-1).tolist()
    rollouts: list[Rollout] = [
        {"text": text, "length_tokens": int(length)} for text, length in zip(texts, lengths, strict=True)
    ]
    given: dict[str, Any] = {"columns": columns, "step": step, "timeout_s": timeout_s, "framework": "roll", **options}
    scored = await score_rows(prompts, rollouts, **given)
    return [score_or(fallback, row) for row in scored.rows]
