// Rejects specs whose questions none of the deployment's backends can answer.

import type { Question } from "../core/asking/questions.ts";
import { unlistedFields } from "../core/contract/judge-extra.ts";
import { ApiError } from "../core/faults/errors.ts";
import { backendFor } from "../core/judges/presets/table.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import { AUDIT_JUDGE, backendOf } from "../core/reward/spec-judges.ts";
import type { Verifier } from "../ports/ports.ts";

const DECISION_PRESET = '. Its decision model answers the preset "decide-pair"';
const NO_CHECKER = "a checker, but this deployment lists none (CHECKER_HOSTS)";

/** Error message for a missing backend, by kind of question, with the variables that configure one. */
const ASKED: Readonly<Record<Question["to"], string>> = {
  chat: 'a chat model, but this deployment has none (JUDGE names a chat preset for npm start; otherwise VERIFIER_PROTOCOL or VERIFIER_FALLBACKS with the protocol "openai")',
  decide:
    'a decision model, but this deployment has none (VERIFIER_PROTOCOL or VERIFIER_FALLBACKS with the protocol "decision")',
  scalar:
    'a scalar backend, but this deployment has none (VERIFIER_PROTOCOL or VERIFIER_FALLBACKS with the protocol "scalar")',
  prm: 'a process reward model, but this deployment has none (a backend with the protocol "scalar" and the API vllm-prm)',
  execute: "a sandbox, but this deployment has none (SANDBOX_URL)",
  check: NO_CHECKER,
  check_steps: NO_CHECKER,
};

/** Throws ApiError `not_configured` for a signal whose questions no backend can answer. */
function requireBackends({ takes = ["chat"] }: Verifier, { signals }: CompiledSpec): void {
  const asking = signals.flatMap(({ field, judge, signal, settings }) =>
    judge === null ? [] : [{ signal, path: `spec.${field}`, to: backendOf(signal, settings) }],
  );
  const missing = asking.find(({ to }) => !takes.includes(to));
  if (missing === undefined) return;
  const { path, to } = missing;
  const { kind } = missing.signal;
  const alternative = to === "chat" && takes.includes("decide") ? DECISION_PRESET : "";
  const message = `needs ${ASKED[to]}${alternative}`;
  throw new ApiError("not_configured", `A signal of kind ${kind} ${message}.`, { errors: [{ path, message }] });
}

/** Throws ApiError `invalid_request` if a judge's `extra` has fields that the deployment does not list. */
function requireExtra({ extra: listed = [] }: Verifier, { signals, spec }: CompiledSpec): void {
  const judges = signals.map(({ judge_field, judge }) => [judge_field, judge] as const);
  const all = [...judges, [AUDIT_JUDGE, spec.audit?.judge ?? null] as const];
  const paths = all.flatMap(([at, judge]) =>
    unlistedFields(judge?.extra ?? {}, listed).map((name) => `spec.${at}.extra.${name}`),
  );
  const errors = paths.map((path) => ({ path, message: unlisted(listed) }));
  const [first] = errors;
  if (first !== undefined) throw new ApiError("invalid_request", `${first.path}: ${first.message}.`, { errors });
}

const unlisted = (listed: readonly string[]): string =>
  `is not in this deployment's JUDGE_EXTRA, ${listed.length === 0 ? "which lists none" : `which lists ${listed.join(", ")}`}`;

const NO_IMAGES =
  "must not be true: the deployment's decision model is reached by VERIFIER_API=systemone, whose servers expect images in different fields; use openai, sglang or workers-ai";

/** Throws ApiError `invalid_request` for a judge that shows images to a backend that takes none. */
function requireImages({ imageless = [] }: Verifier, { signals, spec }: CompiledSpec): void {
  const asked = signals.map(({ judge_field, judge, signal, settings }) => ({
    ...{ at: judge_field, judge, to: backendOf(signal, settings) },
  }));
  const audit = spec.audit?.judge ?? null;
  const all = [...asked, { at: AUDIT_JUDGE, judge: audit, to: backendFor(audit?.prompt ?? "") }];
  const errors = all.flatMap(({ at, judge, to }) =>
    judge?.images === true && imageless.includes(to) ? [{ path: `spec.${at}.images`, message: NO_IMAGES }] : [],
  );
  const [first] = errors;
  if (first !== undefined) throw new ApiError("invalid_request", `${first.path} ${first.message}.`, { errors });
}

/** Throws ApiError `invalid_request` for a signal whose configured address is not allowed. */
function requireAddresses(verifier: Verifier, { signals }: CompiledSpec): void {
  for (const { name, signal, settings } of signals) {
    const address = signal.address?.(settings);
    const message = address === undefined ? null : (verifier.addressFault?.(address) ?? null);
    if (message === null) continue;
    const path = `spec.signals.${name}.url`;
    throw new ApiError("invalid_request", `${path}: ${message}.`, { errors: [{ path, message }] });
  }
}

/** Throws ApiError for a spec that the deployment's backends cannot serve as written. */
export function requireServed(verifier: Verifier, compiled: CompiledSpec): void {
  requireBackends(verifier, compiled);
  requireAddresses(verifier, compiled);
  requireExtra(verifier, compiled);
  requireImages(verifier, compiled);
}
