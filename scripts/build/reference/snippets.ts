// Owns how a route is called from curl, Python and TypeScript: the same request three times, made
// of the OpenAPI document's own example.

/** What of an operation its call is made of. */
export interface Call {
  operationId: string;
  method: string;
  /** As in the document, like `/v1/runs/{run_id}`. */
  path: string;
  /** Its key may be left out. */
  open: boolean;
  /** Query parameters that must be there, with a value that is right. */
  query: readonly (readonly [name: string, value: string | number])[];
  body?: unknown;
  /** Of a route that gathers samples: another one of the same group, sent beside the first. */
  other?: unknown;
  /** What its reply is. */
  reply: "json" | "lines" | "text";
}

export const LANGUAGES = ["curl", "Python", "TypeScript"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What stands in a path, by parameter. */
const IN_PATHS: Readonly<Record<string, string>> = {
  name: "nightly",
  run_id: "qwen7b-grpo-3",
  request_id: "01KAXJ5V9T3B8Q0W2N6D4F7H1C",
  rollout_id: "7",
};
const GROUP_ID = `${IN_PATHS.request_id}.0`;
const BATCH_ID = IN_PATHS.request_id as string;

const filledIn = ({ path }: Call, name: string): string =>
  name === "id" ? (path.startsWith("/v1/groups/") ? GROUP_ID : BATCH_ID) : (IN_PATHS[name] ?? name);

/** The path with its parameters and query filled in. */
function target(call: Call): string {
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(filledIn(call, name)));
  return call.query.length === 0
    ? path
    : `${path}?${new URLSearchParams(call.query.map(([name, value]) => [name, `${value}`]))}`;
}

const indented = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);

/** A text in single quotes, as a POSIX shell has it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The same call with the group's other sample alone. */
const beside = ({ other, ...call }: Call): Call => ({ ...call, body: other });

function curl(call: Call): string {
  const { method, open, body, reply, other, ...rest } = call;
  if (other !== undefined) {
    const one = { method, open, body, reply, ...rest };
    return `${curl(one)} &\n${curl(beside(call))}\nwait`;
  }
  const lines = [
    `curl -s${reply === "lines" ? "N" : ""}${method === "GET" || (method === "POST" && body !== undefined) ? "" : ` -X ${method}`} "$KRITAI_URL${target(call)}"`,
    ...(open ? [] : ['-H "authorization: Bearer $KRITAI_API_KEY"']),
    ...(body === undefined
      ? []
      : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ];
  return lines.join(" \\\n  ");
}

/** A JSON value as Python writes it. */
export function pythonLiteral(value: unknown, margin = ""): string {
  const inner = `${margin}    `;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const parts = Array.isArray(value)
    ? value.map((one) => pythonLiteral(one, inner))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonLiteral(one, inner)}`);
  const [opens, closes] = Array.isArray(value) ? "[]" : "{}";
  const short = `${opens}${parts.join(", ")}${closes}`;
  if (short.length + margin.length <= 72 && !short.includes("\n")) return short;
  return `${opens}\n${parts.map((part) => `${inner}${part},\n`).join("")}${margin}${closes}`;
}

/** The client's own methods, by operation; every other route is reached by `call`. */
const PYTHON: Readonly<Record<string, (call: Call) => string>> = {
  scoreRewards({ body }) {
    const { groups, ...options } = body as { groups: unknown };
    const named = Object.entries(options).map(([name, value]) => `    ${name}=${pythonLiteral(value, "    ")},\n`);
    return `result = client.rewards(\n    ${pythonLiteral(groups, "    ")},\n${named.join("")})\nprint(result.rewards)`;
  },
  getRun: () => `run = client.log.run("${IN_PATHS.run_id}")`,
  listRuns: () => 'for run in client.log.runs():\n    print(run["run_id"], run["last_step"])',
  getRunSteps: () => `for row in client.log.steps("${IN_PATHS.run_id}"):\n    print(row["step"], row["reward_mean"])`,
  getRunHealth: () => `health = client.log.health("${IN_PATHS.run_id}")\nprint(health["on"])`,
  compareRuns: () =>
    `both = client.log.compare("${IN_PATHS.run_id}", "another-run")\nprint(both["rewards"]["difference"], both["rewards"]["ci95"])`,
  getRunGroups: () => `for group in client.log.groups("${IN_PATHS.run_id}", step=1):\n    print(group["rewards"])`,
  exportRun: () => `for row in client.log.export("${IN_PATHS.run_id}", "groups"):\n    print(row)`,
  getRequest: () => `request = client.log.request("${IN_PATHS.request_id}")`,
  getGroupVerdicts: () => `verdicts = client.log.verdicts("${GROUP_ID}")`,
  getSpec: () => `stored = client.spec("${IN_PATHS.name}")`,
  putSpec: ({ body }) => `stored = client.put_spec("${IN_PATHS.name}", ${pythonLiteral(body)})`,
  getBatch: () => `state = client.batch("${BATCH_ID}").state(wait_s=30)`,
  cancelBatch: () => `state = client.batch("${BATCH_ID}").cancel()`,
};

function python(call: Call): string {
  const own = PYTHON[call.operationId];
  if (own !== undefined) return own(call);
  if (call.reply !== "json") {
    const [key, base] = [call.open ? "" : ', headers={"authorization": f"Bearer {key}"}', "KRITAI_URL"];
    const setup = call.open ? "" : 'key = os.environ["KRITAI_API_KEY"]\n';
    return `import httpx\n\n${setup}text = httpx.get(os.environ["${base}"] + "${target(call)}"${key}).text`;
  }
  const { method, body, other } = call;
  if (other !== undefined) {
    const asked = `client.call("${method}", "${target(call)}", sample)`;
    return `from concurrent.futures import ThreadPoolExecutor\n\nsamples = ${pythonLiteral([body, other])}\nwith ThreadPoolExecutor() as pool:\n    replies = list(pool.map(lambda sample: ${asked}, samples))`;
  }
  const sent = body === undefined ? "" : `, ${pythonLiteral(body)}`;
  return `reply = client.call("${method}", "${target(call)}"${sent})`;
}

/** A call of the client, as an expression. */
function clientCall(call: Call): string {
  const names = [...call.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const named = (pairs: readonly (readonly [string, string | number])[]) =>
    `{ ${pairs.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ")} }`;
  const params = [
    ...(names.length === 0 ? [] : [`path: ${named(names.map((name) => [name, filledIn(call, name)]))}`]),
    ...(call.query.length === 0 ? [] : [`query: ${named(call.query)}`]),
  ];
  const options = [
    ...(params.length === 0 ? [] : [`params: { ${params.join(", ")} }`]),
    ...(call.body === undefined ? [] : [`body: ${indented(JSON.stringify(call.body, null, 2), "  ")}`]),
    ...(call.reply === "json" ? [] : [`parseAs: "${call.reply === "lines" ? "stream" : "text"}"`]),
  ];
  const given = options.length === 0 ? "" : `, {\n${options.map((option) => `  ${option},\n`).join("")}}`;
  return `client.${call.method}("${call.path}"${given})`;
}

function typescript(call: Call): string {
  if (call.other === undefined) return `const { data, error } = await ${clientCall(call)};`;
  const both = [call, beside(call)].map((one) => `  ${indented(clientCall(one), "  ")},\n`);
  return `const [first, second] = await Promise.all([\n${both.join("")}]);`;
}

/** The call in each language, beginning where `SETUP` ends. */
export const snippets = (call: Call): Readonly<Record<Language, string>> => ({
  curl: curl(call),
  Python: python(call),
  TypeScript: typescript(call),
});

/** What goes before every call. */
export const SETUP: Readonly<Record<Language, string>> = {
  curl: "export KRITAI_URL=http://127.0.0.1:8787\nexport KRITAI_API_KEY=…   # not needed on a stack without keys",
  Python:
    '# pip install ./clients/python\nimport os\nfrom kritai import Kritai\n\nclient = Kritai(os.environ["KRITAI_URL"], os.environ.get("KRITAI_API_KEY"))',
  TypeScript: `// npm install openapi-fetch
// npx -p openapi-typescript@7.13.0 -p typescript@5.9.3 \\
//   openapi-typescript "$KRITAI_URL/openapi.json" --default-non-nullable=false -o kritai.d.ts
import createClient from "openapi-fetch";
import type { paths } from "./kritai.d.ts";

const client = createClient<paths>({
  baseUrl: process.env.KRITAI_URL,
  headers: { authorization: \`Bearer \${process.env.KRITAI_API_KEY}\` },
});`,
};
