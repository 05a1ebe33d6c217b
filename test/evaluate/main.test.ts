// `npm run evaluate` as a process: exit codes, what is said where, Ctrl-C.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../e2e/temporary-folder.ts";
import { writeFixtureSet } from "./fixture-set.ts";

const MAIN = new URL("../../scripts/evaluate/main.ts", import.meta.url).pathname;
const folder = temporaryFolder();
beforeAll(() => void writeFixtureSet(`${folder.path}/set`, { problems: 2, lists: 4 }));
afterAll(() => folder.remove());

function start(...flags: string[]) {
  const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, said }));
  return { child, ended };
}

describe("npm run evaluate", () => {
  it("explains itself with exit code 0, and a fault of the flags or of the set with 2 and 1", async () => {
    expect(await start("--help").ended).toMatchObject({ code: 0, said: expect.stringContaining("--compare DIR") });
    expect(await start("--set", "s").ended).toMatchObject({
      code: 2,
      said: expect.stringContaining("--out is required"),
    });
    const flags = ["--set", `${folder.path}/none`, "--out", `${folder.path}/o`, "--control", "oracle"];
    expect(await start(...flags).ended).toMatchObject({ code: 1, said: expect.stringContaining("no manifest.json") });
  });

  it("ends at once on SIGINT while the target holds its replies, with exit code 130 and how to go on", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const asked = once(server, "request");
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { child, ended } = start("--set", `${folder.path}/set`, "--out", `${folder.path}/held`, "--target", target);
    await asked;
    child.kill("SIGINT");
    expect(await ended).toMatchObject({
      code: 130,
      said: expect.stringContaining("The same command goes on from there"),
    });
    server.closeAllConnections();
    server.close();
  });
});
