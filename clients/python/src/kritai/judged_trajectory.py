"""Rubrics over actions and observations: a trajectory is judged when it is done."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Any

from kritai.agent_turns import messages_of_steps, turn_rewards
from kritai.gather import environment_gather, score_or
from kritai.reply_types import RolloutResult


class JudgedTrajectory:
    """Before OpenEnv's TrajectoryRubric, whose `forward` it makes one that is awaited."""

    task: Any
    intermediate_reward: float
    _trajectory: list[tuple[Any, Any]]
    _result: RolloutResult | None = None

    def _submit(self, trajectory: Sequence[tuple[Any, Any]]) -> Any:
        prompt = self.task(trajectory) if callable(self.task) else self.task
        size = int(os.environ.get("KRITAI_GROUP_SIZE", "1"))
        return environment_gather(size, "openenv").submit(prompt, messages_of_steps(trajectory))

    def _number(self) -> float:
        assert self._result is not None
        declared = os.environ.get("KRITAI_FALLBACK")
        return score_or(None if declared is None else float(declared), self._result)

    async def forward(self, action: Any, observation: Any) -> float:
        self._trajectory.append((action, observation))
        if not getattr(observation, "done", False):
            return self.intermediate_reward
        self._result = await asyncio.wrap_future(self._submit(self._trajectory))
        return self._number()

    def score_trajectory(self, trajectory: Sequence[tuple[Any, Any]]) -> float:
        """For whoever holds a whole trajectory; blocks until its group is judged."""
        self._result = self._submit(trajectory).result()
        return self._number()

    def compute_step_rewards(self) -> list[float]:
        """One a step of a trajectory that was judged."""
        if self._result is None:
            return [self.intermediate_reward] * len(self._trajectory)
        turns = turn_rewards(self._result, messages_of_steps(self._trajectory))
        last = [self.intermediate_reward] * (len(self._trajectory) - 1) + [self._number()]
        return last if turns is None else turns

    def reset(self) -> None:
        self._trajectory, self._result = [], None
