// The turns that a judge names are evidence in the reply and the log; one that a run does not have is
// none, and neither costs a reward.

import { expect, test } from "vitest";
import { promptOf } from "../../lab/templates/index.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { fakeVerifier, fixedClock, type Script } from "../harness/fakes.ts";

const run = (...said: string[]) => ({ messages: said.map((content) => ({ role: "assistant", content })) });
const ROLLOUTS = [run("I look.", "Good."), run("I guess.", "Bad.", "Bye."), { text: "Bad as well." }];
const PAIR = { candidate: { extract: "whole" }, judge: { prompt: "trajectory-pair", both_orders: true } };

async function score(spec: object, script: Script, rollouts: object[] = ROLLOUTS) {
  const request = RewardsRequestSchema.parse({ groups: [{ prompt: "p", rollouts }] });
  const { signal } = new AbortController();
  const about = { request, spec: SpecSchema.parse(spec), started_ms: 0, signal };
  const { reply, entry } = await scoreBatch({ verifier: fakeVerifier(script), clock: fixedClock() }, about);
  const rollouts_ = reply.groups[0]?.rollouts ?? [];
  return { rewards: reply.rewards[0], details: rollouts_.map(({ details }) => details), entry: entry.groups[0] };
}

/** The good run wins, by its second turn; of the other the turn asked for is named. */
const naming =
  (other: string): Script =>
  (shown) => {
    const good = (shown[0] as string).includes("Good.") ? 0 : 1;
    const named = shown.map((text, place) => `"turn ${"AB"[place]}": ${text.includes("Good.") ? 2 : other}`);
    return `${named.join(", ")}. [[${"AB"[good]}]]`;
  };

test("each verdict's turns are counted in details and kept in its row, in a spec without signals too", async () => {
  const { details, entry } = await score(PAIR, naming("1"));
  expect(details.map((told) => told?.base)).toEqual([{ turns: { 2: 4 } }, { turns: { 1: 4 } }, { turns: { 1: 4 } }]);
  expect(entry?.verdicts).toHaveLength(6);
  for (const { order, turns } of entry?.verdicts ?? []) expect(turns).toEqual(order.map((r) => (r === 0 ? 2 : 1)));
});

test.each(["0", "4", "99999999", "many"])("turn %s of a run without it is no evidence and no fault", async (other) => {
  const { details, entry, rewards } = await score(PAIR, naming(other));
  expect(rewards).toEqual((await score(PAIR, naming("1"))).rewards);
  expect(details.map((told) => told?.base)).toEqual([{ turns: { 2: 4 } }, undefined, undefined]);
  expect(entry?.verdicts.filter(({ turns }) => turns === undefined)).toHaveLength(2);
});

test("a signal's own stand under its name, in the log too, beside a grade that they do not touch", async () => {
  const judge = { prompt: promptOf("trajectory-point") };
  const spec = { candidate: { extract: "whole" }, signals: { how: { kind: "grade", judge } } };
  const { details, entry, rewards } = await score(spec, () => '{"turn": 2, "grade": 7}', ROLLOUTS.slice(0, 2));
  expect(rewards).toEqual([2 / 3, 2 / 3].map((value) => expect.closeTo(value, 9)));
  expect(details.map((told) => told?.how)).toEqual([{ turns: { 2: 1 } }, { turns: { 2: 1 } }]);
  expect(entry?.signals?.map(({ detail }) => detail)).toEqual([{ turns: { 2: 1 } }, { turns: { 2: 1 } }]);
});

test("copies of a run share what is said of it; texts alone have no turns", async () => {
  const copies = [ROLLOUTS[0], ROLLOUTS[0], ROLLOUTS[1]] as object[];
  const { details } = await score(PAIR, naming("3"), copies);
  expect(details.map((told) => told?.base)).toEqual([{ turns: { 2: 2 } }, { turns: { 2: 2 } }, { turns: { 3: 2 } }]);
  const texts = await score(PAIR, naming("1"), [{ text: "Good." }, { text: "Bad." }]);
  expect(texts.details).toEqual([undefined, undefined]);
});
