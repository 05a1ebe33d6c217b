"""Owns what verl's keywords of one sample state of a problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kritai.columns import prompt_of
from kritai.least_versions import warn_of_old
from kritai.stated_facts import OWN, Stated, plain
from kritai.too_long import head_beyond

warn_of_old("verl")


def verl_stated(data_source: object, ground_truth: object, extra_info: Mapping[str, Any]) -> Stated:
    """As the server's contract reads them; samples of one prompt from another source, or with another
    ground truth, are other problems."""
    row = {"data_source": data_source, "ground_truth": ground_truth, "extra_info": rest_of(extra_info)}
    return Stated(ground_truth, row, [plain(data_source), plain(ground_truth)])


def verl_body(
    data_source: object, text: str, ground_truth: object, extra_info: Mapping[str, Any], prompt_key: str, told: bool
) -> dict[str, Any]:
    """Of POST /verl/compute_score, with the ground truth and the rest of the row where those are to be
    `told`. Raises KeyError where extra_info lacks the prompt."""
    row: dict[str, Any] = plain(rest_of(extra_info)) if told else {}
    # Only one prompt can be meant: the one that is named.
    row = {name: value for name, value in row.items() if name != "prompt"}
    row["question"] = prompt_of(extra_info[prompt_key])
    if extra_info.get("split") is not None:
        row["split"] = str(extra_info["split"])
    truth = {"ground_truth": plain(ground_truth)} if told else {}
    return {"data_source": str(data_source), "solution_str": head_beyond(text), **truth, "extra_info": row}


def rest_of(extra_info: Mapping[str, Any]) -> dict[str, Any]:
    """Without what verl itself writes into it for each sample."""
    return {str(name): value for name, value in extra_info.items() if name not in OWN}
