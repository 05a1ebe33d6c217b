// The page at `/`: introduces the product and links to the pages for each kind of reader.
import { html } from "./html.ts";
import { frame, type OpenApi } from "./page.ts";

const READERS: readonly (readonly [who: string, does: string, href: string, page: string])[] = [
  [
    "Train a policy",
    "Rewards and win counts for groups of rollouts, through your trainer's own API.",
    "/docs/guides/training",
    "Training",
  ],
  [
    "Rank answers",
    "Best-of-N and reranking by a verifier, within a deadline and a budget.",
    "/docs/guides/best-of-n",
    "Best-of-N",
  ],
  [
    "Measure verifiers",
    "ListAcc, tau-b and parse rate with confidence intervals, on lists with known answers.",
    "/docs/guides/research",
    "Research",
  ],
  ["Run a deployment", "Keys, limits, alarms and monitoring.", "/docs/guides/operating", "Operating"],
];

const PLACES: readonly (readonly [href: string, name: string, holds: string])[] = [
  ["/runs", "Runs", "rewards, signals and alarms of each run by step; needs a key if the deployment has keys"],
  ["/docs", "Reference", "every route and field, one page per resource; try each call on this server"],
  ["/docs/guides", "Guides", "guides by role, and one page per tool"],
  ["/docs/errors", "Errors", "every code with its cause and remedy"],
  ["/docs/alarms", "Alarms", "every rule that checks a run, and how to find the cause"],
  ["/openapi.json", "OpenAPI", "the reference in machine-readable form"],
  ["/readyz", "Ready", "whether the database and the verifier respond"],
];

const CALL = `curl -s http://HOST/v1/rewards -H 'authorization: Bearer KEY' -H 'content-type: application/json' -d '{
  "groups": [{
    "prompt": "Read n and print n doubled.\\n\\nSample Input 1\\n\`\`\`\\n4\\n\`\`\`\\nSample Output 1\\n\`\`\`\\n8\\n\`\`\`",
    "language": "python",
    "rollouts": [
      {"text": "\`\`\`python\\nprint(int(input()) * 2)\\n\`\`\`"},
      {"text": "\`\`\`python\\nprint(int(input()) + 2)\\n\`\`\`"}
    ]
  }]
}'`;

const NAV = html`<h2>Kritai</h2><ul>${PLACES.map(([href, name]) => html`<li><a href="${href}">${name}</a></li>`)}</ul>`;

export function frontPage({ info }: Pick<OpenApi, "info">): string {
  const cards = READERS.map(
    ([who, does, href, page]) =>
      html`<section class="card"><h2><a href="${href}">${who}</a></h2><p>${does}</p><p><a href="${href}">${page}</a></p></section>`,
  );
  const places = PLACES.map(([href, name, holds]) => html`<dt><a href="${href}">${name}</a></dt><dd>${holds}</dd>`);
  const main = html`<h1>${info.title} <small>${info.version}</small></h1>
<p class="lead">A reward model as an API: post a group of answers to one prompt, and get a reward for each. A verifier compares them. A reward that could not be decided is <code>null</code> with an error code.</p>
<div class="front">${cards}</div>
<section class="operation"><h2>A first call</h2><pre tabindex="0"><code>${CALL}</code></pre></section>
<section class="operation"><h2>Pages</h2><dl class="ways">${places}</dl></section>`;
  return frame(info.title, NAV, main);
}

/** The page for unknown paths. The server replaces DETAIL by the error's message. */
export const notFoundPage = (): string =>
  frame("Not found \u2013 Kritai", NAV, html`<h1>Not found</h1><p>DETAIL</p><p><a href="/">Front page</a></p>`);
