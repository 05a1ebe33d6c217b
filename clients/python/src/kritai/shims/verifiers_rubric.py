"""verifiers: `vf.Rubric(funcs=[kritai_reward])` in versions with rubrics (a group function: its
parameters are plurals); in those without (0.4) `await score_episode(task, episode)` in an
environment's `finalize`, for example one derived from `BestOfNEnv`.

Both score all attempts at one task together. verifiers takes numbers only, so an attempt without a
score raises NoScore, and the sample is tried again. Facts that the spec needs are taken from the
task's answer and info, or fields, and only those are sent. A run of several turns is sent whole. Where the
spec has a signal `steps`, each step of a state's trajectory gets the reward of its turn, and a trace keeps
them as `info["kritai_turn_rewards"]`. Options: those of `Kritai.rewards`. Server and
key: KRITAI_BASE_URL, KRITAI_API_KEY.
"""

from typing import Any

from kritai.agent_turns import run_of_trace, turn_rewards
from kritai.columns import rollouts_of
from kritai.gather import score_or
from kritai.least_versions import warn_of_old
from kritai.scored_rows import score_rows

warn_of_old("verifiers")


async def kritai_reward(prompts: Any, completions: Any, **given: Any) -> list[float]:
    columns = {"answer": given.get("answers"), "metadata": given.get("infos")}
    scored = await score_rows(
        prompts, rollouts_of(completions), columns=columns, on_failure="raise", framework="verifiers"
    )
    for state, completion, row in zip(given.get("states") or (), completions, scored.rows, strict=False):
        for step, value in zip(state.get("trajectory") or (), turn_rewards(row, completion) or (), strict=False):
            step["reward"] = value
    return [score_or(None, row) for row in scored.rows]


async def score_episode(task: Any, episode: Any, **options: Any) -> None:
    runs = [run_of_trace(trace) for trace in episode.traces]
    row = getattr(task.data, "__dict__", {})
    told = {"columns": {name: [value] * len(runs) for name, value in row.items()}, "framework": "verifiers", **options}
    scored = await score_rows([task.data.prompt] * len(runs), rollouts_of(runs), on_failure="raise", **told)
    rewards = [score_or(None, row) for row in scored.rows]
    for trace, run, row, reward in zip(episode.traces, runs, scored.rows, rewards, strict=True):
        trace.record_reward("kritai", reward)
        if (turns := turn_rewards(row, run)) is not None:
            trace.info["kritai_turn_rewards"] = turns
