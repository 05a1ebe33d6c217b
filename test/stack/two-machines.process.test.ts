// The way from the edge to the gateway as docs/deploy.md has it: two machines, which are two network
// namespaces of this kernel, and the repository's nginx with TLS before the gateway.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT, textOf } from "../harness/imports.ts";

const KEY = "a-key-of-this-gateway";
const [GPU, EDGE] = [`kritai-gpu-${process.pid}`, `kritai-edge-${process.pid}`];
const [GPU_ADDRESS, EDGE_ADDRESS] = ["10.213.7.2", "10.213.7.1"];
const PORTS = { engine: 8000, gateway: 8792, tls: 8443, edge: 8787 };

const runs = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const ip = (...args: string[]) => execFileSync("ip", args, { stdio: "pipe" });

/** Why two machines cannot be made here; null where they can. */
function lacking(): string | null {
  for (const [program, flag] of [
    ["ip", "-V"],
    ["nginx", "-v"],
    ["openssl", "version"],
  ] as const)
    if (!runs(program, flag)) return `no ${program} here`;
  if (!runs("ip", "netns", "add", GPU)) return "the kernel refuses network namespaces here";
  ip("netns", "del", GPU);
  return null;
}
const why = lacking();

describe.skipIf(why !== null)(
  `the edge on one machine, the gateway on another${why === null ? "" : `: ${why}`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "kritai-machines-"));
    const certificate = join(folder, "fullchain.pem");
    const children: ChildProcess[] = [];

    /** Starts a program on a machine, and waits for its line `ready ..`. */
    async function start(machine: string, env: Record<string, string>, ...command: string[]): Promise<void> {
      const child = spawn("ip", ["netns", "exec", machine, ...command], {
        cwd: ROOT,
        env: { PATH: process.env.PATH ?? "", HOME: folder, TMPDIR: folder, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      children.push(child);
      const said: string[] = [];
      await new Promise<void>((ready, refuse) => {
        for (const stream of [child.stdout, child.stderr])
          createInterface(stream as Readable).on("line", (line) => {
            said.push(line);
            if (/^ready /.test(line)) ready();
          });
        child.once("exit", (code) => refuse(new Error(`${command.join(" ")} ended with ${code}: ${said.join("\n")}`)));
      });
    }
    const node = (script: string) => [process.execPath, script];

    /** The reply to a client on the edge's machine; status 0: unreachable. */
    function asked(url: string, init: { method?: string; body?: string; headers?: Record<string, string> } = {}) {
      const code = `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)})
      .then(async (r) => [r.status, await r.text()], (e) => [0, String(e.cause?.code ?? e.cause)])
      .then((reply) => console.log(JSON.stringify(reply)))`;
      const env = { PATH: process.env.PATH ?? "", NODE_EXTRA_CA_CERTS: certificate };
      const args = ["netns", "exec", EDGE, process.execPath, "-e", code];
      const [status, text] = JSON.parse(execFileSync("ip", args, { env, encoding: "utf8" }));
      return { status: status as number, text: text as string };
    }

    beforeAll(async () => {
      for (const name of [GPU, EDGE]) {
        ip("netns", "add", name);
        ip("-n", name, "link", "set", "lo", "up");
      }
      ip("-n", GPU, "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", EDGE);
      for (const [name, address] of [
        [GPU, GPU_ADDRESS],
        [EDGE, EDGE_ADDRESS],
      ] as const) {
        ip("-n", name, "addr", "add", `${address}/24`, "dev", "wire");
        ip("-n", name, "link", "set", "wire", "up");
      }
      const key = join(folder, "privkey.pem");
      const subject = ["-subj", "/CN=judge.example.com", "-addext", `subjectAltName=IP:${GPU_ADDRESS}`];
      const made = [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
      ];
      execFileSync("openssl", [...made, ...subject, "-keyout", key, "-out", certificate], { stdio: "pipe" });
      const configuration = textOf("deploy/nginx/gateway.conf")
        .replaceAll("/etc/ssl/judge/", `${folder}/`)
        .replace("/run/nginx-gateway.pid", `${folder}/nginx.pid`)
        .replace("listen 443 ssl", `listen ${GPU_ADDRESS}:${PORTS.tls} ssl`);
      writeFileSync(join(folder, "nginx.conf"), configuration);
      const engine = { PORT: `${PORTS.engine}`, MODEL: "sim-14b", SCALE: "instant" };
      await start(GPU, engine, ...node("gpu-backend/engines/simulator/main.ts"));
      const gateway = {
        ...{ ENGINE_URL: `http://127.0.0.1:${PORTS.engine}`, ENGINE_MODEL: "sim-14b", ENGINE_SIMULATED: "on" },
        ...{ PORT: `${PORTS.gateway}`, GATEWAY_API_KEY: KEY },
      };
      await start(GPU, gateway, ...node("gpu-backend/gateway/main.ts"));
      const nginx = ["-p", folder, "-c", join(folder, "nginx.conf"), "-g", "daemon off;"];
      children.push(spawn("ip", ["netns", "exec", GPU, "nginx", ...nginx], { stdio: "inherit" }));
      const edge = {
        ...{ PORT: `${PORTS.edge}`, DATA_DIR: join(folder, "data"), NODE_EXTRA_CA_CERTS: certificate },
        ...{ VERIFIER_URL: `https://${GPU_ADDRESS}:${PORTS.tls}`, VERIFIER_PROTOCOL: "verify", VERIFIER_API_KEY: KEY },
      };
      await start(EDGE, edge, ...node("scripts/stack/commands/start.ts"));
    });
    afterAll(async () => {
      // Not SIGKILL: a killed nginx leaves its workers behind.
      const ended = children.map((child) => child.exitCode ?? once(child, "exit"));
      for (const child of children) child.kill("SIGTERM");
      await Promise.all(ended);
      for (const name of [GPU, EDGE]) spawnSync("ip", ["netns", "del", name]);
      rmSync(folder, { recursive: true, force: true });
    });

    it("scores a real group over TLS, and the edge is ready", async () => {
      const rollouts = [1, 2, 3].map((n) => ({ text: `\`\`\`python\nprint(${n})\n\`\`\`` }));
      const body = JSON.stringify({ run_id: "machines", groups: [{ prompt: "Print a number.", rollouts }] });
      const origin = `http://127.0.0.1:${PORTS.edge}`;
      const reply = asked(`${origin}/v1/rewards`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      expect(reply.status, reply.text).toBe(200);
      const { groups, rewards } = JSON.parse(reply.text);
      expect(groups).toMatchObject([{ status: "ok" }]);
      expect(rewards.flat().every(Number.isFinite)).toBe(true);
      expect(rewards.flat()).toHaveLength(3);
      await expect.poll(() => asked(`${origin}/readyz`).status).toBe(200);
    });

    it("is one way: the gateway's own port is not there, nobody without the key is let in, metrics are not told", () => {
      expect(asked(`http://${GPU_ADDRESS}:${PORTS.gateway}/health`)).toEqual({ status: 0, text: "ECONNREFUSED" });
      const proxy = `https://${GPU_ADDRESS}:${PORTS.tls}`;
      expect(asked(`${proxy}/health`).status).toBe(200);
      expect(asked(`${proxy}/metrics`).status).toBe(404);
      expect(asked(`${proxy}/v1/models`).status).toBe(401);
      expect(asked(`${proxy}/v1/models`, { headers: { authorization: `Bearer ${KEY}` } }).status).toBe(200);
    });
  },
);
