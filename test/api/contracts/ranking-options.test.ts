// The options of a client that ranks in its body and headers, the warnings about unread fields, and the spec
// by which its documents are judged.

import { describe, expect, test } from "vitest";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { ofFlat } from "../../../src/core/reward/spec-forms.ts";
import { specHash } from "../../../src/scoring/digest.ts";
import { fakeSpecStore, fakeVerifier, type Script } from "../../harness/fakes.ts";
import { faultOf, longest, setUp } from "./setup.ts";

const documents = Array.from({ length: 8 }, (_, i) => `${"long ".repeat(i)}text ${i}`);
const body = { query: "The longest.", documents };
const tei = { query: "The longest.", texts: documents };

const told = async (reply: Response) => ({ status: reply.status, ...((await reply.json()) as object) });

/** How many questions a request came to ask. */
async function asked(sent: object, headers = {}, path = "/v2/rerank", specs = fakeSpecStore({})): Promise<number> {
  const verifier = fakeVerifier(longest);
  const response = await setUp({ verifier, specs }).post(path, sent, headers);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return verifier.jobs.reduce((sum, { questions }) => sum + questions.length, 0);
}

describe("a ranking's own options", () => {
  test.each([
    ["/v2/rerank", body],
    ["/v1/rerank", body],
    ["/rerank", body],
    ["/rerank", tei],
    ["/score", { queries: "The longest.", documents }],
    ["/classify", { query: "The longest.", input: documents }],
  ])("are in the body of %s, and in headers", async (path, sent) => {
    expect(await asked(sent, {}, path)).toBe(28);
    expect(await asked({ ...sent, kritai: { schedule: "circular" } }, {}, path)).toBe(8);
    expect(await asked({ ...sent, kritai: { budget: { generations: 9 } } }, {}, path)).toBe(9);
    expect(await asked(sent, { "kritai-schedule": "anchored" }, path)).toBe(7);
    expect(await asked(sent, { "kritai-schedule": '{"name": "circular", "degree": 2}' }, path)).toBe(16);
    expect(await asked(sent, { "kritai-budget": "ratio=0.5" }, path)).toBe(14);
    expect(await asked(sent, { "kritai-budget": '{"generations": 10}' }, path)).toBe(10);
  });

  test("of the body go before the URL's, and these before the headers'", async () => {
    const verifier = fakeVerifier(longest);
    const { post, clock } = setUp({ verifier });
    const header = { "kritai-deadline-ms": "30000" };
    await post("/v2/rerank", body, header);
    await post("/v2/rerank?deadline_ms=20000", body, header);
    await post("/v2/rerank?deadline_ms=20000", { ...body, kritai: { deadline_ms: 10_000 } }, header);
    const ends = verifier.calls.map(({ deadline_at = 0 }) => deadline_at - clock.now());
    expect(ends).toEqual([29_500, 19_500, 9_500]);
  });

  test.each([
    [{ kritai: { deadline: 5 } }, {}, "kritai.deadline", "deadline_ms"],
    [{ kritai: { deadline_ms: "5" } }, {}, "kritai.deadline_ms", ""],
    [{ kritai: { schedule: "circle" } }, {}, "kritai.schedule", ""],
    [{ kritai: { schedule: "blocks" } }, {}, "kritai.schedule", "pairwise"],
    [{ kritai: { budget: {} } }, {}, "kritai.budget", "exactly one"],
    [{}, { "kritai-deadline-ms": "soon" }, "Kritai-Deadline-Ms", ""],
    [{}, { "kritai-budget": "half" }, "Kritai-Budget", ""],
    [{}, { "kritai-schedule": "{" }, "Kritai-Schedule", ""],
    [{}, { "kritai-spec": "no spec!" }, "Kritai-Spec", ""],
  ])("that are wrong are refused by their names: %j %j", async (more, headers, path, words) => {
    const fault = await faultOf(await setUp().post("/v2/rerank", { ...body, ...more }, headers), 400);
    expect(fault.errors?.[0]?.path).toContain(path);
    expect(fault.detail).toContain(words);
  });

  test("a schedule for a spec that compares nobody is refused", async () => {
    const grade = SpecSchema.parse({ signals: { grade: { kind: "length", max: 9, unit: "characters" } } });
    const world = setUp({ specs: fakeSpecStore({ grade }) });
    const sent = { ...body, kritai: { spec: "grade", schedule: "circular" } };
    const fault = await faultOf(await world.post("/v2/rerank", sent), 400);
    expect(fault.errors?.[0]).toEqual({ path: "kritai.schedule", message: "the spec has no signal that compares" });
  });
});

describe("a field that nobody reads", () => {
  const warnings = async (more: object) => {
    const reply = await told(await setUp().post("/v2/rerank", { ...body, ...more }));
    return (reply as unknown as { meta: { warnings: string[] } }).meta.warnings;
  };

  test.each([
    ["deadline_ms", 'write "kritai": {"deadline_ms": ..}'],
    ["deadlineMs", 'write "kritai": {"deadline_ms": ..}'],
    ["timeout_ms", 'write "kritai": {"deadline_ms": ..}'],
    ["budget", 'write "kritai": {"budget": ..}'],
    ["schedule", 'write "kritai": {"schedule": ..}'],
    ["samples", "set it in a spec, and name the spec in kritai.spec"],
    ["topn", 'did you mean "top_n"?'],
    ["return_document", 'did you mean "return_documents"?'],
  ])("and looks like an option is told: %s", async (name, words) => {
    expect(await warnings({ [name]: 1 })).toEqual([`ignored_field ${name}: ${words}`]);
  });

  test("and is a vendor's own is passed over", async () => {
    const own = { max_tokens_per_doc: 4096, max_chunks_per_doc: 3, priority: 0, truncate_prompt_tokens: -1, user: "u" };
    expect(await warnings(own)).toEqual([]);
  });

  test("is told in TEI's header too", async () => {
    const reply = await setUp().post("/rerank", { ...tei, budget: 3 });
    expect(reply.headers.get("x-kritai-warnings")).toBe('ignored_field budget: write "kritai": {"budget": ..}');
  });
});

describe("the model's name", () => {
  const specs = fakeSpecStore({ "text-select-fast": ofFlat({ ...DEFAULT_SPEC, seed: 7 }) });
  const post = (model: string) => setUp({ specs }).post("/v2/rerank", { ...body, model });

  test.each([
    ["text-selct-fast", 'did you mean "text-select-fast"'],
    ["defalt", 'did you mean "default"'],
    ["mtbench-abc", 'did you mean "mtbench-ab"'],
    ["mtbench-ab", "is a preset, not a stored spec: PUT /v1/specs/mtbench-ab"],
  ])("that is nearly a spec's, or a preset's, is refused: %s", async (model, words) => {
    const fault = await faultOf(await post(model), 400);
    expect(fault).toMatchObject({ code: "unknown_spec", errors: [{ path: "model" }] });
    expect(fault.detail).toContain(words);
  });

  test.each(["rerank-v3.5", "jina-reranker-v2-base-multilingual", "BAAI/bge-reranker-v2-m3", "default"])(
    "that a vendor's client sends is echoed: %s",
    async (model) => expect(await told(await post(model))).toMatchObject({ status: 200, model }),
  );

  test("may be that of the preset which default is judged by", async () => {
    const default_spec = SpecSchema.parse({ judge: { preset: "mtbench-ab" }, candidate: { extract: "whole" } });
    const script: Script = () => "[[A]]";
    const reply = await setUp({ default_spec, script }).post("/v2/rerank", { ...body, model: "mtbench-ab" });
    expect(reply.status).toBe(200);
  });
});

describe("half of what was asked is enough under a spec of one's own", () => {
  /** Three of each document's comparisons fail. */
  const script: Script = (shown, about) => {
    const [a = 0, b = 0] = shown.map((text) => Number(/\d+$/.exec(text)?.[0]));
    return (a + b) % 8 < 3 ? { error: "verifier_rejected" } : longest(shown, about);
  };
  const flat = (min_decided?: number) =>
    SpecSchema.parse({ candidate: { extract: "whole" }, judge: { ...(min_decided !== undefined && { min_decided }) } });
  const signals = (judge: object) =>
    SpecSchema.parse({
      candidate: { extract: "whole" },
      signals: { pairs: { kind: "tournament", judge } },
      reward: "pairs",
    });
  const specs = fakeSpecStore({
    silent: flat(),
    whole: flat(1),
    named: signals({}),
    "named-whole": signals({ min_decided: 1 }),
  });

  test.each([
    ["silent", 200],
    ["named", 200],
    ["whole", 422],
    ["named-whole", 422],
  ])("unless it says otherwise: %s", async (spec, status) => {
    const reply = await setUp({ specs, script }).post("/v2/rerank", { ...body, kritai: { spec } });
    expect(reply.status).toBe(status);
  });

  test("and a spec that says it wants all has the hash that it had", async () => {
    expect(await specHash(flat(1))).toBe(await specHash(flat()));
    expect(await specHash(signals({ min_decided: 1 }))).toBe(await specHash(signals({})));
    expect(await specHash(flat(0.5))).not.toBe(await specHash(flat()));
  });
});

test.each([
  ["/v1/rerank", { query: "q", documents: ["a", "bb"] }, "documents"],
  ["/rerank", { query: "q", texts: ["a", "bb"] }, "texts"],
  ["/pinecone/rerank", { model: "m", query: "q", documents: [{ text: "a" }, { text: "bb" }] }, "documents"],
])("%s tells what a budget does not pay of its own field", async (path, body, field) => {
  const reply = await setUp().post(path, { ...body, kritai: { schedule: "round_robin", budget: { tokens: 1 } } });
  const { errors } = (await reply.json()) as { errors: { path: string; message: string }[] };
  expect(errors).toEqual([{ path: field, message: expect.stringMatching(/^judge\.budget pays for 0/) }]);
});

test("a spec whose facts a ranking has no place for is the client's fault to TEI's clients too", async () => {
  const spec = SpecSchema.parse({ signals: { right: { kind: "reference", tiers: ["rules"] } } });
  const reply = await setUp({ specs: fakeSpecStore({ facts: spec }) }).post("/rerank", {
    ...tei,
    kritai: { spec: "facts" },
  });
  expect(await told(reply)).toMatchObject({ status: 422, code: "facts_required", error_type: "validation" });
});
