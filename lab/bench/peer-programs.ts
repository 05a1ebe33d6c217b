// The other gateways that the benchmark runs beside the product: installed on demand outside the tree,
// started on a free port, ended with it.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FOLDER = join(tmpdir(), "kritai-peers");
/** Its newest allowed server (1.19) makes its answers' headers immutable, and each one a 500. */
const PORTKEY = {
  private: true,
  dependencies: { "@portkey-ai/gateway": "1.15.2" },
  overrides: { "@hono/node-server": "1.13.7" },
};
const LITELLM = "litellm[proxy]==1.106.12";
const START_MS = 120_000;
const LOOK_MS = 100;

/** A gateway that stands between a client and an OpenAI-compatible server. */
export interface Peer {
  name: string;
  pid: number;
  /** Where a chat question goes, and with what beside its own headers. */
  url: string;
  headers: Record<string, string>;
  close(): Promise<void>;
}

const run = (file: string, args: string[], cwd: string) =>
  execFileSync(file, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** Starts a program and waits until its port answers. @throws Error when it ends before, or takes too long */
async function started(file: string, args: string[], port: number, env: Record<string, string>) {
  const child = spawn(file, args, { stdio: "ignore", env: { PATH: process.env.PATH ?? "", HOME: FOLDER, ...env } });
  const exited = once(child, "exit");
  const until = performance.now() + START_MS;
  for (;;) {
    const answered = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (answered) break;
    if (child.exitCode !== null || performance.now() > until) throw new Error(`${file} did not answer`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return {
    pid: child.pid as number,
    close: async () => {
      child.kill();
      await exited;
    },
  };
}

/** Portkey's open gateway, which headers direct to its target. */
export async function startPortkey(engineUrl: string): Promise<Peer> {
  const folder = join(FOLDER, "portkey");
  const main = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
  mkdirSync(folder, { recursive: true });
  if (!existsSync(main)) {
    writeFileSync(join(folder, "package.json"), JSON.stringify(PORTKEY));
    run("npm", ["install", "--no-audit", "--no-fund"], folder);
  }
  const port = await freePort();
  const program = await started(process.execPath, [main, `--port=${port}`, "--headless"], port, {
    NODE_ENV: "production",
  });
  return {
    name: "Portkey",
    ...program,
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    headers: { "x-portkey-provider": "openai", "x-portkey-custom-host": `${engineUrl}/v1`, authorization: "Bearer x" },
  };
}

/** LiteLLM's proxy with one worker, which its configuration directs to its target. */
export async function startLiteLlm(engineUrl: string): Promise<Peer> {
  const folder = join(FOLDER, "litellm");
  const bin = join(folder, "bin");
  mkdirSync(FOLDER, { recursive: true });
  if (!existsSync(join(bin, "litellm"))) {
    run("python3", ["-m", "venv", folder], FOLDER);
    run(join(bin, "pip"), ["install", "--quiet", LITELLM], FOLDER);
  }
  const config = join(FOLDER, "litellm.yaml");
  const params = `{model: openai/bench, api_base: "${engineUrl}/v1", api_key: x}`;
  writeFileSync(config, `model_list:\n  - {model_name: bench, litellm_params: ${params}}\n`);
  const port = await freePort();
  const args = [join(bin, "litellm"), "--config", config, "--host", "127.0.0.1", "--port", String(port)];
  const key = "sk-kritai-bench-of-peers-on-loopback-only";
  const program = await started(join(bin, "python"), args, port, {
    ...{ LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_MASTER_KEY: key },
  });
  const headers = { authorization: `Bearer ${key}` };
  return { name: "LiteLLM", ...program, url: `http://127.0.0.1:${port}/v1/chat/completions`, headers };
}
