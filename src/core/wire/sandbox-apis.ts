// Paths, request bodies and replies of sandbox APIs, which run programs, by name.

export interface SandboxRun {
  code: string;
  /** Canonical name of the language (see ../judges/test-runs.ts). */
  language: string;
  stdin: string;
  /** Timeout in milliseconds, applied to the run and separately to the compilation before it. */
  timeout_ms: number;
}

/** The result of a run. `infra` means that the service failed, which says nothing about the program. */
export interface Ran {
  end: "exit" | "timeout" | "compile" | "infra";
  /** 0 if the program succeeded. */
  exit_code: number;
  stdout: string;
  stderr: string;
}

export interface SandboxApi {
  path: string;
  /** Path of the health check, which is requested with GET. */
  health: string;
  body(run: SandboxRun): unknown;
  /** Throws if the reply has a different shape. */
  read(reply: unknown): Ran;
}

// biome-ignore lint/suspicious/noExplicitAny: its API's shape; another throws
type SandboxReply = any;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const ended = (end: Ran["end"], { code = 1, stdout = "", stderr = "" }: SandboxReply = {}): Ran => ({
  ...{ end, exit_code: Number.isInteger(code) ? code : 1 },
  ...{ stdout: text(stdout), stderr: text(stderr) },
});

/** Maps our names of languages to a service's names, where they differ. */
const named = (names: Readonly<Record<string, string>>) => (language: string) => names[language] ?? language;

const fusionLanguage = named({ javascript: "nodejs", r: "R" });
const pistonLanguage = named({ cpp: "c++", csharp: "csharp.net" });

/**
 * ByteDance's SandboxFusion (`sandbox/server/sandbox_api.py`). The status of a command is Finished,
 * TimeLimitExceeded, or Error, which means that the service failed.
 */
const fusion: SandboxApi = {
  path: "/run_code",
  health: "/v1/ping",
  body: ({ code, language, stdin, timeout_ms }) => ({
    ...{ code, language: fusionLanguage(language), stdin },
    ...{ compile_timeout: timeout_ms / 1000, run_timeout: timeout_ms / 1000 },
  }),
  read(reply: SandboxReply) {
    const { status, compile_result: compiled, run_result: ran } = reply;
    if (status !== "Success" && status !== "Failed") return ended("infra");
    if (compiled != null && (compiled.status !== "Finished" || compiled.return_code !== 0)) {
      return ended(compiled.status === "Error" ? "infra" : "compile", compiled);
    }
    if (ran.status === "TimeLimitExceeded") return ended("timeout", ran);
    if (ran.status !== "Finished" || !Number.isInteger(ran.return_code)) return ended("infra");
    return ended("exit", { ...ran, code: ran.return_code });
  },
};

/**
 * Piston (`api/src/api/v2.js`). The status of a stage is null, RE, SG, TO, OL, EL, or XX, which means that
 * the service failed.
 */
const piston: SandboxApi = {
  path: "/api/v2/execute",
  health: "/api/v2/runtimes",
  body: ({ code, language, stdin, timeout_ms }) => ({
    ...{ language: pistonLanguage(language), version: "*", files: [{ content: code }], stdin },
    ...{ compile_timeout: timeout_ms, run_timeout: timeout_ms },
  }),
  read(reply: SandboxReply) {
    const { compile, run } = reply;
    if (compile != null && (compile.status === "XX" || run?.status === "XX")) return ended("infra");
    if (compile != null && (compile.code !== 0 || compile.signal != null)) return ended("compile", compile);
    if (run.status === "XX") return ended("infra");
    if (run.status === "TO") return ended("timeout", run);
    const failed = run.signal != null || (run.status != null && run.status !== "RE");
    return ended("exit", { ...run, code: failed ? 1 : run.code });
  },
};

/** Sandbox APIs by the value of SANDBOX_SHAPE. */
export const SANDBOX_APIS = { "sandbox-fusion": fusion, piston } as const;
export type SandboxShape = keyof typeof SANDBOX_APIS;
