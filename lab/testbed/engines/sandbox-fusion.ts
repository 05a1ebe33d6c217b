// The adapter to a SandboxFusion server (POST /run_code), the engine for scale and for compiled languages.
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { sameOutput } from "../../../src/core/text/printed-output.ts";
import type { PoolTest } from "../format/pool-format.ts";
import { createLimiter } from "./bounded.ts";
import { type ExecutionEngine, type Program, type TestRun, unmeasured } from "./engine.ts";

/** SandboxFusion's names where they differ from ours; the others pass through. */
const LANGUAGES: Record<string, string> = {
  python: "python",
  javascript: "nodejs",
  cpp: "cpp",
  java: "java",
  go: "go",
  csharp: "csharp",
  rust: "rust",
  ruby: "ruby",
  php: "php",
  typescript: "typescript",
};

const CommandSchema = z.object({
  status: z.enum(["Finished", "Error", "TimeLimitExceeded"]),
  return_code: z.number().nullish(),
  stdout: z.string().nullish(),
});
const ReplySchema = z.object({
  status: z.enum(["Success", "Failed", "SandboxError"]),
  compile_result: CommandSchema.nullish(),
  run_result: CommandSchema.nullish(),
});
type Reply = z.output<typeof ReplySchema>;

export interface SandboxFusionOptions {
  /** The server's root, such as http://127.0.0.1:8080. */
  url: string;
  /** Requests at once. */
  in_flight_max?: number;
  compile_timeout_s?: number;
  run_timeout_s?: number;
  memory_limit_mb?: number;
  /** Tries of a request that the server answers 504; other faults are final. */
  tries_max?: number;
  /** The first pause after a 504; it doubles with each. */
  pause_ms?: number;
}

const DEFAULTS = {
  in_flight_max: 16,
  compile_timeout_s: 20,
  run_timeout_s: 10,
  memory_limit_mb: 1024,
  tries_max: 4,
  pause_ms: 500,
};
/** A request's time beyond its own limits, in the server's queue and on the way. */
const QUEUE_S = 120;

type StdioTest = PoolTest & { kind: "stdio" };
type Options = Required<SandboxFusionOptions>;

class Failed extends Error {}

async function post(body: unknown, options: Options): Promise<Reply> {
  const { url, compile_timeout_s, run_timeout_s, tries_max, pause_ms } = options;
  for (let tries = 1; ; tries++) {
    const response = await fetch(new URL("run_code", url.endsWith("/") ? url : `${url}/`), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout((compile_timeout_s + run_timeout_s + QUEUE_S) * 1000),
    });
    if (response.status === 504 && tries < tries_max) {
      await response.body?.cancel();
      await wait(pause_ms * 2 ** (tries - 1));
      continue;
    }
    if (!response.ok) throw new Failed(`HTTP ${response.status} after ${tries} tries`);
    const parsed = ReplySchema.safeParse(await response.json());
    if (!parsed.success) throw new Failed("unexpected reply format");
    return parsed.data;
  }
}

/**
 * A reply's result for a test: whose fault an unfinished run is decides between a failed test and no
 * measurement.
 */
function runOf({ status, compile_result, run_result }: Reply, { output, exact }: StdioTest): TestRun {
  if (status === "SandboxError") return unmeasured("SandboxError");
  for (const command of [compile_result, run_result]) {
    if (command?.status === "Error") return unmeasured("SandboxError");
    if (command?.status === "TimeLimitExceeded") return { outcome: "timeout", reason: null };
    if (command && (command.return_code ?? 0) !== 0) return { outcome: "error", reason: null };
  }
  if (status === "Failed" || !run_result) return unmeasured("the reply reports a failure without a result");
  return {
    outcome: sameOutput(output, run_result.stdout ?? "", exact === true ? null : undefined) ? "passed" : "wrong",
    reason: null,
  };
}

async function runTest(program: Program, test: PoolTest, options: Options): Promise<TestRun> {
  if (test.kind !== "stdio") return unmeasured("SandboxFusion runs whole programs, not function calls");
  const { compile_timeout_s, run_timeout_s, memory_limit_mb } = options;
  const body = {
    code: program.code,
    language: LANGUAGES[program.language],
    stdin: test.input,
    compile_timeout: compile_timeout_s,
    run_timeout: run_timeout_s,
    memory_limit_MB: memory_limit_mb,
    files: {},
    fetch_files: [],
  };
  try {
    return runOf(await post(body, options), test);
  } catch (error) {
    return unmeasured(error instanceof Error ? error.message : String(error));
  }
}

/**
 * An engine that asks a SandboxFusion server, one request a test. Throws TypeError when `url` is
 * none.
 */
export function createSandboxFusionEngine(given: SandboxFusionOptions): ExecutionEngine {
  const options: Options = { ...DEFAULTS, ...given };
  new URL(options.url);
  const { in_flight_max, run_timeout_s, memory_limit_mb } = options;
  const limited = createLimiter(in_flight_max);
  return {
    name: `sandbox-fusion/${run_timeout_s}s/${memory_limit_mb}MiB`,
    concurrency: in_flight_max,
    runs: (language) => Object.hasOwn(LANGUAGES, language),
    run: (program, tests) => Promise.all(tests.map((test) => limited(() => runTest(program, test, options)))),
    close: async () => {},
  };
}
