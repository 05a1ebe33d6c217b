// openapi-fetch with the document that the running stack serves: every operation answers as the
// document says.
import { Ajv2020 } from "ajv/dist/2020.js";
import createClient, { type Client } from "openapi-fetch";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import type { Problem } from "../api/routes/harness.ts";
import { type ClientStack, startClientStack } from "./stack.ts";

const METHODS = ["get", "put", "post"] as const;
type Method = (typeof METHODS)[number];

interface Media {
  example?: unknown;
  /** In place of one. */
  examples?: Record<string, { value: unknown }>;
}

interface Documented {
  parameters?: { in: "path" | "query"; name: string; required?: boolean }[];
  requestBody?: { content: { "application/json": Media } };
  responses: Record<string, { content: Record<string, unknown> }>;
}

/** openapi-typescript's operation, as wide as a client that learns its paths at run time can have it. */
interface AnyOperation {
  parameters: { path?: Record<string, string>; query?: Record<string, string | number> };
  requestBody?: { content: { "application/json": unknown } };
  responses: {
    200: { content: { "application/json": unknown } };
    default: { content: { "application/json": Problem } };
  };
}
type AnyPaths = Record<string, Record<Method, AnyOperation>>;

let stack: ClientStack;
let client: Client<AnyPaths>;
let paths: Record<string, Partial<Record<Method, Documented>>>;
let validator: Ajv2020;
beforeAll(async () => {
  stack = await startClientStack();
  const document = (await (await fetch(`${stack.url}/openapi.json`)).json()) as { paths: typeof paths };
  paths = document.paths;
  validator = new Ajv2020({ strict: false, validateFormats: false });
  validator.addSchema(document, "document");
  client = createClient<AnyPaths>({ baseUrl: stack.url, headers: { authorization: `Bearer ${stack.key}` } });
});
afterAll(() => stack.close());

const pointer = (...parts: string[]) => parts.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/");
const exampleOf = ({ example, examples = {} }: Media): unknown => example ?? Object.values(examples)[0]?.value;
const documented = (path: string, method: Method) => paths[path]?.[method] as Documented;

/** Why a reply is not what the document says of this operation; null when it is. */
function departure(path: string, method: Method, response: Response, body: unknown): string | null {
  const { responses } = documented(path, method);
  const status = String(response.status) in responses ? String(response.status) : "default";
  const type = response.headers.get("content-type")?.split(";")[0] as string;
  const content = responses[status]?.content ?? {};
  if (!(type in content)) return `${response.status} ${type} is not documented`;
  const at = pointer("paths", path, method, "responses", status, "content", type, "schema");
  const isLines = type === "application/x-ndjson";
  const parts = isLines
    ? String(body)
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [body];
  const validate = validator.compile({ $ref: `document#/${at}` });
  return parts.every((part) => validate(part)) ? null : `${response.status}: ${validator.errorsText(validate.errors)}`;
}

async function call(path: string, method: Method, given: AnyOperation["parameters"]) {
  const { requestBody, responses } = documented(path, method);
  const isJson = "application/json" in (responses["200"]?.content ?? {});
  return client.request(method, path, {
    params: given,
    ...(requestBody && { body: exampleOf(requestBody.content["application/json"]) }),
    parseAs: isJson ? "json" : "text",
  });
}

describe("the document that the stack serves", () => {
  it("tells of every operation the type and the shape of its reply", async () => {
    const stored = await call("/v1/specs/{name}", "put", { path: { name: "own" } });
    expect(stored.response.status).toBe(200);
    const { data } = await call("/v1/rewards", "post", {});
    const { request_id, run_id } = data as RewardsReply;
    const known: Record<string, string> = {
      name: "own",
      run_id: run_id as string,
      request_id,
      id: `${request_id}.0`,
      table: "groups",
    };
    const operations = Object.entries(paths).flatMap(([path, operations]) =>
      METHODS.filter((method) => operations[method] !== undefined).map((method) => ({ path, method })),
    );
    const replies = operations.map(async ({ path, method }) => {
      const needed = (documented(path, method).parameters ?? []).filter(({ required }) => required);
      const values = (kind: "path" | "query") =>
        Object.fromEntries(needed.filter((one) => one.in === kind).map(({ name }) => [name, known[name] ?? "none"]));
      const given = { path: values("path"), query: values("query") };
      const { response, data, error } = await call(path, method, given);
      return [`${method} ${path}`, departure(path, method, response, data ?? error)];
    });
    const departures = (await Promise.all(replies)).filter(([, fault]) => fault !== null);
    expect(operations.length).toBeGreaterThan(25);
    expect(departures).toEqual([]);
  });
});

/**
 * A part of `npx openapi-typescript URL/openapi.json`, to hold what its users write against the
 * types.
 */
interface RewardsPaths {
  "/v1/rewards": {
    post: {
      parameters: Record<string, never>;
      requestBody: {
        content: {
          "application/json": { groups: { prompt: string; rollouts: { text: string; pass_rate?: number }[] }[] };
        };
      };
      responses: {
        200: { content: { "application/json": RewardsReply } };
        400: { content: { "application/problem+json": Problem } };
      };
    };
  };
}

describe("a typed openapi-fetch client", () => {
  const typed = (key = stack.key) =>
    createClient<RewardsPaths>({ baseUrl: stack.url, headers: { authorization: `Bearer ${key}` } });
  const group = (...texts: string[]) => ({ prompt: "p", rollouts: texts.map((text) => ({ text })) });
  const program = (code: string) => `\`\`\`python\n${code}\n\`\`\``;

  it("gives rewards as data, in the order of the rollouts", async () => {
    const body = { groups: [group(program("1"), program("print(1)"), "nothing")] };
    const { data, error } = await typed().POST("/v1/rewards", { body });
    expect(error).toBeUndefined();
    expect(data?.rewards).toEqual([[0.5, 1, -1]]);
  });

  it("gives a fault as a problem document that names the field, and no data", async () => {
    const rollouts = [{ text: "a", pass_rate: 2 }];
    const { data, error } = await typed().POST("/v1/rewards", { body: { groups: [{ prompt: "p", rollouts }] } });
    expect(data).toBeUndefined();
    expect(error).toMatchObject({ code: "invalid_request", retryable: false });
    expect(error?.errors?.map(({ path }) => path)).toEqual(["groups[0].rollouts[0].pass_rate"]);
    const refused = await typed("no-such-key").POST("/v1/rewards", { body: { groups: [group("a", "b")] } });
    expect(refused.response.status).toBe(401);
  });

  it("reads the stream of groups when it asks for one", async () => {
    const { data } = await typed().POST("/v1/rewards", {
      body: { groups: [group(program("1"), program("22")), group(program("333"), program("4"))] },
      headers: { accept: "application/x-ndjson" },
      parseAs: "text",
    });
    const lines = (data as string)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines.map(({ type }) => type)).toEqual(["group", "group", "done"]);
  });
});
