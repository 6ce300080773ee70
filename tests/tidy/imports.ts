import { stripTypeScriptTypes } from "node:module";
import { posix } from "node:path";
import { FILES, read } from "./tree.ts";

/** One import: `to` is a path from the root for a file of ours, else the specifier as it stands. */
export type Import = { from: string; to: string; isType: boolean };

const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*)"([^"]+)"/g;

/**
 * Every import of every TypeScript or JavaScript file; `isType` is true if nothing of it is left at run time.
 */
export function readImports(): Import[] {
  return FILES.filter((path) => /\.(ts|mjs)$/.test(path) && !path.endsWith(".d.ts")).flatMap((from) => {
    const source = read(from);
    const atRunTime = new Set(specifiersOf(withoutTypes(source)));
    return specifiersOf(source).map((specifier) => ({
      from,
      to: specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : specifier,
      isType: !atRunTime.has(specifier),
    }));
  });
}

/** The code that Node runs: types are stripped, and with them the imports that name nothing but types. */
function withoutTypes(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(/\bimport\s*\{[\s,]*\}\s*from\s*"[^"]+"/g, "");
}

function specifiersOf(source: string): string[] {
  return [...source.matchAll(SPECIFIER)].map(([, specifier]) => specifier!);
}

/** A workspace's folder, such as `services/payments` or `tests`; undefined for files in the root. */
export function workspaceOf(path: string): string | undefined {
  return /^(?:(?:services|packages|tools)\/[^/]+|tests|deploy|scripts)(?=\/)/.exec(path)?.[0];
}

/**
 * The rooms that an import connects: the folders, or files, at which the paths of its two files first differ.
 * The wiring, which is in `src` and imports every room, is therefore a room of its own.
 */
export function roomsOf({ from, to }: Import): readonly [from: string, to: string] {
  const parts = [from.split("/"), to.split("/")] as const;
  const depth = parts[0].findIndex((part, index) => part !== parts[1][index]);
  const room = (path: string[]) => path.slice(0, depth + 1).join("/");
  return [room(parts[0]), room(parts[1])];
}

/** The cycles of a graph, each once, as a path from its alphabetically first room. */
export function circlesOf(arrows: Iterable<readonly [from: string, to: string]>): string[] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of arrows)
    if (from !== to) (next.get(from) ?? next.set(from, new Set()).get(from)!).add(to);
  const found = new Set<string>();
  const visit = (room: string, way: string[]): void => {
    const at = way.indexOf(room);
    if (at >= 0) return void found.add(canonical(way.slice(at)));
    if (done.has(room)) return;
    for (const to of next.get(room) ?? []) visit(to, [...way, room]);
    done.add(room);
  };
  const done = new Set<string>();
  for (const room of next.keys()) visit(room, []);
  return [...found];
}

function canonical(circle: string[]): string {
  const start = circle.indexOf(circle.toSorted()[0]!);
  const turned = [...circle.slice(start), ...circle.slice(0, start)];
  return [...turned, turned[0]].join(" -> ");
}
