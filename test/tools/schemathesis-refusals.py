"""The checks of schemathesis: which refusals of requests that fit /openapi.json are right, by the table
of scripts/build/openapi/refusals.ts (its file: REFUSALS)."""

import itertools
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

import jsonschema_rs
import schemathesis


@dataclass(frozen=True)
class Refusal:
    """One rule; its expressions must match in full, `words` somewhere. `given`: the body's field
    that must be there."""

    why: str
    status: int
    code: str
    path: str = ""
    words: str = ""
    given: str | None = None

    def covers(
        self, body: object, status: int, code: str, path: str, words: str
    ) -> bool:
        return (
            (
                self.given is None
                or bool(isinstance(body, dict) and body.get(self.given))
            )
            and (status, code) == (self.status, self.code)
            and re.fullmatch(self.path, path) is not None
            and re.search(self.words, words) is not None
        )


TABLE = json.loads(Path(os.environ["REFUSALS"]).read_text())
EVERYWHERE = [Refusal(**rule) for rule in TABLE["everywhere"]]
REFUSALS = {
    name: [Refusal(**rule) for rule in rules]
    for name, rules in TABLE["operations"].items()
}

LENIENT = set(TABLE["lenient"])
"""Operations that read flags and numbers as their vendors' servers do: more than the schema says."""
FLAG_FIELDS = {
    *(
        "return_documents",
        "return_text",
        "return_input",
        "raw_scores",
        "truncate",
        "truncation",
        "use_activation",
    ),
    *("rewrite_query", "ignoreRecordDetailsInResponse"),
}
FLAG_WORDS = {
    "true",
    "t",
    "yes",
    "y",
    "on",
    "1",
    "1.0",
    "false",
    "f",
    "no",
    "n",
    "off",
    "0",
    "0.0",
}


def read_as_a_flag_or_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return False
    text = str(value).strip().lower()
    return text in FLAG_WORDS or re.fullmatch(r"[+-]?\d{1,15}(\.0+)?", text) is not None


fresh = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Keeps apart what would hide everything else."""
    # A name for each request: a key that was used with another body is refused.
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[\x21-\x7e]{1,255}", key):
        case.headers["Idempotency-Key"] = f"{key[:200]}.{next(fresh)}"
    # The server accepts more than the schema says here: send a value that it refuses.
    definition = case.operation.definition.raw.get("operationId")
    if (
        definition in LENIENT
        and isinstance(case.body, dict)
        and case.meta
        and not case.meta.generation.mode.is_positive
    ):
        for name, value in case.body.items():
            if name in FLAG_FIELDS and read_as_a_flag_or_number(value):
                case.body[name] = {"of": "another type"}
    # A room for each of thousands of samples takes longer than the 5 s after which a failure breaks
    # the reply off, as documented.
    queries = case.body.get("query") if isinstance(case.body, dict) else None
    if isinstance(queries, list) and len(queries) > 64 and case.query:
        case.query.pop("group_size", None)
    # A sample whose group is to be whole waits for others that never come, longer than a reply may take.
    if case.query and case.query.get("on_incomplete") == "error":
        case.query.pop("group_size", None)


def faults(response):
    """The reply's code, and its faults as paths without indices, with their words."""
    try:
        body = response.json()
    except ValueError:
        return "", [("", "")]
    if not isinstance(body, dict):
        return "", [("", "")]
    detail = body.get("detail", "")
    # Infinity's clients read a list.
    errors = body.get("errors") or [
        {
            "path": "",
            "message": detail if isinstance(detail, str) else json.dumps(detail),
        }
    ]
    return body.get("code", ""), [
        (re.sub(r"\[\d+\]", "[]", e["path"]), e["message"]) for e in errors
    ]


@schemathesis.check
def refused_only_for_what_the_document_cannot_say(ctx, response, case):
    """Takes the place of `positive_data_acceptance`, which knows statuses alone."""
    if (
        case.meta is None
        or not case.meta.generation.mode.is_positive
        or response.status_code < 300
    ):
        return
    operation = case.operation.definition.raw["operationId"]
    code, found = faults(response)
    rules = EVERYWHERE + REFUSALS.get(operation, [])
    for path, words in found:
        known = (
            rule.covers(case.body, response.status_code, code, path, words)
            for rule in rules
        )
        assert any(known), (
            f"{operation} refused what the document allows: {response.status_code} {code} {path}: {words}"
        )


@schemathesis.check
def every_line_is_documented(ctx, response, case):
    """For an NDJSON reply the document's schema is that of a line; schemathesis itself skips such
    replies."""
    lines_type = "application/x-ndjson"
    if not response.headers.get("content-type", [""])[0].startswith(lines_type):
        return
    document = case.operation.schema.raw_schema
    operation = document["paths"][case.operation.path][case.operation.method.lower()]
    schema = operation["responses"][str(response.status_code)]["content"][lines_type][
        "schema"
    ]
    validator = jsonschema_rs.Draft202012Validator(
        {"components": document["components"], "allOf": [schema]}
    )
    # Not splitlines: a text may hold U+2028, unescaped.
    for line in filter(None, response.content.decode().split("\n")):
        fault = next(validator.iter_errors(json.loads(line)), None)
        assert fault is None, f"a line that is not documented: {fault.message}"
