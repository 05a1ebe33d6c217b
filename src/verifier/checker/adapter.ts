// The backend `checker`: allow-listed hosts that score each candidate or each of its steps, with one signed
// request per group. Independent of signals and storage.
import * as z from "zod";
import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Generation, SessionStats, VerifierJob } from "../../core/wire/questions.ts";
import type { Verifier, VerifierCall, VerifierSession } from "../../ports/ports.ts";
import { Backend } from "../fan-out/backend.ts";
import type { BackendKind, BackendParts } from "../fan-out/backend-kind.ts";
import { runtimeFetch } from "../fan-out/exchange.ts";
import { totalStats } from "../fan-out/fallback.ts";
import { Governor } from "../fan-out/fan-out.ts";
import { callOptions } from "../fan-out/options.ts";
import type { Countable } from "../fan-out/queue.ts";
import { askWhole, NO_ANSWER, WHOLE } from "../fan-out/whole.ts";
import { askChecker, type CheckedScore, type CheckerEndpoint } from "./exchange.ts";

const SETTINGS = z.object({ hosts: z.array(z.string()).min(1), secret: z.instanceof(Uint8Array) });
type CheckerSettings = z.output<typeof SETTINGS>;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Why a request to this address is not allowed; null if it is allowed. */
function addressFault(address: string, hosts: readonly string[]): string | null {
  if (!URL.canParse(address)) return "not a URL";
  const { protocol, hostname, host, username, password } = new URL(address);
  if (protocol !== "https:" && !(protocol === "http:" && LOOPBACK.test(hostname))) return "must be an https URL";
  if (username !== "" || password !== "") return "must not contain a user or password";
  return hosts.includes(host) ? null : "its host is not in this deployment's CHECKER_HOSTS";
}

class CheckTask implements Countable {
  readonly questions = WHOLE;
  readonly job: VerifierJob;
  /** One entry per question, set when the reply arrives. */
  scores: readonly CheckedScore[] = [];

  constructor(job: VerifierJob) {
    this.job = job;
  }
}

class CheckerVerifier implements Verifier {
  readonly protocol = "checker";
  readonly takes = ["check", "check_steps"] as const;
  readonly generations_max = LIMITS.generations_verify_max;
  readonly #settings: CheckerSettings;
  readonly #parts: BackendParts;
  /** Breaker and counters per host, so that a failing host does not open the breaker of another. */
  readonly #hosts = new Map<string, Backend>();

  constructor(settings: CheckerSettings, parts: BackendParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  addressFault = (address: string) => addressFault(address, this.#settings.hosts);
  backends = () => [...this.#hosts.values()].map((backend) => backend.status(this.#parts.clock.now()));
  /** Always healthy. Sends no request, because requests may cost the checker's owner money. */
  check = async () => ({ ok: true, latency_ms: 0 });

  session(call: VerifierCall): VerifierSession {
    const governors = new Map<string, Governor<CheckTask>>();
    const at = (url: string) => {
      const governor = governors.get(url) ?? this.#governor(url, call);
      governors.set(url, governor);
      return governor;
    };
    return {
      judge: (job, sink) =>
        this.addressFault(job.preset) === null
          ? ask(at(job.preset), job, sink)
          : Promise.resolve(reportAll(job, sink, { error: "verifier_rejected", latency_ms: 0 }, [])),
      get stats(): SessionStats {
        return totalStats([...governors.values()].map(({ stats }) => stats));
      },
    };
  }

  #governor(url: string, call: VerifierCall): Governor<CheckTask> {
    const { clock, max_in_flight = LIMITS.checker_in_flight_max } = this.#parts;
    const { host } = new URL(url);
    const backend = this.#hosts.get(host) ?? new Backend({ name: host, hedging: false });
    this.#hosts.set(host, backend);
    const endpoint: CheckerEndpoint = { url, secret: this.#settings.secret, fetch: runtimeFetch, clock };
    return new Governor<CheckTask>({
      ...callOptions(call, clock),
      max_in_flight: Math.min(max_in_flight, LIMITS.checker_in_flight_max),
      clock,
      backend,
      send: async ({ running: { job: check } }, signal, onHeaders, onBytes) => {
        const { outcome, scores } = await askChecker(endpoint, check.job, signal, onHeaders);
        onBytes();
        check.scores = scores;
        return outcome;
      },
    });
  }
}

async function ask(
  governor: Governor<CheckTask>,
  job: VerifierJob,
  sink: (generation: Generation) => void,
): Promise<void> {
  const check = new CheckTask(job);
  reportAll(job, sink, await askWhole(governor, check), check.scores);
}

/** Reports one generation per question: the score or step scores, or the error. */
function reportAll(
  { questions }: VerifierJob,
  sink: (generation: Generation) => void,
  { error, latency_ms, backend = null, reason }: Pick<Generation, "error" | "latency_ms" | "backend" | "reason">,
  scores: readonly CheckedScore[],
): void {
  questions.forEach(({ id, first_sample = 0 }, at) => {
    const score = error === null ? (scores[at] ?? null) : null;
    const fault: ItemErrorCode | null = score === null ? (error ?? "checker_failed") : null;
    const generation = { ...NO_ANSWER, question: id, sample: first_sample, latency_ms, backend, error: fault };
    if (score === null) sink({ ...generation, ...(reason != null && { reason }) });
    else sink({ ...generation, answer: JSON.stringify(score), finish_reason: "stop" });
  });
}

/** The kind of backend for checkers on the hosts of CHECKER_HOSTS. */
export const checker: BackendKind<CheckerSettings> = {
  protocol: "checker",
  settings: SETTINGS,
  apart: true,
  hedging: false,
  priorities: null,
  create: ({ hosts, secret }, parts) => new CheckerVerifier({ hosts, secret }, parts),
};
