"""Reads the facts of a problem from verl's keywords of one sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kritai.columns import prompt_of
from kritai.default_run import default_run
from kritai.least_versions import warn_of_old
from kritai.stated_facts import OWN, Stated, plain
from kritai.too_long import head_beyond

warn_of_old("verl")

VERSION = "global_steps"
"""The version of the weights that wrote the answer, as verl's rollout servers state it: the step that verl logs,
less one."""

WRITTEN = OWN | {
    VERSION,
    "kv_transfer_params",
    "max_global_steps",
    "min_global_steps",
    "num_cached_tokens",
    "raw_prompt",
    "reward_extra_info",
    "spec_num_accepted_tokens",
    "spec_num_draft_tokens",
    "spec_num_verify_steps",
    "teacher_ids",
    "teacher_logprobs",
    "tool_rewards",
    "turn_scores",
}
"""Fields that verl and its rollout servers put into extra_info for each sample: not part of the row."""


def step_of(extra_info: object) -> int | None:
    """The step under which verl logs the sample; None where it is not stated."""
    version = extra_info.get(VERSION) if isinstance(extra_info, Mapping) else None
    return int(version) + 1 if isinstance(version, (int, float)) and version >= 0 else None


def verl_stated(data_source: object, ground_truth: object, extra_info: Mapping[str, Any]) -> Stated:
    """The facts as the server's contract reads them; samples of one prompt with another source or
    ground truth are other problems."""
    row = {"data_source": data_source, "ground_truth": ground_truth, "extra_info": rest_of(extra_info)}
    return Stated(ground_truth, row, [plain(data_source), plain(ground_truth)])


def verl_body(
    data_source: object, text: str, ground_truth: object, extra_info: Mapping[str, Any], prompt_key: str, told: bool
) -> dict[str, Any]:
    """The body of POST /verl/compute_score, with the ground truth and the rest of the row if `told`.
    Raises ValueError where extra_info lacks the prompt."""
    row: dict[str, Any] = plain(rest_of(extra_info)) if told else {}
    # The server reads `question` first; a `prompt` beside it is the row's, where it can be one.
    if not _is_prompt(row.get("prompt")):
        row.pop("prompt", None)
    row["question"] = prompt_of(prompt_in(extra_info, prompt_key))
    if extra_info.get("split") is not None:
        row["split"] = str(extra_info["split"])
    if (step := step_of(extra_info)) is not None:
        row[VERSION] = step - 1
    truth = {"ground_truth": plain(ground_truth)} if told else {}
    return {"data_source": str(data_source), "solution_str": head_beyond(text), **truth, "extra_info": row}


def prompt_in(extra_info: object, prompt_key: str) -> Any:
    """The prompt from extra_info, since verl passes it nowhere else, except the agent loops that state
    it as `raw_prompt`. Raises ValueError with that explanation where it is missing."""
    if isinstance(extra_info, Mapping):
        for name in (prompt_key, "raw_prompt"):
            if extra_info.get(name) is not None:
                return plain(extra_info[name]) if name == "raw_prompt" else extra_info[name]
    there = ", ".join(sorted(map(str, extra_info))) if isinstance(extra_info, Mapping) else "nothing"
    raise ValueError(
        f"extra_info has no {prompt_key!r} (it has: {there}); verl passes the prompt to no reward function, so the "
        "dataset must hold it there, or reward_kwargs.prompt_key name where it is"
    )


def options_of(given: Mapping[str, Any], *more: str) -> dict[str, Any]:
    """The options among a call's keywords, with verl's run where none is named."""
    named = {name: given[name] for name in ("spec", "run_id", "timeout_s", *more) if given.get(name) is not None}
    return named if "run_id" in named else {**named, "run_id": default_run("verl")}


def prompt_named(extra_info: object, given: Mapping[str, Any]) -> Any:
    """The prompt under the key that a call's keywords name. Raises as `prompt_in`."""
    return prompt_in(extra_info, given.get("prompt_key", "question"))


def _is_prompt(value: object) -> bool:
    turns = value if isinstance(value, list) else []
    texts = [turn.get(name) for turn in turns if isinstance(turn, dict) for name in ("role", "content")]
    return isinstance(value, str) or (len(texts) == 2 * len(turns) > 0 and all(isinstance(text, str) for text in texts))


def rest_of(extra_info: Mapping[str, Any]) -> dict[str, Any]:
    """extra_info without the fields that verl itself writes for each sample."""
    return {str(name): value for name, value in extra_info.items() if name not in WRITTEN}
