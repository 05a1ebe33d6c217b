// Guarantees that the OpenAPI document and the code agree on every query parameter: what the one allows, the
// other accepts, and nothing else.

import { describe, expect, test } from "vitest";
import * as z from "zod";
import { OwnerQuerySchema, RunsQuerySchema } from "../../../src/api/door/owned.ts";
import { BatchesQuerySchema, BatchQuerySchema } from "../../../src/api/routes/batches.ts";
import { ExpiryQuerySchema } from "../../../src/api/routes/dead-letters.ts";
import { ExportQuerySchema } from "../../../src/api/routes/export.ts";
import { HealthQuerySchema } from "../../../src/api/routes/health.ts";
import { RunGroupsQuerySchema, StepsQuerySchema } from "../../../src/api/routes/runs.ts";
import { SpecCheckQuerySchema } from "../../../src/api/routes/spec-check.ts";
import { SpecsQuerySchema } from "../../../src/api/routes/specs.ts";
import { OptionsSchema, SampleOptionsSchema } from "../../../src/api/tools/shared/options.ts";
import { openapi } from "../../harness/openapi.ts";
import fc from "../../harness/property.ts";

interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  schema: { type: string; minimum?: number; maximum?: number };
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
}

/** The reader of an operation's query, where it is not the options of a contract of one kind or the other. */
const READERS: Record<string, z.ZodObject> = {
  listRuns: RunsQuerySchema,
  getRun: OwnerQuerySchema,
  putRun: OwnerQuerySchema,
  deleteRun: OwnerQuerySchema,
  getRunSteps: StepsQuerySchema,
  getRunHealth: HealthQuerySchema,
  getRunGroups: RunGroupsQuerySchema,
  exportRun: ExportQuerySchema,
  rescoreRun: OwnerQuerySchema,
  listBatches: BatchesQuerySchema,
  expireDeadLetters: ExpiryQuerySchema,
  listSpecs: SpecsQuerySchema,
  getBatch: BatchQuerySchema,
  checkSpec: SpecCheckQuerySchema,
};
const SAMPLES = new Set(
  ["openRlhfReward", "slimeReward", "verlComputeScore", "evaluateSample"].concat([
    "nemoGymVerify",
    "nemoGymVerifyRollout",
  ]),
);

const operations = Object.values(openapi.paths).flatMap((item) => Object.values(item) as Operation[]);
const DOCUMENTED = operations.flatMap(({ operationId, parameters = [] }) =>
  parameters
    .filter((parameter) => parameter.in === "query")
    .map((parameter) => ({
      operationId,
      parameter,
      reader: READERS[operationId] ?? (SAMPLES.has(operationId) ? SampleOptionsSchema : OptionsSchema),
      name: parameter.name,
    })),
);

const WORDS = [
  "",
  "null",
  "error",
  "default",
  "groups",
  "verdicts",
  "number",
  "object",
  "run:1",
  "a b",
  "-0.5",
  "+3",
  "1e5",
  "٣",
];
const texts = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.string({ maxLength: 140 }),
  fc.stringMatching(/^[A-Za-z0-9._:+-]{1,70}$/),
  fc.integer().map(String),
);

test("every operation that reads a query has it in the document", () => {
  const documented = DOCUMENTED.map(({ operationId }) => operationId);
  expect(documented).toEqual(expect.arrayContaining([...Object.keys(READERS), ...SAMPLES, "scoreBatch", "rerankV2"]));
  expect(documented.length).toBeGreaterThan(50);
});

describe.each(DOCUMENTED)("$operationId: $name", ({ parameter: { name, schema, required = false }, reader }) => {
  const field = (reader.shape as Record<string, z.ZodType>)[name] as z.ZodType;
  const document = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  const accepted = (text: string) => field.safeParse(text).success;

  test("may be left out where the document says so", () => {
    expect(field.safeParse(undefined).success).toBe(!required);
  });

  test("is accepted exactly when the document allows it", () => {
    if (schema.type === "integer") {
      const { minimum = Number.NaN, maximum = Number.NaN } = schema;
      const numbers = fc.oneof(
        fc.constantFrom(minimum - 1, minimum, maximum, maximum + 1),
        fc.maxSafeInteger(),
        fc.integer({ min: minimum, max: maximum }),
        fc.double({ noNaN: true }),
      );
      fc.assert(fc.property(numbers, (value) => accepted(`${value}`) === document.safeParse(value).success));
      fc.assert(
        fc.property(
          texts.filter((text) => !/^\d+$/.test(text)),
          (text) => !accepted(text),
        ),
      );
    } else {
      fc.assert(fc.property(texts, (text) => accepted(text) === document.safeParse(text).success));
    }
  });
});
