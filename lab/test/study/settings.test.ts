// The guarantees of the study of settings: each can be in a spec, what is picked keeps to its bounds, and the
// page has it as it is.
import { describe, expect, it } from "vitest";
import { FlatSpecSchema } from "../../../src/core/reward/flat-spec.ts";
import { JUDGE_NAMES, settingsFor } from "../../study/settings.ts";
import { alikeOf, settingsPage, settingsTable, settingsTables, written } from "../../study/settings-page.ts";
import { PICKS, settingRows, tokensOf } from "../../study/settings-played.ts";

const plan = { set: "sets/small", sizes: [4], draws: 4, varied: 1 };
const rows = settingRows(plan, () => {});
const stated = rows.filter(({ variant }) => variant === "as stated");
const of = (judge: string) => stated.filter((row) => row.judge === judge);

describe("the study of settings", () => {
  it("covers distinct settings that are valid in a spec", () => {
    for (const n of [4, 8, 16])
      for (const style of ["direct", "thinking"] as const) {
        const settings = settingsFor(n, style);
        expect(new Set(settings.map(written)).size).toBe(settings.length);
        for (const setting of settings) expect(JSON.parse(written(setting))).toEqual(setting);
        for (const judge of settings) expect(() => FlatSpecSchema.parse({ judge, reward: "auto" })).not.toThrow();
      }
  });

  it("counts retries, and reports figures of the lists not used for choosing", () => {
    const [all] = of("7B");
    expect(all?.generations).toBeCloseTo(12 * 1.03, 9);
    expect(all?.prompt_tokens).toBeCloseTo(12 * 1.03 * 1500, 6);
    expect(all?.gain.mean).toBe(0);
    const varied = rows.find(({ judge, variant }) => judge === "7B" && variant === "strong pair bias");
    expect((all?.lists ?? 0) / (varied?.lists ?? 1)).toBe(plan.draws / plan.varied / 2);
    const paid = of("hosted").filter(({ setting }) => setting.budget?.ratio === 0.5);
    expect(paid.length).toBe(1);
    for (const { generations } of paid) expect(generations).toBeLessThanOrEqual(3);
  });

  it("chooses one setting of each kind for every judge, within its share of the tokens", () => {
    for (const judge of JUDGE_NAMES) {
      const [all] = of(judge);
      for (const [pick, share] of Object.entries(PICKS)) {
        const picked = of(judge).filter((row) => row.picked?.includes(pick as keyof typeof PICKS));
        expect(picked).toHaveLength(1);
        for (const row of picked) {
          expect(tokensOf(row)).toBeLessThanOrEqual(share * tokensOf(all as (typeof rows)[number]));
          expect(row.over?.[pick as keyof typeof PICKS].mean).toBe(0);
        }
      }
      for (const row of alikeOf(of(judge), "near")) expect(row.picked).not.toContain("near");
    }
  });

  it("finds a better order with a more accurate judge", () => {
    const tau = (variant: string) =>
      rows.find((row) => row.judge === "32B" && row.variant === variant)?.tau.mean as number;
    expect(tau("accuracy at its highest")).toBeGreaterThan(tau("accuracy at its lowest"));
  });

  it("writes a page with a line for every judge and number of samples, and every row as CSV", () => {
    const page = settingsPage("how", rows, "settings");
    expect(page).not.toMatch(/NaN|undefined|Infinity|null/);
    expect(page).toContain(settingsTable(rows));
    expect(settingsTable(rows).split("\n")).toHaveLength(2 + JUDGE_NAMES.length);
    expect(settingsTables(rows)["rows.csv"]?.trim().split("\n")).toHaveLength(rows.length + 1);
  });
});
