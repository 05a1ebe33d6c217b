// The gateway's image: its instructions, and that what the gateway imports is what the image holds.
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, textOf } from "./records.ts";

const MAIN = "gpu-backend/gateway/main.ts";
const manifest = JSON.parse(textOf("package.json"));
const gateway = JSON.parse(textOf("gpu-backend/package.json"));

interface Instruction {
  name: string;
  rest: string;
  stage: number;
}

/** A Dockerfile's instructions with continued lines joined; anything that is not one throws. */
function instructionsOf(text: string): Instruction[] {
  const lines = text
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  let stage = -1;
  return lines.map((line) => {
    const [, name, rest] = /^(FROM|WORKDIR|COPY|RUN|ENV|USER|EXPOSE|STOPSIGNAL|HEALTHCHECK|CMD) (.+)$/.exec(line) ?? [];
    if (name === undefined || rest === undefined) throw new Error(`not an instruction: ${line}`);
    if (name === "FROM") stage++;
    return { name, rest, stage };
  });
}

const all = instructionsOf(textOf("gpu-backend/Dockerfile"));
const last = all.filter(({ stage }) => stage === Math.max(...all.map((i) => i.stage)));
const restsOf = (list: Instruction[], name: string) => list.filter((i) => i.name === name).map((i) => i.rest);
const copied = restsOf(last, "COPY")
  .filter((rest) => !rest.startsWith("--from"))
  .map((rest) => rest.split(" ")[0] as string);

/** Local files and packages that a program imports at run time, through all its files. */
function closureOf(entry: string): { files: string[]; packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    for (const match of textOf(path).matchAll(
      /^(?:import|export)\b(?!\s+type\b)[^;"'`]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm,
    )) {
      const name = (match[1] ?? match[2] ?? match[3]) as string;
      if (name.startsWith(".")) visit(normalize(join(dirname(path), name)));
      else if (name.startsWith("#")) visit(normalize(manifest.imports[name].default));
      else if (!name.startsWith("node:"))
        packages.add(
          name
            .split("/")
            .slice(0, name.startsWith("@") ? 2 : 1)
            .join("/"),
        );
    }
  };
  visit(entry);
  return { files: [...files], packages: [...packages] };
}

describe("the gateway's image", () => {
  it("is built from the Node that the project pins, slim, by version", () => {
    for (const from of restsOf(all, "FROM"))
      expect(from.split(" ")[0]).toBe(`node:${manifest.devDependencies.node}-slim`);
  });

  it("installs gpu-backend's production dependencies alone, from the lock file, and runs no package's script", () => {
    const [install] = restsOf(all, "RUN");
    for (const flag of ["npm ci", "-w gpu-backend", "--omit=dev", "--ignore-scripts"]) expect(install).toContain(flag);
    expect(restsOf(all, "COPY")[0]).toBe("package.json package-lock.json ./");
  });

  it("holds every file that the gateway imports", () => {
    const { files } = closureOf(MAIN);
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => !copied.some((from) => file === from || file.startsWith(`${from}/`)))).toEqual([]);
  });

  it("holds every package that the gateway imports", () => {
    const { packages } = closureOf(MAIN);
    expect(packages).toContain("itty-router");
    expect(packages.filter((name) => gateway.dependencies[name] === undefined)).toEqual([]);
  });

  it("copies what exists, and what its ignore file lets through", () => {
    const kept = textOf("gpu-backend/Dockerfile.dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const sources = [...copied, "package-lock.json"];
    expect(sources.filter((path) => !existsSync(ROOT + path))).toEqual([]);
    expect(sources.toSorted()).toEqual(kept.toSorted());
  });

  it("runs as nobody in particular, reports its health, and gets signals itself", () => {
    expect(restsOf(last, "USER")).toEqual(["1000:1000"]);
    expect(restsOf(last, "CMD")).toEqual([JSON.stringify(["node", MAIN]).replace(",", ", ")]);
    const [health] = restsOf(last, "HEALTHCHECK");
    const command = JSON.parse((health as string).slice((health as string).indexOf("CMD") + 4)) as string[];
    expect(command.slice(0, 2)).toEqual(["node", "-e"]);
    expect(() => new Function(command[2] as string)).not.toThrow();
    expect(restsOf(last, "STOPSIGNAL")).toEqual(["SIGTERM"]);
  });

  it("has a reader that refuses what is no instruction", () => {
    expect(() => instructionsOf("FROM node\nRUM npm ci\n")).toThrow("RUM");
  });
});
