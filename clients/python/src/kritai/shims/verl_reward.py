"""verl: `reward.custom_reward_function.path=pkg://kritai.shims.verl_reward`, `.name=compute_score`
(`compute_score_batch` for the legacy batch manager),
`+reward.custom_reward_function.reward_kwargs.group_size=8` (the rollouts of a prompt),
`reward.reward_manager.name=naive`.

verl does not pass the prompt: it must be in `extra_info["question"]` (another key: reward_kwargs'
    `prompt_key`). `compute_score` gets one
sample a call and gathers the group in its process, so it needs `reward.num_workers=1`. Both return
a dict with constant keys; its validation shows `acc`, the share of comparisons won, of a spec that
compares nothing the reward within 0 to 1. verl takes numbers only: reward_kwargs' `fallback` is the one
to give, flagged `kritai_failed`, for a missing score; without it NoScore is raised.
Validation (`extra_info["split"]` other than train) gathers `val_group_size` samples of a prompt,
`val_kwargs.n`; by default 1, sent at once: a spec that compares nothing scores it, one that compares has no
score for it. `+..reward_kwargs.components=[tests,quality]` adds
    `kritai_tests` and `kritai_quality` for `algorithm.gdpo_reward_keys`; a component without a value
    is the fallback too, or raises. Facts that the spec needs (a reference, test cases, a row) are taken
from `ground_truth` and `extra_info`, and only those are sent. Further reward_kwargs: `spec`,
`run_id`, `window_s`, `timeout_s` (180: how long it asks again). A group's step in the run log is the one that verl logs, where its rollout
servers state the version of their weights (`extra_info["global_steps"]`). Server and key: KRITAI_BASE_URL, KRITAI_API_KEY.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from kritai.gather import components_or, score_or, share_or, shared_gather, shared_rows
from kritai.reply_types import RolloutResult
from kritai.validation import group_size
from kritai.verl_row import options_of, prompt_named, step_of, verl_stated


def scored(row: RolloutResult, given: Mapping[str, Any], fallback: float | None) -> dict[str, float]:
    flags = {"kritai_failed": float(row["reward"] is None), "kritai_malformed": float(row["format_ok"] is False)}
    share = {"acc": share_or(fallback, row), "kritai_wins": float(row["wins"])}
    told = {"score": score_or(fallback, row), **share, **flags}
    return told | components_or(fallback, row, given.get("components", ()))


async def compute_score(
    data_source: Any, solution_str: str, ground_truth: Any, extra_info: Any = None, **given: Any
) -> dict[str, float]:
    options = options_of(given, "window_s")
    size = group_size(given, extra_info)
    prompt, told = prompt_named(extra_info, given), verl_stated(data_source, ground_truth, extra_info)
    answer = shared_gather(size, **options).submit(prompt, solution_str, stated=told, step=step_of(extra_info))
    return scored(await asyncio.wrap_future(answer), given, given.get("fallback"))


def compute_score_batch(
    data_sources: Any, solution_strs: Any, ground_truths: Any, extra_infos: Any, **given: Any
) -> list[dict[str, float]]:
    prompts = [prompt_named(info, given) for info in extra_infos]
    told = [verl_stated(*row) for row in zip(data_sources, ground_truths, extra_infos, strict=True)]
    rows = shared_rows(prompts, solution_strs, told, **options_of(given, "deadline_ms"))
    return [scored(row, given, given.get("fallback")) for row in rows]
