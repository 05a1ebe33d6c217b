// A page of docs/ as HTML in sections, by marked. Markup in a page is text, and a link leads only where
// a page is served.
import { Marked, type MarkedToken, type Token } from "marked";
import { Html, html } from "../reference/html.ts";

/** A page in sections: what is before the first heading below its title, then one a heading. */
export interface Section {
  /** As GitHub makes it; empty: the page's beginning. */
  slug: string;
  heading: string;
  level: number;
  body: Html;
}

export interface MarkdownPage {
  title: string;
  sections: Section[];
}

/** Where a link of the page leads; null: to nothing that is served. */
export type Resolve = (target: string) => string | null;

/** Lower case, without signs, blanks as hyphens. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

/** Without links, stars and backticks. */
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

/** The whole page. @throws Error where it has no title */
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
