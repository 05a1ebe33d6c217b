// Owns the guarantees of the reference: every field is described, and every route comes with a call
// in each language that works as it stands.
import createClient from "openapi-fetch";
import { describe, expect, test } from "vitest";
import { eachDocumentField, endWithWords, WORDS } from "../../../scripts/build/openapi/described.ts";
import { openapiText } from "../../../scripts/build/openapi/document.ts";
import { callsOf, type OpenApi, referencePage } from "../../../scripts/build/reference/page.ts";
import { LANGUAGES, pythonLiteral, snippets } from "../../../scripts/build/reference/snippets.ts";
import { setUp } from "./harness.ts";

const document = JSON.parse(openapiText()) as OpenApi;
const page = referencePage(document);
const calls = callsOf(document);

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
  expect(said.get("RunGraderRequest.grader.labels")).toContain("judge");
  expect(said.get("StoredSpec.spec")).not.toContain("name");
  expect(said.get("RescoreLine.groups")).not.toContain("one result");
  expect(said.get("putTemplate.parser.evidence")).toContain("field");
});

test("an example of one group names a group, of a batch a batch", () => {
  const pathOf = (id: string) => snippets(calls.find(({ operationId }) => operationId === id) as never).curl;
  expect(pathOf("getGroupTexts")).toMatch(/\/v1\/groups\/\w{26}\.0\/texts/);
  expect(pathOf("getGroupVerdicts")).toMatch(/\/v1\/groups\/\w{26}\.0\/verdicts/);
  expect(pathOf("getBatch")).toMatch(/\/v1\/batches\/\w{26}"/);
});

test("the reference begins with how to send a key, and shows a call in each language for every route", () => {
  expect(page.indexOf('id="authentication"')).toBeGreaterThan(0);
  expect(page.indexOf('id="authentication"')).toBeLessThan(page.indexOf('id="scoreRewards"'));
  expect(calls.length).toBeGreaterThan(40);
  for (const { operationId } of calls) {
    for (const language of LANGUAGES) expect(page).toContain(`id="${operationId}-${language.toLowerCase()}"`);
  }
});

interface Answered {
  error?: unknown;
  response: Response;
}

describe("the TypeScript example reaches its route and fits its contract:", () => {
  const Run = Object.getPrototypeOf(async () => {}).constructor as new (
    ...code: string[]
  ) => (client: unknown) => Promise<Answered | Answered[]>;
  /** Nothing is stored here, and no database is there. */
  const MAY_BE = [200, 404, 503];
  test.each(calls.map((call) => [call.operationId, call] as const))("%s", async (_, call) => {
    const { app } = setUp();
    const client = createClient({ baseUrl: "http://localhost", fetch: async (request) => app.fetch(request) });
    const { TypeScript: code } = snippets(call);
    const ran = await new Run("client", code.replace(/^const (\{ data, error \}|\[first, second\]) = /, "return "))(
      client,
    );
    for (const { error, response } of [ran].flat()) {
      const said = JSON.stringify(error ?? "");
      expect(call.other === undefined ? MAY_BE : [200], said).toContain(response.status);
      expect(said).not.toContain("There is nothing at this path");
    }
    expect([ran].flat()).toHaveLength(call.other === undefined ? 1 : 2);
  });
});

test("the curl example sends the document's own example, whatever quotes it holds", () => {
  for (const call of calls) {
    const { curl } = snippets(call);
    expect(curl).toContain(`"$KRITAI_URL${call.path.split("{")[0]}`);
    expect(curl.includes("$KRITAI_API_KEY"), call.operationId).toBe(!call.open);
    if (call.body === undefined) continue;
    const sent = [...curl.matchAll(/-d '(.*?)'(?=$| &$|\nwait$)/gms)].map(([, quoted = ""]) => quoted);
    const bodies = [call.body, ...(call.other === undefined ? [] : [call.other])];
    expect(sent.map((quoted) => JSON.parse(quoted.replaceAll("'\\''", "'")))).toEqual(bodies);
  }
});

test("a JSON value is written as Python has it", () => {
  expect(pythonLiteral({ a: [true, null, 1.5], b: "x\n" })).toBe('{"a": [True, None, 1.5], "b": "x\\n"}');
  expect(pythonLiteral(["a".repeat(80), {}])).toBe(`[\n    "${"a".repeat(80)}",\n    {},\n]`);
});
