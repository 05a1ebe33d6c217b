"""Environments that are stepped with a policy's texts: the whole conversation is judged when it is
done."""

from __future__ import annotations

import os
from typing import Any

from kritai.agent_turns import turn_rewards
from kritai.gather import environment_gather, score_or
from kritai.serial_steps import refuse_batched
from kritai.stated_facts import Stated
from kritai.validation import environment_result, environment_size


class JudgedSteps:
    """Before an environment class of SkyRL's: steps on as that does, and gives in the place of its rewards
    0.0 until it is done, then the verifier's over all of it."""

    def __init__(self, env_config: Any = None, extras: Any = None, **more: Any) -> None:
        refuse_batched()
        made: Any = super()
        made.__init__(env_config, extras, **more)
        self._row, self._asked = extras, None
        self._said: list[dict[str, Any]] = []

    def init(self, prompt: Any) -> tuple[Any, dict[str, Any]]:
        begun: Any = super()
        self._asked, told = begun.init(prompt)
        self._said = []
        return self._asked, told

    def step(self, action: str) -> Any:
        stepping: Any = super()
        step = stepping.step(action)
        self._said.append({"role": "assistant", "content": action})
        metadata = {**(step.get("metadata") or {}), "env_reward": float(step["reward"])}
        if not step["done"]:
            self._said += [dict(each) for each in step["observations"]]
            return {**step, "reward": 0.0, "metadata": metadata}
        said, self._said = self._said, []
        declared = os.environ.get("KRITAI_FALLBACK")
        result, fallback = environment_result(self._row, self._asked, said, declared)
        told = {"kritai_failed": float(result["reward"] is None), "kritai_wins": result["wins"]}
        turns = turn_rewards(result, said)
        by_turn = {} if turns is None else {"kritai_turn_rewards": turns}
        return {**step, "reward": score_or(fallback, result), "metadata": {**metadata, **told, **by_turn}}

    def close(self) -> None:
        """A run that was cut before it was done takes its place in its group, which would wait for it."""
        if self._said and (size := environment_size(self._row)) > 1:
            environment_gather(size, "skyrl").submit(self._asked, self._said, stated=Stated.of_row(self._row))
        closing: Any = super()
        closing.close()
