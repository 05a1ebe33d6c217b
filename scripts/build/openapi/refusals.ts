// The table of right refusals by operation, for test/tools/schemathesis.sh: what the document cannot say of
// native routes, and what the contracts' pages say. Prints it as JSON.
import type { ZodOpenApiOperationObject } from "zod-openapi";
import { type Refusal, refused } from "../../../src/api/tools/shared/page.ts";
import { groupRefusals, specRefusals } from "../../../src/api/tools/shared/refusal.ts";
import { contractOperations } from "./contracts.ts";
import { nativePaths } from "./native.ts";

const noRow: Refusal = { why: "no such row", status: 404, code: "not_found", path: "(name)?" };
const owner = refused("a run of several keys", "owner", "^required: several keys");
const cursor = refused("a cursor is what another reply gave", "cursor", "next_cursor of the same list");

/** For groups of rollouts with a spec; one group's fields are at the top. */
const scoredGroups: readonly Refusal[] = [
  ...specRefusals(),
  ...groupRefusals(),
  refused(
    "a text or messages",
    "(groups\\[\\]\\.)?rollouts\\[\\]\\.(text|messages)",
    "^required|one of the two|^expected messages",
  ),
  refused(
    "a turn that says or calls something",
    "(groups\\[\\]\\.)?prompt\\[\\]\\.content",
    "^required|^expected string",
  ),
  refused("so many numbers", "(groups\\[\\]\\.)?rollouts\\[\\]\\.numbers", "rollout_numbers_max"),
];

/** For native operations, besides a row that is not there. */
const NATIVE: Readonly<Record<string, readonly Refusal[]>> = {
  scoreRewards: [...scoredGroups, refused("ids differ", "groups\\[\\]\\.group_id", "the same as that of")],
  addRollouts: [
    ...scoredGroups,
    refused("positions of the group", "position", "the last rollout would be number"),
    { why: "what is said of the group before", status: 400, code: "facts_disagree", path: ".+" },
    { why: "members of the group", status: 409, code: "group_closed", path: "rollouts\\[\\]" },
  ],
  scoreVerdicts: [
    refused("C <= M", "overlong\\.cache_tokens", "at most max_tokens"),
    refused("k is the number of pass rates", "items\\[\\]\\.candidates", "contradicts pass_rates"),
    refused("an index below k", "items\\[\\]\\.correct", "index below|contradicts pass_rates"),
    refused("one highest", "items\\[\\]\\.pass_rates", "highest pass rate is shared"),
    refused("a prompt in all items or in none", "items\\[\\]\\.prompt", "^needed in every item"),
  ],
  putSpec: specRefusals(),
  checkSpec: specRefusals(),
  putTemplate: [
    refused("a built-in name", "name", "is built in"),
    refused("a message's slots and role", "messages\\[\\]\\.(text|each|role)", "slot|\\{\\{|style|must be one of"),
    refused("what messages must hold", "messages", "slot|more than one place|never tell"),
    refused("a delimited candidate", "candidate", "slot|once|tell several|delimiter"),
    refused("a summary of steps", "summary", "^says nothing of the shape"),
    refused("labels that go together", "ties|passing|invalid", "no label|fewer than two|which labels|counts 1$"),
    refused(
      "a parser that fits",
      "parser(\\.\\w+)*",
      "^reads something|distinct|below the second|exactly one of|names no step",
    ),
    refused("a template as a whole", "\\$", "template_chars"),
  ],
  rescoreRun: [
    ...specRefusals(),
    { why: "what the log tells", status: 422, code: "needs_judging", path: "spec.*" },
    { why: "lengths that were logged", status: 400, code: "length_tokens_required", path: "spec" },
    refused("steps that were logged", "from_step", "required: |rescore_specs_max"),
  ],
  exportRun: [
    refused("what is said of a table", "margin|least|per_group|per_prompt|form", "^does not apply to table="),
  ],
  putRun: [refused("so many fields", "\\$", "metadata_fields_max")],
  listRuns: [cursor],
  getRunGroups: [cursor],
};

/** For each native operation; where its path names a row, that may be missing. */
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

/** Wherever a model is named, or content has a place. */
const EVERYWHERE: readonly Refusal[] = [
  // Rankers' bodies may name a spec, whose fault is written in the dialect of their clients.
  { why: "not a stored spec", status: 400, code: "unknown_spec", path: "spec" },
  { why: "the same, as TEI's clients read it", status: 422, code: "unknown_spec", path: "spec" },
  ...[400, 422].map((status) => ({
    ...{ why: "a ranking's schedule fits its spec's mode", status, code: "invalid_request" },
    ...{ path: "kritai\\.schedule", words: "fit the mode" },
  })),
  // A spec that another request stored is named here, and needs what this body has no place for.
  ...[400, 422].flatMap((status) =>
    ["length_tokens_required", "facts_required"].map((code) => ({
      why: "what a stored spec needs",
      status,
      code,
      path: ".+",
    })),
  ),
  { why: "not a model that there is", status: 404, code: "unknown_spec", path: "(model|spec)?" },
  // Rules that the document states as conditions, which generators of requests do not follow.
  refused("one of two required fields", "\\$", "^one pair of fields is required"),
  refused("a document's text", "(documents|input|records)\\[\\].*", "^required"),
  refused("scores by position", "kritai\\.on_incomplete", "match scores by position"),
  refused("a test's arguments", "(.*\\.)?test_cases\\[\\]\\.\\w+", "^must be (valid JSON|a JSON list)"),
  ...[400, 422].map((status) => ({
    ...{ why: "a budget for each text", status, code: "invalid_request", path: ".+", words: "^judge\\.budget pays" },
  })),
  refused("a turn that says something", "items\\[\\]\\.prompt\\[\\]\\.content", "^required|^expected"),
  refused("who runs tests", "(spec\\.)?signals\\.\\w+\\.cases_max", "^has no effect"),
  refused("a role of a run", "responses_create_params.*\\.role", "at least 1 character"),
  { why: "content that no judge is shown", status: 400, code: "unsupported_content", path: ".+" },
  { why: "the same, as TEI's clients read it", status: 422, code: "unsupported_content", path: ".+" },
  { why: "models of the deployment", status: 403, code: "model_not_allowed", path: "(.*\\.)?model" },
  { why: "backends of the deployment", status: 503, code: "not_configured", path: "spec\\.signals\\..*" },
];

export interface RefusalTable {
  everywhere: readonly Refusal[];
  /** By operationId. */
  operations: Readonly<Record<string, readonly Refusal[]>>;
  /**
   * Operations of which a 503 may be right: a sample alone in its group, a spec that asks a backend
   * which the deployment lacks.
   */
  unavailable: readonly string[];
  /** Operations that read flags and numbers as their vendors' servers do: more than the schema says. */
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
