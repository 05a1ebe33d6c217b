// Limits of an audit: it never changes a reward, and never keeps a reply for longer than it says.

import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { hashText } from "../../src/core/math/random.ts";
import { isAudited } from "../../src/core/reward/audit.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { Clock, Verifier } from "../../src/ports/ports.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { preparedOf } from "../core/signals/prepared.ts";
import { fakeVerifier, fixedClock, type Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";
import { VirtualTime } from "../harness/virtual-time.ts";

const AUDITOR = "code-select-cot";
/** Letters, ties and what cannot be read, as the content and the sample decide. */
const anything: Script = (shown, { sample, job }) => {
  const [word] = hashText(job.preset, sample, ...shown);
  return word % 5 === 0 ? "?" : `\\boxed{${String.fromCharCode(65 + (word % shown.length))}}`;
};

function score(
  spec: object,
  texts: readonly (readonly string[])[],
  verifier: Verifier = fakeVerifier(anything),
  clock: Clock = fixedClock(),
) {
  const groups = texts.map((own, g) => ({
    prompt: `Task ${g}`,
    rollouts: own.map((text) => ({ text: `\`\`\`python\n${text}\n\`\`\`` })),
  }));
  const request = RewardsRequestSchema.parse({ groups, deadline_ms: 300_000 });
  const batch = { request, spec: SpecSchema.parse(spec), started_ms: 0, signal: new AbortController().signal };
  return scoreBatch({ verifier, clock }, batch);
}

describe("an audit", () => {
  it("leaves every group of the reply and its hash bit-equal, whatever is judged and how", async () => {
    const text = fc.stringMatching(/^[a-c]{1,3}$/);
    const groups = fc.array(fc.array(text, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
    const judge = fc.constantFrom(
      {},
      { samples: 3 },
      { both_orders: true },
      { schedule: "swiss" },
      { mode: "listwise" },
    );
    const fields = { groups, judge, auditor: judge, seed: fc.nat({ max: 9 }), share: fc.constantFrom(0.01, 0.5, 1) };
    await fc.assert(
      fc.asyncProperty(fc.record(fields), async ({ groups: texts, judge: main, auditor, seed, share }) => {
        const spec = { judge: main, seed };
        const audit = { share, judge: { ...auditor, prompt: AUDITOR } };
        const [plain, audited] = [await score(spec, texts), await score({ ...spec, audit }, texts)];
        expect(audited.reply.groups).toEqual(plain.reply.groups);
        expect(audited.reply.rewards).toEqual(plain.reply.rewards);
        expect(audited.reply.spec_hash).toBe(plain.reply.spec_hash);
        expect(audited.entry.spec).toBe(plain.entry.spec);
        expect(plain.reply).not.toHaveProperty("audit");
      }),
      { numRuns: 40 },
    );
  });

  it("whose judge never answers ends audit_wait_ms after the rewards are in, unaudited", async () => {
    const time = new VirtualTime(0);
    const [main, silent] = [fakeVerifier(anything), fakeVerifier(anything, { gate: new Promise(() => {}) })];
    const verifier: Verifier = {
      ...main,
      session: (call) => (call.model === "silent" ? silent : main).session(call),
    };
    const spec = { audit: { share: 1, judge: { model: "silent" } } };
    let done = false;
    const scored = score(spec, [["a", "bb", "ccc"]], verifier, time.clock).finally(() => {
      done = true;
    });
    // The deadline's, and the one that begins when the rewards are in.
    while (time.timers < 2) await new Promise((resolve) => setImmediate(resolve));
    await time.advance(LIMITS.audit_wait_ms - 1);
    expect(done).toBe(false);
    await time.advance(1);
    const { reply } = await scored;
    expect(reply.audit).toMatchObject({ groups: 1, audited: 0, correlation: null, parsed: 0, failed: 3 });
    expect(reply.rewards).toEqual((await score({}, [["a", "bb", "ccc"]])).reply.rewards);
  });

  it("whose schedule cannot meet a group leaves that group out, with a warning, and audits the others", async () => {
    const audit = { share: 1, judge: { mode: "listwise", prompt: AUDITOR } };
    const six = ["a", "b", "c", "d", "e", "f"];
    const { reply } = await score({ audit }, [six, six.slice(0, 3)]);
    expect(reply.audit?.groups).toBe(1);
    expect(reply.warnings).toContain("audit_cut");
    expect(reply.rewards[0]).toHaveLength(6);
  });

  it("is asked after the main judging, and gives up soon what fails", async () => {
    const verifier = fakeVerifier(anything);
    await score({ audit: { share: 1, judge: { model: "second" } } }, [["a", "bb"]], verifier);
    expect(verifier.calls.map(({ model, priority, hand_on }) => [model, priority, hand_on ?? false])).toEqual([
      [null, 0, false],
      ["second", 1, true],
    ]);
  });

  it("takes about its share of groups, the same at the same seed, others at another", () => {
    const groups = Array.from({ length: 4000 }, (_, g) => preparedOf([`a${g}`, `b${g}`]));
    const audit = { share: 0.05, judge: {} as never };
    const taken = (seed: number) => groups.map((group) => isAudited(audit, seed, group));
    const count = taken(1).filter(Boolean).length;
    // Within five standard deviations of 200.
    expect(count).toBeGreaterThan(130);
    expect(count).toBeLessThan(270);
    expect(taken(1)).toEqual(taken(1));
    expect(taken(2)).not.toEqual(taken(1));
  });
});
