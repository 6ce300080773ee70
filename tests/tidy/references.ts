import { posix } from "node:path";
import { FILES, read } from "./tree.ts";

/** A reference of a document to something that should exist, with its line. */
export type Reference = { document: string; line: number; what: string };

const FOLDERS = new Set(FILES.flatMap((path) => ancestorsOf(path)));
const TOP = /^(?:services|packages|tools|tests|deploy|docs|scripts|\.ci)\//;
const FILE = /\.(?:ts|mjs|sql|ya?ml|json|md|conf|csv|css|js)$/;

export const DOCUMENTS = FILES.filter((path) => path.endsWith(".md") && path !== "CHANGELOG.md");

/** Paths in code spans, such as `services/payments/src/` or `create-router.ts`, that are not in the tree. */
export function missingPaths(): Reference[] {
  return codeSpans(DOCUMENTS).filter(({ what }) => isPath(what) && !isThere(what));
}

/**
 * Names in numbered steps of ARCHITECTURE that their files lack. Names before a step's colon have to be in
 * the files named there, or by the previous step; functions and calls anywhere may also be in any file that
 * the step names.
 */
export function missingFunctions(): Reference[] {
  let files: string[] = [];
  return matches("ARCHITECTURE.md", /^\d+\. (.+)$/g).flatMap(({ what: step, ...place }) => {
    const spans = spansOf(step);
    const subject = spansOf(step.split(":")[0]!);
    const subjectFiles = filesOf(subject);
    if (subjectFiles.length > 0) files = subjectFiles;
    const ofSubject = textOf(files);
    const ofStep = ofSubject + textOf(filesOf(spans));
    return [
      ...subject.filter((span) => /^\w+$/.test(span) && !hasWord(ofSubject, span)),
      ...spans.filter((span) => /^[a-z]+[A-Z]\w*$/.test(span) && !hasWord(ofStep, span)),
      ...spans.filter((span) => /^\w+\.\w+\(\w+\)$/.test(span) && !ofStep.includes(span)),
    ].map((what) => ({ ...place, what }));
  });
}

function filesOf(spans: readonly string[]): string[] {
  const paths = spans.filter((span) => isPath(span));
  return FILES.filter((file) => paths.some((path) => `/${file}`.endsWith(`/${path}`)));
}

function textOf(files: readonly string[]): string {
  return files.map((file) => read(file)).join("\n");
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(text);
}

/** Links of documents to files and headings of this repository that are not there. */
export function missingLinks(): Reference[] {
  return DOCUMENTS.flatMap((document) =>
    matches(document, /\]\(([^)\s]+)\)/g).filter(({ what }) => {
      if (/^[a-z]+:/.test(what)) return false;
      const [path = "", heading] = what.split("#");
      const target = path === "" ? document : posix.join(posix.dirname(document), path);
      if (!FILES.includes(target) && !FOLDERS.has(target.replace(/\/$/, ""))) return true;
      return heading !== undefined && !headingsOf(target).includes(heading);
    }),
  );
}

/** Rows of tables that have more or fewer cells than their head, which a git host would drop or leave empty. */
export function unevenRows(documents: readonly string[] = DOCUMENTS, text = read): Reference[] {
  return documents.flatMap((document) => {
    let cells: number | undefined;
    const lines = text(document)
      .replaceAll(/^```[^]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ""))
      .split("\n");
    return lines.flatMap((line, index) => {
      const row = line.startsWith("|")
        ? line
            .trim()
            .slice(1, -1)
            .split(/(?<!\\)\|/).length
        : undefined;
      const isUneven = cells !== undefined && row !== undefined && row !== cells;
      cells = row && (cells ?? row);
      return isUneven ? [{ document, line: index + 1, what: line.slice(0, 60) }] : [];
    });
  });
}

/** Commands such as `npm run chaos` that package.json does not have, and `node path` whose file is not there. */
export function missingCommands(): Reference[] {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  return DOCUMENTS.flatMap((document) => [
    ...matches(document, /\bnpm (?:run (?:--silent )?|(?=(?:start|test)\b))([\w:-]+)/g).filter(
      ({ what }) => !(what in scripts),
    ),
    ...matches(document, /\bnode ((?:services|packages|tools|tests|scripts)\/\S+?\.(?:ts|mjs))/g).filter(
      ({ what }) => !FILES.includes(what),
    ),
  ]);
}

/** Settings in code spans, such as `LEASE_DURATION`, that no code and no manifest reads. */
export function missingSettings(): Reference[] {
  const read = new Set(
    sources(/\.(?:ts|mjs|ya?ml|yml|conf|sh|env)$|Dockerfile|\/apply$/).flatMap((text) =>
      [...text.matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].map(([name]) => name),
    ),
  );
  return codeSpans(DOCUMENTS).flatMap(({ what, ...place }) => {
    const [name] = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?==|$)/.exec(what) ?? [];
    return name === undefined || read.has(name) || name.startsWith("OTEL_") ? [] : [{ ...place, what: name }];
  });
}

export function show({ document, line, what }: Reference): string {
  return `${document}:${line}: ${what}`;
}

function isPath(span: string): boolean {
  if (/[\s{}<>$…|:=]|^[A-Z]+\/|\*\./.test(span)) return false;
  return TOP.test(span) || (FILE.test(span) && !/^[./~]/.test(span) && !GENERATED.has(span));
}

/** Files that a run of the product or its user makes. */
const GENERATED = new Set(["sandbox.json", "sbom.cdx.json", "schedule.json", "docker-compose.override.yml"]);

/** A path from the root, or the end of one: ARCHITECTURE has `http/create-router.ts` once the service is named. */
function isThere(span: string): boolean {
  const path = span.replace(/\/$/, "");
  if (path.includes("*")) {
    const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`);
    return FILES.some((file) => pattern.test(file));
  }
  if (TOP.test(span)) return FILES.includes(path) || FOLDERS.has(path);
  return FILES.some((file) => file === path || file.endsWith(`/${path}`));
}

function spansOf(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span]) => span!);
}

function codeSpans(documents: readonly string[]): Reference[] {
  return documents.flatMap((document) => matches(document, /`([^`\n]+)`/g));
}

function matches(document: string, pattern: RegExp): Reference[] {
  return read(document)
    .split("\n")
    .flatMap((text, index) =>
      [...text.matchAll(pattern)].map(([, what]) => ({ document, line: index + 1, what: what! })),
    );
}

/** The anchors that a git host makes of headings. */
function headingsOf(document: string): string[] {
  return matches(document, /^#+ (.+)$/g).map(({ what }) =>
    what
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function sources(pattern: RegExp): string[] {
  return FILES.filter((path) => pattern.test(path)).map((path) => read(path));
}

function ancestorsOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
