"""A reward function of Amazon Bedrock's reinforcement fine-tuning (and Nova's) that has Kritai judge.

Deploy this one file as a Lambda (Python 3.10 or newer, nothing to install, 15 minutes of time-out);
its handler is `lambda_function.lambda_handler`. Variables: KRITAI_BASE_URL, KRITAI_API_KEY, and if
wanted KRITAI_SPEC, KRITAI_RUN_ID, KRITAI_FALLBACK.

Samples of one prompt in the event are one group. Bedrock takes numbers only: a sample without a
reward is asked for again while there is time, then it fails the invocation, which Bedrock tries
again, unless KRITAI_FALLBACK declares a number; the metric kritai_failed is 1 there.
"""

from __future__ import annotations

import http.client
import json
import math
import os
import time
import urllib.error
import urllib.request
from typing import Any

GROUPS_MAX = 256
ROLLOUTS_MAX = 2048
DEADLINE_MS_MAX = 600_000
ANSWER_MS = 10_000
"""Time reserved for returning the answer."""
RETRIED = {408, 429, 500, 502, 503, 504}


class Clock:
    """The time left, from Lambda's context."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def left_ms(self) -> int:
        return int(self._context.get_remaining_time_in_millis()) - ANSWER_MS

    def pause(self, tries: int) -> bool:
        """Waits before another try; False where the time does not suffice."""
        wait_s = min(15.0, 0.5 * 2 ** min(tries, 6))
        if self.left_ms() < wait_s * 1000 + 1000:
            return False
        time.sleep(wait_s)
        return True


def text_of(content: Any) -> str:
    """A message's content: a text, or parts with texts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def grouped(event: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[tuple[int, int]]]:
    """Groups samples of equal prompt and reference, and gives each sample's (group, rollout). Raises
    ValueError for anything but a list of samples."""
    if not isinstance(event, list) or not all(isinstance(sample, dict) for sample in event):
        raise ValueError("the event must be a list of samples, each an object with messages")
    index: dict[str, int] = {}
    groups: list[dict[str, Any]] = []
    places = []
    for sample in event:
        given = sample.get("messages")
        if not isinstance(given, list) or not all(isinstance(turn, dict) and "role" in turn for turn in given):
            raise ValueError(f"sample {sample.get('id')}: messages must be a list of objects with role and content")
        turns = [{"role": str(turn["role"]), "content": text_of(turn.get("content"))} for turn in given]
        if len(turns) < 2 or turns[-1]["role"] != "assistant":
            raise ValueError(f"sample {sample.get('id')}: the last message must be the assistant's, after a prompt")
        about = [turns[:-1], sample.get("reference_answer"), sample.get("metadata")]
        at = index.setdefault(json.dumps(about, sort_keys=True), len(groups))
        if at == len(groups):
            groups.append({"group_id": str(at), "prompt": turns[:-1], "rollouts": []})
        places.append((at, len(groups[at]["rollouts"])))
        groups[at]["rollouts"].append({"text": turns[-1]["content"]})
    return groups, places


def parts_of(groups: list[int], sizes: list[int]) -> list[list[int]]:
    """Splits the groups by the server's limits of one request."""
    parts: list[list[int]] = [[]]
    for group in groups:
        held = sum(sizes[other] for other in parts[-1])
        if parts[-1] and (len(parts[-1]) >= GROUPS_MAX or held + sizes[group] > ROLLOUTS_MAX):
            parts.append([])
        parts[-1].append(group)
    return parts


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: followed, it would take the key to another host."""

    def redirect_request(self, *args: Any) -> None:
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def is_retried(status: int, detail: str) -> bool:
    """Whether the same request may succeed later: by Kritai's own word, else by the status."""
    try:
        said = json.loads(detail)
    except ValueError:
        said = None
    return bool(said.get("retryable", status in RETRIED)) if isinstance(said, dict) else status in RETRIED


def posted(groups: list[dict[str, Any]], clock: Clock) -> list[dict[str, Any]]:
    """The groups' results; retried while there is time. Raises RuntimeError for a fault in the request
    itself."""
    env = os.environ
    tries = 0
    while True:
        left_ms = max(1000, min(DEADLINE_MS_MAX, clock.left_ms()))
        body: dict[str, Any] = {"groups": groups, "spec": env.get("KRITAI_SPEC", "default"), "deadline_ms": left_ms}
        if env.get("KRITAI_RUN_ID"):
            body["run_id"] = env["KRITAI_RUN_ID"]
        headers = {"content-type": "application/json"}
        if env.get("KRITAI_API_KEY"):
            headers["authorization"] = f"Bearer {env['KRITAI_API_KEY']}"
        url = env["KRITAI_BASE_URL"].rstrip("/") + "/v1/rewards"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        try:
            with OPENER.open(request, timeout=left_ms / 1000 + 5) as reply:
                results: list[dict[str, Any]] = json.load(reply)["groups"]
                return results
        except urllib.error.HTTPError as error:
            detail = error.read(10_000).decode("utf-8", "replace")
            if not is_retried(error.code, detail) or not clock.pause(tries):
                raise RuntimeError(f"Kritai answered {error.code}: {detail}") from None
        except (OSError, ValueError, http.client.HTTPException):
            if not clock.pause(tries):
                raise
        tries += 1


def may_come(result: dict[str, Any]) -> bool:
    """Whether a reward of the group is missing that asking again may bring."""
    return any(row.get("retryable", False) for row in result["rollouts"])


def scored(groups: list[dict[str, Any]], clock: Clock) -> list[dict[str, Any]]:
    """Every group's result; those with rewards that may come later are asked for again."""
    sizes = [len(group["rollouts"]) for group in groups]
    results: list[dict[str, Any]] = [{} for _ in groups]
    waiting = list(range(len(groups)))
    tries = 0
    while True:
        for part in parts_of(waiting, sizes):
            for group, result in zip(part, posted([groups[one] for one in part], clock), strict=True):
                results[group] = result
        waiting = [one for one in waiting if may_come(results[one])]
        if not waiting or not clock.pause(tries):
            return results
        tries += 1


def declared() -> float | None:
    """The number for a sample without a reward; None where none is declared."""
    text = os.environ.get("KRITAI_FALLBACK")
    try:
        number = float(text) if text else None
    except ValueError:
        number = math.nan
    if number is not None and not math.isfinite(number):
        raise ValueError("KRITAI_FALLBACK must be a number")
    return number


def told(sample: dict[str, Any], row: dict[str, Any], fallback: float | None) -> dict[str, Any]:
    """A sample's result in Bedrock's form. Raises RuntimeError without a reward and without a declared
    fallback."""
    failed = row["reward"] is None
    reward = fallback if failed else float(row["reward"])
    if reward is None:
        raise RuntimeError(f"sample {sample.get('id')} has no reward: {row['error']}")
    metrics = [{"name": "kritai_failed", "value": float(failed), "type": "Metric"}]
    metrics += [
        {"name": name, "value": float(value), "type": "Reward"}
        for name, value in row["components"].items()
        if value is not None
    ]
    return {"id": sample.get("id"), "aggregate_reward_score": reward, "metrics_list": metrics}


def lambda_handler(event: list[dict[str, Any]], context: Any) -> list[dict[str, Any]]:
    fallback = declared()
    groups, places = grouped(event)
    results = scored(groups, Clock(context)) if groups else []
    rows = [results[group]["rollouts"][rollout] for group, rollout in places]
    return [told(sample, row, fallback) for sample, row in zip(event, rows, strict=True)]
