// Prints, as JSON, the legitimate rejections of each operation: rules that the OpenAPI document cannot
// express. Used by test/tools/schemathesis.sh.
import type { ZodOpenApiOperationObject } from "zod-openapi";
import { type Refusal, refused } from "../../../src/api/tools/shared/page.ts";
import { groupRefusals, specRefusals } from "../../../src/api/tools/shared/refusal.ts";
import { contractOperations } from "./contracts.ts";
import { nativePaths } from "./native.ts";

const noRow: Refusal = { why: "the row does not exist", status: 404, code: "not_found", path: "(name)?" };
const owner = refused("several keys own runs of this name, so owner is required", "owner", "^required: several keys");
const cursor = refused("the cursor must come from another reply", "cursor", "next_cursor that the same list returned");

/** Rejections of groups with a spec. In a request for a single group, the fields are at the top level. */
const scoredGroups: readonly Refusal[] = [
  ...specRefusals(),
  ...groupRefusals(),
  refused(
    "a rollout needs a text or messages",
    "(groups\\[\\]\\.)?rollouts\\[\\]\\.(text|messages)",
    "^required|one of the two|^expected messages",
  ),
  refused(
    "a turn needs content or a tool call",
    "(groups\\[\\]\\.)?prompt\\[\\]\\.content",
    "^required|^expected string",
  ),
  refused("too many numbers", "(groups\\[\\]\\.)?rollouts\\[\\]\\.numbers", "rollout_numbers_max"),
];

/** Rejections of native operations, in addition to a missing row. */
const NATIVE: Readonly<Record<string, readonly Refusal[]>> = {
  scoreRewards: [
    ...scoredGroups,
    refused("group ids must be distinct", "groups\\[\\]\\.group_id", "the same as that of"),
  ],
  addRollouts: [
    ...scoredGroups,
    refused("the position is beyond the group's size", "position", "the last rollout would be number"),
    { why: "the fields contradict an earlier request for the group", status: 400, code: "facts_disagree", path: ".+" },
    { why: "the group is closed or complete", status: 409, code: "group_closed", path: "rollouts\\[\\]" },
  ],
  scoreVerdicts: [
    refused("cache_tokens must be at most max_tokens", "overlong\\.cache_tokens", "at most max_tokens"),
    refused("candidates must be the number of pass rates", "items\\[\\]\\.candidates", "contradicts pass_rates"),
    refused("correct must be an index below candidates", "items\\[\\]\\.correct", "index below|contradicts pass_rates"),
    refused("the highest pass rate must be unique", "items\\[\\]\\.pass_rates", "highest pass rate is shared"),
    refused("all items or none must have a prompt", "items\\[\\]\\.prompt", "^needed in every item"),
  ],
  putSpec: specRefusals(),
  checkSpec: specRefusals(),
  putTemplate: [
    refused("the name is built in", "name", "is built in"),
    refused(
      "a message has an invalid slot or role",
      "messages\\[\\]\\.(text|each|role)",
      "slot|\\{\\{|style|must be one of",
    ),
    refused(
      "the messages lack a required slot or the answer's form",
      "messages",
      "slot|more than one place|never tell",
    ),
    refused("a candidate needs a delimiter", "candidate", "slot|once|tell several|delimiter"),
    refused("summary requires the shape steps", "summary", "^says nothing of the shape"),
    refused(
      "the lists of labels contradict each other",
      "ties|passing|invalid",
      "no label|fewer than two|which labels|counts 1$",
    ),
    refused(
      "the parser does not fit the shape, or its settings each other",
      "parser(\\.\\w+)*",
      "^reads something|distinct|below the second|exactly one of|names no step",
    ),
    refused("the template is too long", "\\$", "template_chars"),
  ],
  rescoreRun: [
    ...specRefusals(),
    { why: "the log lacks data, so the spec needs judging", status: 422, code: "needs_judging", path: "spec.*" },
    { why: "the log lacks lengths that the spec needs", status: 400, code: "length_tokens_required", path: "spec" },
    refused("the range of steps is missing or has too many specs", "from_step", "required: |rescore_specs_max"),
  ],
  exportRun: [
    refused(
      "the parameter does not apply to the table",
      "margin|least|per_group|per_prompt|form",
      "^does not apply to table=",
    ),
  ],
  putRun: [refused("too many fields", "\\$", "metadata_fields_max")],
  listRuns: [cursor],
  getRunGroups: [cursor],
};

/** Rejections of each native operation. A row that the path names may be missing. */
function native(): Record<string, readonly Refusal[]> {
  const operations = Object.entries(nativePaths()).flatMap(([path, item]) =>
    (Object.values(item) as ZodOpenApiOperationObject[]).map(({ operationId = "" }): [string, Refusal[]] => [
      operationId,
      [
        ...(path.includes("{") ? [noRow] : []),
        ...(path.includes("{run_id}") ? [owner] : []),
        ...(NATIVE[operationId] ?? []),
      ],
    ]),
  );
  return Object.fromEntries(operations);
}

/** Rejections of any operation. */
const EVERYWHERE: readonly Refusal[] = [
  // Bodies of rerankers may name a spec. Errors about it are in the dialect of their clients.
  { why: "not a stored spec", status: 400, code: "unknown_spec", path: "spec" },
  { why: "the same in TEI's dialect", status: 422, code: "unknown_spec", path: "spec" },
  ...[400, 422].map((status) => ({
    ...{ why: "the schedule does not fit the mode of the spec", status, code: "invalid_request" },
    ...{ path: "kritai\\.schedule", words: "fit the mode" },
  })),
  // A stored spec may need facts for which this body has no field.
  ...[400, 422].flatMap((status) =>
    ["length_tokens_required", "facts_required"].map((code) => ({
      why: "the stored spec needs more data",
      status,
      code,
      path: ".+",
    })),
  ),
  { why: "the model does not exist", status: 404, code: "unknown_spec", path: "(model|spec)?" },
  // Rules that the document states as conditions, which request generators ignore.
  refused("one of two pairs of fields is required", "\\$", "^one pair of fields is required"),
  refused("a document needs a text", "(documents|input|records)\\[\\].*", "^required"),
  refused("scores by position must be complete", "kritai\\.on_incomplete", "match scores by position"),
  refused(
    "the arguments of a test must be JSON",
    "(.*\\.)?test_cases\\[\\]\\.\\w+",
    "^must be (valid JSON|a JSON list)",
  ),
  ...[400, 422].map((status) => ({
    ...{
      why: "the budget does not cover each text",
      status,
      code: "invalid_request",
      path: ".+",
      words: "^judge\\.budget pays",
    },
  })),
  refused("a turn needs content", "items\\[\\]\\.prompt\\[\\]\\.content", "^required|^expected"),
  refused("cases_max has an effect only with a sandbox", "(spec\\.)?signals\\.\\w+\\.cases_max", "^has no effect"),
  refused("a role must not be empty", "responses_create_params.*\\.role", "at least 1 character"),
  { why: "the content cannot be shown to a verifier", status: 400, code: "unsupported_content", path: ".+" },
  { why: "the same in TEI's dialect", status: 422, code: "unsupported_content", path: ".+" },
  { why: "the key may not use the model", status: 403, code: "model_not_allowed", path: "(.*\\.)?model" },
  { why: "the deployment lacks a backend", status: 503, code: "not_configured", path: "spec\\.signals\\..*" },
];

export interface RefusalTable {
  everywhere: readonly Refusal[];
  /** By operationId. */
  operations: Readonly<Record<string, readonly Refusal[]>>;
  /**
   * Operations that may legitimately return 503: for a sample alone in its group, or a spec that needs a
   * backend that the deployment lacks.
   */
  unavailable: readonly string[];
  /** Operations that accept more forms of flags and numbers than the schema, like the vendor's server. */
  lenient: readonly string[];
}

export function refusalTable(): RefusalTable {
  const all = contractOperations().map(({ operation }) => operation);
  return {
    everywhere: EVERYWHERE,
    operations: {
      ...native(),
      ...Object.fromEntries(all.map(({ operationId, refusals = [] }) => [operationId, refusals])),
    },
    unavailable: [
      ...["scoreRewards", "addRollouts", "closeGroup"],
      ...all.flatMap(({ operationId, gathered }) => (gathered === true ? [operationId] : [])),
    ],
    lenient: all.flatMap(({ operationId, vendor_types }) => (vendor_types === true ? [operationId] : [])),
  };
}

if (import.meta.main) console.log(JSON.stringify(refusalTable()));
