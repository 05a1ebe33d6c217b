// Owns the table of right refusals by operation, for test/tools/schemathesis.sh: what the document
// cannot say of native routes, and what the contracts' pages say. Prints it as JSON.
import { groupRefusals, type Refusal, refused, specRefusals } from "../../../src/api/contracts/refusal.ts";
import { contractOperations } from "./contracts.ts";

const noRow: Refusal = { why: "no such row", status: 404, code: "not_found" };
const noName: Refusal = { ...noRow, path: "name" };
const cursor = refused("a cursor is what another reply gave", "cursor", "next_cursor of the same list");

/** Of native operations. */
const NATIVE: Readonly<Record<string, readonly Refusal[]>> = {
  scoreRewards: [
    ...specRefusals(),
    ...groupRefusals(),
    refused("ids differ", "groups\\[\\]\\.group_id", "the same as that of"),
  ],
  scoreVerdicts: [
    refused("C <= M", "overlong\\.cache_tokens", "at most max_tokens"),
    refused("k is the number of pass rates", "items\\[\\]\\.candidates", "contradicts pass_rates"),
    refused("an index below k", "items\\[\\]\\.correct", "index below|contradicts pass_rates"),
    refused("one highest", "items\\[\\]\\.pass_rates", "highest pass rate is shared"),
  ],
  evaluate: [
    refused("one length", "lists\\[\\]\\.win_counts", "the length of pass_rates"),
    refused("an index", "lists\\[\\]\\.selected", "index into pass_rates"),
    refused("parsed <= generations", "lists\\[\\]\\.parsed", "at most generations"),
    refused("tag values of the whole request", "lists", "evaluation_tag_values_max"),
    refused("draws of the whole request", "bootstrap", "bootstrap_draws_max"),
  ],
  getSpec: [noName],
  putSpec: [noName, ...specRefusals()],
  checkSpec: specRefusals(),
  listRuns: [cursor],
  getRunGroups: [noRow, cursor],
  ...Object.fromEntries(
    ["getRun", "getRunSteps", "exportRun", "getGroupVerdicts", "getRequest", "getBatch", "cancelBatch"].map((id) => [
      id,
      [noRow],
    ]),
  ),
};

/** Wherever a model is named. */
const EVERYWHERE: readonly Refusal[] = [
  { why: "models of the deployment", status: 403, code: "model_not_allowed", path: "(.*\\.)?model" },
];

export interface RefusalTable {
  everywhere: readonly Refusal[];
  /** By operationId. */
  operations: Readonly<Record<string, readonly Refusal[]>>;
  /** Operations whose sample may be alone in its group, so that a 503 is right. */
  gathered: readonly string[];
}

export function refusalTable(): RefusalTable {
  const all = contractOperations().map(({ operation }) => operation);
  return {
    everywhere: EVERYWHERE,
    operations: {
      ...NATIVE,
      ...Object.fromEntries(all.map(({ operationId, refusals = [] }) => [operationId, refusals])),
    },
    gathered: all.flatMap(({ operationId, gathered }) => (gathered === true ? [operationId] : [])),
  };
}

if (import.meta.main) console.log(JSON.stringify(refusalTable()));
