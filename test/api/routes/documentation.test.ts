// Tests the reference: every field is described, every route has its anchor and its place on a
// resource's page, and every example reaches its route and fits its contract.
import { describe, expect, test } from "vitest";
import { eachDocumentField, endWithWords, WORDS } from "../../../scripts/build/openapi/described.ts";
import { openapiText } from "../../../scripts/build/openapi/document.ts";
import { type OpenApi, referenceFiles } from "../../../scripts/build/reference/page.ts";
import { CORRECT, WRONG } from "../../../src/api/tools/shared/page.ts";
import { setUp } from "./harness.ts";

interface Media {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Operation {
  operationId: string;
  tags: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: Record<string, unknown> }[];
  requestBody?: { content: Record<string, Media> };
}

const document = JSON.parse(openapiText()) as OpenApi & { paths: Record<string, Record<string, Operation>> };
const files = referenceFiles(document);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

test("every field and parameter of the OpenAPI document is described", () => {
  const bare: string[] = [];
  eachDocumentField(document, ({ description }, path) => {
    if (typeof description !== "string" || description.trim() === "") bare.push(path.join("."));
  });
  // Words for them go into the schema, or into scripts/build/openapi/words.
  expect(bare).toEqual([]);
});

test("every word of the tables describes a field, and no end stands in two of them", () => {
  const used = new Set<string | undefined>();
  const told = new Map(WORDS);
  eachDocumentField(document, ({ description }, path) => {
    const end = endWithWords(path);
    if (end !== undefined && told.get(end) === description) used.add(end);
  });
  expect(WORDS.map(([end]) => end).filter((end) => !used.has(end))).toEqual([]);
  expect(told.size).toBe(WORDS.length);
});

test("a word of one meaning is told of no field of another", () => {
  const said = new Map<string, unknown>();
  eachDocumentField(document, ({ description }, path) => said.set(path.join("."), description));
  expect(said.get("getRunSteps.steps.errors")).toContain("generations");
  expect(said.get("StoredSpec.spec")).not.toContain("name");
  expect(said.get("RescoreLine.groups")).not.toContain("one result");
  expect(said.get("putTemplate.parser.evidence")).toContain("field");
});

test("the reference begins with how to send a key, and leads from each route to its resource's page", () => {
  const overview = files["docs.html"] as string;
  expect(overview.indexOf('id="authentication"')).toBeGreaterThan(0);
  expect(overview.indexOf('id="authentication"')).toBeLessThan(overview.indexOf('id="scoreRewards"'));
  expect(operations.length).toBeGreaterThan(40);
  for (const { operationId, path } of operations) {
    const [, page = "", part = ""] =
      overview.match(new RegExp(`<li id="${operationId}"><a href="/([^"#]+)(#/[^"]+/${operationId})"`)) ?? [];
    expect(files[`${page}.html`], operationId).toContain(`<a href="${part}"`);
    expect(files[`${page}.html`]?.replaceAll("<wbr>", ""), operationId).toContain(`<span>${path}</span>`);
  }
});

/** An operation's path with values for its parameters. */
function addressOf({ path, parameters = [] }: (typeof operations)[number]): string {
  const query = parameters
    .filter((one) => one.in === "query" && one.required === true)
    .map(({ name, schema }): [string, string] => {
      const [value] = [schema.enum, schema.examples].flat().filter((given) => given !== undefined);
      return [name, String(value ?? schema.default ?? 1)];
    });
  if (parameters.some(({ name }) => name === "group_window_ms")) query.push(["group_size", "2"]);
  return `${path.replace(/\{\w+\}/g, "nightly")}?${new URLSearchParams(query)}`;
}

describe("the example reaches its route and fits its contract:", () => {
  /** Nothing is stored here, and no database is there. */
  const MAY_BE = [200, 404, 503];
  test.each(operations.map((operation) => [operation.operationId, operation] as const))("%s", async (_, operation) => {
    const { call } = setUp();
    const { example, examples = {} } = Object.values(operation.requestBody?.content ?? {})[0] ?? {};
    const bodies = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
    const gathers = operation.parameters?.some(({ name }) => name === "group_window_ms") === true;
    const sent = bodies.slice(0, gathers ? 1 : undefined).map((body) => JSON.stringify(body));
    // Alone in its group a gathered sample has no reward: another answer to the same problem joins it.
    const written = (text: string) => JSON.stringify(text).slice(1, -1);
    if (gathers) sent.push((sent[0] as string).replaceAll(written(CORRECT), written(WRONG)));
    const requests: RequestInit[] = sent.length === 0 ? [{}] : sent.map((body) => ({ body }));
    const replies = await Promise.all(
      requests.map((init) =>
        call(addressOf(operation), {
          ...init,
          method: operation.method,
          headers: { "content-type": "application/json" },
        }),
      ),
    );
    for (const reply of replies) {
      const told = await reply.text();
      expect(gathers ? [200] : MAY_BE, told).toContain(reply.status);
      expect(told).not.toContain("There is nothing at this path");
    }
  });
});
