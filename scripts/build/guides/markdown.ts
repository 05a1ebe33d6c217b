// Converts a page of docs/ to HTML sections with marked. HTML in a page is shown as text, and links to
// pages that are not served become plain text.
import { Marked, type MarkedToken, type Token } from "marked";
import { Html, html } from "../reference/html.ts";

/** A section of a page: the text before the first heading below the title, or a heading with its text. */
export interface Section {
  /** The anchor, generated like GitHub's; empty for the beginning of the page. */
  slug: string;
  heading: string;
  level: number;
  body: Html;
}

export interface MarkdownPage {
  title: string;
  sections: Section[];
}

/** Resolves the target of a link; null if it is not served. */
export type Resolve = (target: string) => string | null;

/** Lower case, without punctuation, spaces as hyphens. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

/** The plain text of tokens, without links, asterisks and backticks. */
const plain = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => ("tokens" in token && token.tokens ? plain(token.tokens) : "text" in token ? token.text : ""))
    .join("");

function renderer(resolve: Resolve): Marked {
  return new Marked({
    renderer: {
      image: ({ text }) => html`${text}`.markup,
      html: ({ text }) => html`${text}`.markup,
      code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>`.markup,
      link({ href, tokens }) {
        const label = new Html(this.parser.parseInline(tokens));
        const target = resolve(href);
        return target === null ? label.markup : html`<a href="${target}">${label}</a>`.markup;
      },
      table({ header, rows }) {
        const row = (cells: typeof header, tag: string) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag.slice(0, 2)}>`).join("")}</tr>`;
        const titled = header.some(({ text }) => text !== "");
        const head = titled ? `<thead>${row(header, 'th scope="col"')}</thead>` : "";
        return `<div class="scroll" tabindex="0"><table>${head}<tbody>${rows.map((cells) => row(cells, "td")).join("")}</tbody></table></div>`;
      },
    },
  });
}

/** Converts the whole page. @throws Error if it has no title */
export function markdownPage(text: string, resolve: Resolve): MarkdownPage {
  const marked = renderer(resolve);
  const [title, ...tokens] = marked.lexer(text) as MarkedToken[];
  if (title?.type !== "heading" || title.depth !== 1) {
    throw new Error(`a page begins with "# title", not with ${JSON.stringify(text.slice(0, 40))}`);
  }
  const parts: { heading: string; level: number; tokens: Token[] }[] = [{ heading: "", level: 1, tokens: [] }];
  for (const token of tokens) {
    if (token.type === "heading") parts.push({ heading: plain(token.tokens), level: token.depth, tokens: [] });
    else parts.at(-1)?.tokens.push(token);
  }
  const sections = parts.map(({ heading, level, tokens }): Section => {
    return { slug: slugOf(heading), heading, level, body: new Html(marked.parser(tokens)) };
  });
  return { title: plain(title.tokens), sections };
}
