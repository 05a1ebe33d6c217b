"""Owns which refusals of requests that fit /openapi.json are right: rules that JSON Schema cannot
say, each by operation, code, field and words."""

import itertools
import json
import re
from dataclasses import dataclass

import jsonschema_rs
import schemathesis

SAMPLES = r"openRlhfReward|slimeReward|verlComputeScore|evaluateSample|nemoGymVerify(Rollout)?"
RERANK = r"rerankV1|rerankV2|rerankBare"
PAIRS = r"scorePairs|scorePairsV1|classify"
WITH_SPEC = r"scoreRewards|scoreBatch|putSpec|checkSpec"


@dataclass(frozen=True)
class Refusal:
    """One rule; its expressions must match in full, `words` somewhere. Operations by operationId;
    `given`: the body's field that must be there."""

    why: str
    operations: str
    status: int
    code: str
    path: str = ""
    words: str = ""
    given: str | None = None

    def covers(self, operation: str, body: object, status: int, code: str, path: str, words: str) -> bool:
        return (
            re.fullmatch(self.operations, operation) is not None
            and (self.given is None or bool(isinstance(body, dict) and body.get(self.given)))
            and (status, code) == (self.status, self.code)
            and re.fullmatch(self.path, path) is not None
            and re.search(self.words, words) is not None
        )


BAD = "invalid_request"
REFUSALS = [
    # Names that are stored, or are not.
    Refusal("no such row", r"get\w+|cancelBatch|exportRun", 404, "not_found"),
    Refusal("no such row", r"getSpec|putSpec", 404, "not_found", "name"),
    Refusal("not a stored spec", "scoreRewards|scoreBatch", 400, "unknown_spec", "spec"),
    Refusal("not a stored spec", "judge", 404, "unknown_spec", "model"),
    Refusal("a cursor is what another reply gave", "listRuns|getRunGroups", 400, BAD, "cursor", "next_cursor of the same list"),
    # One field below another, or equal to it; sums over lists; lists of one length.
    Refusal("C <= M", f"{WITH_SPEC}|scoreVerdicts", 400, BAD, r"(spec\.)?(overlong|signals\.\w+)\.cache_tokens", "at most max_tokens"),
    Refusal("safe expressions", WITH_SPEC, 400, "unsafe_regex", r"(spec\.)?(format|signals\.\w+)\.rules\[\]\.regex"),
    Refusal("expressions over signals", WITH_SPEC, 400, BAD, r"(spec\.)?(reward|signals\.\w+\.when)", r"^column \d+: |waits for itself"),
    Refusal("skip_value beside when", WITH_SPEC, 400, BAD, r"(spec\.)?signals\.\w+\.skip_value", "needs `when`"),
    Refusal("signals of a spec", WITH_SPEC, 400, BAD, r"(spec\.)?signals", "signals_max|holds no signal"),
    Refusal("models of the deployment", r"\w+", 403, "model_not_allowed", r"(.*\.)?model"),
    Refusal("a proved range", WITH_SPEC, 400, "unbounded_reward", r"(spec\.)?reward"),
    Refusal("a schedule fits its mode", WITH_SPEC, 400, BAD, r"(spec\.)?(judge|signals\.\w+(\.judge)?)\.schedule", "fit the mode"),
    Refusal("comparisons of the whole request", "scoreRewards|scoreBatch", 400, "too_many_generations", ".*"),
    Refusal("rollouts of the whole request", "scoreRewards|scoreBatch", 400, "too_many_rollouts", "groups"),
    Refusal("how deep a label nests", f"{SAMPLES}|scoreBatch", 400, BAD, r"\$", "label_depth_max"),
    Refusal("different programs of a group", "scoreRewards|scoreBatch", 400, "list_too_long", ".*"),
    Refusal("ids differ", "scoreRewards", 400, BAD, r"groups\[\]\.group_id", "the same as that of"),
    Refusal("k is the number of pass rates", "scoreVerdicts", 400, BAD, r"items\[\]\.candidates", "contradicts pass_rates"),
    Refusal("an index below k", "scoreVerdicts", 400, BAD, r"items\[\]\.correct", "index below|contradicts pass_rates"),
    Refusal("one highest", "scoreVerdicts", 400, BAD, r"items\[\]\.pass_rates", "highest pass rate is shared"),
    Refusal("one length", "evaluate", 400, BAD, r"lists\[\]\.win_counts", "the length of pass_rates"),
    Refusal("an index", "evaluate", 400, BAD, r"lists\[\]\.selected", "index into pass_rates"),
    Refusal("parsed <= generations", "evaluate", 400, BAD, r"lists\[\]\.parsed", "at most generations"),
    Refusal("tag values of the whole request", "evaluate", 400, BAD, "lists", "evaluation_tag_values_max"),
    Refusal("draws of the whole request", "evaluate", 400, BAD, "bootstrap", "bootstrap_draws_max"),
    Refusal("one length", "scoreBatch", 400, BAD, r".+", r"^\d+ elements? beside \d+ completions?$"),
    Refusal("one length, or one", PAIRS, 400, BAD, r"queries|data_1|text_1|query", r"^\d+ elements? beside \d+ of"),
    Refusal("equal prompts", PAIRS, 400, "group_too_small", words="the only text of its prompt"),
    Refusal("one length", "openRlhfReward", 400, BAD, "prompts|labels", r"^\d+ elements? beside \d+ of query$"),
    Refusal("equal prompts", f"{PAIRS}|scoreBatch|openRlhfReward", 400, BAD, r".+", r"rollouts_per_group_max is|groups_max is"),
    # What stands inside a text, or under a name that another field gives.
    Refusal("rank_fields names it", RERANK, 400, BAD, r"documents\[\]", "string", given="rank_fields"),
    Refusal("its prompt", "openRlhfReward", 400, BAD, r"query\[\]", "does not begin with its prompt", given="prompts"),
    Refusal("the first message is no answer", "evaluateSample", 400, BAD, "messages", "after at least one other"),
    Refusal("a comparison in a text", "judge", 400, BAD, "messages", "the last user message is no comparison"),
    Refusal("a comparison in a text", "judge", 400, BAD, r"messages\..+"),
    # What the verifier of the local stack sees in texts that no problem goes with: no difference
    # (docs/decisions/0003).
    Refusal("no choice", f"{RERANK}|{PAIRS}|judge", 422, "verifier_bad_reply", words="none of its answers held a choice"),
    Refusal("no choice, as TEI tells it", "rerankBare", 424, "verifier_bad_reply", words="none of its answers held a choice"),
    Refusal("alone in its group", SAMPLES, 503, "group_too_small"),
]

fresh = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Keeps apart what would hide everything else."""
    # A name for each request: a key that was used with another body is refused.
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]{1,255}", key):
        case.headers["Idempotency-Key"] = f"{key[:200]}.{next(fresh)}"
    # A room for each of thousands of samples takes longer than the 5 s after which a failure breaks
    # the reply off, as documented.
    queries = case.body.get("query") if isinstance(case.body, dict) else None
    if isinstance(queries, list) and len(queries) > 64 and case.query:
        case.query.pop("group_size", None)


def faults(response):
    """The reply's code, and its faults as paths without indices, with their words."""
    try:
        body = response.json()
    except ValueError:
        return "", [("", "")]
    if not isinstance(body, dict):
        return "", [("", "")]
    errors = body.get("errors") or [{"path": "", "message": body.get("detail", "")}]
    return body.get("code", ""), [(re.sub(r"\[\d+\]", "[]", e["path"]), e["message"]) for e in errors]


@schemathesis.check
def refused_only_for_what_the_document_cannot_say(ctx, response, case):
    """Takes the place of `positive_data_acceptance`, which knows statuses alone."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code < 300:
        return
    operation = case.operation.definition.raw["operationId"]
    code, found = faults(response)
    for path, words in found:
        known = (rule.covers(operation, case.body, response.status_code, code, path, words) for rule in REFUSALS)
        assert any(known), f"{operation} refused what the document allows: {response.status_code} {code} {path}: {words}"


@schemathesis.check
def every_line_is_documented(ctx, response, case):
    """Of an NDJSON reply the document's schema is that of a line; schemathesis itself skips such
    replies."""
    lines_type = "application/x-ndjson"
    if not response.headers.get("content-type", [""])[0].startswith(lines_type):
        return
    document = case.operation.schema.raw_schema
    operation = document["paths"][case.operation.path][case.operation.method.lower()]
    schema = operation["responses"][str(response.status_code)]["content"][lines_type]["schema"]
    validator = jsonschema_rs.Draft202012Validator({"components": document["components"], "allOf": [schema]})
    # Not splitlines: a text may hold U+2028, unescaped.
    for line in filter(None, response.content.decode().split("\n")):
        fault = next(validator.iter_errors(json.loads(line)), None)
        assert fault is None, f"a line that is not documented: {fault.message}"
