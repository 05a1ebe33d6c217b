// A spec's audit over HTTP: a share of groups is judged again by another judge, which decides no
// reward and fails no request.
import { describe, expect, test } from "vitest";
import { fakeVerifier, preferring, type Script } from "../../harness/fakes.ts";
import { fenced, longest, problemOf, setUp } from "./harness.ts";

const AUDITOR = "code-select-cot";
const shortest = preferring((candidate) => -candidate.length);
/** The main judge by one script, the audit's by another. */
const judges =
  (main: Script, audit: Script): Script =>
  (shown, about) =>
    (about.job.preset === AUDITOR ? audit : main)(shown, about);

const groups = Array.from({ length: 6 }, (_, g) => ({
  prompt: `Task ${g}`,
  rollouts: ["1", "22", "333", "4444"].map((code) => ({ text: fenced(`${g}${code}`) })),
}));
const audit = (more: object = {}) => ({ audit: { share: 1, judge: { prompt: AUDITOR }, ...more } });

interface Reply {
  rewards: (number | null)[][];
  groups: unknown[];
  metrics: unknown;
  spec_hash: string;
  warnings: string[];
  audit?: Record<string, number | null>;
}
const scored = async (script: Script, spec: object, run: object = {}) => {
  const at = setUp({ script });
  const response = await at.post("/v1/rewards", { groups, spec, ...run });
  expect(response.status).toBe(200);
  return { ...at, reply: (await response.json()) as Reply };
};

describe("an audit", () => {
  test("whose judge prefers the opposite correlates -1, is counted apart, and is logged beside the rewards", async () => {
    const script = judges(longest, shortest);
    const { reply, call } = await scored(script, audit(), { run_id: "audited", step: 3 });
    // Six pairs of four in each of six groups.
    expect(reply.audit).toEqual({
      ...{ groups: 6, audited: 6, correlation: -1, comparisons: 36, generations: 36, parsed: 36 },
      ...{ unparsed: 0, failed: 0, saved: 0, prompt_tokens: 360, completion_tokens: 72 },
    });
    const health = await (await call("/v1/runs/audited/health?rows=true")).json();
    expect(health.rows).toMatchObject([{ step: 3, audit_correlation: -1 }]);
    const logged = await (await call("/v1/runs/audited/groups")).json();
    expect(logged.groups[0].audit).toEqual([1, 2 / 3, 1 / 3, 0]);
    const metrics = await (await call("/metrics")).text();
    expect(metrics).toContain('kritai_audit_generations_total{outcome="parsed"} 36');
    expect(metrics).toContain('kritai_generations_total{outcome="parsed"} 36');
  });

  test("has its judge's verdicts logged apart from the rewards' ones, with their texts where the spec says so", async () => {
    const script = judges(longest, shortest);
    const verdictsOf = async (more: object) => {
      const { reply, call } = await scored(script, { ...audit(), ...more }, { run_id: "told", step: 3 });
      const { request_id } = reply as { request_id?: string };
      const group = await (await call(`/v1/groups/${request_id}.0/verdicts`)).json();
      const lines = (await (await call("/v1/runs/told/export?table=audit_verdicts")).text()).trim().split("\n");
      return { group, rows: lines.map((line) => JSON.parse(line)) };
    };
    const { group, rows } = await verdictsOf({ log_verdicts: true });
    expect(group.verdicts).toHaveLength(6);
    expect(group.audit).toHaveLength(6);
    expect(rows).toHaveLength(37);
    expect(rows.at(-1)).toEqual({ type: "end", rows: 36 });
    for (const [i, row] of group.audit.entries()) {
      // The shortest wins where the longest did.
      expect(row.letter).not.toBe(group.verdicts[i].letter);
      expect(row).toMatchObject({ order: group.verdicts[i].order, text: `\\boxed{${row.letter}}` });
      expect(row).not.toHaveProperty("signal");
      expect(rows[i]).toEqual({ type: "row", ...row });
    }
    const bare = await verdictsOf({});
    expect(bare.group.audit.map((row: object) => "text" in row)).toEqual(Array(6).fill(false));
    const { reply, call } = await scored(longest, {}, { run_id: "none", step: 3 });
    const { request_id } = reply as { request_id?: string };
    expect(await (await call(`/v1/groups/${request_id}.0/verdicts`)).json()).not.toHaveProperty("audit");
  });

  test.each([
    ["agrees", longest],
    ["disagrees", shortest],
    ["fails", (): { error: "verifier_unavailable" } => ({ error: "verifier_unavailable" })],
    ["cannot be read", () => "no box"],
  ] as const)("changes nothing else of a reply where its judge %s", async (_, auditor) => {
    const without = (await scored(longest, {})).reply;
    const { audit: told, ...reply } = (await scored(judges(longest, auditor), audit())).reply;
    expect(told).toMatchObject({ groups: 6 });
    const of = ({ rewards, groups, metrics, spec_hash, warnings }: Reply) => ({
      ...{ rewards, groups, metrics, spec_hash, warnings },
    });
    expect(of(reply)).toEqual(of(without));
  });

  test("whose judge fails audits no group, and logs none", async () => {
    const script = judges(longest, () => ({ error: "verifier_unavailable" }));
    const { reply, call } = await scored(script, audit(), { run_id: "failing", step: 0 });
    expect(reply.audit).toMatchObject({ groups: 6, audited: 0, correlation: null, parsed: 0 });
    expect(reply.audit?.failed).toBeGreaterThan(0);
    const logged = await (await call("/v1/runs/failing/groups")).json();
    expect(logged.groups[0]).not.toHaveProperty("audit");
  });

  test("of a spec of signals judges its groups too, whatever the signals are", async () => {
    const spec = { signals: { short: { kind: "length", max: 100, unit: "characters" } }, ...audit() };
    const { reply } = await scored(judges(longest, shortest), spec);
    expect(reply.audit).toMatchObject({ groups: 6, audited: 6 });
  });

  test("of more groups than its part of the limit leaves some out, with a warning, and the reply stands", async () => {
    const verifier = fakeVerifier(judges(longest, shortest), { generations_max: 96 });
    const { post } = setUp({ verifier });
    const reply = await (await post("/v1/rewards", { groups, spec: audit() })).json();
    // An eighth of 96 is 12: two groups of six pairs; three are halved to one.
    expect(reply.audit).toMatchObject({ audited: reply.audit.groups });
    expect(reply.audit.generations).toBeLessThanOrEqual(12);
    expect(reply.audit.groups).toBeGreaterThan(0);
    expect(reply.warnings).toEqual(["audit_cut"]);
    expect(reply.rewards.flat()).not.toContain(null);
  });

  test("is told at the end of a stream, and its cost by the check of a spec", async () => {
    const { post } = setUp({ script: judges(longest, longest) });
    const stream = await post("/v1/rewards", { groups, spec: audit() }, { accept: "application/x-ndjson" });
    const last = JSON.parse((await stream.text()).trim().split("\n").at(-1) as string);
    expect(last).toMatchObject({ type: "done", audit: { audited: 6, correlation: 1 } });
    const check = async (spec: object) => (await post("/v1/specs/check?n=8", spec)).json();
    const [plain, audited] = [await check({}), await check(audit({ share: 0.05 }))];
    expect(audited.audit).toMatchObject({ share: 0.05, cost: { rollouts: 8, generations: 28 } });
    expect(audited.cost).toEqual(plain.cost);
    expect(audited.spec_hash).toBe(plain.spec_hash);
    expect(plain).not.toHaveProperty("audit");
    expect(plain.spec).not.toHaveProperty("audit");
  });

  test.each([
    ["spec.audit.share", { share: 0 }],
    ["spec.audit.share", { share: 1.5 }],
    ["spec.audit.judge", { judge: undefined }],
    ["spec.audit.judge.schedule", { judge: { mode: "listwise", schedule: "swiss" } }],
    ["spec.audit.judge.schedule", { judge: { schedule: { name: "anchored", anchor: "reference" } } }],
    ["spec.audit.judge.prompt", { judge: { prompt: "no-such-prompt" } }],
    ["spec.audit.every", { every: 2 }],
  ])("is refused at %s", async (path, fields) => {
    const { post } = setUp();
    const problem = await problemOf(await post("/v1/rewards", { groups, spec: audit(fields) }));
    expect(problem.errors?.map((one) => one.path)).toEqual([path]);
  });

  test("may name no model that the key may not have judge", async () => {
    const models = { configured: ["main"], lists: new Map() };
    const { post } = setUp({ models });
    const spec = audit({ judge: { model: "other" } });
    const problem = await problemOf(await post("/v1/rewards", { groups, spec }));
    expect(problem).toMatchObject({ code: "model_not_allowed", errors: [{ path: "spec.audit.judge.model" }] });
  });
});
