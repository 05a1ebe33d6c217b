// The guarantees of reading a set: files as promised by the manifest, faults by file, row and field, splits
// and draws.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { readSet, type Selection } from "../../evaluate/set-reader.ts";
import { writeFixtureSet, writeRows } from "./fixture-set.ts";

const ALL: Selection = { split: "all", limit: null, adversarial: "all" };

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  writeFixtureSet(folder.path, { problems: 6, lists: 4, adversarial: 10 });
});
afterEach(() => folder.remove());

describe("a set", () => {
  it("is read whole, by split, and with the modified lists of the lists chosen", () => {
    expect(readSet(folder.path, ALL).lists.length).toBe(24);
    const test = readSet(folder.path, { ...ALL, split: "test" });
    expect(test.lists.every(({ split }) => split === "test")).toBe(true);
    const ids = new Set(test.lists.map(({ list_id }) => list_id));
    expect(test.adversarial.length).toBeGreaterThan(0);
    expect(test.adversarial.every(({ base_list_id }) => ids.has(base_list_id))).toBe(true);
  });

  it("has the kept modifications, all, or none", () => {
    const count = (adversarial: Selection["adversarial"]) =>
      readSet(folder.path, { ...ALL, adversarial }).adversarial.length;
    expect([count("none"), count("kept"), count("all")]).toEqual([0, 5, 10]);
  });

  it("sampled smaller is part of the larger sample", () => {
    const draw = (limit: number) => readSet(folder.path, { ...ALL, limit }).lists.map(({ list_id }) => list_id);
    expect(draw(5).length).toBe(5);
    expect(draw(12)).toEqual(expect.arrayContaining(draw(5)));
    expect(draw(1000).length).toBe(24);
  });

  it("whose file changed after it was built is refused", () => {
    appendFileSync(join(folder.path, "lists.jsonl"), "\n");
    expect(() => readSet(folder.path, ALL)).toThrow(/lists\.jsonl does not match manifest\.json/);
  });

  it.each([
    [
      "two right candidates",
      { candidates: [1, 1].map((pass_rate, i) => ({ candidate_id: `${i}`, code: "x", pass_rate })) },
      "candidates",
    ],
    ["one candidate", { candidates: [{ candidate_id: "a", code: "x", pass_rate: 1 }] }, "candidates"],
    ["an unknown bucket", { bucket: "middling" }, "bucket"],
    ["a field that no one knows", { colour: "red" }, "colour"],
  ])("with %s names the row and the field", (_, change, field) => {
    const path = join(folder.path, "lists.jsonl");
    const rows = readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    rows[2] = { ...rows[2], ...change };
    writeRows(folder.path, "lists.jsonl", rows);
    expect(() => readSet(folder.path, ALL)).toThrow(new RegExp(`lists\\.jsonl:3: .*${field}`));
  });

  it("with a duplicate id is refused, and so is a folder without a manifest", () => {
    const rows = readFileSync(join(folder.path, "lists.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    writeRows(folder.path, "lists.jsonl", [...rows, rows[0]]);
    expect(() => readSet(folder.path, ALL)).toThrow('two rows have the list_id "list-0"');
    writeFileSync(join(folder.path, "manifest.json"), "{");
    expect(() => readSet(folder.path, ALL)).toThrow("not valid JSON");
    expect(() => readSet(join(folder.path, "none"), ALL)).toThrow("no manifest.json");
  });
});
