// Guarantees of every contract to its clients: one suite for each scoring route of the table, with cases from
// the route's example, error dialect, options and schema.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { FaultDialect } from "../../../src/api/door/dialect.ts";
import * as dialects from "../../../src/api/tools/shared/dialects.ts";
import { optionHeader } from "../../../src/api/tools/shared/options.ts";
import { CORRECT, WRONG } from "../../../src/api/tools/shared/page.ts";
import { CONTRACTS } from "../../../src/api/tools/table.ts";
import type { ItemErrorCode } from "../../../src/core/faults/errors.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { fakeSpecStore } from "../../harness/fakes.ts";
import fc from "../../harness/property.ts";
import { lines } from "../../harness/vector-lines.ts";
import { ask, CLIENTS, type Client, type Fields, isGathered, named, scaled, withQuery } from "./clients.ts";
import { fixedRooms, gathered } from "./sample-setup.ts";
import { failing, failingOn, fenced, longest, PROGRAMS, replyOf, setUp, silent } from "./setup.ts";

type Api = ReturnType<typeof setUp>;

const secret = new Uint8Array(createHash("sha256").update("s3cret").digest());
const PLAIN = SpecSchema.parse({});
const STRICT = SpecSchema.parse({ format: { rules: ["has_candidate", "judgeable"] } });
const LENGTHS = SpecSchema.parse({ overlong: { max_tokens: 100, cache_tokens: 50, clamp: true } });
const worldOf = (deps: Parameters<typeof setUp>[0] = {}) =>
  setUp({ specs: fakeSpecStore({ plain: PLAIN, strict: STRICT, lengths: LENGTHS }), ...deps });

/** The example, with its right answer or with another one for a second sample of its group. */
const sampleWith = ({ example }: Client, answer: string): Fields =>
  JSON.parse(
    JSON.stringify(example).replaceAll(JSON.stringify(CORRECT).slice(1, -1), JSON.stringify(answer).slice(1, -1)),
  );

/** Sends the example; for a gathered route with a second sample of its group. */
async function sendExample(client: Client, { post }: Api, headers: Record<string, string> = {}, query = "") {
  if (!isGathered(client)) return post(withQuery(client.path, query), client.example, headers);
  const url = withQuery(`${client.path}?group_size=2`, query);
  const [reply] = await Promise.all([CORRECT, WRONG].map((answer) => post(url, sampleWith(client, answer), headers)));
  return reply as Response;
}

/** Dialects by the name that the vectors use, each with the reply to one fault; `$` is the fault's message. */
interface DialectLine {
  dialect: string;
  code: string;
  /** The status before the dialect changes it. */
  given: number;
  status: number;
  members: Fields;
}
const DIALECT_LINES = lines<DialectLine>("dialects.jsonl");

/** The dialect of each contract, its clients' wait, and whether they can wait longer. */
const SPOKEN: Readonly<Record<string, readonly [dialect: string, wait_ms: number | null, settable?: true]>> = {
  cohere_rerank: ["rerankers", 300_000, true],
  bare_rerank: ["rerankers", null],
  voyage_rerank: ["rerankers", 600_000, true],
  infinity_rerank: ["infinity", null],
  pinecone_rerank: ["pinecone", 30_000, true],
  mixedbread_rerank: ["rerankers", 60_000, true],
  vertex_rank: ["google", null],
  score: ["rerankers", null],
  classify: ["rerankers", null],
  score_batch: ["problem", null],
  chat_completions: ["openai", 120_000, true],
  responses: ["openai", 600_000, true],
  ruler: ["openai", 600_000, true],
  openrlhf: ["trainers", 180_000],
  slime: ["trainers", 120_000],
  verl: ["trainers", 300_000, true],
  eval_protocol: ["trainers", 30_000, true],
  nemo_gym: ["trainers", 60_000, true],
  nemo_gym_compare: ["trainers", null],
};
/** A body of `/rerank` with `texts` is TEI's, which has a separate error for an empty list. */
function dialectOf({ contract }: Client, { texts }: Fields) {
  if (contract.name !== "bare_rerank" || texts === undefined) return SPOKEN[contract.name]?.[0];
  return Array.isArray(texts) && texts.length === 0 ? "teiEmpty" : "tei";
}

interface Fault {
  status: number;
  code: string;
  detail: string | { msg: string }[];
  type: string;
  request_id: string;
  retryable: boolean;
  errors?: { path: string; message: string }[];
}

const filled = (members: unknown, message: string, param: string | null): unknown =>
  JSON.parse(JSON.stringify(members), (_, value) => {
    if (Array.isArray(value) && param === null) return value.filter((one) => one !== null);
    return value === "$" ? message : value === "$param" ? param : value;
  });

/** The fault in words; Infinity's `detail` is a list. */
const messageOf = ({ detail }: Fault) => (typeof detail === "string" ? detail : (detail[0]?.msg ?? ""));

/** A refusal, after checking that it is in its contract's dialect, as the vectors have it. */
async function faultOf(client: Client, reply: Response, body = client.example): Promise<Fault> {
  const text = await reply.text();
  const fault = JSON.parse(text) as Fault;
  const dialect = dialectOf(client, body);
  const line = DIALECT_LINES.find((one) => {
    return one.dialect === dialect && one.code === fault.code && one.status === reply.status;
  });
  if (line === undefined) throw new Error(`not in dialects.jsonl: ${dialect} ${fault.code} ${reply.status}: ${text}`);
  expect(fault.status).toBe(line.status);
  expect(fault).toMatchObject(filled(line.members, messageOf(fault), fault.errors?.[0]?.path ?? null) as object);
  const json = dialect === "problem" ? "application/problem+json" : "application/json";
  expect(reply.headers.get("content-type")).toBe(json);
  expect(fault.request_id).toBe(reply.headers.get("x-request-id"));
  expect(fault.type).toMatch(new RegExp(`^http://[^/]+/docs/errors#${fault.code}$`));
  return fault;
}

test("every contract has its dialect and its clients' wait here", () => {
  expect(Object.keys(SPOKEN).sort()).toEqual(CONTRACTS.map(({ name }) => name).sort());
  const stated = CONTRACTS.map(({ name, wait_ms, settable }) => [name, wait_ms, settable]);
  expect(stated).toEqual(CONTRACTS.map(({ name }) => [name, SPOKEN[name]?.[1], SPOKEN[name]?.[2]]));
});

/** The one contract whose reply has a place for each reward that is missing. */
const hasPlaces = ({ contract }: Client) => contract.name === "score_batch";
const isChat = ({ contract }: Client) => ["chat_completions", "responses"].includes(contract.name);
const isRanking = ({ contract }: Client) => /_rank$|_rerank$/.test(contract.name);
/** The value of a text that breaks a format rule: scores on 0..1 have nothing lower. */
const lowest = (client: Client) =>
  isGathered(client) || hasPlaces(client) || client.contract.name === "nemo_gym_compare" ? scaled(client, [-1])[0] : 0;

/** Failures of all questions, and the value of `Retry-After`. */
const FAILURES: readonly (readonly [ItemErrorCode, string | null])[] = [
  ["verifier_unavailable", "5"],
  ["verifier_overloaded", "1"],
  ["verifier_rejected", null],
  ["verifier_misconfigured", null],
  ["verifier_bad_reply", "5"],
  ["context_exceeded", null],
  ["content_filtered", null],
  ["deadline", "5"],
];

/** Members that trainers and rankers read as real numbers, whatever the value. */
const FLOATS =
  "reward rewards score scores relevance_score probs base rm_base rm_format rm_overlong rm_parse_rate".split(" ");

/** Python's json type of each number of these members: `float` where the text has a fraction or an exponent. */
function kindsOf(text: string, name: string): string[] {
  const found = [...text.matchAll(new RegExp(`"${name}":(\\[[^"{}]*\\]|-?[0-9.eE+-]+)`, "g"))];
  const numbers = found.flatMap(([, value = ""]) => [...value.matchAll(/-?[0-9][0-9.eE+-]*/g)].map(([n]) => n));
  return numbers.map((number) => (/[.eE]/.test(number) ? "float" : "int"));
}

const KEYS_SENT: readonly [how: string, path: string, headers: Record<string, string>][] = [
  ["in the path", "/k/s3cret", {}],
  ["as Basic password", "", { authorization: `Basic ${btoa("user:s3cret")}` }],
  ["as Bearer token", "", { authorization: "Bearer s3cret" }],
  ["as X-Api-Key", "", { "x-api-key": "s3cret" }],
  ["as Pinecone's Api-Key", "", { "Api-Key": "s3cret" }],
  ["as Google's X-Goog-Api-Key", "", { "X-Goog-Api-Key": "s3cret" }],
];

/** One route of each contract and form; the others are the same operation at another path. */
const OWN = CLIENTS.filter((client, i) => {
  return i === CLIENTS.findIndex(({ numbers }) => numbers === client.numbers);
});

describe.each(named(OWN))("%s", (_, client) => {
  test("answers its example in the documented shape", async () => {
    const reply = await sendExample(client, worldOf());
    expect(reply.headers.get("content-type")).toBe("application/json");
    expect(reply.headers.get("x-request-id")).toMatch(/^[0-9A-Z]{26}$/);
    await replyOf(client.operation.reply, reply);
  });

  test("gives each text the reward that /v1/rewards gives, logged under the URL's run and step", async () => {
    const api = worldOf();
    const { replies, numbers } = await ask(client, api, PROGRAMS, "run_id=r&step=4");
    const groups = [{ prompt: "Sum it.", rollouts: PROGRAMS.map((text) => ({ text })) }];
    const native = (await (await worldOf().post("/v1/rewards", { groups })).json()) as { rewards: number[][] };
    expect(numbers).toEqual(scaled(client, native.rewards[0] as number[]));
    const [entry] = api.runLog.entries;
    expect(api.runLog.entries).toMatchObject([{ kind: "rewards", run_id: "r", step: 4, items: 3 }]);
    expect(new Set(replies.map(({ headers }) => headers.get("x-request-id")))).toEqual(new Set([entry?.request_id]));
  });

  test("refuses a field that is missing or of another type, by its name", async () => {
    const { example, request, path } = client;
    const post = (body: unknown) => worldOf().post(path, body);
    let refusals = 0;
    for (const [name, schema] of Object.entries(request.shape)) {
      // A batch passes over columns that are not lists.
      if (!(name in example) || (name === "context" && hasPlaces(client))) continue;
      const { [name]: left, ...others } = example;
      const wrong = [{ a: 1 }, 7, "x"].find((value) => !schema.safeParse(value).success);
      const bodies = [
        ...(schema.safeParse(undefined).success ? [] : [others]),
        ...(wrong === undefined ? [] : [{ ...example, [name]: wrong }]),
      ];
      for (const body of bodies) {
        const fault = await faultOf(client, await post(body), body);
        // Content of a form that the judge is not shown is refused before it is parsed.
        expect(["invalid_request", "unsupported_content"]).toContain(fault.code);
        const field = name === "texts" && !("texts" in body) ? "documents" : name;
        expect(fault.errors?.[0]?.path).toMatch(new RegExp(`^${field}`));
        refusals++;
      }
    }
    expect(refusals).toBeGreaterThan(0);
    expect((await faultOf(client, await post([]), {})).errors?.[0]?.path).toBe("$");
    expect((await faultOf(client, await post("{"), {})).code).toBe("invalid_json");
  });

  test("refuses no texts, and more than a group holds, by the limit", async () => {
    if (isGathered(client)) return;
    const many = Array.from({ length: LIMITS.rollouts_per_group_max + 1 }, (_, i) => fenced(`${i}`));
    for (const [texts, words] of [
      [[], ""],
      [many, `${isChat(client) ? LIMITS.verdict_candidates_max : LIMITS.rollouts_per_group_max}`],
    ] as const) {
      const api = worldOf();
      const [body] = client.bodies("Sum it.", texts) as [Fields];
      const fault = await faultOf(client, await api.post(client.path, body), body);
      expect([fault.code, messageOf(fault)]).toEqual(["invalid_request", expect.stringContaining(words)]);
      expect(api.verifier.jobs).toEqual([]);
    }
  });

  test("gives a text that is alone no score by comparison", async () => {
    const api = worldOf();
    const { numbers, replies, warnings } = await ask(client, api, PROGRAMS.slice(0, 1));
    expect(api.verifier.jobs).toEqual([]);
    if (isRanking(client)) return expect([numbers, warnings]).toEqual([[1], expect.stringContaining("not_compared 0")]);
    expect(numbers).toEqual([null]);
    const [reply] = replies as [Response];
    if (hasPlaces(client)) return expect((await reply.json()).columns.error).toEqual(["group_too_small"]);
    const fault = await faultOf(client, reply);
    expect(fault).toMatchObject({ code: isChat(client) ? "invalid_request" : "group_too_small", retryable: false });
  });

  test("reads each option from the URL and from its header, and refuses it by the name that was sent", async () => {
    for (const name of Object.keys(client.operation.query?.shape ?? {})) {
      const byUrl = await faultOf(client, await worldOf().post(withQuery(client.path, `${name}=%3F!`), client.example));
      expect(byUrl.errors?.[0]?.path).toBe(name);
      const header = { [optionHeader(name)]: "?!" };
      const byHeader = await faultOf(client, await worldOf().post(client.path, client.example, header));
      expect(byHeader.errors?.[0]?.path).toBe(optionHeader(name));
    }
    const api = worldOf();
    await ask(client, api, PROGRAMS, "", { "kritai-run-id": "h", "kritai-step": "8", "kritai-spec": "plain" });
    await ask(client, api, PROGRAMS, "run_id=u", { "kritai-run-id": "h" });
    expect(api.runLog.entries).toMatchObject([{ run_id: "h", step: 8 }, { run_id: "u" }]);
  });

  test("refuses a spec that does not exist, and one that needs token lengths which the request lacks", async () => {
    const missing = await faultOf(client, await worldOf().post(withQuery(client.path, "spec=nowhere"), client.example));
    expect(missing.code).toBe("unknown_spec");
    const { status, replies } = await ask(client, worldOf(), PROGRAMS, "spec=lengths");
    // NeMo-Gym's responses carry their usage, and a judge of chats shapes nothing.
    if (client.contract.name === "nemo_gym" || isChat(client)) expect(status).toBe(200);
    else
      expect(await faultOf(client, replies[0] as Response)).toMatchObject({
        code: "length_tokens_required",
        errors: [{ path: expect.any(String) }],
      });
  });

  test.each(KEYS_SENT)("takes its key %s, and refuses without it", async (_how, prefix, headers) => {
    const api = worldOf({ keys: [{ name: "team", digest: secret, scopes: ["score"] }] });
    expect((await sendExample({ ...client, path: `${prefix}${client.path}` }, api, headers)).status).toBe(200);
    expect(api.runLog.entries.map(({ key_name }) => key_name)).toEqual(["team"]);
    // The key is read before the body, which alone tells TEI's clients from vLLM's.
    expect((await faultOf(client, await api.post(client.path, client.example), {})).code).toBe("unauthorized");
    const reader = worldOf({ keys: [{ name: "team", digest: secret, scopes: ["logs"] }] });
    const forbidden = await reader.post(`${prefix}${client.path}`, client.example, headers);
    expect((await faultOf(client, forbidden, {})).code).toBe("forbidden_scope");
  });

  test.each(FAILURES)("gives no number when the judge fails with %s", async (code, wait) => {
    const query = isGathered(client) ? "on_failure=error" : "";
    const { replies, numbers } = await ask(client, worldOf({ script: failing(code) }), PROGRAMS, query);
    expect(numbers).toEqual([null, null, null]);
    for (const reply of replies) {
      if (hasPlaces(client)) {
        expect([reply.status, (await reply.json()).columns.error]).toEqual([200, [code, code, code]]);
        continue;
      }
      expect([(await faultOf(client, reply.clone())).code, reply.headers.get("retry-after")]).toEqual([code, wait]);
    }
  });

  test.each(["verifier_overloaded", "verifier_unavailable"] as const)(
    "passes the verifier's own wait on: %s",
    async (error) => {
      const { replies } = await ask(client, worldOf({ script: () => ({ error, retry_after_ms: 36_001 }) }), PROGRAMS);
      for (const { headers } of replies) expect(headers.get("retry-after")).toBe(hasPlaces(client) ? null : "37");
    },
  );

  test("gives no number when the judge is late", async () => {
    const { replies, numbers } = await ask(client, worldOf({ verifier: silent() }), PROGRAMS, "deadline_ms=100");
    expect(numbers).toEqual([null, null, null]);
    if (!hasPlaces(client)) expect((await faultOf(client, replies[0] as Response)).code).toBe("deadline");
  });

  test("asks once more for an answer that cannot be read, and then gives no number", async () => {
    const api = worldOf({ script: () => "I like both." });
    const { replies, status, numbers } = await ask(client, api, PROGRAMS.slice(0, 2), "spec=plain");
    expect(numbers).toEqual([null, null]);
    const asked = api.verifier.jobs.flatMap((job) => job.questions);
    expect(asked.reduce((sum, { samples }) => sum + samples, 0)).toBe(2);
    const byDefault = await ask(client, worldOf({ script: () => "I like both." }), PROGRAMS.slice(0, 2));
    expect(byDefault.numbers).toEqual([null, null]);
    // A judge's answer is a sentence: chat.test.ts.
    if (hasPlaces(client) || isChat(client)) return expect(status).toBe(200);
    const code = isGathered(client) ? "unparsed" : "verifier_bad_reply";
    expect(await faultOf(client, replies[0] as Response)).toMatchObject({ code, retryable: false });
  });

  test("fails or marks what the verifier failed at, and gives it no number", async () => {
    const script = failingOn((text) => text === "12", "verifier_unavailable");
    const { replies, numbers } = await ask(client, worldOf({ script }), PROGRAMS);
    if (hasPlaces(client)) return expect(numbers).toEqual([null, null, null]);
    expect(numbers[2]).toBeNull();
    expect((await faultOf(client, replies.at(-1) as Response)).code).toBe("verifier_unavailable");
  });

  test("lets a rollout that jams the judge lose by `judgeable`, and costs its neighbours nothing", async () => {
    const texts = ["1234", "123", "12", "1", "print('no verdict on me')"].map(fenced);
    const jams = (shown: readonly string[]) => shown.some((text) => text.includes("no verdict on me"));
    const script: typeof longest = (shown, about) => (jams(shown) ? "I like both." : longest(shown, about));
    const { numbers, warnings } = await ask(client, worldOf({ script }), texts, "spec=strict");
    if (isChat(client)) return expect(numbers).toEqual(Array(5).fill(null));
    const jammed = numbers.at(-1) as number;
    const others = numbers.slice(0, -1) as number[];
    expect(others.every((number) => number > jammed)).toBe(true);
    expect(others).toEqual([...others].sort((a, b) => b - a));
    expect(warnings).toContain("jams_judge");
  });

  test.each([
    ["fits no context", fenced(`1 # ${"x".repeat(60_000)}`), "does_not_fit"],
    ["is longer than rollout_text_bytes", `${fenced("x".repeat(9_000))}\n${"y".repeat(LIMITS.rollout_text_bytes)}`, ""],
  ])("lets a text lose alone that %s", async (_why, long, warning) => {
    const script = failingOn((text) => text.length > 50_000, "context_exceeded");
    const [worst, best] = PROGRAMS as [string, string];
    const query = client.contract.name.endsWith("rerank") ? "spec=default" : "";
    const api = worldOf({ script });
    const { numbers, warnings, status } = await ask(client, api, [best, long, worst], query);
    expect(status).toBe(200);
    const [first, lost, last] = numbers as [number, number, number];
    expect(lost).toBe(lowest(client));
    expect(last).toBeLessThan(first);
    expect(warnings).toContain(warning);
    expect(api.runLog.entries.map(({ items }) => items)).toEqual([3]);
  });

  test("ends within 80 % of its clients' wait, or at the deadline that they ask for", async () => {
    const [, wait = null, settable] = SPOKEN[client.contract.name] ?? [];
    const own = wait === null ? LIMITS.deadline_ms_default : wait * 0.8;
    const deadline = async (query: string, headers = {}) => {
      const { rooms, joined } = fixedRooms(gathered());
      const api = worldOf({ rooms });
      await ask(client, api, PROGRAMS, query, headers);
      if (isGathered(client)) return joined[0]?.answer_within_ms;
      return (api.verifier.calls[0]?.deadline_at ?? 0) - api.clock.now() + LIMITS.deadline_reserve_ms;
    };
    expect(await deadline("")).toBe(own);
    expect(await deadline("deadline_ms=20000")).toBe(20_000);
    expect(await deadline("", { "kritai-deadline-ms": "20000" })).toBe(20_000);
    expect(await deadline("deadline_ms=590000")).toBe(wait === null || settable ? 590_000 : own);
  });

  test("ends the verifier's work when its client goes", async () => {
    if (isGathered(client)) return;
    const verifier = silent();
    const gone = new AbortController();
    const [body] = client.bodies("Sum it.", PROGRAMS);
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", body: JSON.stringify(body), headers, signal: gone.signal };
    const pending = worldOf({ verifier }).call(client.path, request);
    await expect.poll(() => verifier.jobs.length).toBe(1);
    gone.abort();
    const reply = await pending;
    if (!hasPlaces(client)) expect((await faultOf(client, reply)).code).toBe("cancelled");
    expect(verifier.calls[0]?.signal.reason).toBe("cancelled");
  });

  test("writes rewards, scores and components as real numbers, and counts as integers", async () => {
    const { replies } = await ask(client, worldOf(), ["aaa", "a"].map(fenced), "run_id=r");
    for (const reply of replies) {
      const text = await reply.text();
      expect(text).not.toContain("-0.0");
      const found = FLOATS.filter((name) => kindsOf(text, name).length > 0);
      expect(found.map((name) => [name, new Set(kindsOf(text, name))])).toEqual(
        found.map((name) => [name, new Set(["float"])]),
      );
      if (found.length === 0 && !isChat(client) && client.contract.name !== "ruler")
        expect(text).toMatch(/^\n*-?\d+\.\d+$/);
      // OpenRLHF's logs are lists of real numbers.
      const counts = client.contract.name === "openrlhf" ? [] : ["rm_wins", "rm_members", "wins", "index"];
      for (const name of counts)
        expect([name, kindsOf(text, name)]).not.toEqual([name, expect.arrayContaining(["float"])]);
    }
  });

  test("warns in a header when the log failed", async () => {
    const api = worldOf();
    api.runLog.fault = new Error("down");
    expect((await ask(client, api, PROGRAMS)).warnings).toContain("log_failed");
  });

  const options = isGathered(client) ? "group_window_ms=0&on_failure=0" : "";
  const path = withQuery(client.path, options);

  test("answers 200 or a 4xx that says why, whatever JSON comes in whichever field", async () => {
    const { post } = worldOf();
    const mutation = fc.tuple(fc.constantFrom(...Object.keys(client.example)), fc.jsonValue({ maxDepth: 3 }));
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        const reply = await post(path, { ...client.example, ...Object.fromEntries(mutations) });
        if (reply.status === 200) return;
        expect(reply.status).toBeGreaterThanOrEqual(400);
        expect(reply.status).toBeLessThan(500);
        expect(messageOf((await reply.json()) as Fault)).not.toBe("");
      }),
      { numRuns: 60 },
    );
  });

  test("ignores fields and parameters that it does not know, and null where a field may be missing", async () => {
    const more = { user: "u", extra_body: { a: 1 }, truncate_prompt_tokens: 5, mm_processor_kwargs: null };
    const nulls = Object.entries(client.request.shape)
      .filter(([name, schema]) => !(name in client.example) && schema.safeParse(null).success)
      .map(([name]) => [name, null]);
    const body = { ...client.example, ...more, ...Object.fromEntries(nulls) };
    expect((await worldOf().post(withQuery(path, "api-version=1"), body)).status).toBe(200);
  });

  test("refuses a flood of wrong elements without a fault for each", async () => {
    const flood = Array.from({ length: 200_000 }, () => 1);
    for (const [field, value] of Object.entries(client.example)) {
      if (!Array.isArray(value)) continue;
      const reply = await worldOf().post(path, { ...client.example, [field]: flood });
      expect([400, 422]).toContain(reply.status);
      expect((await reply.text()).length).toBeLessThan(LIMITS.validation_errors_max * 400);
    }
  });
});

test.each(named(CLIENTS.filter((client) => !OWN.includes(client))))("%s is the same operation", async (_, client) => {
  const first = OWN.find(({ numbers }) => numbers === client.numbers) as Client;
  for (const [texts, query] of [
    [PROGRAMS, "spec=plain"],
    [PROGRAMS.slice(0, 1), ""],
    [PROGRAMS, "spec=nowhere"],
  ] as const) {
    const [here, there] = [await ask(client, worldOf(), texts, query), await ask(first, worldOf(), texts, query)];
    expect({ ...here, replies: [] }).toEqual({ ...there, replies: [] });
  }
  const locked = worldOf({ keys: [{ name: "team", digest: secret, scopes: ["score"] }] });
  expect((await faultOf(client, await locked.post(client.path, client.example))).code).toBe("unauthorized");
  await replyOf(client.operation.reply, await sendExample(client, worldOf()));
});

/** Routes with `on_failure`, which puts the caller's number in the place of a reward that is missing. */
const DECLARING = CLIENTS.filter(
  ({ operation }) => operation.query !== undefined && "on_failure" in operation.query.shape,
);

test.each(named(DECLARING))(
  "%s puts a declared number in a missing reward's place, and nowhere else",
  async (_, client) => {
    const declared = await ask(client, worldOf({ script: failing("deadline") }), PROGRAMS, "on_failure=-0.5");
    expect(declared.numbers).toEqual(scaled(client, [-0.5, -0.5, -0.5]));
    const fine = await ask(client, worldOf(), PROGRAMS, "on_failure=-0.5");
    expect(fine.numbers).toEqual(scaled(client, [0, 1, 0.5]));
  },
);

test("each dialect tells each fault as the vectors have it", () => {
  const fault = { message: "$", param: "$param" };
  const told = DIALECT_LINES.map(({ dialect, code, given }) => {
    const speak = (dialects as unknown as Record<string, FaultDialect>)[dialect];
    const { status, members } = speak?.({ ...fault, status: given, code }) ?? { status: given, members: {} };
    return { dialect, code, given, status, members };
  });
  expect(told).toEqual(DIALECT_LINES);
});
