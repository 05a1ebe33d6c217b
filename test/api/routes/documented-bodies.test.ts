// Guarantees that the OpenAPI document and the routes agree on request bodies: what the one rules out the
// other refuses, rules between fields included.
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { RULES } from "../../../scripts/build/openapi/rules.ts";
import { openapi } from "../../harness/openapi.ts";
import fc from "../../harness/property.ts";
import { BODIES } from "./documented-bodies.ts";
import { setUp } from "./harness.ts";

const validator = new Ajv2020({ strict: false, validateFormats: false });
validator.addSchema(openapi, "document");

const compiled = new Map<string, ReturnType<typeof validator.compile>>();

/**
 * Where in the body the document's objections stand, as JSON pointers; none when it allows the
 * body.
 */
function objections(component: string, body: unknown): string[] {
  const known = compiled.get(component);
  const validate = known ?? validator.compile({ $ref: `document#/components/schemas/${component}` });
  if (known === undefined) compiled.set(component, validate);
  return validate(body) === true ? [] : (validate.errors ?? []).map(({ instancePath }) => instancePath);
}

function send(path: string, body: unknown): Promise<Response> {
  const { call } = setUp();
  const [method, at] = path.startsWith("PUT ") ? ["PUT", path.slice(4)] : ["POST", path];
  const headers = { "content-type": "application/json" };
  return Promise.resolve(call(at as string, { method, headers, body: JSON.stringify(body) }));
}

const isRefusal = ({ status }: Response) => status === 400 || status === 422;

/** The body with one value somewhere in it replaced, or one field left out. */
function mutated(body: unknown): fc.Arbitrary<unknown> {
  if (typeof body !== "object" || body === null) return fc.oneof(VALUES, fc.jsonValue({ maxDepth: 2 }));
  const entries = Object.entries(body);
  if (entries.length === 0) return VALUES;
  const inside = fc
    .constantFrom(...entries)
    .chain(([key, value]) => mutated(value).map((other) => [key, other] as const));
  if (Array.isArray(body)) {
    return fc.oneof(
      { weight: 4, arbitrary: inside.map(([key, value]) => body.with(Number(key), value)) },
      fc.constantFrom(body.slice(1), [...body, ...body], []),
    );
  }
  return fc.oneof(
    { weight: 4, arbitrary: inside.map(([key, value]) => ({ ...body, [key]: value })) },
    fc.constantFrom(...entries).map(([left]) => Object.fromEntries(entries.filter(([key]) => key !== left))),
  );
}

const VALUES = fc.constantFrom<unknown>(
  null,
  "",
  "x",
  "{}",
  [],
  {},
  [""],
  -1,
  0,
  1,
  2,
  64,
  1.5,
  true,
  "assistant",
  "user",
);

test("every rule is held against its route", () => {
  expect(Object.keys(BODIES)).toEqual(expect.arrayContaining(Object.keys(RULES)));
});

describe.each(Object.entries(BODIES))("%s", (component, { path, taken, refused, unread }) => {
  test.each(taken.map((body) => [JSON.stringify(body).slice(0, 200), body]))("taken: %s", async (_, body) => {
    expect((await send(path, body)).status).toBe(200);
    expect(objections(component, body)).toEqual([]);
  });

  test.each(refused.map((body) => [JSON.stringify(body).slice(0, 200), body]))("refused: %s", async (_, body) => {
    expect(await send(path, body)).toSatisfy(isRefusal);
    expect(objections(component, body)).not.toEqual([]);
  });

  test("the document rules out nothing that the route takes", async () => {
    const bodies = fc.constantFrom(...taken).chain((body) => mutated(body));
    const agree = async (body: unknown) => {
      const found = objections(component, body);
      return found.length === 0 || found.some((at) => unread?.test(at)) || isRefusal(await send(path, body));
    };
    await fc.assert(fc.asyncProperty(bodies, agree), { numRuns: 100 });
  });
});
