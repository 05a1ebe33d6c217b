// A deployment's own presets over HTTP: stored, listed, refused by field; asked and read through
// both protocols; part of the spec's hash, and of nothing that was judged before.

import { expect, test } from "vitest";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import { template } from "../../../scripts/build/openapi/examples.ts";
import { TemplateReplySchema } from "../../../src/api/routes/templates.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { BUILT_IN } from "../../../src/core/judges/presets/built-in.ts";
import { presetNames } from "../../../src/core/judges/presets/table.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { fakeTemplateStore } from "../../harness/fakes.ts";
import { answer } from "../../harness/mock-behaviours.ts";
import { startMockVerifier } from "../../harness/mock-verifier.ts";
import { problemOf, setUp } from "./harness.ts";

const clock = systemClock;
const ANSWERS = ["Le chat.", "Le chat dort au soleil."];
const groups = [{ prompt: "The cat sleeps in the sun.", rollouts: ANSWERS.map((text) => ({ text })) }];
const specOf = (judge: object) => ({ candidate: { extract: "whole" }, judge });

type Api = ReturnType<typeof setUp>;
const put = ({ call }: Pick<Api, "call">, name: string, body: unknown) =>
  call(`/v1/templates/${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** An engine that prefers the longer translation, in the form that the template asks for. */
const startJudge = (asked: string[]) =>
  startMockVerifier(({ body }) => {
    const text = (body as { messages: { content: string }[] }).messages.map(({ content }) => content).join("\n");
    asked.push(text);
    const [a = "", b = ""] = [...text.matchAll(/\[Translation [AB]\]\n(.*)\n\[End/g)].map(
      (match) => match[1] as string,
    );
    return answer(`[[${a.length > b.length ? "A" : "B"}]]`);
  });

const startRelay = (url: string) =>
  startGateway({ host: "127.0.0.1", port: 0, pool: createEnginePool({ urls: [url], model: "m", apiKey: null }) });

test.each(["openai", "verify"] as const)("a stored template asks and reads through %s", async (protocol) => {
  const asked: string[] = [];
  const engine = await startJudge(asked);
  const gateway = protocol === "verify" ? await startRelay(engine.url) : null;
  const about = { url: gateway?.url ?? engine.url, model: "m", apiKey: null };
  const verifier = protocol === "verify" ? createGatewayVerifier(about, clock) : createOpenAiVerifier(about, clock);
  try {
    const api = setUp({ verifier, clock, templates: fakeTemplateStore() });
    expect((await put(api, "translation", template)).status).toBe(200);
    const reply = (await (
      await api.post("/v1/rewards", { spec: specOf({ preset: "translation" }), groups })
    ).json()) as RewardsReply;
    expect(reply.rewards).toEqual([[0, 1]]);
    expect(asked[0]).toContain("You compare two translations");
    const inSignal = {
      candidate: { extract: "whole" },
      signals: { q: { kind: "tournament", judge: { preset: "translation" } } },
    };
    const other = (await (await api.post("/v1/rewards", { spec: inSignal, groups })).json()) as RewardsReply;
    expect(other.rewards).toEqual([[0, 1]]);
  } finally {
    await gateway?.close(0);
    await engine.close();
  }
});

test("its content is part of the hash: a change makes another spec, and the old one's can be had from its run", async () => {
  const api = setUp({ templates: fakeTemplateStore() });
  const check = async (judge: object) => {
    const response = await api.post("/v1/specs/check", specOf(judge));
    return (await response.json()) as { spec_hash: string; spec: { judge: { prompt: string } } };
  };
  await put(api, "mine", template);
  const first = await check({ preset: "mine" });
  expect((await check({ preset: "mine" })).spec_hash).toBe(first.spec_hash);
  const stored = await api.call("/v1/specs/own", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(specOf({ preset: "mine" })),
  });
  expect(await stored.json()).toMatchObject({ spec_hash: first.spec_hash, spec: { judge: { prompt: "mine" } } });
  await put(api, "mine", { ...template, between: "\n" });
  const second = await check({ preset: "mine" });
  expect(second.spec_hash).not.toBe(first.spec_hash);
  expect(await (await api.call("/v1/specs/own")).json()).toMatchObject({ spec_hash: second.spec_hash });
  // The spec that a run was judged by holds the template as it was, and can be sent again.
  expect(JSON.parse(first.spec.judge.prompt)).toEqual({ ...template, name: "mine" });
  expect((await check({ prompt: first.spec.judge.prompt })).spec_hash).toBe(first.spec_hash);
});

test("it is shown as it was put, under the hash of its content, and listed beside those that are built in", async () => {
  const api = setUp({ templates: fakeTemplateStore() });
  const told = TemplateReplySchema.parse(await (await put(api, "mine", template)).json());
  expect(told).toMatchObject({ name: "mine", built_in: false, template });
  expect(await (await api.call("/v1/templates/mine")).json()).toEqual(told);
  const built = TemplateReplySchema.parse(await (await api.call("/v1/templates/mtbench-ab")).json());
  expect(built).toMatchObject({ built_in: true, template: BUILT_IN["mtbench-ab"] });
  const list = (await (await api.call("/v1/templates")).json()) as { built_in: string[]; stored: string[] };
  expect(list).toEqual({ built_in: presetNames().sort(), stored: ["mine"] });
  expect((await problemOf(await api.call("/v1/templates/other"))).code).toBe("not_found");
});

test.each([
  ["mtbench-ab", template, "name"],
  ["code-select", template, "name"],
  ["Mine", template, "name"],
  ["mine", { ...template, colour: 1 }, "colour"],
  ["mine", { ...template, candidate: "{{letter}}: {{text}}" }, "candidate"],
  ["mine", { ...template, parser: { kind: "bracket", label: ["A"] } }, "parser.label"],
  ["mine", { ...template, messages: template.messages.slice(1) }, "messages"],
  ["mine", { ...template, messages: Array(17).fill(template.messages[0]) }, "messages"],
  ["mine", { ...template, candidate: `[Text {{letter}}]{{text}}${"x".repeat(16_384)}` }, "candidate"],
])("PUT %s is refused by field: %#", async (name, body, path) => {
  const problem = await problemOf(await put(setUp({ templates: fakeTemplateStore() }), name, body));
  expect(problem).toMatchObject({ status: 400, code: "invalid_request" });
  expect(problem.errors?.map((one) => one.path)).toContain(path);
});

test("a spec that does not go with the template that it names is refused by its field", async () => {
  const api = setUp({ templates: fakeTemplateStore() });
  await put(api, "mine", template);
  const shape = { signals: { q: { kind: "grade", judge: { preset: "mine" } } } };
  const graded = await problemOf(await api.post("/v1/rewards", { spec: shape, groups }));
  expect(graded.errors?.map(({ path }) => path)).toEqual(["spec.signals.q.judge.preset"]);
  expect(graded.detail).toContain("mine compares candidates");
  const scored = await problemOf(
    await api.post("/v1/rewards", { spec: { ...specOf({ preset: "mine" }), reward: "mean_score" }, groups }),
  );
  expect(scored.errors?.map(({ path }) => path)).toEqual(["spec.reward"]);
  const unknown = await problemOf(await api.post("/v1/rewards", { spec: specOf({ preset: "mime" }), groups }));
  expect(unknown).toMatchObject({ code: "unknown_prompt", errors: [{ path: "spec.judge.preset" }] });
});

test("a template that a signal of its kind cannot read is refused by the judge's field once the name is known", async () => {
  const api = setUp({ templates: fakeTemplateStore() });
  const point = {
    shape: "point",
    messages: [{ role: "user", text: "{{question}}\n\n{{candidates}}\n\nAnswer yes or no." }],
    candidate: "[Response]\n{{text}}\n[End of response]",
    parser: { kind: "word", labels: ["yes", "no"] },
    passing: ["yes"],
  };
  await put(api, "mine", point);
  const rubric = [{ text: "Names the cat.", choices: ["no", "partly", "yes"] }];
  for (const [signal, said] of [
    [{ kind: "rubric" }, "mine does not support the score points_over_positive: use rubric-items"],
    [{ kind: "reference", tiers: ["judge"] }, "mine does not compare with a reference"],
  ] as const) {
    const spec = { signals: { q: { ...signal, judge: { preset: "mine" } } } };
    const facts = { rubric, reference: "x" };
    const problem = await problemOf(await api.post("/v1/rewards", { spec, groups: [{ ...groups[0], ...facts }] }));
    expect(problem.errors).toEqual([{ path: "spec.signals.q.judge.preset", message: said }]);
  }
  expect(api.verifier.jobs).toEqual([]);
});

test("a template written into a prompt is held to the same rules", async () => {
  const prompt = JSON.stringify({ ...template, name: "mine", candidate: "{{letter}}: {{text}}" });
  const problem = await problemOf(await setUp().post("/v1/rewards", { spec: specOf({ prompt }), groups }));
  expect(problem).toMatchObject({ status: 400, code: "unknown_prompt", errors: [{ path: "spec.judge.prompt" }] });
});
