// That nothing of the tables is admitted without an attack: every kind of signal, schedule and
// preset is what a class of the red team plays against, or it says why no text can reach it.
import { expect, test } from "vitest";
import { CLASSES } from "../../lab/red-team/classes.ts";
import { PRESETS } from "../../lab/templates/index.ts";
import { promptTitle } from "../../src/core/judges/presets/own.ts";
import { SIGNALS } from "../../src/core/reward/table.ts";
import { SCHEDULES } from "../../src/core/tournament/schedules/table.ts";

/** Every value of a field, anywhere in the specs that classes score with. */
function used(...fields: string[]): Set<string> {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [field, inner] of Object.entries(value)) {
      const name = (inner as { name?: unknown } | null)?.name ?? inner;
      if (fields.includes(field) && typeof name === "string") found.add(promptTitle(name));
      look(inner);
    }
  };
  for (const { spec, attacks, decided_by } of CLASSES) {
    if (decided_by !== "kritai") continue;
    for (const one of [spec, ...attacks.map(({ asked }) => asked?.spec)]) look(one);
  }
  return found;
}

const named = (name: string) => expect(CLASSES.map((one) => one.name)).toContain(name);

/** Kinds that no spec of a class names: the class that attacks them all the same, or why none can. */
const OTHERWISE: Readonly<Record<string, { by: string } | { because: string }>> = {
  tournament: { by: "delimiters" },
  format: { by: "no program" },
  tests: { by: "sandbox: comparisons" },
  repetition: {
    because: "only ever takes away; test/core/signals/repetition.test.ts holds it to texts without blanks",
  },
  overlong: { because: "reads a number of the trainer's" },
  length: { because: "reads a number of the trainer's; in characters it says so by a warning" },
  number: { because: "reads a number of the trainer's" },
  random: { because: "draws its number of the text: a control, which nobody trains on" },
  logprob: { because: "reads numbers of the trainer's" },
  consensus: { because: "is label-free and says so; equal answers are one by the rules of `superscripts`" },
  scalar: { because: "shows no words of ours: a reward model reads the candidate alone, escaped as everywhere" },
  external: { because: "a checker of the deployment's own reads the text as data" },
};

test("every kind of signal is attacked", () => {
  const attacked = used("kind");
  for (const { kind } of SIGNALS) {
    const other = OTHERWISE[kind];
    if (attacked.has(kind)) continue;
    expect([kind, other]).toEqual([kind, expect.anything()]);
    if (other !== undefined && "by" in other) named(other.by);
  }
});

test("every schedule is attacked", () => {
  const attacked = used("schedule");
  expect(Object.keys(SCHEDULES).filter((name) => !attacked.has(name))).toEqual([]);
});

/** Presets without a mark that a reader of layout could be shown. */
const UNMARKED: Readonly<Record<string, string>> = {
  "nemotron-genrm": "special chat roles delimit its candidates: the class `special tokens`",
  "first-wrong-step": "steps are texts of their own: test/core/marks.test.ts",
};

test("every preset is attacked", () => {
  const attacked = used("preset", "prompt");
  const missing = Object.keys(PRESETS).filter((name) => !attacked.has(name));
  expect(missing.filter((name) => !Object.hasOwn(UNMARKED, name))).toEqual([]);
});
