// Bodies that fit /openapi.json, of each operation and of each kind of signal: each refusal is one that
// the table of scripts/build/openapi/refusals.ts knows, so that schemathesis finds none by chance.
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { openapiText } from "../../scripts/build/openapi/document.ts";
import { refusalTable } from "../../scripts/build/openapi/refusals.ts";
import type { Refusal } from "../../src/api/tools/shared/page.ts";
import { fitting, type Schema, type Schemas } from "../harness/from-schema.ts";
import fc from "../harness/property.ts";
import { setUp } from "./routes/harness.ts";

type Kind = Schema & { properties: { kind: { const: string } } };
interface Operation {
  operationId: string;
  requestBody?: { content: { "application/json"?: { schema: Schema } } };
}
interface Told {
  code: string;
  detail?: unknown;
  errors?: { path: string; message: string }[];
}

const document = JSON.parse(openapiText()) as Schemas & { paths: Record<string, Record<string, Operation>> };
const { everywhere, operations } = refusalTable();
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: "of", components: document.components });
const texts = fc.constantFrom(...["a", "base", "a + base", "cot", "https://x.example/y", "^x$", "(a+)+", "score >= 2"]);

const covers = (rule: Refusal, body: unknown, status: number, code: string, path: string, message: string): boolean =>
  (rule.given === undefined || Boolean((body as Record<string, unknown>)[rule.given])) &&
  rule.status === status &&
  rule.code === code &&
  new RegExp(`^(?:${rule.path ?? ""})$`).test(path) &&
  new RegExp(rule.words ?? "").test(message);

/** Faults in `reply` to `body` that no rule of the operation knows. */
async function unknownOf(operationId: string, body: unknown, reply: Response): Promise<string[]> {
  if (reply.status < 300) return [];
  const { code, detail, errors } = (await reply.json()) as Told;
  const rules = [...everywhere, ...(operations[operationId] ?? [])];
  const told = errors ?? [{ path: "", message: typeof detail === "string" ? detail : JSON.stringify(detail) }];
  return told
    .map(({ path, message }) => ({ path: path.replace(/\[\d+\]/g, "[]"), message }))
    .filter(({ path, message }) => !rules.some((rule) => covers(rule, body, reply.status, code, path, message)))
    .map(({ path, message }) => `${reply.status} ${code} ${path}: ${message}`);
}

/** Sends bodies that fit `schema` to the operation at `path`. */
async function holds(of: { id: string; path: string; method: string }, bodies: fc.Arbitrary<unknown>, schema: Schema) {
  const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"of#/components')) as Schema;
  const fits = ajv.compile(local);
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      fc.pre(fits(body));
      const { call } = setUp();
      const headers = { "content-type": "application/json" };
      const reply = await call(of.path, { method: of.method, headers, body: JSON.stringify(body) });
      expect(await unknownOf(of.id, body, reply)).toEqual([]);
    }),
    { numRuns: 150 },
  );
}

/** Operations whose bodies this generator cannot make, or that wait for other requests or for a queue. */
const LEFT_TO_SCHEMATHESIS = new Set([
  ...["judge", "judgeAzure", "judgeAzureV1", "rulerJudge", "evaluateSample"],
  ...["slimeReward", "verlComputeScore", "nemoGymVerify", "nemoGymVerifyRollout", "replayDeadLetters"],
]);

const withBody = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { operationId, requestBody }]) => {
    const schema = requestBody?.content["application/json"]?.schema;
    const of = {
      id: operationId,
      path: path.replace("{config}", "x:rank").replace(/\{\w+\}/g, "x"),
      method: method.toUpperCase(),
    };
    return schema === undefined || LEFT_TO_SCHEMATHESIS.has(operationId) ? [] : [{ ...of, schema }];
  }),
);

describe("bodies that fit the document are refused for known rules alone", () => {
  test("there are operations with a body", () => expect(withBody.length).toBeGreaterThan(30));

  test.each(withBody)("$id", async ({ schema, ...of }) => {
    await holds(of, fitting(document, schema, texts), schema);
  });

  const specs = document.components.schemas.SignalsSpec as Schema & {
    properties: { signals: { additionalProperties: { oneOf: Kind[] } } };
  };
  test.each(
    specs.properties.signals.additionalProperties.oneOf.map((kind): [string, Kind] => [
      kind.properties.kind.const,
      kind,
    ]),
  )("a signal of kind %s", async (_, kind) => {
    const bodies = fitting(document, kind, texts).map((signal) => ({ signals: { a: signal } }));
    await holds({ id: "checkSpec", path: "/v1/specs/check", method: "POST" }, bodies, specs);
  });
});
