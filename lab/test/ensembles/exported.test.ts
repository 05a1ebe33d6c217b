// Weights for a run's judges, fitted to labels out of whole exports.
import { expect, test } from "vitest";
import { hashText } from "../../../src/core/math/random.ts";
import { fenced, setUp } from "../../../test/api/routes/harness.ts";
import type { Script } from "../../../test/harness/fakes.ts";
import { ExportFault, fitExport } from "../../ensembles/exported.ts";

/** Per cent of cases in which each judge is right. */
const RATES: Record<string, number> = { exact: 90, kind: 80, vague: 70, blurred: 50 };
const says: Script = ([text = ""], { job }) => {
  const name = Object.keys(RATES).find((one) => job.slots?.principle === one) as string;
  const right = text.includes("right");
  const honest = hashText(name, text)[0] % 100 < (RATES[name] as number);
  return right === honest ? "yes" : "no";
};

const signals = Object.fromEntries(
  Object.keys(RATES).map((name) => [name, { kind: "grade", judge: { preset: "yes-no", principle: name } }]),
);

/** A run whose last step has one judge alone, and the lines of its exports. */
async function ran(labelled: (step: number) => boolean = () => true) {
  const world = setUp({ script: says });
  for (let step = 0; step < 7; step++) {
    const groups = Array.from({ length: 10 }, (_, g) => ({
      prompt: `p${g}`,
      rollouts: Array.from({ length: 8 }, (_, r) => ({
        text: fenced(`${r % 2 ? "right" : "wrong"} ${step} ${g} ${r}`),
        ...(labelled(step) && { pass_rate: r % 2 }),
      })),
    }));
    const { exact } = signals;
    const spec = { signals: { ...(step < 6 ? signals : { exact }), format: { kind: "format" } } };
    const reply = await world.post("/v1/rewards", { run_id: "r", step, spec, groups });
    expect(reply.status).toBe(200);
  }
  const table = async (name: string) =>
    (await (await world.app.request(`/v1/runs/r/export?table=${name}`)).text()).trimEnd().split("\n");
  return { ...world, lines: await table("signals"), groups: await table("groups") };
}

const asked = async function* (lines: readonly string[]) {
  yield* lines;
};
const NAMES = Object.keys(RATES);

test("weights follow the labels, and their expression is valid in a spec", async () => {
  const { lines, groups, post } = await ran();
  const found = await fitExport(asked(lines), asked(groups), NAMES);
  expect(found).toMatchObject({ groups: 60, pairs: 60 * 16, right: { best: { judge: "exact" } } });
  const weights = NAMES.map((name) => found.judges[name]?.weight as number);
  expect(weights).toEqual(weights.toSorted((a, b) => b - a));
  expect(weights.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
  expect(found.right.weighted).toBeGreaterThan(found.right.mean);
  const checked = await post("/v1/specs/check", { signals, reward: found.expression });
  expect(await checked.json()).toMatchObject({ reward_range: [0, expect.closeTo(1, 3)] });
});

test("weights that do not beat the best judge alone are not recommended", async () => {
  const { lines, groups } = await ran();
  const found = await fitExport(asked(lines), asked(groups), ["exact", "blurred"]);
  expect(found).toMatchObject({ better: false, expression: "exact" });
  expect(found.gain.over_best.ci95[0]).toBeLessThanOrEqual(0);
  expect(found.judges.exact?.alone).toBeGreaterThan(0.85);
});

test("a run without labels, or with few, is refused", async () => {
  for (const [labels, count] of [
    [() => false, 0],
    [(step: number) => step < 2, 20],
  ] as const) {
    const { lines, groups } = await ran(labels);
    await expect(fitExport(asked(lines), asked(groups), NAMES)).rejects.toThrow(
      `${count} groups have differing labels`,
    );
  }
});

test("an unknown signal, a single one and none are refused with the available names", async () => {
  const { lines, groups } = await ran();
  const fitted = (names: readonly string[]) => fitExport(asked(lines), asked(groups), names);
  const there = "the export contains blurred, exact, format, kind, vague";
  await expect(fitted(["exact", "none"])).rejects.toThrow(`no group has all of exact, none; ${there}`);
  await expect(fitted(["exact", "exact"])).rejects.toThrow(`--signals must name at least 2 signals; ${there}`);
  await expect(fitted([])).rejects.toThrow(there);
});

test("an incomplete export is refused", async () => {
  const { lines, groups } = await ran();
  const fitted = (signals: readonly string[], labels = groups) => fitExport(asked(signals), asked(labels), NAMES);
  const error = JSON.stringify({ type: "error", code: "database_unavailable", detail: "gone", rows: 8 });
  await expect(fitted(lines.slice(0, -1))).rejects.toThrow("the export is incomplete");
  await expect(fitted(lines, groups.slice(0, -1))).rejects.toThrow("the export is incomplete");
  await expect(fitted(lines.slice(1))).rejects.toThrow(/has only \d+ of \d+ rows$/);
  await expect(fitted([...lines.slice(0, 8), error])).rejects.toThrow("cut off: database_unavailable, gone");
  await expect(fitted(["<html>"])).rejects.toThrow("not a line of export?table=signals: <html>");
  await expect(fitted(lines, ["<html>"])).rejects.toThrow("not a line of export?table=groups: <html>");
  await expect(fitted([])).rejects.toThrow(ExportFault);
});
