// Holds what trainers' readers make of a reply's numbers: a reward, score or component is a float
// to them, whatever its value, and a count an integer.
import { describe, expect, it } from "vitest";
import { fenced, setUp } from "../routes/harness.ts";
import { CONTRACTS } from "./sample-setup.ts";

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

describe.each(CONTRACTS)("$path", ({ path, body }) => {
  it("writes its reward, its score and its components as real numbers, its counts as integers", async () => {
    const { post } = setUp();
    const url = `${path}?group_size=2&run_id=${encodeURIComponent(path.replaceAll("/", "-"))}`;
    const replies = await Promise.all(["aaa", "a"].map((code) => post(url, body("p", fenced(code)))));
    for (const reply of replies) {
      const text = await reply.text();
      expect(reply.status, text).toBe(200);
      expect(text).not.toContain("-0.0");
      const own = Object.keys(JSON.parse(text) as object).filter((name) => /^(rewards?|scores?)$/.test(name));
      allOf("float", text, ...own);
      if (text.includes("rm_base")) allOf("float", text, "rm_base", "rm_format", "rm_overlong", "rm_parse_rate");
      if (!path.includes("openrlhf") && text.includes("rm_wins")) allOf("int", text, "rm_wins", "rm_members");
      if (own.length === 0) expect(text).toMatch(/^\n*-?\d+\.\d+$/);
    }
  });
});

describe("other contracts", () => {
  const documents = [fenced("aaa"), fenced("a")];
  it.each<[string, object, string[]]>([
    ["/v1/score_batch", { prompts: ["p", "p"], completions: documents, response_field: "r" }, ["rewards", "r", "base"]],
    ["/v2/rerank", { query: "q", documents }, ["relevance_score"]],
    ["/rerank", { query: "q", texts: documents }, ["score"]],
    ["/score", { text_1: "q", text_2: documents }, ["score"]],
    ["/classify", { input: documents, query: "q" }, ["probs"]],
  ])("%s", async (path, body, names) => {
    allOf("float", await (await setUp().post(path, body)).text(), ...names);
  });
});
