// Guarantees that the run of `npm run demo` and `npm start -- --example` is written whole, and only once.
import { expect, test } from "vitest";
import { EXAMPLE_STEPS, exampleRun } from "../../scripts/stack/example-run.ts";
import { writeInto } from "../../scripts/stack/made-up-run.ts";
import { fakeRunLog } from "../harness/fakes.ts";

test("the example run is written once, all its steps", async () => {
  const runLog = fakeRunLog();
  expect(await writeInto(runLog, null, exampleRun())).toBe(EXAMPLE_STEPS);
  expect(await writeInto(runLog, null, exampleRun())).toBe(0);
});
