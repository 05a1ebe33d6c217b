// `npm run logs:replay` with flags that cannot be meant: each ends with status 2 and says what it
// must be, before anything is asked.
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const MAIN = new URL("../../scripts/stack/commands/logs-replay.ts", import.meta.url).pathname;
const HERE = ["--target", "http://127.0.0.1:1"];

it.each([
  [[], "--target is missing"],
  [["--nope"], "Unknown option '--nope'"],
  [["--target", "nowhere"], '--target must be an http or https URL, it is "nowhere"'],
  [[...HERE, "--limit", "201"], "--limit must be an integer from 1 to replay_letters_max = 200, it is 201"],
  [[...HERE, "--settle", "soon"], "--settle must be a number of seconds from 0, it is soon"],
  [HERE, "http://127.0.0.1:1 cannot be reached: "],
])("%j", (flags, said) => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...flags], { encoding: "utf8" });
  expect(stderr).toContain(said);
  expect(stderr).not.toContain("    at ");
  expect(status).toBe(2);
});
