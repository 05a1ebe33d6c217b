// Tests that a Node that reads no TypeScript says what to run, and one that does says nothing.
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const CHECK = new URL("../../scripts/stack/node-version.js", import.meta.url).href;
const printed = (...flags: string[]) =>
  spawnSync(process.execPath, [...flags, "--import", CHECK, "--eval", "console.log('ran')"], { encoding: "utf8" });

test("a Node without TypeScript names the command that brings a newer one, and runs nothing", () => {
  const { status, stdout, stderr } = printed("--no-experimental-strip-types");
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("run `npm rebuild --ignore-scripts=false node`");
});

test("a newer one runs what it was given", () => {
  expect(printed()).toMatchObject({ status: 0, stdout: "ran\n", stderr: "" });
});
