// Owns `npm run token`: a token that stands for a key of API_KEYS in a URL, for a time. Reads
// TOKEN_SECRET; asks nobody.
import { parseArgs } from "node:util";
import { SCOPES } from "../../../src/api/access/auth.ts";
import { makeToken } from "../../../src/api/access/url-token.ts";
import { readEnv } from "../../../src/env.ts";

const USAGE = `TOKEN_SECRET=… npm run token -- --name KEY [--scopes score] [--hours 24]

Prints a token that plays the part of the key KEY of API_KEYS with these scopes (of ${SCOPES.join(", ")}, joined by +) for so many hours:
https://HOST/k/<token>/…  A new secret: printf whsec_ && openssl rand -base64 32`;

function refuse(reason: string): never {
  console.error(`kritai token: ${reason}\n\n${USAGE}`);
  process.exit(2);
}

const strings = { name: { type: "string" }, scopes: { type: "string", default: "score" } } as const;
const options = { ...strings, hours: { type: "string", default: "24" } } as const;
const {
  name = "",
  scopes,
  hours,
} = (() => {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
})();
const secret = readEnv({ TOKEN_SECRET: process.env.TOKEN_SECRET }).config.TOKEN_SECRET;
if (secret === undefined) refuse("TOKEN_SECRET must be whsec_ and the base64 of 24 to 64 random bytes");
const wanted = scopes.split("+");
if (wanted.some((scope) => !(SCOPES as readonly string[]).includes(scope))) refuse(`no such scopes: ${scopes}`);
const ms = Number(hours) * 3_600_000;
if (!(ms > 0 && ms <= 366 * 24 * 3_600_000)) refuse("--hours takes a number up to a year's");
try {
  console.log(await makeToken(secret, { name, scopes: wanted, until: Math.round(Date.now() + ms) }));
} catch {
  refuse("--name must be a key's name of API_KEYS");
}
