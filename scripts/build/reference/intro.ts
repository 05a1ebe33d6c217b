// Owns what the reference begins with: keys and what they may do, a first call, faults.
import { type Html, html } from "./html.ts";
import { SETUP } from "./snippets.ts";
import { tabs } from "./tabs.ts";

const SCOPES: readonly (readonly [scope: string, may: string])[] = [
  ["score", "have rollouts scored: every route that scores, judges or checks"],
  ["logs", "read the rows that it wrote itself"],
  ["logs:all", "read everybody's rows"],
  ["admin", "store specs and templates, by which others are scored; put everybody's dead letters back"],
];

const FAULT = {
  type: "https://HOST/docs/errors#invalid_request",
  title: "The request does not match the contract",
  status: 400,
  detail: 'groups[0].rollout: unknown field; did you mean "rollouts"?',
  code: "invalid_request",
  request_id: "01KAXJ5V9T3B8Q0W2N6D4F7H1C",
  retryable: false,
  errors: [{ path: "groups[0].rollout", message: 'unknown field; did you mean "rollouts"?' }],
};

/** The sections before the routes; each with an id that the contents link to. */
export const INTRO: readonly { id: string; title: string; body: Html }[] = [
  {
    id: "authentication",
    title: "Authentication",
    body: html`<p>Send the key in one of four ways; a header is best, for URLs end up in logs.</p>
<dl class="ways"><dt>Bearer</dt><dd><code>Authorization: Bearer &lt;key&gt;</code></dd>
<dt>Header</dt><dd><code>X-Api-Key: &lt;key&gt;</code></dd>
<dt>Basic</dt><dd>any user name, the key as the password</dd>
<dt>Path</dt><dd><code>/k/&lt;key&gt;/v1/rewards</code>, for tools that only take a URL</dd></dl>
<p>A deployment knows its keys by name and SHA-256 digest alone (<code>API_KEYS</code>). One without keys answers only requests of its own machine, which need none. What a key may do are its scopes; without any it has <code>score</code> and <code>logs</code>. Without a key the reply is 401 <a href="/docs/errors#unauthorized"><code>unauthorized</code></a>, without the scope 403 <a href="/docs/errors#forbidden_scope"><code>forbidden_scope</code></a>, which names it.</p>
<dl class="ways">${SCOPES.map(([scope, may]) => html`<dt><code>${scope}</code></dt><dd>${may}</dd>`)}</dl>`,
  },
  {
    id: "first-call",
    title: "Before the first call",
    body: html`<p>Every example below begins where this ends.</p>${tabs("setup", SETUP)}`,
  },
  {
    id: "faults",
    title: "Faults",
    body: html`<p>Whatever is wrong with a request is told by an RFC 9457 document. <code>errors</code> names each field, <code>retryable</code> whether asking again can help, <code>Retry-After</code> from when. <a href="/docs/errors">Every code</a> has a cause and a remedy. A single rollout that could not be scored is no fault of the request: its reward is <code>null</code>, its code beside it.</p><pre tabindex="0"><code>${JSON.stringify(FAULT, null, 2)}</code></pre>`,
  },
];
