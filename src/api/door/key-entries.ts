// Parses API_KEYS and reports invalid entries. Rejects a value that contains no key, so that a lost secret
// never opens a deployment to everyone. Errors never quote anything that may be a key.
import { LIMITS } from "../../core/faults/limits.ts";
import { KEY_CHARS_LEAST, type KeyDigest, SCOPES, type Scope } from "./auth.ts";

const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const DIGEST = /^[0-9A-Fa-f]{64}$/;

/** SHA-256 digests of strings that result if a shell, an env file or a program has no key to hash. */
const DIGESTS_OF_NO_KEY: ReadonlySet<string> = new Set([
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", // ""
  "01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b", // "\n"
  "7eb70257593da06f682a3ddda54a9d260d4fc514f645237f5ca74b08f8da61a6", // "\r\n"
  "9d1e0e2d9459d06523ad13e28a4093c2316baafe7aec5b25f30eba2e113599c4", // "\r"
  "36a9e7f1c95b82ffb99743e0c5c4ce95d83c9a430aac59f84ef3cbfab6145068", // " "
  "e16f1596201850fd4a63680b27f603cb64e67176159be3d8ed78a4403fdb1700", // " \n"
  "6bdf66b5bf2a44e658bea2ee86695ab150a06e600bf67cd5cce245ad54962c61", // " \r\n"
  "2b4c342f5433ebe591a1da77e013d1b72475562d48578dca8b84bac6651c3cb9", // "\t"
  "34a6225b83a638ed08f01ecdbf30cf0be3478ffdd36be92295fee92c5585d57c", // "\t\n"
  "6c179f21e6f62b629055d8ab40f454ed02e48b68563913473b857d3638e23b28", // "  "
  "8855c6119660c614d285554e51769066e94fcb75ff215ccc2fa6b4838b18756b", // "  \n"
  "75a11da44c802486bc6f65640aa48a730f0f684c5c07a42ba3cd1735eb3fb070", // "\n\n"
  "abfbd10daf8965c8860b3582af942d7a7cac972b31d1c50f382b67d9b6c07365", // "\u00a0"
  "f1945cd6c19e56b3c1c78943ef5ec18116907a4ca1efc40a57d48ab1db7adfc5", // "\ufeff"
  "b42f2099187886def637d6aa840022266e05cb6c987a9394e708e23cd505eb46", // "\ufeff\n"
  "f01a374e9c81e3db89b3a42940c4d6a5447684986a1296e42bf13f196eed6295", // "\ufeff\r\n"
  "12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126", // "\"\""
  "bd85bcdb8d4e613a79cb62d0903946ad10c83e63dc75f67614c159c0dbf4d184", // "\"\"\n"
  "6f49cdbd80e1b95d5e6427e1501fc217790daee87055fa5b4e71064288bddede", // "''"
  "2737d768927fcadab0c046a31d296dc80a26d163133a465cd3c15fd35e9b35cd", // "''\n"
  "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", // "null"
  "38e0b9de817f645c4bec37c0d4a3e58baecccb040f5718dc069a72c7385a0bed", // "null\n"
  "eb045d78d273107348b0300c01d29b7552d622abbc6faf81b3ec55359aa9950c", // "undefined"
  "770c2d18aa4ec3159f46da461ef452972949942ff4f6a9771044485faa146398", // "undefined\n"
  "dc937b59892604f5a86ac96936cd7ff09e25f18ae6b758e8014a24c7fa039e91", // "None"
  "af5d8a21858f42808c9bcc17012b77bcc2fd6ab3b071dbd4a05f13f410470541", // "None\n"
  "5da3a4c7f117944275b4c8629c4916403625d5a4a6573a01ecb03f0e9d2edbe6", // "nil"
]);

/**
 * Parses entries `name:sha256hex` and `name:sha256hex:scopes`, separated by commas or white space. To allow
 * key rotation, a name may have several digests; a digest has only one owner.
 * @throws RangeError whose message identifies the invalid entry without quoting anything that may be a key
 */
export function parseKeys(text: string): KeyDigest[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  if (entries.length > LIMITS.keys_max) {
    throw new RangeError(`has ${entries.length} entries; the limit is keys_max = ${LIMITS.keys_max}`);
  }
  const owners = new Map<string, string>();
  return entries.map((entry, i) => {
    const where = `entry ${i + 1} of ${entries.length}`;
    const key = parseEntry(entry, where);
    const hex = entry.split(":")[1]?.toLowerCase() as string;
    const owner = owners.get(hex);
    if (owner !== undefined) {
      throw new RangeError(`${where} (${shown(key.name)}) has the digest of an entry before it (${shown(owner)})`);
    }
    owners.set(hex, key.name);
    return key;
  });
}

function parseEntry(entry: string, where: string): KeyDigest {
  if (/["'`]/.test(entry)) throw new RangeError(`${where} contains a quote; write entries without quotes`);
  const [name = "", hex, ...rest] = entry.split(":");
  if (hex === undefined) throw new RangeError(`${where} has no colon; ${FORM}`);
  if (name === "") throw new RangeError(`${where} has no name before its colon; ${FORM}`);
  if (!NAME.test(name))
    throw new RangeError(`${where} has a name with other characters than A-Z a-z 0-9 . _ -; ${FORM}`);
  const which = `${where} (${shown(name)})`;
  if (hex === "") throw new RangeError(`${which} has no digest after its colon; ${FORM}`);
  if (!DIGEST.test(hex)) {
    throw new RangeError(`${which} has ${hex.length} characters, but a digest has 64 hexadecimal digits; ${FORM}`);
  }
  if (DIGESTS_OF_NO_KEY.has(hex.toLowerCase())) {
    throw new RangeError(`${which} has the digest of an empty or blank text; give the digest of a key`);
  }
  const digest = Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
  if (rest.length === 0) return { name, digest };
  return { name, digest, scopes: parseScopes(rest.join(":"), which) };
}

/** @param text scopes joined by `+`; a scope may itself contain a colon */
function parseScopes(text: string, which: string): Scope[] {
  const scopes = text.split("+");
  if (scopes.every((scope) => (SCOPES as readonly string[]).includes(scope))) return scopes as Scope[];
  throw new RangeError(`${which} has scopes that are not of ${SCOPES.join(", ")}, joined by +`);
}

const FORM = "write name:sha256hex";

/** The name for error messages. A long name is redacted, because name and key may have been swapped. */
const shown = (name: string): string => (name.length < KEY_CHARS_LEAST ? name : "…");
