// `npm run token`: a token that replaces a key of API_KEYS in a URL, for a time. Reads TOKEN_SECRET; sends
// nothing.
import { SCOPES } from "../../../src/api/door/auth.ts";
import { makeToken } from "../../../src/api/door/url-token.ts";
import { readEnv } from "../../../src/env.ts";
import { commandFlags } from "../../command-line/flags.ts";

const HOURS_MOST = 366 * 24;

/** Why scopes joined by + are none, or null. */
function scopesFault(text: string): string | null {
  const unknown = text.split("+").some((scope) => !(SCOPES as readonly string[]).includes(scope));
  return unknown ? `must be of ${SCOPES.join(", ")}, joined by +` : null;
}

function refuse(reason: string): never {
  console.error(`kritai token: ${reason}; npm run token -- --help says more`);
  process.exit(2);
}

const { name, scopes, hours } = commandFlags({
  command: "token",
  description:
    "Prints a token that replaces a key of API_KEYS for the given hours, for a URL: https://HOST/k/<token>/…",
  numbers: { hours: { min: 0.001, max: HOURS_MOST, value: 24, help: "until it has run out" } },
  texts: {
    name: { value: "", required: true, help: "the key's name in API_KEYS" },
    scopes: { value: "score", fault: scopesFault, help: `of ${SCOPES.join(", ")}, joined by +` },
  },
  variables: {
    TOKEN_SECRET: "signs the token, as in the deployment; a new one: printf whsec_ && openssl rand -base64 32",
  },
});
const secret = readEnv({ TOKEN_SECRET: process.env.TOKEN_SECRET }).config.TOKEN_SECRET;
if (secret === undefined) refuse("TOKEN_SECRET must be whsec_ and the base64 of 24 to 64 random bytes");
try {
  console.log(
    await makeToken(secret, { name, scopes: scopes.split("+"), until: Math.round(Date.now() + hours * 3_600_000) }),
  );
} catch {
  refuse("--name must be a key's name of API_KEYS");
}
