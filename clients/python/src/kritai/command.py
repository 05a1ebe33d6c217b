"""The command `kritai`: whether a server can be reached and what a step costs there, one group of
programs scored, and its runs."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kritai.client import Kritai
from kritai.errors import KritaiError
from kritai.request_types import Group
from kritai.retry_policy import RetryPolicy
from kritai.run_log_types import RunSummary
from kritai.way import Way

FIRST_CALL_S = 5.0
"""Seconds after which an address that does not answer is reported, since whoever types a command waits
for it."""

RUNS_MAX = 20

DOUBLING: Group = {
    "prompt": "Read n and print n doubled.\n\nSample Input 1\n```\n4\n```\nSample Output 1\n```\n8\n```",
    "language": "python",
    "rollouts": [
        {"text": "```python\nprint(int(input()) * 2)\n```"},
        {"text": "```python\nprint(int(input()) + 2)\n```"},
        {"text": "I am not sure."},
    ],
}
SAID = ("doubles", "adds two", "no program")
"""The behaviour of each rollout of DOUBLING."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; the exit status is 0 when all went well, 1 when something failed, 2 when the
    command was not understood. Answers go to standard output, failures to standard error."""
    args = _parser().parse_args(arguments)
    try:
        client = Kritai(args.url, retry=RetryPolicy(retries_max=1), way=Way(first_call_s=FIRST_CALL_S))
    except ValueError as error:
        print(f"kritai: {error}", file=sys.stderr)
        return 2
    with client:
        try:
            run: Callable[[Kritai, argparse.Namespace], int] = args.run
            return run(client, args)
        except KritaiError as error:
            print(f"kritai: {error}", file=sys.stderr)
            return 1


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--url", help="the server's address (KRITAI_BASE_URL); its key is KRITAI_API_KEY's")
    parser = argparse.ArgumentParser(prog="kritai", description="Looks at a Kritai server from where a trainer runs.")
    commands = parser.add_subparsers(required=True, metavar="check|demo|runs")

    check = commands.add_parser(
        "check", parents=[shared], help="can I reach it, is my spec right, what does a step cost"
    )
    check.add_argument("--spec", default="default", help="a stored spec's name, or a JSON file (default)")
    check.add_argument("--groups", type=_count, default=64, help="groups a step (64)")
    check.add_argument("--rollouts", type=_count, default=8, help="rollouts a group (8)")
    check.set_defaults(run=_check)

    demo = commands.add_parser("demo", parents=[shared], help="scores three programs")
    demo.set_defaults(run=_demo)

    runs = commands.add_parser("runs", parents=[shared], help="the key's runs, or one run's alarms and last steps")
    runs.add_argument("run_id", nargs="?", help="one run")
    runs.add_argument("--json", action="store_true", help="a JSON object a line")
    runs.set_defaults(run=_runs)
    return parser


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, it is {text!r}")
    return int(text)


def _spec_of(given: str) -> object:
    """The request's `spec` for `--spec`: the content of a file where one has that name or the name ends
    in `.json`, else a stored spec's name."""
    path = Path(given)
    if path.suffix != ".json" and not path.is_file():
        return given
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        print(f"kritai: --spec {given}: {error}", file=sys.stderr)
        raise SystemExit(2) from None


@contextmanager
def _line(name: str) -> Iterator[list[str]]:
    """Prints one line about the block's work: its output, or its error."""
    said: list[str] = []
    try:
        yield said
    except KritaiError:
        print(f"{name:<10}FAILED")
        raise
    print(f"{name:<10}{'; '.join(said)}")


def _check(client: Kritai, args: argparse.Namespace) -> int:
    spec = _spec_of(args.spec)
    with _line("address") as said:
        began = time.monotonic()
        client.call("GET", "/healthz", timeout_s=FIRST_CALL_S)
        said.append(f"answers in {(time.monotonic() - began) * 1000:.0f} ms")
    with _line("service") as said:
        checks = client.call("GET", "/readyz", timeout_s=30)["checks"]
        said += [f"{name} {health.get('detail', 'ok')}" for name, health in checks.items()]
    with _line("key") as said:
        said.append(f"may {'read' if _may_read(client) else 'not read'} the run log")
    with _line("spec") as said:
        if isinstance(spec, str):
            spec = client.spec(spec)["spec"]
        checked = client.call("POST", f"/v1/specs/check?n={args.rollouts}&groups={args.groups}", spec, timeout_s=30)
        low, high = checked["reward_range"]
        said.append(f"{checked['spec_hash'][:19]}, rewards in [{low:g}, {high:g}]")
        said += [f"needs {fact}" for fact in checked["facts"]]
    for warning in checked["warnings"]:
        print(f"          warning: {warning}")
    print(f"{'step':<10}{_cost(checked, args.groups, args.rollouts)}")
    return 0


def _may_read(client: Kritai) -> bool:
    try:
        next(client.log.runs(), None)
    except KritaiError as error:
        if error.code != "forbidden_scope":
            raise
        return False
    return True


def _cost(checked: dict[str, Any], groups: int, rollouts: int) -> str:
    cost, usd = checked["cost"], checked.get("step", {}).get("usd")
    first, most = (groups * cost[name] for name in ("generations", "generations_max"))
    tokens = groups * cost["completion_tokens_max"]
    return (
        f"{groups} groups of {rollouts}: {first:,.0f} generations at first, {most:,.0f} at most"
        f" ({tokens:,.0f} tokens, were each as long as max_tokens allows)"
        + ("" if usd is None else f"; ${usd:,.2f} by the server's prices")
    )


def _demo(client: Kritai, args: argparse.Namespace) -> int:
    result = client.rewards([DOUBLING], spec="default", run_id="kritai-demo", step=0)
    for what, reward in zip(SAID, result.flat, strict=True):
        print(f"{what:<12}{'none' if reward is None else f'{reward:g}'}")
    for warning in result.warnings:
        print(f"warning: {warning}")
    return 1 if None in result.flat else 0


def _runs(client: Kritai, args: argparse.Namespace) -> int:
    if args.run_id is not None:
        return _run(client, args)
    runs = list(islice(client.log.runs(), RUNS_MAX))
    if not runs and not args.json:
        print("no runs: requests with a run_id show here")
    for row in runs:
        print(json.dumps(row) if args.json else _run_line(row))
    return 0


def _run_line(row: RunSummary) -> str:
    steps = "no steps" if row["last_step"] is None else f"steps {row['first_step']} to {row['last_step']}"
    mean = "none" if row["reward_mean"] is None else f"{row['reward_mean']:.3f}"
    return f"{row['run_id']:<32}{steps:<20}{row['rollouts']:>8,} rollouts  mean reward {mean:<7} last {row['last_at']}"


def _run(client: Kritai, args: argparse.Namespace) -> int:
    health = client.call("GET", f"/v1/runs/{quote(args.run_id, safe='')}/health", timeout_s=60)
    if args.json:
        print(json.dumps(health))
        return 0
    looked = health["looked_at"]
    print(f"{args.run_id}: looked at {health['steps']} steps, by {len(looked)} alarms")
    spans = [span for span in health["alarms"] if span["to_step"] is None]
    for span in spans:
        print(f"{span['level']:<6} {span['alarm']}: {span['says']}")
    if health["steps"] == 0:
        print("its requests have no step, and alarms look at steps: send `step` with each request")
    elif not spans and looked:
        print("no alarm is on")
    return 0
