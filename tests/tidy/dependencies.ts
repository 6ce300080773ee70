import { posix } from "node:path";
import { FILES, read } from "./tree.ts";

/**
 * The dependencies of a function: the members of a type whose name ends in `Deps`, or of the type of a
 * parameter named `deps`.
 */
export type Dependencies = { place: string; names: string[] };

/** Every such type of the product's sources, with the names of its members. */
export function dependencies(): Dependencies[] {
  return FILES.filter((path) => PRODUCT.test(path) && /Deps\b/.test(read(path))).flatMap((path) =>
    dependenciesIn(path, read(path)),
  );
}

const PRODUCT = /^(?:services|packages)\/[^/]+\/src\/.*(?<!\.test)\.ts$/;

export function dependenciesIn(path: string, content: string): Dependencies[] {
  const file = parse(path, content);
  const declared = [...file.types].filter(([name]) => name.endsWith("Deps"));
  const taken = [...file.text.matchAll(/\bdeps: (?=[A-Z{])/g)].map(({ index }) => {
    const type = upTo(file.text, index + "deps: ".length, /[,;)=]/);
    return [`deps: ${type}`, type] as const;
  });
  return [...declared, ...taken].map(([name, type]) => ({
    place: `${path}: ${name}`,
    names: [...membersOf(file, type)].toSorted(),
  }));
}

type Source = {
  path: string;
  content: string;
  text: string;
  types: Map<string, string>;
  imports: Map<string, string>;
};

/** Types are read from the text: the compiler has no interface for it, and these types have few forms. */
function parse(path: string, content: string): Source {
  const known = parsed.get(path);
  if (known?.content === content) return known;
  // An arrow's end is not the end of a list of type arguments.
  const text = content
    .replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")
    .replaceAll("=>", "->")
    .replaceAll("->", "\u2192")
    .replaceAll(/\s+/g, " ");
  const types = new Map(
    [...text.matchAll(/\btype (\w+)(?:<[^=]*>)? = /g)].map(({ 0: head, 1: name, index }) => [
      name!,
      upTo(text, index + head.length, /;/),
    ]),
  );
  const imports = new Map(
    [...text.matchAll(/\bimport (?:type )?\{([^}]*)\} from "([^"]+)"/g)].flatMap(([, names, from]) =>
      names!.split(",").map((name) => [name.trim().replace(/^type /, ""), from!] as const),
    ),
  );
  const source = { path, content, text, types, imports };
  parsed.set(path, source);
  return source;
}

const parsed = new Map<string, Source>();

/** The text from `start` to the first `end` outside all brackets. */
function upTo(text: string, start: number, end: RegExp): string {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at]!;
    if (depth === 0 && end.test(char)) return text.slice(start, at).trim();
    if ("{[(<".includes(char)) depth++;
    if ("}])>".includes(char)) depth--;
  }
  throw new Error(`no end of a type: ${text.slice(start, start + 60)}`);
}

/** The parts of a list, by a separator outside all brackets. */
function split(list: string, separator: RegExp): string[] {
  const parts: string[] = [];
  for (let start = 0; start < list.length; start += parts.at(-1)!.length + 1) {
    parts.push(upToEnd(list, start, separator));
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function upToEnd(list: string, start: number, separator: RegExp): string {
  let depth = 0;
  for (let at = start; at < list.length; at++) {
    if (depth === 0 && separator.test(list[at]!)) return list.slice(start, at);
    if ("{[(<".includes(list[at]!)) depth++;
    if ("}])>".includes(list[at]!)) depth--;
  }
  return list.slice(start);
}

function membersOf(file: Source, type: string): Set<string> {
  const parts = split(type, /&/);
  if (parts.length > 1) return new Set(parts.flatMap((part) => [...membersOf(file, part)]));
  if (type.startsWith("{")) {
    return new Set(split(type.slice(1, -1), /;/).map((member) => /^(?:readonly )?(\w+)/.exec(member)![1]!));
  }
  const [, name, args] = /^(\w+)(?:<(.*)>)?$/.exec(type) ?? [];
  if (name === undefined) throw new Error(`${file.path}: a form of types that is not known: ${type}`);
  if (name !== "Pick" && name !== "Omit") return declaredMembers(file, name);
  const [of, picked] = split(args!, /,/);
  const keys = new Set(split(picked!, /\|/).flatMap((key) => keysOf(file, key)));
  return new Set([...membersOf(file, of!)].filter((member) => keys.has(member) === (name === "Pick")));
}

function keysOf(file: Source, key: string): string[] {
  return key.startsWith("keyof ") ? [...membersOf(file, key.slice("keyof ".length))] : [key.slice(1, -1)];
}

function declaredMembers(file: Source, name: string): Set<string> {
  const own = file.types.get(name);
  if (own !== undefined) return membersOf(file, own);
  const from = file.imports.get(name);
  // A type parameter is skipped: its users name the real type.
  if (from === undefined && name.endsWith("Deps")) return new Set();
  if (from === undefined) throw new Error(`${file.path}: ${name} is not declared`);
  const path = from.startsWith(".") ? posix.join(posix.dirname(file.path), from) : exporterOf(from, name);
  return declaredMembers(parse(path, read(path)), name);
}

/** The file of a package that exports a type. */
function exporterOf(specifier: string, name: string): string {
  const folder = specifier.replace("@holdfast/", "packages/").split("/").slice(0, 2).join("/");
  const exporter = FILES.find(
    (path) => path.startsWith(`${folder}/src/`) && read(path).includes(`export type ${name} =`),
  );
  if (!exporter) throw new Error(`${specifier} exports no type ${name}`);
  return exporter;
}
