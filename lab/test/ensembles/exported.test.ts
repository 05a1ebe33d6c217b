// Owns the guarantees of fitting a run's judges out of its export: weights that a spec takes, for
// the signals named, and of a whole export only.
import { expect, test } from "vitest";
import { hashText } from "../../../src/core/math/random.ts";
import { fenced, setUp } from "../../../test/api/routes/harness.ts";
import type { Script } from "../../../test/harness/fakes.ts";
import { ExportFault, fitExport } from "../../ensembles/exported.ts";

/** Four judges in words of their own, right in another share of cases each. */
const RATES: Record<string, number> = { exact: 95, kind: 75, vague: 65, blurred: 60 };
const says: Script = ([text = ""], { job }) => {
  const name = Object.keys(RATES).find((one) => job.slots?.principle === one) as string;
  const right = text.includes("right");
  const honest = hashText(name, text)[0] % 100 < (RATES[name] as number);
  return right === honest ? "yes" : "no";
};

const signals = Object.fromEntries(
  Object.keys(RATES).map((name) => [name, { kind: "grade", judge: { preset: "yes-no", principle: name } }]),
);

/** A run whose last step has one judge alone, and the lines of its export. */
async function ran() {
  const world = setUp({ script: says });
  for (let step = 0; step < 7; step++) {
    const groups = Array.from({ length: 10 }, (_, g) => ({
      prompt: `p${g}`,
      rollouts: Array.from({ length: 8 }, (_, r) => ({
        text: fenced(`${r % 2 ? "right" : "wrong"} ${step} ${g} ${r}`),
      })),
    }));
    const { exact } = signals;
    const spec = { signals: { ...(step < 6 ? signals : { exact }), format: { kind: "format" } } };
    const reply = await world.post("/v1/rewards", { run_id: "r", step, spec, groups });
    expect(reply.status).toBe(200);
  }
  const exported = await world.app.request("/v1/runs/r/export?table=signals");
  const lines = (await exported.text()).trimEnd().split("\n");
  return { ...world, lines };
}

const asked = async function* (lines: readonly string[]) {
  yield* lines;
};
const fitted = (lines: readonly string[], names: readonly string[]) => fitExport(asked(lines), names);

test("weights come of the groups that have all judges, as an expression that a spec takes", async () => {
  const { lines, post } = await ran();
  const found = await fitted(lines, Object.keys(RATES));
  expect(found).toMatchObject({ groups: 60, rollouts: 480 });
  expect(Object.keys(found.judges)).toEqual(Object.keys(RATES));
  expect(found.judges.exact?.weight).toBeGreaterThan(0.5);
  for (const reward of [found.expression, found.weighted]) {
    const checked = await post("/v1/specs/check", { signals, reward });
    expect(await checked.json()).toMatchObject({ reward_range: [0, expect.closeTo(1, 3)] });
  }
  const two = await fitted(lines, ["exact", "vague"]);
  expect(two).toMatchObject({ rollouts: 480, better: false, expression: "mean(exact, vague)" });
});

test("a signal that is not there, one alone and none are refused with those that are", async () => {
  const { lines } = await ran();
  const there = "the export has blurred, exact, format, kind, vague";
  await expect(fitted(lines, ["exact", "none"])).rejects.toThrow(`no group has all of exact, none; ${there}`);
  await expect(fitted(lines, ["exact", "exact"])).rejects.toThrow(`--signals must name 2 or more; ${there}`);
  await expect(fitted(lines, [])).rejects.toThrow(there);
});

test("what is no whole export is refused, not fitted by a part of it", async () => {
  const { lines } = await ran();
  const names = Object.keys(RATES);
  const error = JSON.stringify({ type: "error", code: "database_unavailable", detail: "gone", rows: 8 });
  await expect(fitted(lines.slice(0, -1), names)).rejects.toThrow("has no last line");
  await expect(fitted(lines.slice(1), names)).rejects.toThrow(/has \d+ rows of \d+$/);
  await expect(fitted([...lines.slice(0, 8), error], names)).rejects.toThrow("cut off: database_unavailable, gone");
  await expect(fitted(["<html>"], names)).rejects.toThrow("is none of export?table=signals: <html>");
  await expect(fitted([], names)).rejects.toThrow(ExportFault);
});
