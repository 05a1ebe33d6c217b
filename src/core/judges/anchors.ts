// Anchors of prompts and presets. An anchor is the position in an answer of the label whose token
// probabilities make up a soft vote.
import { boxAnchor } from "./parsers/boxed.ts";
import { lettersOf } from "./parsers/labels.ts";
import type { Anchor } from "./parsers/parser.ts";
import { anchorOf } from "./parsers/table.ts";
import { promptTitle } from "./presets/own.ts";
import { presetNamed } from "./presets/table.ts";
import { chatPrompts, isPromptName } from "./render.ts";

/** Returns the anchor of an answer about `count` candidates, or null if no single token decides the label. */
export function anchorFor(prompt: string, count: number): Anchor | null {
  const preset = presetNamed(prompt);
  if (preset !== null) return anchorOf(preset.parser, count);
  return isPromptName(prompt) ? boxAnchor(lettersOf(count)) : null;
}

/** Names of the prompts that support soft votes. */
export const softPrompts = (): string[] => chatPrompts().filter((name) => anchorFor(name, 2) !== null);

/**
 * Returns why a judge cannot use soft votes; null if it can, if it does not ask for them, or if its prompt is
 * unknown.
 */
export function softFault({ vote, form, prompt }: { vote: string; form: string; prompt: string }): string | null {
  if (vote !== "soft" || !isPromptName(prompt)) return null;
  if (form === "scores") return 'soft votes read the probability of a letter: use form "exact_match"';
  if (anchorFor(prompt, 2) !== null) return null;
  return `no single token of an answer to ${promptTitle(prompt)} carries the verdict; presets that support soft votes: ${softPrompts().join(", ")}`;
}
