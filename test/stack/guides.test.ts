// Tests docs/ as pages: their Markdown as HTML, texts never as markup, links that lead to a page
// that is served, headings included.
import { expect, test } from "vitest";
import { guideFiles } from "../../scripts/build/guides/files.ts";
import { markdownPage } from "../../scripts/build/guides/markdown.ts";

const body = (text: string): string =>
  markdownPage(`# T\n\n${text}`, (target) => (target === "gone" ? null : `/to/${target}`))
    .sections.map(({ body }) => body.markup)
    .join("")
    .replace(/(?<=>)\n|\n(?=<)/g, "");

test.each([
  [
    "a `x < y` and **b `c`**, *so*",
    "<p>a <code>x &lt; y</code> and <strong>b <code>c</code></strong>, <em>so</em></p>",
  ],
  ["[`x`](y.md#z), [n](gone)", '<p><a href="/to/y.md#z"><code>x</code></a>, n</p>'],
  ["<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"],
  ["a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>"],
  ["![n](gone.svg)", "<p>n</p>"],
  ["one\ntwo\n\nthree", "<p>one\ntwo</p><p>three</p>"],
  ["- a\n- b\n  - c\n\n1. d", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><ol><li>d</li></ol>"],
  ["```sh\n# no <heading>\n```", '<pre tabindex="0"><code># no &lt;heading&gt;</code></pre>'],
  [
    "| a | b |\n|---|---|\n| `x\\|y` | 2 |",
    '<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead><tbody><tr><td><code>x|y</code></td><td>2</td></tr></tbody></table></div>',
  ],
])("%j is written as HTML", (text, written) => {
  expect(body(text)).toBe(written);
});

test("links of served pages lead to served pages and to headings that are there", () => {
  const files = guideFiles();
  const pages = Object.entries(files).filter(([name]) => name.endsWith(".html"));
  expect(pages.map(([name]) => name)).toEqual(
    expect.arrayContaining(["docs/guides.html", "docs/guides/training.html"]),
  );
  // Made by others: their parts are the codes and alarms themselves.
  const made = ["/docs", "/docs/alarms", "/runs", "/openapi.json", "/"];
  const broken = pages.flatMap(([name, text]) =>
    [...text.matchAll(/ href="([^"]*)"/g)].flatMap(([, href = ""]) => {
      if (/^https?:|^data:|\.css$/.test(href)) return [];
      const [path = "", part] = href.split("#");
      if (made.includes(path)) return [];
      const there = path === "" ? text : files[`${path.slice(1)}.html`];
      return there?.includes(part === undefined ? "" : ` id="${part}"`) ? [] : [`${name}: ${href}`];
    }),
  );
  expect(broken).toEqual([]);
});
