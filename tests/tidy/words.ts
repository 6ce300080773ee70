import { stripTypeScriptTypes } from "node:module";
import { parse, type Node } from "acorn";
import { FILES, read } from "./tree.ts";

/** A text that people read, and its place. */
type Passage = { place: string; text: string };

/** Words of the glossary's column "not", in CONTRIBUTING, with their replacements. Wire values have underscores. */
const REFUSED: readonly [pattern: RegExp, say: string][] = [
  [/\blet(?:s|ting)? go of\b/gi, "release, void, cancel or expire"],
  [/\bdr(?:aws?|ew|awn)\b/gi, "generate"],
  [/\b(?:test|fuzzer|check|limit|rule)s? holds?\b/gi, "enforce or test"],
  [/\bholds? (?:the |an? |its )?(?:funds|amount|money)\b/gi, "reserve"],
  [/\b(?:said|says?) no\b/gi, "decline"],
  [
    /\b(?:take|takes|took|taking) (?:a |the )?(?:payments?|funds|money)\b/gi,
    "accept payments, or capture funds",
  ],
  [/\bund(?:o|oes|id|one|oing)\b/gi, "reverse, void or roll back"],
  [/\bown rules?\b/gi, "merchant rules"],
  [/\bbin (?:table|import|range)s?\b/g, "BIN, in capitals"],
  [/\bin doubt\b/gi, "unknown outcome"],
  [/\bat once\b/gi, "immediately, or at the same time"],
  [/\bfor ever\b/gi, "forever"],
  [/\banew\b/gi, "again"],
  [/\bhea(?:rs?|rd)\b/gi, "receive or get"],
  [
    /\b(?:is|are|was|were|be|been|being) told\b/gi,
    "get, see or receive; or say what is returned, answered or logged",
  ],
  [/\bwants\b/gi, "need, require or request"],
  [/\bspeaks\b/gi, "use or answer"],
  [/[«»](?:[^«»]*»)?/g, 'straight quotes: "…"'],
];

/** @returns each refused word of a text with its replacement. */
export function refusedWords(text: string): string[] {
  return REFUSED.flatMap(([pattern, say]) =>
    [...text.matchAll(pattern)].map(([found]) => `"${found}": say ${say}`),
  );
}

/**
 * Refused words in texts that users, operators and merchants read: documents, the API's description, pages and
 * commands.
 */
export function refusedInUserFacingText(): string[] {
  // Parsing takes a while, so only files that have such a word at all are parsed.
  const suspects = FILES.filter((path) => isUserFacing(path) && refusedWords(read(path)).length > 0);
  return suspects.flatMap((path) => refusedIn(path, read(path)));
}

/** @returns `place: "word": say …` for each refused word in a file's texts for people. */
export function refusedIn(path: string, content: string): string[] {
  const passages = path.endsWith(".md")
    ? proseOf(path, content)
    : path.endsWith(".json")
      ? textsOf(JSON.parse(content), path)
      : literalsOf(path, content);
  return passages.flatMap(({ place, text }) => refusedWords(text).map((fault) => `${place}: ${fault}`));
}

/** Comments that begin with a word that puts the subject last. */
export function refusedOpenings(): string[] {
  // The test of this rule quotes what it refuses.
  return FILES.filter((path) => /\.(?:ts|mjs|sql)$/.test(path) && path !== "tests/tidy.test.ts").flatMap(
    (path) => openingsIn(path, read(path)),
  );
}

const OPENING = /^(?:What|Of|Where|Whether|Who|Whoever)\b/;

/** @returns `place: opening` for each comment of a file that begins with a refused word. */
export function openingsIn(path: string, content: string): string[] {
  const lines = content.split("\n");
  const line = path.endsWith(".sql") ? /(?:^|\s)-- ?(.*)$/ : /(?:^|\s)\/\/ ?(.*)$/;
  return lines.flatMap((text, index) => {
    const block = /(?:^|\s)\/\*\*? ?(.*)$/.exec(text)?.[1];
    // The text of a block may begin in its second line; the second line of a run of line comments continues the first.
    const begun = block?.trim() === "" ? lines[index + 1]?.replace(/^\s*\* ?/, "") : block;
    const isRun = new RegExp(`^\\s*${path.endsWith(".sql") ? "--" : "//"}`).test(lines[index - 1] ?? "");
    const opening = begun ?? (isRun ? undefined : line.exec(text)?.[1]);
    if (opening === undefined || !OPENING.test(opening)) return [];
    const at = block?.trim() === "" ? index + 2 : index + 1;
    return [`${path}:${at}: ${opening.slice(0, 60)}`];
  });
}

function isUserFacing(path: string): boolean {
  return (
    /^(?:README\.md|docs\/(?!adr\/).*\.md|docs\/openapi\.\w+\.json)$/.test(path) ||
    (/^(?:services|packages|tools|scripts)\/.*\.(?:ts|mjs|js)$/.test(path) &&
      !/\.test\.ts$|\/test\/|\/conformance\//.test(path))
  );
}

/** A document's lines without code, and without the names of tests that docs/security.md quotes. */
function proseOf(path: string, content: string): Passage[] {
  const withoutBlocks = content.replaceAll(/^```[^]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ""));
  return withoutBlocks.split("\n").map((line, index) => ({
    place: `${path}:${index + 1}`,
    text: line
      .replaceAll(/`[^`]*`/g, "")
      .replace(/^- Tests?: .*/, (names) => names.replaceAll(/"[^"]*"/g, "")),
  }));
}

function textsOf(value: unknown, place: string): Passage[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) =>
    typeof below === "string" && /^(?:title|summary|description)$/.test(key)
      ? [{ place: `${place}/${key}`, text: below }]
      : textsOf(below, `${place}/${key}`),
  );
}

/** The strings of a program that have a space in them: messages, help texts and descriptions, not names. */
function literalsOf(path: string, content: string): Passage[] {
  const code = path.endsWith(".ts") ? stripTypeScriptTypes(content) : content;
  const tree = parse(code, { ecmaVersion: "latest", sourceType: "module", locations: true });
  return stringsOf(tree).map(({ text, line }) => ({ place: `${path}:${line}`, text }));
}

type Visited = Node & { value?: unknown };

function stringsOf(node: Visited): { text: string; line: number }[] {
  const { type, value, loc } = node;
  const text =
    type === "Literal"
      ? value
      : type === "TemplateElement"
        ? (value as { cooked?: string | null }).cooked
        : undefined;
  const found = typeof text === "string" && text.includes(" ") ? [{ text, line: loc!.start.line }] : [];
  const below = Object.values(node).flatMap((child: unknown) => (Array.isArray(child) ? child : [child]));
  return [...found, ...below.filter(isNode).flatMap(stringsOf)];
}

function isNode(value: unknown): value is Visited {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
