// `npm run token`: signs a token that replaces an API key in a URL for some hours. Reads TOKEN_SECRET, and
// sends no request.
import { SCOPES } from "../../../src/api/door/auth.ts";
import { makeToken } from "../../../src/api/door/url-token.ts";
import { readEnv } from "../../../src/env.ts";
import { commandFlags } from "../../command-line/flags.ts";

const HOURS_MOST = 366 * 24;

/** The error for invalid scopes joined by +, or null. */
function scopesFault(text: string): string | null {
  const unknown = text.split("+").some((scope) => !(SCOPES as readonly string[]).includes(scope));
  return unknown ? `must be one or more of ${SCOPES.join(", ")}, joined by +` : null;
}

function refuse(reason: string): never {
  console.error(`kritai token: ${reason}; see npm run token -- --help`);
  process.exit(2);
}

const { name, scopes, hours } = commandFlags({
  command: "token",
  description: "Prints a token that replaces an API key in a URL for the given hours: https://HOST/k/<token>/…",
  numbers: { hours: { min: 0.001, max: HOURS_MOST, value: 24, help: "hours until the token expires" } },
  texts: {
    name: { value: "", required: true, help: "the key's name in API_KEYS" },
    scopes: { value: "score", fault: scopesFault, help: `one or more of ${SCOPES.join(", ")}, joined by +` },
  },
  variables: {
    TOKEN_SECRET:
      "the deployment's TOKEN_SECRET, which signs the token; to create one: printf whsec_ && openssl rand -base64 32",
  },
});
const secret = readEnv({ TOKEN_SECRET: process.env.TOKEN_SECRET }).config.TOKEN_SECRET;
if (secret === undefined) refuse("TOKEN_SECRET must be whsec_ followed by 24 to 64 random bytes in base64");
try {
  console.log(
    await makeToken(secret, { name, scopes: scopes.split("+"), until: Math.round(Date.now() + hours * 3_600_000) }),
  );
} catch {
  refuse("--name must be the name of a key in API_KEYS");
}
