// The page at `/`: what this is, and where its readers go from there.
import { html } from "./html.ts";
import { frame, type OpenApi } from "./page.ts";

const READERS: readonly (readonly [who: string, does: string, href: string, page: string])[] = [
  [
    "Train a policy",
    "Rewards and win counts for groups of rollouts, in your trainer's own API.",
    "/docs/guides/training",
    "Training",
  ],
  [
    "Rank answers",
    "Best-of-N and reranking by a judge, with a deadline and a budget.",
    "/docs/guides/best-of-n",
    "Best-of-N",
  ],
  [
    "Measure verifiers",
    "ListAcc, tau-b and parse rate with intervals, on lists whose answers are known.",
    "/docs/guides/research",
    "Research",
  ],
  ["Run a deployment", "Keys, limits, alarms, what to watch.", "/docs/guides/operating", "Operating"],
];

const PLACES: readonly (readonly [href: string, name: string, holds: string])[] = [
  ["/runs", "Runs", "each run's rewards, signals and alarms over its steps; asks for a key where there are keys"],
  ["/docs", "Reference", "every route and field, a page a resource; try each call on this server"],
  ["/docs/guides", "Guides", "who reads what, and one page for each tool"],
  ["/docs/errors", "Errors", "every code with its cause and remedy"],
  ["/docs/alarms", "Alarms", "every rule over a run, and what to look at"],
  ["/openapi.json", "OpenAPI", "the same for machines"],
  ["/readyz", "Ready", "whether the database and the verifier answer"],
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

export function frontPage({ info }: Pick<OpenApi, "info">): string {
  const cards = READERS.map(
    ([who, does, href, page]) =>
      html`<section class="card"><h2><a href="${href}">${who}</a></h2><p>${does}</p><p><a href="${href}">${page}</a></p></section>`,
  );
  const places = PLACES.map(([href, name, holds]) => html`<dt><a href="${href}">${name}</a></dt><dd>${holds}</dd>`);
  const main = html`<h1>${info.title} <small>${info.version}</small></h1>
<p class="lead">A reward model as an API: post a group of answers to one prompt, and get a reward for each. A verifier compares them; a failure is <code>null</code> with a code, never a number.</p>
<div class="front">${cards}</div>
<section class="operation"><h2>A first call</h2><pre tabindex="0"><code>${CALL}</code></pre></section>
<section class="operation"><h2>What is here</h2><dl class="ways">${places}</dl></section>`;
  const nav = html`<h2>Kritai</h2><ul>${PLACES.map(([href, name]) => html`<li><a href="${href}">${name}</a></li>`)}</ul>`;
  return frame(info.title, nav, main);
}
