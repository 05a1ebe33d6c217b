// How a benchmark's verifier is asked: the layout's spec, or one given, checked as the API would.

import type * as z from "zod";
import { SPEC_FORMS } from "../../../src/core/reward/signals-spec.ts";
import { fieldOf } from "../../../src/core/reward/spec-forms.ts";
import { LAYOUTS, type LayoutName } from "./layouts/table.ts";

/** A benchmark's texts are judged whole, whatever blocks of code they hold. */
const WHOLE = { candidate: { extract: "whole" } };

/**
 * The spec that is sent, and whether a scalar model's own number ranks: the reward is squashed, and
 * margins between squashed numbers are others.
 * @param given of --spec, null: the layout's. @throws Error that names the field
 */
export function specOf(layout: LayoutName, given: unknown, model: string | null): { spec: unknown; raw: boolean } {
  const { spec: layoutSpec, both_orders } = LAYOUTS[layout];
  const spec = { ...WHOLE, ...(given === null ? layoutSpec : (given as object)) };
  const parsed = SPEC_FORMS["signals" in spec ? 1 : 0].safeParse(spec);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0] as z.core.$ZodIssue;
    throw new Error(`--spec: ${path.join(".") || "spec"}: ${message}`);
  }
  const read = parsed.data;
  const kinds = Object.entries(read.signals);
  const judges = kinds.flatMap(([name, signal]) => judgeOf(fieldOf(read, name, ["judge"]), signal));
  const once = judges.find(([, judge]) => both_orders && judge.both_orders !== true);
  if (once !== undefined)
    throw new Error(`--spec: ${once[0]}.both_orders must be true: ${layout} needs every pair in both orders`);
  const raw = kinds.length === 1 && kinds[0]?.[1].kind === "scalar";
  return { spec: model === null ? spec : withModel(spec, model), raw };
}

type Judge = { both_orders?: unknown };

/** A tournament's judge: only there two orders make a difference. */
function judgeOf(path: string, signal: { kind: string }): (readonly [string, Judge])[] {
  const judge = (signal as { judge?: Judge }).judge;
  return signal.kind === "tournament" && judge !== undefined ? [[path, judge]] : [];
}

function withModel(spec: Record<string, unknown>, model: string): unknown {
  const set = (part: { judge?: object }) => ({ ...part, judge: { ...part.judge, model } });
  if (spec.signals === undefined) return set(spec);
  const asked = Object.entries(spec.signals as Record<string, { kind: string; judge?: object }>);
  const judged = asked.map(([name, signal]) => [name, JUDGED.has(signal.kind) ? set(signal) : signal]);
  return { ...spec, signals: Object.fromEntries(judged) };
}

/** Kinds whose judge takes a model without being told more. */
const JUDGED: ReadonlySet<string> = new Set(["tournament", "grade", "rubric"]);
