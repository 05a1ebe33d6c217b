"""Scores a trainer's whole batch of rows in one call, for the shims."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from kritai.async_client import AsyncKritai
from kritai.columns import component_of, extras_of, prompt_key, prompt_of, rows_of, signals_of
from kritai.default_run import default_run
from kritai.drift_probe import DriftProbe, beside
from kritai.errors import InvalidRequest
from kritai.gather import score_or
from kritai.missing_rewards import numbers_for
from kritai.processes import Crew, require_whole
from kritai.reply_types import Rewards, RolloutResult
from kritai.request_types import Rollout
from kritai.reward_warnings import warn
from kritai.stated_facts import Scored, Stated, rewards_by_rows, with_fields
from kritai.way import Way

UNDECIDED = "rules_undecided"
LABELS = (
    "the rules cannot read some right answers, so some rewards are None: give a number, a formula or a short text as "
    "label, or see this code on the server's page /docs/errors"
)
RENAME = "Rename yours, or with TRL name it: label_column=.."


@dataclass(frozen=True)
class ScoredRows:
    """The results in the order of the rows, and the call that returned them."""

    rows: list[RolloutResult]
    result: Rewards
    fallback: float | None = None
    """The number that the caller names for missing rewards."""
    tool: str | None = None
    """The name of a trainer that would take None for 0.0."""

    @property
    def rewards(self) -> list[float | None]:
        return [row["reward"] for row in self.rows]

    def component(self, name: str | None) -> list[float | None]:
        """One component's values, or the rewards for None; missing ones as in `numbers_for`. Raises
        ValueError for a name that the spec does not have."""
        values = self.rewards if name is None else [component_of(row, name) for row in self.rows]
        return numbers_for(self.tool, self.fallback, values, [row["error"] for row in self.rows])

    def feed(
        self,
        log_metric: Callable[[str, float], object] | None = None,
        log_extra: Callable[[str, list[Any]], object] | None = None,
    ) -> None:
        """Passes the batch's signals and columns to a trainer's loggers, if it has any; always the same
        keys."""
        if log_metric is not None:
            for name, value in signals_of(self.result).items():
                log_metric(name, value)
        if log_extra is not None:
            for column, values in extras_of(self.rows).items():
                log_extra(column, values)


async def score_rows(
    prompts: Sequence[object],
    rollouts: Sequence[Rollout],
    *,
    base_url: str | None = None,
    language: str | None = None,
    trainer_state: object = None,
    drift_probe: DriftProbe | None = None,
    labels: Sequence[object] | None = None,
    columns: Mapping[str, Any] | None = None,
    label_column: str | None = None,
    fallback: float | None = None,
    tool: str | None = None,
    num_generations: int | Sequence[int] | None = None,
    gather: Crew | None = None,
    way: Way | None = None,
    framework: str = "python",
    **options: Any,
) -> ScoredRows:
    """Scores rows as groups of equal prompts. Options: those of `rewards`; `step` defaults to the
    trainer's `global_step`, `run_id` to the `framework`'s `default_run`. The facts that the spec needs of a
    problem, and no others, are taken from `labels`, one a row, or from the trainer's `columns`, of which
    `label_column` holds the right answer. Rows of one prompt with different labels, or different such facts,
    are different problems.

    num_generations: the completions of a prompt; rows that are a part of a group raise ValueError.
    gather: scores the rows of all processes together. way: how the server is reached.

    Rows that failed because of an outage or a timeout are retried until `timeout_s`, then None with
    their code, unless `on_failure="raise"`. A probe that is due is sent along with the step's request.
    """
    if labels is not None:
        stated = [Stated.of_label(label) for label in labels]
    else:
        stated = Stated.of_columns(columns or {}, len(prompts), label_column)
    step = getattr(trainer_state, "global_step", None)
    given = {"step": step, "on_failure": "null", "patient": True, **options}
    given["run_id"] = given.get("run_id") or default_run(framework)

    async def score(rows: Sequence[tuple[object, Rollout, Stated]]) -> Scored:
        counted = rows if num_generations is not None else []
        keys = [prompt_key(prompt_of(prompt, f"prompts[{at}]")) for at, (prompt, _, _) in enumerate(counted)]
        require_whole(keys, num_generations, gathers=gather is not None)
        shown, told, facts = ([row[at] for row in rows] for at in range(3))
        async with AsyncKritai(base_url, way=way) as client:
            scoring = rewards_by_rows(client, shown, cast("Any", told), cast("Any", facts), language, **given)
            try:
                if drift_probe is not None and drift_probe.due(given["step"]):
                    scored = await beside(scoring, drift_probe.send(client, **given))
                else:
                    scored = await scoring
            except InvalidRequest as refused:
                raise (refused if labels is not None else with_fields(refused, stated, "column", RENAME)) from None
        if drift_probe is not None:
            drift_probe.keep(scored.groups, scored.result, given["step"])
        return scored

    own = list(zip(prompts, rollouts, stated, strict=True))
    scored, first = (await score(own), 0) if gather is None else await gather.together(own, score)
    rows = rows_of(scored.result, scored.places[first : first + len(own)])
    if any(row["error"] == UNDECIDED for row in rows):
        warn(f"{UNDECIDED}: {LABELS}")
    return ScoredRows(rows, scored.result, fallback, tool)


async def score_group(
    fallback: float | None, prompts: Sequence[object], rollouts: Sequence[Rollout], **options: Any
) -> list[float]:
    """The rewards of one group's rows for a tool that takes numbers only. Options: those of `score_rows`.
    A row without a reward gets the declared fallback, and so do all of a group whose labels do not state
    what the spec needs; without a fallback NoScore or InvalidRequest is raised."""
    try:
        scored = await score_rows(prompts, rollouts, **options)
    except InvalidRequest as refused:
        if fallback is None or refused.code != "facts_required":
            raise
        logging.getLogger("kritai").warning("%d rollouts get the fallback: %s", len(prompts), refused)
        return [fallback] * len(prompts)
    return [score_or(fallback, row) for row in scored.rows]


def same_prompt(chats: Any, count: int) -> tuple[list[Any], list[Any]]:
    """The prompt that an item's rollouts share, once each, and each rollout's own turns: those after
    their chats' common beginning. Raises ValueError where chats are missing, or begin apart."""
    if not isinstance(chats, list) or len(chats) != count or not all(chats):
        raise ValueError("each rollout needs its `messages`, from the prompt to the answer: the verifier reads texts")
    shared = 0
    while shared < min(len(chat) for chat in chats) - 1 and all(chat[shared] == chats[0][shared] for chat in chats):
        shared += 1
    if shared == 0 and min(len(chat) for chat in chats) > 1:
        raise ValueError(
            "the rollouts of an item begin with different messages: only answers to one prompt are compared"
        )
    return [list(chats[0][:shared])] * count, [list(chat[shared:]) for chat in chats]
