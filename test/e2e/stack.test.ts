// `npm start` as a person runs it: a process with variables, a ready line, requests, SIGTERM.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import type { RunSummary } from "../../src/ports/logged-rows.ts";
import { answer } from "../harness/mock-behaviours.ts";
import { type MockVerifier, startMockVerifier } from "../harness/mock-verifier.ts";
import { gate } from "../verifier/setup.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
const children: ChildProcess[] = [];
/** Variables of a stack with a verifier elsewhere: a separate one takes two interpreters' start. */
let elsewhere: Record<string, string>;
let judge: MockVerifier;
beforeAll(async () => {
  judge = await startMockVerifier(() => answer("\\boxed{A}"));
  elsewhere = { VERIFIER_URL: judge.url, VERIFIER_MODEL: "mock-model" };
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await judge.close();
  folder.remove();
});

interface Running {
  child: ChildProcess;
  url: string;
  lines: string[];
}

/** Runs the command until its ready line; rejects with what it printed when it ends before. */
async function start(env: Record<string, string>, command = ["npm", "start"]): Promise<Running> {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(command[0] as string, command.slice(1), {
    env: { PATH, HOME, NODE_COMPILE_CACHE, PORT: "0", DATA_DIR: folder.path, ...env },
  });
  children.push(child);
  const lines: string[] = [];
  child.stderr.on("data", (data) => lines.push(String(data)));
  return new Promise((started, refuse) => {
    const output = createInterface({ input: child.stdout });
    output.on("line", (line) => {
      lines.push(line);
      const ready = /^ready (http:\/\/\S+)$/.exec(line);
      if (ready !== null) started({ child, url: ready[1] as string, lines });
    });
    output.once("close", () => refuse(new Error(`ended before it was ready:\n${lines.join("\n")}`)));
  });
}

async function stop({ child }: Running): Promise<{ code: number | null }> {
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const [code] = await exited;
  return { code };
}

const GROUP = {
  prompt: "Read an integer n and print n doubled.\n\nSample Input 1\n\n```\n4\n```\n\nSample Output 1\n\n```\n8\n```\n",
  language: "python",
  rollouts: [
    { text: "```python\nprint(int(input()) * 2)\n```", pass_rate: 1 },
    { text: "```python\nprint(int(input()) + 2)\n```", pass_rate: 0.1 },
    { text: "I cannot do this.", pass_rate: 0 },
  ],
};

describe("npm start", () => {
  it("judges real programs, logs them, ends on SIGTERM, and has the log again after a restart", async () => {
    const first = await start({});
    expect(first.lines).toContain("keys      none: only this machine may send requests, without a key");
    const response = await fetch(`${first.url}/v1/rewards`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ run_id: "start", step: 1, groups: [GROUP] }),
    });
    const reply = (await response.json()) as RewardsReply;
    expect(reply.rewards).toEqual([[1, 0.5, -1]]);
    expect(reply).toMatchObject({ logged: "queued", metrics: { tau_b_mean: 1, list_acc: 1, parse_rate: 1 } });
    const ended = await stop(first);
    expect(ended.code).toBe(0);

    const second = await start(elsewhere);
    const { runs } = (await (await fetch(`${second.url}/v1/runs`)).json()) as { runs: RunSummary[] };
    expect(runs).toMatchObject([{ run_id: "start", first_step: 1, last_step: 1, groups: 1, rollouts: 3 }]);
    expect((await stop(second)).code).toBe(0);
  });

  it.runIf(process.platform === "linux")("ends with a line that says so when workerd does", async () => {
    const { child, lines } = await start({}, [process.execPath, "scripts/stack/commands/start.ts", "--quiet"]);
    const ids = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ").map(Number);
    const exited = once(child, "exit");
    const workerd = ids.find((id) => readFileSync(`/proc/${id}/comm`, "utf8").startsWith("workerd")) as number;
    process.kill(workerd, "SIGKILL");
    expect((await exited)[0]).toBe(1);
    expect(lines.join("")).toMatch(/kritai: workerd exited with .*; accepted work is on disk/);
  });

  it.runIf(process.platform === "linux")("leaves neither its port nor its data taken when it is killed", async () => {
    const command = [process.execPath, "scripts/stack/commands/start.ts", "--quiet"];
    const first = await start({}, command);
    const { port } = new URL(first.url);
    first.child.kill("SIGKILL");
    await expect.poll(() => fetch(first.url).catch(() => "gone")).toBe("gone");
    const second = await start({ ...elsewhere, PORT: port }, command);
    expect(second.url).toBe(first.url);
    expect((await fetch(`${second.url}/health`)).status).toBe(200);
    expect((await stop(second)).code).toBe(0);
    expect(second.lines.join("\n")).not.toContain("/health");
  });

  it.runIf(process.platform === "linux")(
    "answers what is under way before it ends on SIGTERM and has it in the log at its next start",
    async () => {
      const { opened, open } = gate();
      const mock = await startMockVerifier(() => answer("\\boxed{A}", { before_headers: opened }));
      try {
        const verifier = { VERIFIER_URL: mock.url, VERIFIER_MODEL: "mock-model" };
        const first = await start(verifier, [process.execPath, "scripts/stack/commands/start.ts"]);
        const body = JSON.stringify({ run_id: "under-way", groups: [GROUP] });
        const headers = { "content-type": "application/json" };
        const reply = fetch(`${first.url}/v1/rewards`, { method: "POST", headers, body });
        await expect.poll(() => mock.log.length).toBe(1);
        const ended = stop(first);
        await new Promise<void>((heard) =>
          first.child.stdout?.on("data", (text) => /^stopping/m.test(text) && heard()),
        );
        open();
        expect(await (await reply).json()).toMatchObject({ logged: "queued", groups: [{ status: "ok" }] });
        expect(await ended).toMatchObject({ code: 0 });

        const second = await start(verifier);
        const rows = async () => (await fetch(`${second.url}/v1/runs/under-way`)).status;
        await expect.poll(rows).toBe(200);
        await stop(second);
      } finally {
        await mock.close();
      }
    },
  );

  it("refuses a data directory that another process holds, by naming it", async () => {
    const first = await start(elsewhere);
    await expect(start(elsewhere)).rejects.toThrow(/is in use|already|another process/i);
    await stop(first);
  });

  it("says in one line, before anything starts, that its port is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const refused = await start({ PORT: `${port}`, DATA_DIR: `${folder.path}/none` }).catch(
      (error: Error) => error.message,
    );
    server.close();
    expect(
      String(refused)
        .split("\n")
        .filter((line) => /kritai: /.test(line)),
    ).toEqual([expect.stringContaining(`PORT: ${port} is in use on 127.0.0.1`)]);
    expect(existsSync(`${folder.path}/none`)).toBe(false);
  });

  it("refuses a port that is no port, by its name", async () => {
    await expect(start({ PORT: "http" })).rejects.toThrow(/PORT must be an integer from 0 to 65535/);
  });

  it("asks for a key once one is configured, and tells each request in a line, without the key", async () => {
    const digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"; // of "secret"
    const running = await start({ ...elsewhere, API_KEYS: `trainer:${digest}` });
    expect((await fetch(`${running.url}/v1/runs`)).status).toBe(401);
    expect((await fetch(`${running.url}/v1/runs`, { headers: { authorization: "Bearer secret" } })).status).toBe(200);
    expect((await fetch(`${running.url}/k/secret/v1/runs`)).status).toBe(200);
    const requests = () => running.lines.slice(1 + running.lines.findIndex((line) => line.startsWith("ready ")));
    await expect.poll(() => requests().length).toBe(3);
    expect(requests().map((line) => line.replace(/^[\d:]{8} {2}(.* {2})\d+ ms/, "$1N ms"))).toEqual([
      "GET /v1/runs  401  unauthorized  N ms  no key",
      "GET /v1/runs  200  N ms  trainer",
      "GET /v1/runs  200  N ms  trainer",
    ]);
    await stop(running);
  });
});
