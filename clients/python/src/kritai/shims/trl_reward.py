"""TRL: `GRPOTrainer(reward_funcs=[kritai_reward("http://host:8787", run_id="grpo-1")], ...)`.

The function is async and pickles. It posts the whole batch, gives None where there is no score (TRL
then leaves the row out), and feeds log_metric and log_extra when TRL gives them. The key comes from
KRITAI_API_KEY, so that it is not pickled. Needs whole groups
in a process: a per-device batch that is a multiple of num_generations. A dataset column `pass_rate`
    is sent as label. What is wrong
with the request itself (key, spec) raises and stops the training. Options: those of
`Kritai.rewards`, and `language`.
"""

import functools
from collections.abc import Callable, Coroutine
from typing import Any

from kritai.columns import rollouts_of
from kritai.scored_rows import score_rows

Reward = Callable[..., Coroutine[Any, Any, list[float | None]]]


async def kritai(options: dict[str, Any], /, prompts: Any, completions: Any, **given: Any) -> list[float | None]:
    rollouts = rollouts_of(completions, given.get("completion_ids"), given.get("pass_rate"))
    scored = await score_rows(prompts, rollouts, trainer_state=given.get("trainer_state"), **options)
    scored.feed(given.get("log_metric"), given.get("log_extra"))
    return scored.rewards


def kritai_reward(base_url: str | None = None, **options: Any) -> Reward:
    reward = functools.partial(kritai, {"base_url": base_url, **options})
    reward.__name__ = "kritai"  # type: ignore[attr-defined]
    return reward
