// The judge that JUDGE names: those that there are, and what the stack's default spec becomes.
import { expect, test } from "vitest";
import { judgeNamed, startSimulatedJudge, textJudge } from "../../scripts/stack/judge.ts";
import { BUILT_IN } from "../../src/core/judges/presets/built-in.ts";
import { BUILT_IN_DEFAULT, specOfJudge } from "../../src/core/reward/default-spec.ts";
import { judgesIn } from "../../src/core/reward/spec-judges.ts";
import { readEnv } from "../../src/env.ts";
import { specHash } from "../../src/scoring/digest.ts";

test("every preset is a judge, and no other name is", () => {
  for (const name of Object.keys(BUILT_IN)) expect([judgeNamed(name), textJudge(name)]).toEqual([name, name]);
  expect(judgeNamed(undefined)).toBeNull();
  expect(judgeNamed("")).toBeNull();
  expect(judgeNamed("code-select")).toBe("code-select");
  expect(() => judgeNamed("mtbnch-ab")).toThrow(
    /^JUDGE: unknown preset mtbnch-ab\. Did you mean mtbench-ab\? Presets: .*yes-no/,
  );
  expect(() => judgeNamed("zzz")).toThrow(/^JUDGE: unknown preset zzz\. Presets: /);
  expect(() => textJudge("code-select")).toThrow(/judges programs/);
});

test("each makes a default spec that can score, asked in its words", async () => {
  for (const name of Object.keys(BUILT_IN)) {
    const spec = specOfJudge(name);
    expect(judgesIn(spec).map(({ judge }) => judge.prompt)).toEqual([name]);
    expect(spec.candidate.extract).toBe("whole");
    await expect(specHash(spec)).resolves.toMatch(/^sha256:/);
  }
  expect(specOfJudge("code-select")).toEqual(BUILT_IN_DEFAULT);
});

test("the stack's simulator is told templates of one's own: the Worker's variables say that it is one", async () => {
  const judge = await startSimulatedJudge("mtbench-ab");
  try {
    const { config } = readEnv({ ...judge.vars, KEY_COUNTERS: {} });
    expect(config.backends).toMatchObject([{ protocol: "openai", url: judge.vars.VERIFIER_URL, simulated: "on" }]);
  } finally {
    await judge.close();
  }
});
