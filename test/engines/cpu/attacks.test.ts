// The proof that no program of the attack table passes for one that is right, whichever letter it has.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Judge } from "../../../gpu-backend/engines/cpu/judge.ts";
import { createSandbox, type Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { PROGRAM_ATTACKS } from "./attacks.ts";

let sandbox: Sandbox;
let judge: Judge;
beforeAll(async () => {
  sandbox = await createSandbox({ workers: 1 });
  judge = new Judge(sandbox);
});
afterAll(() => sandbox.close());

test.each(PROGRAM_ATTACKS)("$language: $name loses to the program that is right", async (entry) => {
  const { language, question } = entry;
  const programs = [entry.honest, entry.attack].map((code) => ({ code, language }));
  expect(await judge.answer({ question, form: "exact_match", candidates: programs })).toMatch(/\\boxed\{A\}$/);
  expect(await judge.answer({ question, form: "exact_match", candidates: programs.toReversed() })).toMatch(
    /\\boxed\{B\}$/,
  );
});
