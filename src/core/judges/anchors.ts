// Where in an answer to a prompt or a preset the label stands whose probabilities make a soft vote.
import { boxAnchor } from "./parsers/boxed.ts";
import { lettersOf } from "./parsers/labels.ts";
import type { Anchor } from "./parsers/parser.ts";
import { anchorOf } from "./parsers/table.ts";
import { promptTitle } from "./presets/own.ts";
import { presetNamed } from "./presets/table.ts";
import { chatPrompts, isPromptName } from "./render.ts";

/** The anchor of an answer about `count` candidates; null where no single token says the label. */
export function anchorFor(prompt: string, count: number): Anchor | null {
  const preset = presetNamed(prompt);
  if (preset !== null) return anchorOf(preset.parser, count);
  return isPromptName(prompt) ? boxAnchor(lettersOf(count)) : null;
}

/** Names of the prompts whose answers can be read softly. */
export const softPrompts = (): string[] => chatPrompts().filter((name) => anchorFor(name, 2) !== null);

/** The reason why a judge cannot vote softly; null where it can, or is unknown. */
export function softFault({ vote, form, prompt }: { vote: string; form: string; prompt: string }): string | null {
  if (vote !== "soft" || !isPromptName(prompt)) return null;
  if (form === "scores") return 'soft reads a letter\'s probability: use form "exact_match"';
  if (anchorFor(prompt, 2) !== null) return null;
  return `no one token of ${promptTitle(prompt)}'s answer says its verdict; these can vote softly: ${softPrompts().join(", ")}`;
}
