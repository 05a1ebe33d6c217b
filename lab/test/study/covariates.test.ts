// Tests the study of covariates: what it must find by how its judges are made.
import { expect, it } from "vitest";
import { covariateRows, covariatesPage } from "../../study/covariates.ts";

const rows = covariateRows({ learnt: [64], groups: 60 }, () => undefined);
const gains = (length: number, position: number, related: number) =>
  rows.filter((row) => row.length === length && row.position === position && row.related === related);

it("gains where the judge has a taste, harms nothing where it has none, and harms where worth goes with length", () => {
  for (const [length, position] of [
    [2, 0],
    [1, 1],
  ] as const) {
    for (const { gain, half } of gains(length, position, 0)) expect(gain - half).toBeGreaterThan(0);
  }
  for (const { gain } of gains(0, 0, 0)) expect(Math.abs(gain)).toBeLessThan(0.01);
  for (const { gain, half } of gains(0, 0, 0.5)) expect(gain + half).toBeLessThan(0);
});

it("learns about as much as the judge has, a little less for the prior", () => {
  for (const { terms } of gains(1, 1, 0).filter(({ vote }) => vote === "soft")) {
    expect(terms.length).toBeGreaterThan(0.6);
    expect(terms.length).toBeLessThan(1.1);
    expect(terms.position).toBeGreaterThan(0.7);
    expect(terms.position).toBeLessThan(1.1);
  }
});

it("says on its page first what it takes away", () => {
  const page = covariatesPage("A command.", rows);
  expect(page.indexOf("takes worth away")).toBeLessThan(page.indexOf("| votes |"));
  expect(
    page
      .trimEnd()
      .split("\n")
      .filter((line) => /^\| (?:soft|hard)/.test(line)),
  ).toHaveLength(rows.length);
});
