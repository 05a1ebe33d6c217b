// The conditions for admitting a kind of signal, over HTTP: an honest value, no number from an answer without
// one, no fact that is not finite. Walks the table: a new kind fails here until it has an entry in kinds.ts.
import { describe, expect, test } from "vitest";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { ITEM_ERRORS } from "../../src/core/faults/errors.ts";
import { SIGNALS } from "../../src/core/reward/table.ts";
import { problemOf, setUp } from "../api/routes/harness.ts";
import { EVERY_BACKEND, fakeVerifier, type Script } from "../harness/fakes.ts";
import { KIND_USES, kindOf, requestOf, use } from "./kinds.ts";

const NAMES = Object.keys(KIND_USES);
const ASKING = NAMES.filter((name) => use(name).answers !== undefined);

test("every kind has an entry", () => {
  expect([...new Set(NAMES.map(kindOf))].sort()).toEqual(SIGNALS.map(({ kind }) => kind).sort());
});

/** A deployment with a backend of every kind. */
const answering = (script: Script) => ({
  ...fakeVerifier(script),
  takes: EVERY_BACKEND,
});

async function rewarded(name: string, script: Script = () => ({ error: "verifier_unavailable" })) {
  const { post } = setUp({ verifier: answering(script) });
  const response = await post("/v1/rewards", requestOf(name));
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  return reply;
}

/** Every value is a number within the range, or null with a code: never one without the other. */
function expectValues({ groups, reward_range: [low, high] = [0, 0] }: RewardsReply): (number | null)[] {
  return (groups[0]?.rollouts ?? []).map(({ reward, error, components, errors = {} }) => {
    const value = components.it as number | null;
    if (value === null) expect(ITEM_ERRORS).toHaveProperty(errors.it as string);
    else expect(Number.isFinite(value)).toBe(true);
    if (reward === null) expect(ITEM_ERRORS).toHaveProperty(error as string);
    else expect([reward >= low && reward <= high, error]).toEqual([true, null]);
    return value;
  });
}

describe("an honest use gives each rollout a number:", () => {
  test.each(NAMES)("%s", async (name) => {
    expect(expectValues(await rewarded(name, use(name).answers))).not.toContain(null);
  });
});

/** Answers that hold no number and no verdict, and failures. */
const BROKEN: readonly ReturnType<Script>[] = [
  "",
  "NaN",
  "Infinity",
  "-1e999",
  "\\boxed{NaN}",
  "\\boxed{1e999}",
  "Score: \\boxed{-Infinity}",
  "[NaN, 1e999]",
  '{"result": 1e999, "rating": 1e999, "criterion_1": NaN}',
  "x".repeat(20_000),
  { error: "verifier_unavailable" },
  { error: "deadline" },
];

describe("no answer that is none becomes a number:", () => {
  test.each(ASKING)("%s", async (name) => {
    for (const answer of BROKEN) {
      const values = expectValues(await rewarded(name, () => answer));
      expect([answer, values.filter((value) => value !== null)]).toEqual([answer, []]);
    }
  });
});

/** Each number in a text of JSON, one after the other replaced. */
function* withNumber(json: string, replaced: string): Generator<string> {
  for (const { index, 0: number } of json.matchAll(/(?<=[:[,])-?\d[\d.e+-]*(?=[,\]}])/g)) {
    yield json.slice(0, index) + replaced + json.slice(index + number.length);
  }
}

describe("a number that is not finite is refused by its field, in facts and settings:", () => {
  test.each(NAMES)("%s", async (name) => {
    const { post } = setUp({ verifier: answering(() => ({ error: "verifier_unavailable" })) });
    for (const body of withNumber(JSON.stringify(requestOf(name)), "1e999")) {
      const problem = await problemOf(await post("/v1/rewards", body));
      expect([body, problem.status, problem.errors?.[0]?.path]).toEqual([body, 400, expect.stringMatching(/\w/)]);
    }
  });
});
