// Names that may be long: cut in the middle where they are shown, whole in the title and in what is copied.
import { copying } from "./charts.ts";
import { el } from "./dom.ts";

const CHARS_MOST = 32;
const TAIL_CHARS = 13;

/** A name cut in the middle, because ids of runs differ at both ends. */
export const shortName = (name: string, maxChars = CHARS_MOST): string =>
  name.length <= maxChars ? name : `${name.slice(0, maxChars - TAIL_CHARS - 1)}\u2026${name.slice(-TAIL_CHARS)}`;

/** Labels of several names: cut, unless two would read the same. */
export function shortNames(names: readonly string[]): Map<string, string> {
  const short = names.map((name) => shortName(name));
  return new Map(
    names.map((name, i) => [name, new Set(short).size < new Set(names).size ? name : (short[i] as string)]),
  );
}

/** The title of what a name cuts; none for a whole name. */
const titled = (name: string) => (shortName(name) === name ? {} : { title: name });

/** A link whose text may be cut. */
export const nameLink = (href: string, name: string): HTMLAnchorElement =>
  el("a", { href, ...titled(name) }, shortName(name));

/** A page's title with a name in it that may be cut. */
export const nameTitle = (name: string, before = "", after = ""): HTMLElement =>
  el("h1", titled(name), `${before}${shortName(name)}${after}`);

/** A button that copies a name that is cut; null for a whole name. */
export const copyingName = (name: string): HTMLElement | null =>
  shortName(name) === name ? null : copying("Copy id", () => name);
