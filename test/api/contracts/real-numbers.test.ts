// Holds what trainers' readers make of a reply's numbers: a reward, score or component is a float
// to them, whatever its value, and a count an integer.
import { describe, expect, it } from "vitest";
import { fenced, setUp } from "../routes/harness.ts";

/**
 * Python's json type of each number of these members: `float` where the text has a fraction or an exponent.
 */
function kinds(text: string, name: string): string[] {
  const found = [...text.matchAll(new RegExp(`"${name}":(\\[[^"{}]*\\]|-?[0-9.eE+-]+)`, "g"))];
  const numbers = found.flatMap(([, value = ""]) => [...value.matchAll(/-?[0-9][0-9.eE+-]*/g)].map(([n]) => n));
  return numbers.map((number) => (/[.eE]/.test(number) ? "float" : "int"));
}

const allOf = (kind: string, text: string, ...names: string[]) => {
  for (const name of names) {
    expect([name, new Set(kinds(text, name))]).toEqual([name, new Set([kind])]);
  }
};

const rollouts = ["aaa", "aa", "aaa"].map((code) => ({ text: fenced(code), pass_rate: 1 }));
const request = (reward: string) => ({ run_id: "r", step: 1, spec: { reward }, groups: [{ prompt: "p", rollouts }] });

describe("/v1/rewards", () => {
  it.each(["win_rate", "top1", "wins"])(
    "writes %s as real numbers: document, stream, batch, kept reply",
    async (rule) => {
      const { post, call } = setUp();
      const body = request(rule);
      const kept = { "idempotency-key": `k-${rule}` };
      const first = await (await post("/v1/rewards", body, kept)).text();
      const again = await post("/v1/rewards", body, kept);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(await again.text()).toBe(first);
      const stream = await (await post("/v1/rewards", body, { accept: "application/x-ndjson" })).text();
      const accepted = await post("/v1/rewards", body, { prefer: "respond-async" });
      const batch = await (await call(`${accepted.headers.get("location")}?wait=60`)).text();
      for (const text of [first, stream, batch]) {
        allOf("float", text, "reward", "base", "format", "overlong", "reward_mean", "reward_std", "parse_rate");
        allOf("int", text, "wins", "losses", "ties", "rank", "step", "win_counts", "comparisons", "prompt_tokens");
      }
      for (const text of [first, batch]) allOf("float", text, "rewards");
    },
  );
});
