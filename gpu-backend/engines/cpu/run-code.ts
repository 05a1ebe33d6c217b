// POST /run_code in the format of SandboxFusion, on the embedded sandbox: runs one program with the given
// standard input.
import * as z from "zod";
import { ranOf } from "./examine.ts";
import type { Language, RunResult } from "./sandbox/protocol.ts";
import { DEFAULT_LIMITS, type Sandbox } from "./sandbox/sandbox.ts";

/** SandboxFusion's names of the languages that can be run here. */
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

/** A program's output and exit, in the format of SandboxFusion's reply. */
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

/** Runs the program. Aborting the signal ends the run. */
export async function runCode(
  sandbox: Pick<Sandbox, "runPlans">,
  { code, language, stdin, run_timeout }: RunCode,
  signal: AbortSignal,
  tenant?: string,
): Promise<RunCodeReply> {
  const program = { language: LANGUAGES[language], source: code, tenant };
  const plans = [{ stdin: stdin ?? "", cells: [], as_script: true }];
  const [result] = await sandbox.runPlans(program, plans, { timeout_ms: Math.ceil(run_timeout * 1000) }, signal);
  return replyOf(result as RunResult);
}

function replyOf(result: RunResult): RunCodeReply {
  const shared = { message: "", compile_result: null, files: {} };
  const { end, exit_code, stdout, stderr } = ranOf(result);
  if (end === "infra") return { ...shared, status: "SandboxError", message: stderr, run_result: null };
  const ended = { execution_time: result.wall_ms / 1000, stdout, stderr };
  if (end === "timeout") {
    return { ...shared, status: "Failed", run_result: { ...ended, status: "TimeLimitExceeded", return_code: null } };
  }
  const status = exit_code === 0 ? "Success" : "Failed";
  return { ...shared, status, run_result: { ...ended, status: "Finished", return_code: exit_code } };
}
