"""verifiers: `vf.Rubric(funcs=[kritai_reward])` in versions with rubrics (a group function: its
parameters are plurals); in those without (0.4) `await score_episode(task, episode)` in an
environment's `finalize`, for example one derived from `BestOfNEnv`.

Both score all attempts at one task together. verifiers takes numbers only, so an attempt without a
score raises NoScore, and the sample is tried again. Facts that the spec needs are taken from the
task's answer and info, or fields, and only those are sent. Options: those of `Kritai.rewards`. Server and
key: KRITAI_BASE_URL, KRITAI_API_KEY.
"""

from typing import Any

from kritai.columns import rollouts_of
from kritai.gather import score_or
from kritai.least_versions import warn_of_old
from kritai.scored_rows import score_rows

warn_of_old("verifiers")


async def kritai_reward(prompts: Any, completions: Any, **given: Any) -> list[float]:
    columns = {"answer": given.get("answers"), "metadata": given.get("infos")}
    scored = await score_rows(prompts, rollouts_of(completions), columns=columns, on_failure="raise")
    return [score_or(None, row) for row in scored.rows]


def reply_of(trace: Any) -> Any:
    """The reply of a trace of one; of several turns all of them, from the policy's first on."""
    turns: Any = next(
        (held for name in ("messages", "completion", "turns") if (held := getattr(trace, name, None))), []
    )
    said = [turn for turn in turns if isinstance(turn, dict)]
    first = next((at for at, turn in enumerate(said) if turn.get("role") == "assistant"), len(said))
    return said[first:] or trace.last_reply


async def score_episode(task: Any, episode: Any, **options: Any) -> None:
    rollouts = rollouts_of([reply_of(trace) for trace in episode.traces])
    row = getattr(task.data, "__dict__", {})
    told = {"columns": {name: [value] * len(rollouts) for name, value in row.items()}, **options}
    scored = await score_rows([task.data.prompt] * len(rollouts), rollouts, on_failure="raise", **told)
    rewards = [score_or(None, row) for row in scored.rows]
    for trace, reward in zip(episode.traces, rewards, strict=True):
        trace.record_reward("kritai", reward)
