// What a judge wrote, told beside each reward where the spec says `judge_text`.
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { fakeVerifier, type Script } from "../harness/fakes.ts";
import { byValue, program, rolloutsOf, score } from "./score-setup.ts";

const spec = { judge_text: true } as const;
const groupsOf = (...values: number[][]) => values.map((of) => ({ rollouts: rolloutsOf(of.map(program)) }));

async function told(values: number[], options: Parameters<typeof score>[1] = {}) {
  const { reply } = await score(groupsOf(values), { ...options, spec: { ...spec, ...options.spec } });
  return reply.groups[0]?.rollouts.map(({ judge_text }) => judge_text ?? []) ?? [];
}

describe("judge_text", () => {
  it("tells what was read and written of every question that shows the rollout, by whom it stood beside", async () => {
    const texts = await told([1, 2, 3]);
    expect(texts.map((of) => of.length)).toEqual([2, 2, 2]);
    for (const [r, of] of texts.entries()) {
      for (const { signal, shown, sample, verdict, status, error, text } of of) {
        expect({ signal, sample, status, error }).toEqual({ signal: "base", sample: 0, status: "ok", error: null });
        expect(shown).toContain(r);
        // The later program prints the larger number.
        expect(shown[verdict?.place as number]).toBe(Math.max(...shown));
        expect(text).toContain(`\\boxed{${"AB"[verdict?.place as number]}}`);
      }
    }
  });

  it("decides nothing: rewards, hash, log and its spec are those without", async () => {
    const with_ = await score(groupsOf([1, 2, 3]), { spec });
    const without = await score(groupsOf([1, 2, 3]));
    const bare = with_.reply.groups.map((group) => ({
      ...group,
      rollouts: group.rollouts.map(({ judge_text: _, ...rest }) => rest),
    }));
    expect({ ...with_.reply, groups: bare }).toEqual(without.reply);
    expect(with_.entry.spec).toBe(without.entry.spec);
    expect(with_.entry.groups[0]?.verdicts).toEqual(without.entry.groups[0]?.verdicts);
    expect(JSON.stringify(without.reply)).not.toContain("judge_text");
  });

  it("leaves thoughts out, and tells nothing of an answer whose thoughts never ended", async () => {
    const closed: Script = (...of) => `<think>secret</think> Why.\n${byValue(...of)}`;
    const [[first] = []] = await told([1, 2], { verifier: fakeVerifier(closed) });
    expect(first?.text).toMatch(/^Why\.\n.*\\boxed\{[AB]\}$/);
    const open: Script = () => "<think>secret \\boxed{A}";
    const texts = await told([1, 2], { verifier: fakeVerifier(open) });
    expect(texts.flat().map(({ text, status, verdict }) => [text, status, verdict])).toEqual(
      new Array(4).fill([null, "unclosed_think", null]),
    );
  });

  it("tells why no answer came", async () => {
    const failing: Script = () => ({ error: "verifier_rejected", reason: "no such model" });
    const texts = await told([1, 2], { verifier: fakeVerifier(failing) });
    expect(texts.flat().map(({ text, error }) => [text, error])).toEqual(
      new Array(2).fill([null, "verifier_rejected"]),
    );
  });

  it("tells a rollout that repeats another what was written of that one", async () => {
    const [first, second, again] = await told([1, 2, 1]);
    expect(first).toHaveLength(1);
    expect(again).toEqual(first);
    expect(second).toEqual(first);
  });

  it("gives every rollout an equal share of the reply, whatever the judge writes", async () => {
    const long: Script = () => `${"a".repeat(20_000)}\\boxed{A}`;
    const values = Array.from({ length: 24 }, (_, i) => i);
    const { reply } = await score(groupsOf(values, values), { spec, verifier: fakeVerifier(long) });
    const room = Math.floor(LIMITS.judge_text_chars / 48);
    for (const { judge_text = [] } of reply.groups.flatMap(({ rollouts }) => rollouts)) {
      const chars = judge_text.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
      expect(judge_text.length).toBe(23);
      // The word for what is left out of each stands beside it.
      expect(chars).toBeLessThanOrEqual(room + 40 * judge_text.length);
      expect(judge_text.every(({ text }) => text?.endsWith("\\boxed{A}"))).toBe(true);
    }
  });
});
