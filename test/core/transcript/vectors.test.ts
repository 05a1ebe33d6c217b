// Readings of agents' runs, case by case: thoughts once or not at all, every fact of a call and a
// result, the author that a role names.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { evidenceOf, wholeView } from "../../../src/core/candidate/transcript/evidence.ts";
import type { Rollout } from "../../../src/core/contract/group.ts";
import { drained } from "../../../src/core/math/drained.ts";
import { roleKind } from "../../../src/core/transcript/roles.ts";
import { messagesOf, ownWords, turnsOf } from "../../../src/core/transcript/turns.ts";

const linesOf = <T>(name: string): T[] =>
  readFileSync(new URL(`../../vectors/${name}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
const evidence = (...runs: unknown[]) =>
  drained(evidenceOf(runs.map((messages) => ({ text: "", messages })) as unknown as Rollout[])) ?? [];
const BUDGET = { result_chars: 2_000, total_chars: 65_536 };
const viewed = (...runs: unknown[]) =>
  wholeView(evidence(...runs), { reasoning: true, budget: BUDGET, shrinks: runs.map(() => 0) });

/** Checks every case, and reports all that fail. */
const failing = <T extends { name: string }>(cases: readonly T[], check: (one: T) => void): string[] =>
  cases.flatMap((one) => {
    try {
      check(one);
      return [];
    } catch (fault) {
      return [`${one.name}: ${(fault as Error).message}`];
    }
  });

interface Thoughts {
  name: string;
  messages: unknown;
  words: string[];
  thoughts: string[];
}
it("a thought counts once, or not at all where it holds no words", () => {
  const faults = failing(linesOf<Thoughts>("thoughts"), ({ messages, words, thoughts }) => {
    const [{ turns = [] } = {}] = evidence(messages);
    expect(ownWords(turns).filter((text) => text !== "")).toEqual(words);
    const [text = ""] = viewed(messages).texts;
    expect(text.match(/\[THOUGHT_/g)?.length ?? 0).toBe(thoughts.length);
    expect(text).not.toContain("gAAAAgAAAA");
  });
  expect(faults).toEqual([]);
});

interface Facts {
  name: string;
  run: unknown;
  other: unknown;
  shows: [string, string];
}
it("every fact of a call and of a result is shown: runs that differ in one are no duplicates", () => {
  const faults = failing(linesOf<Facts>("agent-facts"), ({ run, other, shows }) => {
    const { texts, shown } = viewed(run, other);
    expect(texts[0]).not.toBe(texts[1]);
    for (const [r, words] of shows.entries()) expect(texts[r]).toContain(words);
    expect(shown).toEqual([
      { shown: 1, left_out: {} },
      { shown: 1, left_out: {} },
    ]);
    // As a chat's messages they say the same.
    const again = viewed(messagesOf(turnsOf(run)), messagesOf(turnsOf(other)));
    expect(again.texts[0]).not.toBe(again.texts[1]);
  });
  expect(faults).toEqual([]);
});

it("a role names whose words they are however it is spelled, and an unknown one the policy's", () => {
  const faults = linesOf<{ role: unknown; kind: string | null }>("roles").flatMap(({ role, kind }) => {
    const [turn] = turnsOf([{ role, content: "words" }]);
    const isOwn = turn?.parts[0]?.own === true && turn.role === "assistant";
    const right = roleKind(role) === kind && isOwn === (kind === "own" || kind === null);
    return right ? [] : [JSON.stringify(role)];
  });
  expect(faults).toEqual([]);
});
