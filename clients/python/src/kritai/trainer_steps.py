"""The step of trainers that hand none to a reward function: where they keep it."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from typing import Any

_version: ContextVar[int | None] = ContextVar("kritai_engine_version", default=None)


def slime_rollout() -> int | None:
    """Which of the run's rollouts is under way, as the process that asks for rewards keeps it since 0.3;
    a sample's own `rollout_id` is another thing."""
    kept = getattr(sys.modules.get("slime.rollout.sample_hooks"), "_current_rollout_id", None)
    return kept if isinstance(kept, int) and kept >= 0 else None


def engine_step() -> dict[str, int]:
    """The option that names the version of the episode under way in a workflow of `VersionedEpisodes`;
    none elsewhere."""
    version = _version.get()
    return {} if version is None else {"log_step": version}


class VersionedEpisodes:
    """Beside AReaL's workflow: keeps the version of the engine's weights as each episode begins."""

    async def arun_episode(self, engine: Any, data: Any) -> Any:
        version = getattr(engine, "get_version", None)
        _version.set(None if version is None else version())
        workflow: Any = super()
        return await workflow.arun_episode(engine, data)
