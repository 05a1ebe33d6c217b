"""Atropos: `class MyEnv(KritaiEnv)` in place of `BaseEnv`, whose `collect_trajectory` returns tokens,
masks and `messages` of one rollout, with any `scores`.

When all of an item's rollouts are there they are judged together, and `scores` are their rewards. An
environment with a custom `collect_trajectories` or `score` ends it with
`await scored_group(group, item, **options)`. The item, where it is a mapping, states the facts that the
spec needs, and only those are sent. `kritai_options`, of the class: those of `Kritai.rewards` (`spec`,
`run_id`; `step` is the environment's `curr_step`), `base_url`, `way`, `fallback`. Atropos takes numbers
only: a missing score raises NoScore, unless `fallback` names a number. Atropos logs whatever is raised
here ("Error in collect_trajectories") and leaves the group out, a wrong key or spec too. Server and
key: KRITAI_BASE_URL, KRITAI_API_KEY.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from atroposlib.envs.base import BaseEnv

from kritai.columns import rollouts_of
from kritai.gather import score_or
from kritai.least_versions import warn_of_old
from kritai.scored_rows import same_prompt, score_rows

warn_of_old("atroposlib")


async def scored_group(group: Any, item: Any = None, **options: Any) -> Any:
    prompts, texts = same_prompt(group.get("messages"), len(group["tokens"]))
    ids = [[at for at in mask if at != -100] for mask in group["masks"]]
    row = item if isinstance(item, Mapping) else {}
    columns = {name: [value] * len(texts) for name, value in row.items()}
    scored = await score_rows(prompts, rollouts_of(texts, ids), columns=columns, framework="atropos", **options)
    return {**group, "scores": [score_or(scored.fallback, row) for row in scored.rows]}


class KritaiEnv(BaseEnv):
    kritai_options: ClassVar[dict[str, Any]] = {}

    async def collect_trajectories(self, item: Any) -> tuple[Any, list[Any]]:
        group, backlog = await super().collect_trajectories(item)
        return await scored_group(group, item, **{"step": self.curr_step, **self.kritai_options}), backlog
