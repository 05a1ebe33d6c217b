// The guarantees of the paper's page: its figures come out again, or differ for the reason told, and each of
// its parts names something that exists.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LAB } from "../../../scripts/project/lab.ts";
import { VerdictsRequestSchema } from "../../../src/core/contract/verdicts-request.ts";
import { rewardVerdicts } from "../../../src/core/formulations/rewards.ts";
import { SPEC_FORMS } from "../../../src/core/reward/signals-spec.ts";
import { LAYOUTS } from "../../evaluate/verifiers/layouts/table.ts";
import { coinMix, coinTau, majority } from "../../paper/coin.ts";
import { agrees, FIGURES, NOT_COMPUTED, strongestBiases } from "../../paper/figures.ts";
import { countReading, PROXIES, tauReading } from "../../paper/proxies.ts";
import { MODIFICATIONS } from "../../testbed/adversarial/modifications.ts";

describe("the paper's figures", () => {
  it.each(FIGURES)("$about", (figure) => {
    expect(agrees(figure)).toBe(figure.unlike === undefined);
  });

  it("of a coin are those of all tournaments: a circle is undefined", () => {
    expect(coinTau(3)).toEqual({ dropped: 0, zero: 0, minus_one: -0.25, undefined: 0.25 });
    expect(coinTau(4).minus_one).toBeCloseTo(0);
    expect(coinTau(5).minus_one).toBeCloseTo(-24 / 1_024);
    expect(coinMix("zero")).toBeCloseTo(0);
    expect(majority(1, 0.8)).toBeCloseTo(0.8);
    expect(majority(3, 0.8)).toBeCloseTo(0.896);
  });

  it("kept the modifications that the testbed keeps", () => {
    expect(strongestBiases().sort()).toEqual(
      MODIFICATIONS.filter(({ isKeptByPaper: kept }) => kept)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it("are read as counts only where counts round to them, and at 14B one tie is in all", () => {
    expect(tauReading(0.5)).toBeNull();
    expect(countReading(94.5, 37)).toBeNull();
    expect(PROXIES.map(({ tau }) => tauReading(tau[2])?.ties)).toEqual([1, 1, 1, 1, 1, 1]);
  });
});

const PAGE = readFileSync("lab/paper/README.md", "utf8");
const parts = [...PAGE.matchAll(/^\| (\d+) \| (.+?) \| (.+) \|$/gm)].map(([, number, part, here = ""]) => ({
  number: Number(number),
  part,
  here,
}));
const HEADINGS = [...PAGE.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) =>
  heading.toLowerCase().replaceAll(" ", "-"),
);
const SCRIPTS = (JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> }).scripts;

/** What is wrong with a command, by its name and that of its part of the laboratory. */
function commandFault(command: string): string | null {
  const [, script = "", name] = /^npm run (\w+)(?: -- (\S+))?/.exec(command) ?? [];
  if (SCRIPTS[script] === undefined) return `no script ${script}`;
  if (script === "lab" && !Object.hasOwn(LAB.names, name ?? "")) return `no command ${name}`;
  const layout = /--layout (\S+)/.exec(command)?.[1];
  return layout === undefined || Object.hasOwn(LAYOUTS, layout) ? null : `no layout ${layout}`;
}

/** A request for verdicts, or a spec. */
function jsonFault(text: string): string | null {
  const value = JSON.parse(text) as object;
  if ("formulation" in value) {
    rewardVerdicts(VerdictsRequestSchema.parse(value));
    return null;
  }
  return SPEC_FORMS[0].safeParse(value).error?.issues[0]?.message ?? null;
}

describe("the paper's parts", () => {
  it("are 39, in order", () => {
    expect(parts.map(({ number }) => number)).toEqual(Array.from({ length: 39 }, (_, i) => i + 1));
  });

  it.each(parts)("$number: $part", ({ here }) => {
    const [, page, anchor] = /^\[.+\]\(([^)#]*)#?([^)]*)\)$/.exec(here) ?? [];
    if (page !== undefined) {
      if (page === "") expect(HEADINGS).toContain(anchor);
      else expect(existsSync(`lab/paper/${page}`)).toBe(true);
      return;
    }
    const code = /^`(.+)`$/.exec(here)?.[1] ?? "";
    expect(code.startsWith("{") ? jsonFault(code) : commandFault(code)).toBeNull();
  });

  it("and what is not computed name commands that exist", () => {
    expect(NOT_COMPUTED.map(({ command }) => commandFault(command))).toEqual(NOT_COMPUTED.map(() => null));
  });
});
