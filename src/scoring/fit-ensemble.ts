// Owns fitting weights for a run's judges out of its log: which signals, their values group by
// group, and the fit. Knows no database and asks no verifier.
import { ApiError } from "../core/faults/errors.ts";
import { hasSignals, kindNamed, type SpecSignal } from "../core/signals/compiled-spec.ts";
import { type EnsembleFit, fitEnsemble } from "../core/signals/ensemble.ts";
import { AgreementMoments } from "../core/signals/ensemble-moments.ts";
import type { LoggedGroup } from "../core/signals/replay/logged-group.ts";
import { storedSpec } from "../core/signals/stored-spec.ts";
import { requireFewSpecs } from "./rescore.ts";
import type { RunKey, RunLog, SpecUse, StepBounds } from "./run-log-port.ts";

/** Fewer than two have nothing to agree with. */
const SIGNALS_MIN = 2;

/**
 * Weights for some of a run's signals, or for all that a judge tells; null when there is no such
 * run.
 * @throws ApiError `invalid_request` naming `signals` where the run does not have them, or not two,
 *   or `from_step` where it used too many specs
 */
export async function fitRun(
  runLog: RunLog,
  run: RunKey,
  signals: readonly string[] | null,
  steps: StepBounds,
): Promise<EnsembleFit | null> {
  const uses = await runLog.specsUsed(run, steps);
  if (uses.length === 0 && (await runLog.run(run)) === null) return null;
  requireFewSpecs(uses);
  const names = signals ?? judgesIn(uses);
  if (names.length < SIGNALS_MIN) {
    const found = names.length === 0 ? "no judge among signals" : `one alone, ${names[0]}`;
    throw refused(`${found}; name ${SIGNALS_MIN} or more of the run's signals`);
  }
  const of = uses.filter((use) => names.every((name) => signalsIn(use)[name] !== undefined));
  if (of.length === 0 && uses.length > 0) {
    const known = [...new Set(uses.flatMap((use) => Object.keys(signalsIn(use))))].sort();
    throw refused(`no spec of the run has all of them; there are ${known.join(", ") || "none"}`);
  }
  const moments = new AgreementMoments(names);
  const wanted = { spec_hashes: of.map(({ spec_hash }) => spec_hash), verdicts: false };
  for await (const group of runLog.loggedGroups(run, steps, wanted)) moments.add(columnsOf(group, names));
  return fitEnsemble(moments);
}

function refused(message: string): ApiError {
  return new ApiError("invalid_request", `signals: ${message}.`, { errors: [{ path: "signals", message }] });
}

function signalsIn({ spec }: SpecUse): Readonly<Record<string, SpecSignal>> {
  const read = storedSpec(spec);
  return read !== null && hasSignals(read) ? read.signals : {};
}

/** Signals that a judge tells, of the specs that have most of them. */
function judgesIn(uses: readonly SpecUse[]): string[] {
  const each = uses.map((use) =>
    Object.entries(signalsIn(use)).flatMap(([name, { kind, when: _, skip_value: __, ...settings }]) =>
      (kindNamed(kind).judge?.(settings) ?? null) === null ? [] : [name],
    ),
  );
  return each.reduce((most, names) => (names.length > most.length ? names : most), []);
}

const columnsOf = ({ values }: LoggedGroup, names: readonly string[]) =>
  names.map((name) => (values[name] ?? []).map(({ value }) => value));
