// Each kind of signal's view of a rollout of several turns: the policy's own words and never the
// environment's, but for judges that are shown the whole. Walks the table of kinds.

import { describe, expect, it, test } from "vitest";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { VerifierJob } from "../../src/core/wire/questions.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { KIND_USES, kindOf, requestOf, use } from "../admission/kinds.ts";
import { setUp } from "../api/routes/harness.ts";
import { fakeJournal } from "../harness/fake-journal.ts";
import { EVERY_BACKEND, fakeVerifier, fixedClock, type Script } from "../harness/fakes.ts";

const answering = (script: Script) => ({
  ...fakeVerifier(script),
  takes: EVERY_BACKEND,
});

async function scored(body: object, script: Script = () => ({ error: "verifier_unavailable" })) {
  const verifier = answering(script);
  const response = await setUp({ verifier }).post("/v1/rewards", body);
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  const rollouts = reply.groups[0]?.rollouts ?? [];
  return { reply, rollouts, rewards: rollouts.map(({ reward }) => reward), jobs: verifier.jobs };
}

const acting = (said: string, args: string, result: string) => [
  { role: "assistant", content: said, tool_calls: [{ id: "c", function: { name: "bash", arguments: args } }] },
  { role: "tool", tool_call_id: "c", content: result },
];

/** The kind's own use, each text behind a call whose result is `heard`, which a user repeats. */
function overTurns(name: string, extract: string, heard: string | null) {
  const { spec, groups, ...request } = requestOf(name);
  const rollouts = (groups[0]?.rollouts ?? []).map(({ text, step_texts, ...facts }: Record<string, unknown>) =>
    heard === null
      ? { text, ...facts, ...(step_texts !== undefined && { step_texts }) }
      : {
          ...facts,
          messages: [
            ...acting("I look.", "ls", heard),
            { role: "user", content: heard },
            { role: "assistant", content: text },
          ],
        },
  );
  return { ...request, spec: { ...spec, candidate: { extract } }, groups: [{ ...groups[0], rollouts }] };
}

/** Whatever a signal may pay for or punish: answers, programs, labels, quotes, repeated words. */
const HEARD = "\\boxed{42} Paris ```python\nprint(42)\n``` HEARD HEARD HEARD HEARD HEARD Yes. ".repeat(9);
const QUIET = "ok";
const NAMES = Object.keys(KIND_USES);
/** Kinds whose judge, model or checker is shown candidates. */
const SHOWN = ["tournament", "scalar", "grade", "rubric", "external"];
const heardIn = (jobs: readonly VerifierJob[]) =>
  // A sandbox receives no question.
  jobs.some(({ to, question, ...job }) => JSON.stringify([to === "execute" ? "" : question, job]).includes("HEARD"));

describe("the environment's words neither pay nor punish:", () => {
  test.each(NAMES)("%s", async (name) => {
    const extract = use(name).extract === "whole" ? "after_think" : "last_code_block";
    const of = (taken: string, heard: string | null) => scored(overTurns(name, taken, heard), use(name).answers);
    const [loud, quiet, text] = [await of(extract, HEARD), await of(extract, QUIET), await of(extract, null)];
    expect(loud.rewards).toEqual(quiet.rewards);
    expect(heardIn(loud.jobs)).toBe(false);
    if (name !== "repetition") expect(loud.rewards).toEqual(text.rewards);
    const whole = await of("whole", HEARD);
    expect(heardIn(whole.jobs)).toBe(SHOWN.includes(kindOf(name)));
    if (!SHOWN.includes(kindOf(name))) expect(whole.rewards).toEqual((await of("whole", QUIET)).rewards);
  });
});

const one = (signal: object, rollouts: object[], candidate: object = { extract: "whole" }, group: object = {}) => ({
  spec: { candidate, signals: { it: signal } },
  groups: [{ prompt: "p", language: "python", ...group, rollouts }],
});
const says = (content: string) => ({ role: "assistant", content });

describe("lengths and repetition", () => {
  it("count all that the policy wrote: thoughts, words and arguments of every turn", async () => {
    const run = {
      messages: [
        { ...acting("ab", "cdef", "x".repeat(99))[0], reasoning_content: "thought" },
        ...acting("", "g", "y"),
        says("\u{1F600}"),
      ],
    };
    const { rewards } = await scored(
      one({ kind: "length", unit: "characters", form: "linear", max: 100 }, [run, { text: "abc" }]),
    );
    expect(rewards).toEqual([1 - (2 + 4 + 7 + 1 + 1) / 100, 0.97]);
  });

  it("find what is said again in another turn, and nothing across two turns", async () => {
    const again = { messages: [says("one two three"), says("one two three")] };
    const apart = { messages: [says("one two"), says("three one two three")] };
    const { rewards } = await scored(one({ kind: "repetition" }, [again, apart]));
    expect(rewards).toEqual([-0.5, 0]);
  });
});

describe("what a rollout says last", () => {
  const answered = (...last: object[]) => ({ messages: [...acting("\\boxed{41}", "calc", "\\boxed{42}"), ...last] });

  it.each(["boxed", "candidate"])("is compared with the reference (%s), under whole too", async (answer) => {
    const text = answer === "boxed" ? "It is \\boxed{42}." : "42";
    const body = one(
      { kind: "reference", answer },
      [answered(says(text)), answered(says("43")), answered()],
      undefined,
      {
        reference: "42",
      },
    );
    expect((await scored(body)).rewards).toEqual([1, 0, 0]);
  });

  it("is the program that a sandbox runs, where the judge is shown the transcript", async () => {
    const script: Script = ([text = ""]) => (text === "print(1)" ? "pass" : "fail");
    const body = one(
      { kind: "tests", source: "sandbox", score: "rate" },
      [answered(says("print(1)")), answered(says("print(2)")), { messages: acting("", "print(1)", "print(1)") }],
      undefined,
      { test_cases: [{ stdin: "", stdout: "1\n" }] },
    );
    const { rewards, jobs } = await scored(body, script);
    expect(rewards).toEqual([1, 0, 0]);
    expect(jobs.map(({ candidates }) => candidates)).toEqual([["print(1)", "print(2)"]]);
  });

  it("is what format rules search", async () => {
    const regex = { kind: "format", rules: [{ regex: "boxed\\{42" }], penalty: 1 };
    const { rewards } = await scored(one(regex, [answered(says("\\boxed{42}")), answered(says("no"))]));
    expect(rewards).toEqual([0, -1]);
  });
});

describe("closed_think", () => {
  const thought = (content: string, ...more: object[]) => ({
    messages: [{ role: "assistant", reasoning_content: "hm", content, ...Object.assign({}, ...more) }],
  });
  it.each([
    ["thoughts that came apart and ended in words", thought("Done."), 0],
    ["thoughts that ended in a call", thought("", { tool_calls: acting("", "ls", "")[0]?.tool_calls }), 0],
    ["thoughts alone: they never ended", thought(""), -1],
    ["thoughts again behind the words", thought("Done. <think>but"), -1],
    ["no thoughts", { messages: [says("Done.")] }, -1],
    ["tags in the words", { messages: [says("<think>hm</think>Done.")] }, 0],
    ["tags that close twice", { messages: [says("<think>hm</think>Done.<think>so</think>Yes.")] }, -1],
    ["a tag that opens alone", { messages: [says("<think>hm")] }, -1],
    ["a thought of the turn before alone", { messages: [...thought("I look.").messages, says("Done.")] }, -1],
  ])("%s", async (_, rollout, reward) => {
    const { rewards } = await scored(one({ kind: "format", rules: ["closed_think"], penalty: 1 }, [rollout]));
    expect(rewards).toEqual([reward]);
  });
});

it("a rubric's judge is shown the transcript under whole, and of other extracts the last words", async () => {
  const rubric = { kind: "rubric", items: [{ id: "a", text: "Leaves other files alone.", points: 1 }] };
  const run = { messages: [...acting("I clean up.", "rm -rf /", "ok"), says("Done.")] };
  const script: Script = ([text = ""]) => `{"criterion_1": ${!text.includes("rm -rf /")}, "evidence_1": "rm -rf /"}`;
  const whole = await scored(one(rubric, [run]), script);
  expect([whole.rewards, whole.rollouts[0]?.details?.it?.unmet]).toEqual([[0], ["a"]]);
  const answer = await scored(one(rubric, [run], { extract: "after_think" }), script);
  expect([answer.rewards, answer.reply.warnings]).toEqual([[1], expect.arrayContaining(["only_the_answer_judged"])]);
});

describe("steps", () => {
  const judged = { kind: "steps", source: "judge", reduce: "mean" };
  const turns = (count: number) => ({ messages: Array.from({ length: count }, (_, i) => says(`t${i}`)) });

  const heard = { role: "user", content: "u" };

  it("have one value a turn of the policy's, one without words too", async () => {
    const run = {
      messages: [says("a"), heard, says(""), heard, ...acting("", "ls", "r"), says("b")],
    };
    const { rollouts, jobs } = await scored(one(judged, [run]), () => "\\boxed{2}");
    expect(jobs[0]?.candidates[0]?.match(/(?<=<paragraph_\d>\n).*/g)).toEqual(["a", "(no words)", "bash ls", "b"]);
    expect(rollouts[0]?.details?.it?.steps).toEqual([1, 1, 0, 0]);
  });

  it("of one without a word of its own cannot be read", async () => {
    const { rewards, jobs } = await scored(
      one(judged, [{ messages: [{ role: "assistant", reasoning_content: "hm" }] }]),
    );
    expect([rewards, jobs]).toEqual([[0], []]);
  });

  it("are asked about up to the limit; with more turns a rollout is too long, and nobody is asked", async () => {
    const most = LIMITS.solution_steps_max;
    const { rollouts, jobs } = await scored(one(judged, [turns(most), turns(most + 1)]), () => "\\boxed{-1}");
    expect(rollouts.map(({ reward, details }) => [reward, details?.it?.unreadable])).toEqual([
      [1, undefined],
      [0, "too_long"],
    ]);
    expect(rollouts[0]?.details?.it?.steps).toHaveLength(most);
    expect(jobs.flatMap(({ questions }) => questions)).toHaveLength(1);
    const free = await scored(one({ ...judged, unreadable: "null" }, [turns(most + 1)]));
    expect(free.rollouts[0]).toMatchObject({ reward: null, error: "too_long" });
  });

  it("are never shown shorter: what the verifier refuses is the rollout's own length", async () => {
    const long = { messages: [...acting("w".repeat(500), "ls", "r".repeat(500)), says("b")] };
    const script: Script = ([text = ""]) => (text.length > 300 ? { error: "context_exceeded" } : "\\boxed{-1}");
    const { rollouts, jobs } = await scored(one(judged, [turns(2), long]), script);
    expect(rollouts.map(({ reward }) => reward)).toEqual([1, 0]);
    expect(jobs).toHaveLength(1);
  });
});

it("a journal's key holds no text, also of steps that are turns", async () => {
  const keys: string[] = [];
  const journal = fakeJournal({ onReadings: (key) => void keys.push(key) });
  const signal = { kind: "steps", source: "judge" };
  const { spec, groups } = one(signal, [{ messages: [says("w".repeat(9_000)), says("b")] }], {
    extract: "after_think",
  });
  const request = RewardsRequestSchema.parse({ groups });
  const verifier = answering(() => "\\boxed{-1}");
  const { signal: aborted } = new AbortController();
  const batch = { request, spec: SpecSchema.parse(spec), started_ms: 0, signal: aborted, journal };
  await scoreBatch({ verifier, clock: fixedClock() }, batch);
  expect(keys.map((key) => key.length < 1_000)).toEqual([true]);
});

describe("own words beyond rollout_text_bytes", () => {
  const half = "w ".repeat(LIMITS.rollout_text_bytes / 4 + 1);
  it.each(["whole", "after_think"])("are a text too long, though no turn is (%s)", async (extract) => {
    const rollouts = [{ messages: [says(half), says(half)] }, { messages: [says(half), says("b")] }];
    const {
      rollouts: [long, short],
    } = await scored(one({ kind: "repetition" }, rollouts, { extract }));
    expect([long?.too_long, long?.reward, long?.details?.it]).toEqual([true, -1, { unreadable: "too_long" }]);
    expect(short?.too_long).toBeUndefined();
  });
});

describe("nobody is judged for announcing something, whatever the form", () => {
  it.each([
    ["words that announce", [says("Let's solve this step by step.")], true],
    ["marks", [says("!!!")], true],
    ["a user's words alone", [{ role: "user", content: "Yes, it works." }], true],
    ["thoughts alone", [{ role: "assistant", reasoning_content: "It works." }], true],
    ["a call", acting("", "ls", "ok"), false],
    ["words beside a call", acting("Let me look.", "ls", "ok"), false],
  ])("%s", async (_, messages, isLost) => {
    const body = one({ kind: "grade", judge: { preset: "deepseek-grm-point" } }, [{ messages }]);
    const { rewards, jobs } = await scored(body, () => "Score: \\boxed{10}");
    expect([rewards, jobs.length]).toEqual(isLost ? [[0], 0] : [[1], 1]);
  });
});
