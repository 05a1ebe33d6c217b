"""Sends a few groups of a run repeatedly, so that the alarm drift_probe can detect a verifier that
changed during the run."""

from __future__ import annotations

import asyncio
import copy
import os
import statistics
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

from kritai.errors import KritaiError
from kritai.reply_types import Rewards
from kritai.request_types import Group
from kritai.reward_warnings import warn

if TYPE_CHECKING:
    from kritai.async_client import AsyncKritai
    from kritai.client import Kritai

T = TypeVar("T")

EVERY_STEPS = 20
ROLLOUTS = 32
"""Minimum rollouts of a sending: with few rollouts the order is chance."""
TIMEOUT_S = 60.0
"""Timeout of a probe, so that the trainer waits no longer; a failed probe is sent again at the next
step."""


def spread(rewards: Sequence[float | None]) -> float:
    """Population standard deviation of a group's rewards; 0 where one is missing."""
    known = [reward for reward in rewards if reward is not None]
    return statistics.pstdev(known) if len(known) == len(rewards) and known else 0.0


@dataclass
class DriftProbe:
    """Keeps those groups of the first steps whose rewards differ most, 32 rollouts in all, and every
    `every` steps sends them again word for word, in a separate request with the same run, spec and
    that step. Their rewards are not returned to the trainer: the server compares them with the first
    ones (the alarm `drift_probe`, docs/alarms.md).

    A custom loop calls `keep` with the scored groups, and `send` (or `send_blocking`) at each step;
    the shims of trainers do both. Pickles, with the groups. Of several processes of a trainer (RANK)
    only the first probes.
    """

    every: int = EVERY_STEPS
    groups: list[Group] = field(default_factory=list)
    """The groups to send again; empty until a group has been scored whose rewards differ."""
    steps: list[int] = field(default_factory=list)
    """The steps at which the groups were sent again."""
    _next: int = 0

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError("every: at least 1 step")

    def keep(self, groups: Sequence[Group], result: Rewards, step: int | None) -> None:
        """Chooses groups until there are enough or they have been sent: of those scored whole at a step
        and logged, the ones whose rewards differ most. Groups of equal rewards are left out: their
        order is chance."""
        if self.steps or step is None or self.due(step) or result.logged is False or not _first_process():
            return
        spreads = [spread(rewards) for rewards in result.rewards]
        for at in sorted(range(len(groups)), key=lambda at: -spreads[at]):
            if spreads[at] == 0 or sum(len(group["rollouts"]) for group in self.groups) >= ROLLOUTS:
                return
            if not self.groups:
                self._next = step + self.every
            # Groups of different steps may have the same id.
            kept = {name: value for name, value in groups[at].items() if name != "group_id"}
            self.groups.append(copy.deepcopy(cast("Group", kept)))

    def due(self, step: int | None) -> bool:
        """Whether the groups are to be sent at this step."""
        return bool(self.groups) and step is not None and step >= self._next

    async def send(self, client: AsyncKritai, step: int | None, **options: Any) -> Rewards | None:
        """Sends the groups again when due; `options` are those of the step's `rewards` call (`run_id`
        and `spec` above all). Returns None when not due, or after a failure, which warns
        (KritaiWarning), raises nothing and is retried at the next step."""
        if step is None or not self.due(step):
            return None
        # Set before sending: only the first call of a step sends, also when it fails.
        self._next = step + 1
        given = {"timeout_s": TIMEOUT_S, **options, "step": step, "on_failure": "raise", "progress": False}
        given["timeout_s"] = min(TIMEOUT_S, given["timeout_s"] or TIMEOUT_S)
        try:
            result = await client.rewards(self.groups, **{**given, "patient": False})
        except KritaiError as error:
            warn(f"drift_probe: not sent at step {step}: {error.code}")
            return None
        self.steps.append(step)
        self._next = step + self.every
        return result

    def send_blocking(self, client: Kritai, step: int | None, **options: Any) -> Rewards | None:
        """The same for synchronous code."""
        return client.start(self.send(client.api, step, **options)).result() if self.due(step) else None


async def beside(scoring: Coroutine[Any, Any, T], sending: Coroutine[Any, Any, Any]) -> T:
    """Runs a step's scoring and the probe's sending concurrently; a step that fails ends both."""
    probing = asyncio.ensure_future(sending)
    try:
        result = await scoring
        await probing
        return result
    finally:
        probing.cancel()


def with_probe(options: Mapping[str, Any]) -> dict[str, Any]:
    """A shim's options, with `drift_probe` (a probe, or the number of steps between sendings) as a
    probe. Raises ValueError without a run_id: unlogged groups cannot be compared."""
    wanted = options.get("drift_probe")
    if wanted is None:
        return dict(options)
    if not options.get("run_id"):
        raise ValueError("drift_probe: needs run_id, whose log keeps what the groups got first")
    probe = wanted if isinstance(wanted, DriftProbe) else DriftProbe(every=int(wanted))
    return {**options, "drift_probe": probe}


def _first_process() -> bool:
    return os.environ.get("RANK", "0") == "0"
