// The templates of published judges, one file each: what `PUT /v1/templates/:name` stores.
import { readdirSync, readFileSync } from "node:fs";
import { BUILT_IN } from "../../src/core/judges/presets/built-in.ts";
import { templateKey } from "../../src/core/judges/presets/own.ts";
import type { Preset } from "../../src/core/judges/presets/preset.ts";
import { chatPrompts } from "../../src/core/judges/render.ts";

const FOLDER = new URL("./", import.meta.url);

/** The templates by name, in alphabetical order. */
export const TEMPLATES: Readonly<Record<string, Preset>> = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => [file.slice(0, -5), JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as Preset]),
);

/** The built-in presets of chat models and the templates. */
export const PRESETS: Readonly<Record<string, Preset>> = { ...BUILT_IN, ...TEMPLATES };

/** Names of all that chat models are asked by: the built-in prompts, then the templates. */
export const askedOfChatModels = (): string[] => [...chatPrompts(), ...Object.keys(TEMPLATES)];

/** The prompt of a resolved spec that names the template: the template itself, as canonical JSON. */
export const promptOf = (name: string): string => {
  const template = TEMPLATES[name];
  return template === undefined ? name : templateKey({ ...template, name });
};
