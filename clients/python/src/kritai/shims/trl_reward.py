"""TRL: `GRPOTrainer(reward_funcs=[kritai_reward("http://host:8787", run_id="grpo-1")], ...)`.

The function is async and pickles. It posts the whole batch, gives None for a missing score, and feeds
log_metric and log_extra when TRL gives them. TRL leaves a row without a score out from 1.6 on; an older
one would take it for 0.0, so that NoScore is raised there, unless `fallback=` names the number to give.
The key comes from KRITAI_API_KEY, so that it is not pickled.

A group must not be scored in parts. Of several processes each may hold a part of one, so there name
`num_generations=8` (a part then raises; `(8, 2)` where evaluation has 2), or `gather=True`: the rows of
all processes are scored together, by the first one. A dataset column `pass_rate` is sent as label.
Facts that the spec needs (a reference, test cases, a row) are taken from the dataset's columns, and
only those are sent: the right answer from `label_column`, else from the first there is of `reference`,
`ground_truth`, `expected_answer`, `answer`, `solution`, `label`, `target`.
`kritai_rewards(["tests", "quality"], ..)` gives one function for each component (a signal of the spec,
or `base`, `format`, `overlong`), named as it, for `multi_objective_aggregation="normalize_then_sum"`; a
batch is one request all the same. A fault in the request itself (key, spec) raises and stops the
training. Options: those of `Kritai.rewards`, `language`, `label_column`, and `drift_probe=20`: every 20
steps a few groups of the first steps are sent again (`kritai.DriftProbe`).
"""

import functools
from collections.abc import Sequence
from typing import Any

from kritai.columns import rollouts_of
from kritai.missing_rewards import trl_takes_zero
from kritai.named_reward import NamedReward
from kritai.scored_rows import score_rows
from kritai.shared_call import SharedCall
from kritai.shim_options import shim_options


async def kritai(
    options: dict[str, Any], shared: SharedCall, name: str | None, /, prompts: Any, completions: Any, **given: Any
) -> list[float | None]:
    rollouts = rollouts_of(completions, given.get("completion_ids"), given.get("pass_rate"))
    told = {"trainer_state": given.get("trainer_state"), "columns": given, "tool": trl_takes_zero(), **options}
    score = functools.partial(score_rows, prompts, rollouts, **told)
    scored = await shared.scored(completions, score)
    if name == shared.takers[0]:
        scored.feed(given.get("log_metric"), given.get("log_extra"))
    return scored.component(name)


def kritai_rewards(components: Sequence[str | None], base_url: str | None = None, **options: Any) -> list[NamedReward]:
    shared = SharedCall(tuple(components))
    bound = ({"base_url": base_url, **shim_options(options, "trl")}, shared)
    return [NamedReward(name or "kritai", kritai, *bound, name) for name in shared.takers]


def kritai_reward(base_url: str | None = None, **options: Any) -> NamedReward:
    return kritai_rewards([None], base_url, **options)[0]
