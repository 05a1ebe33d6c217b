// Owns POST /run_code in SandboxFusion's shape over the embedded sandbox: one program on one
// standard input. Knows no tests.
import * as z from "zod";
import type { Language, RunResult } from "./sandbox/protocol.ts";
import { DEFAULT_LIMITS, type Sandbox } from "./sandbox/sandbox.ts";

/** Their names of the languages that can be run here. */
const LANGUAGES: Readonly<Record<"python" | "nodejs", Language>> = { python: "python", nodejs: "javascript" };

const TIMEOUT_S_MAX = 60;

export const RunCodeSchema = z.object({
  code: z.string(),
  language: z.enum(["python", "nodejs"]),
  stdin: z.string().nullish(),
  run_timeout: z
    .number()
    .gt(0)
    .max(TIMEOUT_S_MAX)
    .default(DEFAULT_LIMITS.timeout_ms / 1000),
});
export type RunCode = z.output<typeof RunCodeSchema>;

/** What a program wrote, and how it ended, as their reply has it. */
export interface RunCodeReply {
  status: "Success" | "Failed" | "SandboxError";
  message: string;
  compile_result: null;
  run_result: {
    status: "Finished" | "TimeLimitExceeded";
    execution_time: number;
    return_code: number | null;
    stdout: string;
    stderr: string;
  } | null;
  files: Record<string, string>;
}

/** Runs it; the aborted signal ends the run. */
export async function runCode(
  sandbox: Pick<Sandbox, "runPlans">,
  { code, language, stdin, run_timeout }: RunCode,
  signal: AbortSignal,
): Promise<RunCodeReply> {
  const program = { language: LANGUAGES[language], source: code };
  const plans = [{ stdin: stdin ?? "", cells: [], as_script: true }];
  const [result] = await sandbox.runPlans(program, plans, { timeout_ms: Math.ceil(run_timeout * 1000) }, signal);
  return replyOf(result as RunResult);
}

/** What a process that the kernel ends for its memory leaves behind. */
const KILLED = 137;

function replyOf({ status, stdout, stderr_tail, error, wall_ms }: RunResult): RunCodeReply {
  const shared = { message: "", compile_result: null, files: {} };
  // Nothing is known of the program: the sandbox failed, or has not what the program needs.
  if (status === "unavailable" || status === "unsupported") {
    return { ...shared, status: "SandboxError", message: error ?? status, run_result: null };
  }
  const ended = { execution_time: wall_ms / 1000, stdout, stderr: stderr_tail };
  if (status === "ok") {
    return { ...shared, status: "Success", run_result: { ...ended, status: "Finished", return_code: 0 } };
  }
  if (status === "timeout") {
    return { ...shared, status: "Failed", run_result: { ...ended, status: "TimeLimitExceeded", return_code: null } };
  }
  const memory = status === "memory";
  const stderr = memory ? `${stderr_tail}\nMemoryError` : stderr_tail || (error ?? "");
  const run_result = { ...ended, stderr, status: "Finished" as const, return_code: memory ? KILLED : 1 };
  return { ...shared, status: "Failed", run_result };
}
