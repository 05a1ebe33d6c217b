"""The shapes of what is sent, as in the server's OpenAPI document (`Group`, `Rollout`, `Spec`, ...).
The options of calls: call_options.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict


class Message(TypedDict):
    role: str
    content: str


Messages = Sequence[Mapping[str, Any]]
"""An agent's run as its tool writes it: OpenAI chat messages with their calls and results, Responses items,
Anthropic messages."""

Trajectory = Messages | Mapping[str, Any]
"""Messages, or the object of a whole run: ATIF's with its `steps`, verifiers' with its `trajectory`."""

Prompt = str | Sequence[Message] | Messages


class _TestStatus(TypedDict):
    status: Literal["pass", "fail", "timeout", "runtime", "memory", "compile", "infra", "skipped"]


class TestResult(_TestStatus, total=False):
    """The result of one test of a rollout's program; `infra` says nothing of the program."""

    weight: float
    score: float
    group: str


class File(TypedDict, total=False):
    """A file as the policy left it; `base`: what it was before."""

    path: str
    text: str
    base: str


class Rollout(TypedDict, total=False):
    """One sampled completion: its `text`, or the `messages` of a run, with the `files` that it left.
    `too_long`: the text is the head of one beyond the server's rollout_text_bytes, as the client
    itself sends it; such a rollout is malformed. `length_tokens` is needed when the spec has
    `overlong`; `pass_rate` is a label for metrics only; the other fields are facts that some kinds of
    signals need."""

    text: str
    messages: Trajectory
    files: Sequence[File]
    length_tokens: int
    finish_reason: Literal["stop", "length"]
    too_long: Literal[True]
    pass_rate: float
    tests: Sequence[TestResult]
    step_scores: Sequence[float | None]
    step_texts: Sequence[str]
    step_logprobs: Sequence[float]
    base_step_logprobs: Sequence[float]
    reference_logprobs: Sequence[float]
    base_reference_logprobs: Sequence[float]
    text_logprobs: Sequence[float]
    base_text_logprobs: Sequence[float]
    answer: str | None
    self_certainty: float
    token_entropy: float
    numbers: Mapping[str, float | None]


class RubricItem(TypedDict, total=False):
    """One item of a rubric, also in the words of HealthBench (`criterion`), verifiers (`name`,
    `weight`) and Rubrics as Rewards (`title`, `description`, `weight`)."""

    id: str
    name: str
    title: str
    text: str
    criterion: str
    description: str
    points: float
    weight: float
    kind: Literal["rule", "principle"]
    critical: bool
    choices: Sequence[str]
    tags: Sequence[str]


_Asserted = TypedDict("_Asserted", {"assert": str}, total=False)


class TestCase(_Asserted, total=False):
    """A test that a sandbox runs a program on: `stdout`, `assert`, or `fn_name` with its `args` and `returns`,
    which are JSON or JSON text."""

    stdin: str
    stdout: str
    fn_name: str
    args: Sequence[object] | str
    returns: object
    tolerance: float
    weight: float
    group: str


class GroupFacts(TypedDict, total=False):
    """What is known of a prompt besides its rollouts."""

    language: str
    reference: str | Sequence[str]
    answer_type: Literal["auto", "number", "choice", "set", "text"]
    start_score: float
    twin: int | str
    rubric: Sequence[RubricItem]
    test_cases: Sequence[TestCase | str] | Mapping[str, object] | str


class _GroupContent(TypedDict):
    prompt: Prompt
    rollouts: Sequence[Rollout]


class Group(_GroupContent, GroupFacts, total=False):
    """The rollouts of one prompt. `group_id` defaults to the index among the groups of the call."""

    group_id: str


class Judge(TypedDict, total=False):
    mode: Literal["pairwise", "listwise"]
    schedule: str | Mapping[str, object]
    form: Literal["exact_match", "scores"]
    both_orders: bool | Literal["when_close"]
    samples: int | Mapping[str, object]
    budget: Mapping[str, float]
    vote: str
    prompt: str
    preset: str
    rubric: str
    principle: str
    strength: Literal["sign", "graded"]
    strength_scale: float
    model: str | None
    temperature: float
    top_p: float
    max_tokens: int
    strict_model: bool
    images: bool
    extra: Mapping[str, Any]
    unparsed: Literal["undecided", "tie"]
    reask: int
    min_decided: float


class CandidateRule(TypedDict, total=False):
    extract: Literal["last_code_block", "after_think", "whole", "diff"]
    max_chars: int


class FormatRules(TypedDict, total=False):
    rules: Sequence[str | Mapping[str, str | float]]
    penalty: float


class Overlong(TypedDict, total=False):
    max_tokens: int
    cache_tokens: int
    clamp: bool


class _AuditShare(TypedDict, total=False):
    share: float


class Audit(_AuditShare):
    """Judges a share of the groups again with another judge; decides no reward."""

    judge: Judge


class Spec(TypedDict, total=False):
    """Everything that decides a reward besides the rollouts; every field may be left out."""

    judge: Judge
    candidate: CandidateRule
    reward: Literal[
        "win_rate",
        "top1",
        "wins",
        "net_win_rate",
        "rank",
        "copeland",
        "strength",
        "soft",
        "mean_score",
    ]
    format: FormatRules
    overlong: Overlong | None
    seed: int
    log_texts: bool
    log_verdicts: bool
    audit: Audit


class SignalsSpec(TypedDict, total=False):
    """A spec of named signals, each with its `kind` and settings; `reward` is an expression over
    them, by default their sum."""

    candidate: CandidateRule
    signals: Mapping[str, Mapping[str, object]]
    reward: str
    seed: int
    log_texts: bool
    log_verdicts: bool
    audit: Audit


AnySpec = Spec | SignalsSpec

Formulation = Literal["list_em", "pair_em", "list_sc", "pair_sc"]


class _VerdictText(TypedDict):
    text: str


class VerdictItem(_VerdictText, total=False):
    """One verdict text with `pass_rates`, or with `candidates` and the 0-based index `correct`. `prompt`: what
    the verifier was shown, needed where the run keeps its texts."""

    prompt: Prompt
    candidates: int
    correct: int
    pass_rates: Sequence[float]
    length_tokens: int
