// The tools of the trainers' table: how each asks for a group's rewards, from its documented line.
import { cohere, evalProtocol, faiRl, miles, nemoGym, openaiJudge, openRlhf, slime, verifiers } from "./http-tools.ts";
import { drivePython, installedTrainers, type PythonTool, readyPython } from "./python.ts";
import type { Tool } from "./tool.ts";

/** How a Python tool's samples come, and whether its rows say when they are validation's. */
type PythonWays = Pick<Tool, "comes"> & { split?: true };

/** A shim of the Python client, called as its tool calls it. */
const shim = (name: string, tool: string, ways: PythonWays = {}): Tool => ({
  version: "stand-in, our shim",
  ...inPython(name, { name: tool }, ways),
});

/** A tool whose training has its processes meet; without torch its row stays as it was. */
const meeting = (name: string, tool: string): Tool => ({
  version: "stand-in, our shim",
  ...(INSTALLED.trl === undefined && { absent: true as const }),
  ...inPython(name, { name: tool, meets: true }, {}),
});

function inPython(name: string, tool: PythonTool, { comes, split }: PythonWays): Omit<Tool, "version"> {
  return {
    name,
    ...(comes !== undefined && { comes }),
    ready: (place) => readyPython(place, tool),
    ask: (place, groups) => drivePython(place, tool, groups, "train"),
    ...(split === true && { validate: (place, groups) => drivePython(place, tool, groups, "test") }),
  };
}

const INSTALLED = installedTrainers();

/** The package's own code, where it is installed; else its row stays as it was. */
const packaged = (name: string, packageName: string, tool: string, ways: PythonWays = {}): Tool => ({
  version: INSTALLED[packageName] === undefined ? "not installed here" : `${packageName} ${INSTALLED[packageName]}`,
  ...(INSTALLED[packageName] === undefined && { absent: true as const }),
  ...inPython(name, { name: tool, packaged: true }, ways),
});

const BY_ONE = { comes: "one process", split: true } as const;
const BY_ANY = { comes: "any process", split: true } as const;
const ANY = { comes: "any process" } as const;
const WHOLE = { comes: "whole groups" } as const;

export const TOOLS: readonly Tool[] = [
  openRlhf,
  packaged("OpenRLHF (package)", "openrlhf", "openrlhf", ANY),
  slime,
  miles,
  shim("miles (shim)", "slime", WHOLE),
  nemoGym,
  verifiers,
  // By its documented line, without our relay: it asks once.
  {
    ...packaged("verifiers (package)", "verifiers", "verifiers", BY_ANY),
    refuses: { when: /^httpx\.(ConnectError|RemoteProtocolError|ReadError)/, as: "httpx.TransportError" },
  },
  shim("verl (shim)", "verl_reward", BY_ONE),
  shim("verl (gathered)", "verl_gathered", BY_ANY),
  packaged("verl (package, shim)", "verl", "verl_reward", BY_ONE),
  packaged("verl (package, gathered)", "verl", "verl_gathered", BY_ANY),
  shim("SkyRL", "skyrl", BY_ONE),
  packaged("SkyRL (package)", "skyrl-gym", "skyrl", BY_ONE),
  shim("AReaL", "areal", BY_ANY),
  packaged("AReaL (package)", "areal", "areal", BY_ANY),
  { ...meeting("ms-swift", "ms_swift"), refuses_part: /holds a part of a group/ },
  { ...packaged("ms-swift (package)", "ms-swift", "ms_swift"), refuses_part: /holds a part of a group/ },
  meeting("TRL", "trl"),
  packaged("TRL (package)", "trl", "trl"),
  { ...meeting("axolotl", "trl"), version: "stand-in, TRL's function" },
  packaged("tinker (package)", "tinker-cookbook", "tinker", WHOLE),
  packaged("Atropos (package)", "atroposlib", "atropos", WHOLE),
  // Its package is on no index: our worker over stand-ins for its classes, with verl's DataProto.
  { ...packaged("ROLL", "verl", "roll", WHOLE), version: "stand-in, our shim" },
  { ...packaged("ROLL (gathered)", "verl", "roll_gathered", ANY), version: "stand-in, our shim" },
  packaged("ART RULER (package)", "openpipe-art", "art", WHOLE),
  evalProtocol,
  packaged("eval-protocol (package)", "eval-protocol", "eval_protocol", BY_ANY),
  faiRl,
  cohere,
  openaiJudge,
];

/** The tool's number on a group whose rewards are these: tenths, or a share of the range. */
export function toldAs({ name }: Tool, reward: number): number {
  // Scores leave the penalty of what is malformed out.
  if (name === "cohere (rerank)" || name === "ART RULER (package)") return Math.max(0, reward);
  if (name === "openai (judge)") return Math.max(0, Math.round(10 * reward));
  // The default spec's rewards lie between -1 and 1.
  return name.startsWith("eval-protocol") ? (reward + 1) / 2 : reward;
}
