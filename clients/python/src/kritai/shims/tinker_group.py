"""tinker-cookbook: `KritaiGroupBuilder(convo_prefix, renderer, num_envs=8)` in the batches of an
RLDataset, in place of its ProblemGroupBuilder or PairwisePreferenceGroupBuilder.

Its environments are the cookbook's own for preferences: one turn, without a reward. When all of a group
have ended their answers are judged together, and the rewards are the group's (`compute_group_rewards`).
`row`: the dataset's row, from which the facts that the spec needs are taken, and only those are sent.
`options`: those of `Kritai.rewards` (`spec`, `run_id`, `step`), and `base_url`, `way`, `fallback`.
Tinker takes numbers only: a missing score raises NoScore, unless `fallback` names a number:
RetryOnFailure and MinViableGroup then leave the group out, and FailFast ends the run. It pickles, as
the cookbook's executors need. Server and key: KRITAI_BASE_URL, KRITAI_API_KEY.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tinker_cookbook.rl.preference_envs import PreferenceEnv
from tinker_cookbook.rl.types import EnvGroupBuilder

from kritai.columns import rollouts_of, share_metrics
from kritai.gather import score_or
from kritai.least_versions import warn_of_old
from kritai.scored_rows import score_rows

warn_of_old("tinker-cookbook")


@dataclass(frozen=True)
class KritaiGroupBuilder(EnvGroupBuilder):
    convo_prefix: list[Any]
    policy_renderer: Any
    num_envs: int
    row: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    async def make_envs(self) -> Sequence[Any]:
        return [PreferenceEnv(self.convo_prefix, self.policy_renderer) for _ in range(self.num_envs)]

    async def compute_group_rewards(
        self, trajectory_group: Any, env_group: Any
    ) -> list[tuple[float, dict[str, float]]]:
        tokens = [[token for turn in each.transitions for token in turn.ac.tokens] for each in trajectory_group]
        rollouts = rollouts_of([[self.policy_renderer.parse_response(ids)[0]] for ids in tokens], tokens)
        columns = {name: [value] * len(rollouts) for name, value in self.row.items()}
        told: Any = {"columns": columns, "framework": "tinker", **self.options}
        scored = await score_rows([self.convo_prefix] * len(rollouts), rollouts, **told)
        rewards = [score_or(scored.fallback, row) for row in scored.rows]
        return list(zip(rewards, map(share_metrics, scored.rows), strict=True))
