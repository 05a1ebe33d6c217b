// `npm run logs -- replay` with flags that cannot be meant: each ends with status 2 and says what
// it must be, before anything is asked.
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const MAIN = new URL("../../scripts/stack/commands/logs-replay.ts", import.meta.url).pathname;
const HERE = ["--target", "http://127.0.0.1:1"];

it.each([
  [[], "--target is required"],
  [["--nope"], "there is no flag --nope"],
  [["--target", "nowhere"], "--target must be an http or https URL, not 'nowhere'"],
  [[...HERE, "--limit", "201"], "--limit must be an integer from 1 to 200, not '201'"],
  [[...HERE, "--settle", "soon"], "--settle must be a number from 0 to 86400, not 'soon'"],
  [HERE, "cannot reach http://127.0.0.1:1: "],
])("%j", (flags, said) => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...flags], { encoding: "utf8" });
  expect(stderr).toContain(said);
  expect(stderr).not.toContain("    at ");
  expect(status).toBe(2);
});
