// The lockfile of a published package: the part of the repository's lockfile that the package needs, with the
// tested versions and hashes.

interface Entry {
  version?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  peer?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

export interface Lock {
  packages: Record<string, Entry>;
}

export interface Manifest {
  name: string;
  version: string;
  license: string;
  dependencies: Record<string, string>;
}

/** Where Node finds `name` from the package at `from`; null if it is not installed. */
function found({ packages }: Lock, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[path] !== undefined && packages[path].link !== true) return path;
    if (folder === "") return null;
  }
}

/**
 * @throws Error if the repository's lockfile lacks a package that the manifest needs, or has another version
 */
export function lockOf(manifest: Manifest, whole: Lock): object {
  /** Whether the package is optional, by path. */
  const reached = new Map<string, boolean>();
  function reach(from: string, names: readonly string[], isOptional: boolean): void {
    for (const name of names) {
      const path = found(whole, from, name);
      if (path === null && isOptional) continue;
      const entry = whole.packages[path ?? ""];
      if (path === null || entry === undefined) throw new Error(`the lockfile has no ${name}, which ${from} needs`);
      if (reached.get(path) === false || reached.get(path) === isOptional) continue;
      reached.set(path, isOptional);
      const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = entry;
      const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
      reach(path, [...Object.keys(dependencies), ...peers], isOptional);
      reach(path, Object.keys(optionalDependencies), true);
    }
  }
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    const has = whole.packages[found(whole, "", name) ?? ""]?.version;
    if (has !== version) throw new Error(`the lockfile has ${name} ${has}, but the manifest has ${version}`);
  }
  reach("", Object.keys(manifest.dependencies), false);
  const packages = [...reached]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, isOptional]) => {
      const {
        dev: _dev,
        devOptional: _devOptional,
        peer: _peer,
        optional: _optional,
        ...entry
      } = whole.packages[path] as Entry;
      return [path, { ...entry, ...(isOptional && { optional: true }) }] as const;
    });
  const { name, version } = manifest;
  return {
    ...{ name, version, lockfileVersion: 3, requires: true },
    packages: { "": manifest, ...Object.fromEntries(packages) },
  };
}
