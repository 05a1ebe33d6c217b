// Builds HTML safely: every interpolated value is escaped unless it is already Html.

/** A piece of markup; only `html` makes one. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = string | number | Html | readonly Part[] | null | undefined | false;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function rendered(part: Part): string {
  if (part instanceof Html) return part.markup;
  if (part === null || part === undefined || part === false) return "";
  if (typeof part === "object") return part.map(rendered).join("");
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** A tagged template whose values are escaped; nothing (null, false) renders as nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] as string;
  parts.forEach((part, i) => {
    markup += rendered(part) + strings[i + 1];
  });
  return new Html(markup);
}

/**
 * Converts text with `code` spans and blank lines between paragraphs, the only markup in our
 * descriptions.
 */
export function prose(text: string | undefined): Html[] {
  return (text ?? "")
    .split(/\n\n+/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => html`<p>${inline(paragraph)}</p>`);
}

/** Converts one line of text with `code` spans. */
export function inline(text: string): Html[] {
  return text.split("`").map((piece, i) => (i % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
}
