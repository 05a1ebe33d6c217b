"""Reports the caller what a reply warns of, as Python warnings: a run with flat rewards looks healthy
otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kritai.call_site import warn_user

if TYPE_CHECKING:
    from kritai.run_log_types import RunHealth


class KritaiWarning(UserWarning):
    """Rewards were given, and something about them is to be looked at. The text begins with the
    server's code."""


def warn(text: str) -> None:
    """A KritaiWarning at the user's line."""
    warn_user(text, KritaiWarning)


_TEXTS = {
    "parse_rate_low": "less than 80 % of the verifier's answers could be read as a verdict",
    "no_candidates": "in some group no rollout has a fenced code block (or what candidate.extract names), so rewards are equal",
    "language_not_supported": "the server does not know the `language` of a group: correct its name, such as python or cpp",
    "does_not_fit": "some candidate is longer than candidate.max_chars, or the verifier refuses it for its length or content",
    "too_long": "some rollout is longer than the server's rollout_text_bytes, so that it is malformed",
    "evidence_cut": "the verifier sees less than half of some run; see candidate.transcript and format.rules shown",
    "jams_judge": "some rollout makes the verifier's answers unreadable; see format.rules judgeable",
    "cut_by_deadline": "the deadline came before some comparisons; rewards use the comparisons that finished in time",
    "flat_groups": "many groups have equal rewards, so they teach nothing",
    "groups_failed": "some groups have no reward at all",
    "near_copies": "copies of a candidate move the others' rewards, as the schedule asks few pairs",
    "selection_unsettled": "the selected rollout was never compared with another unbeaten rollout",
    "unequal_games": "the score counts wins, and the schedule compares some rollouts more often",
    "log_failed": "the request could not be stored in the run log",
}


def warn_of(codes: Iterable[str]) -> None:
    """One warning a code. Python shows each once, or as `warnings.simplefilter` says; `category` is
    KritaiWarning."""
    for told in codes:
        code, _, said = told.partition(": ")
        text = said or _TEXTS.get(code, "see the server's page on errors")
        warn(f"{code}: {text}")


def warn_of_alarms(health: RunHealth) -> None:
    """A KritaiWarning for each alarm that is on."""
    for span in health["alarms"]:
        if span["to_step"] is None:
            evidence = span["evidence"]
            worst = f"{evidence['value']:.3g} at step {evidence['step']} (threshold {evidence['threshold']:g})"
            says = span.get("says", worst)
            text = f"{span['alarm']}: {says}, since step {span['from_step']}; see docs/alarms.md"
            warn(text)
