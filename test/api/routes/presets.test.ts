// Each preset over HTTP: the exact messages at the engine, an answer in the judge's own style, the
// rewards that follow; and no number from an answer in another style.

import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import { PRESETS, TEMPLATES } from "../../../lab/templates/index.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { BUILT_IN } from "../../../src/core/judges/presets/built-in.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { caseLines } from "../../harness/case-lines.ts";
import { answer } from "../../harness/mock-behaviours.ts";
import { type MockRequest, startMockVerifier } from "../../harness/mock-verifier.ts";
import { type Quality, STYLES } from "../../harness/preset-styles.ts";
import { problemOf, setUp } from "./harness.ts";

const FILE = new URL("../../vectors/preset-messages.json", import.meta.url);
const clock = systemClock;

/** Best last; a judge that knows which is which answers by these. */
const ANSWERS = ["Paris?", "It is Paris.", "Paris is the capital of France."];
const QUESTION = "What is the capital of France?";

const isAlone = (name: string) => !["pair", "list"].includes(PRESETS[name]?.shape ?? "");
const listwise = (name: string) => PRESETS[name]?.shape === "list";

/** A group of three answers, judged by a preset. */
function request(name: string) {
  const judge = { preset: name, reask: 0, rubric: "Names the city in a sentence." };
  const compared = { kind: "tournament", judge: { ...judge, mode: listwise(name) ? "listwise" : "pairwise" } };
  const steps = { kind: "steps", source: "judge", judge };
  const alone = PRESETS[name]?.shape === "steps" ? steps : { kind: "grade", judge };
  const quality = isAlone(name) ? alone : compared;
  const rollouts = ANSWERS.map((text) => ({ text, step_texts: [text] }));
  return {
    spec: { candidate: { extract: "whole" }, signals: { quality } },
    groups: [{ prompt: QUESTION, reference: "Paris", rollouts }],
  };
}

const textOf = ({ body }: Pick<MockRequest, "body">) => {
  const { messages, prompt } = body as { messages?: { content: string }[]; prompt?: string };
  return prompt ?? (messages ?? []).map(({ content }) => content).join("\n");
};

/** The answers shown, by their places in the text. */
function qualityOf(text: string): Quality {
  const at = ANSWERS.map((one, quality) => ({ quality, place: text.indexOf(one) })).filter(({ place }) => place >= 0);
  return at.sort((a, b) => a.place - b.place).map(({ quality }) => quality);
}

async function judged(name: string, protocol: "openai" | "verify", says: (quality: Quality) => string) {
  const path = PRESETS[name]?.style === "completion" ? "completions" : "chat/completions";
  const options = { question_path: `/v1/${path}` };
  // The first of two turns asks for the steps of what it shows.
  const steps = (text: string) => `<step>${ANSWERS[qualityOf(text)[0] ?? 0]}</step>`;
  const mock = await startMockVerifier((asked) => {
    const text = textOf(asked);
    return answer(text.includes("<step>") ? steps(text) : says(qualityOf(text)));
  }, options);
  const pool = () => createEnginePool({ urls: [mock.url], model: "judge", apiKey: null, maxInFlight: 16 });
  const gateway = protocol === "verify" ? await startGateway({ host: "127.0.0.1", port: 0, pool: pool() }) : null;
  const about = { url: gateway?.url ?? mock.url, model: "judge", apiKey: null };
  const verifier = protocol === "verify" ? createGatewayVerifier(about, clock) : createOpenAiVerifier(about, clock);
  try {
    const response = await setUp({ verifier, clock }).post("/v1/rewards", request(name));
    const reply = (await response.json()) as RewardsReply;
    if (response.status !== 200) throw new Error(JSON.stringify(reply));
    return { reply, log: mock.log };
  } finally {
    await gateway?.close(0);
    await mock.close();
  }
}

const EXPECTED: Record<string, number[]> = {
  "deepseek-grm-point": [0, 0.5, 1],
  "trajectory-point": [0, 0.5, 1],
  selene: [0, 0.5, 1],
  prometheus: [0, 0.5, 1],
};
/** One of several named: the others are equal. */
const ONE_OF = ["text-select", "letter-select", "patch-multiselect", "diff-select"];

describe.each(Object.keys(PRESETS))("%s", (name) => {
  const style = STYLES[name] as (typeof STYLES)[string];
  const rewards = EXPECTED[name] ?? (isAlone(name) ? [0, 0, 1] : ONE_OF.includes(name) ? [0.25, 0.25, 1] : [0, 0.5, 1]);

  test.each(["openai", "verify"] as const)("brings the right rewards through %s", async (protocol) => {
    const { reply } = await judged(name, protocol, style.says);
    expect(reply.rewards).toEqual([rewards]);
  });

  test.each(["openai", "verify"] as const)("is asked in exactly these words through %s", async (protocol) => {
    const { log } = await judged(name, protocol, style.says);
    const asked = log.map(({ body }) => {
      const { messages, prompt } = body as Record<string, unknown>;
      return prompt === undefined ? { messages } : { prompt };
    });
    const first = asked.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))[0];
    const known = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, unknown>;
    if (process.env.RECORD === "1") writeFileSync(FILE, caseLines({ ...known, [name]: first }));
    else expect(first).toEqual(known[name]);
  });

  test.each(["openai", "verify"] as const)(
    "gives null with the code, and no number, where the answers are in another style, through %s",
    async (protocol) => {
      const { reply } = await judged(name, protocol, () => style.wrong);
      expect(reply.rewards).toEqual([[null, null, null]]);
      expect(reply.groups[0]?.rollouts.map(({ error }) => error)).toEqual(["unparsed", "unparsed", "unparsed"]);
    },
  );
});

test("every preset has a style here, and the document names each", () => {
  expect(Object.keys(STYLES).sort()).toEqual(Object.keys(PRESETS).sort());
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  for (const name of Object.keys(BUILT_IN)) expect(read("docs/judges.md")).toContain(`\`${name}\``);
  for (const name of Object.keys(TEMPLATES)) expect(read("lab/templates/README.md")).toContain(`\`${name}\``);
});

test("a preset of the wrong shape is refused by field", async () => {
  const { post } = setUp();
  const groups = [{ prompt: QUESTION, rollouts: ANSWERS.map((text) => ({ text })) }];
  const point = await problemOf(await post("/v1/rewards", { spec: { judge: { preset: "yes-no" } }, groups }));
  expect(point.errors?.map(({ path }) => path)).toEqual(["spec.judge.preset"]);
  const listed = { judge: { preset: "mtbench-ab", mode: "listwise" } };
  const pair = await problemOf(await post("/v1/rewards", { spec: listed, groups }));
  expect(pair.errors?.map(({ path }) => path)).toEqual(["spec.judge.mode"]);
  const path = "spec.signals.q.judge.preset";
  for (const [signal, message] of [
    [{ kind: "grade", judge: { preset: "first-wrong-step" } }, "use a signal of kind steps"],
    [{ kind: "steps", source: "judge", judge: { preset: "yes-no" } }, "does not name the first wrong step"],
  ] as const) {
    const steps = groups.map((group) => ({ ...group, rollouts: [{ text: "a", step_texts: ["a"] }] }));
    const refused = await problemOf(await post("/v1/rewards", { spec: { signals: { q: signal } }, groups: steps }));
    expect(refused.errors).toEqual([{ path, message: expect.stringContaining(message) }]);
  }
});
