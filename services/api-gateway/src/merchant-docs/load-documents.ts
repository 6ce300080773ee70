import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assetPath } from "@holdfast/assets";
import { Html, html } from "@holdfast/html";
import { served, type ServedDocument } from "../http/serve-document.ts";
import { merchantDocumentSchema, type MerchantDocument, type Operation } from "./merchant-document.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { renderResultCodes } from "./render-result-codes.ts";
import { addressOfOperation, renderReference } from "./render-reference.ts";
import { PROBLEMS, type ProblemCode } from "@holdfast/contracts";
import { renderTable } from "./render-table.ts";

/** The files of docs/merchant in reading order, by name. The first one is the front page. */
export const GUIDES = [
  "getting-started",
  "three-d-secure",
  "hosted-checkout",
  "payment-links",
  "capture-cancel-refund",
  "webhooks",
  "frameworks",
  "installments",
  "rules-and-lists",
  "retries",
  "errors",
  "test-cards",
  "client",
  "php-and-dotnet",
  "test-mode",
  "going-live",
  "generate-a-client",
  "glossary",
] as const;

/**
 * Reads and renders the guides and the reference, once in a process.
 *
 * @returns the documents by their path on the merchant listener
 * @throws Error when a file is absent or a guide contains what is not served
 */
export function loadDocuments(): ReadonlyMap<string, ServedDocument> {
  loaded ??= renderAll();
  return loaded;
}

let loaded: ReadonlyMap<string, ServedDocument> | undefined;

function renderAll(): ReadonlyMap<string, ServedDocument> {
  const openapi = readFileSync(assetPath("docs/openapi.merchant.json"), "utf8");
  const document = merchantDocumentSchema.parse(JSON.parse(openapi));
  const guides = GUIDES.map((name) => readGuide(name, document));
  const reference = renderReference(document).map(({ content, ...entry }) => ({ entry, content }));
  const pages = [...guides, ...reference];
  const style = served(
    "text/css; charset=utf-8",
    readFileSync(assetPath("services/api-gateway/src/merchant-docs/assets/docs.css"), "utf8"),
  );
  const frame = { entries: pages.map(({ entry }) => entry), styleHref: "docs.css" };
  const rendered = pages.map(
    ({ entry, content }) =>
      [
        `/docs/${entry.name}`,
        served("text/html; charset=utf-8", renderDocument(content, entry, frame)),
      ] as const,
  );
  return new Map([
    ["/docs/", rendered[0]![1]],
    ...rendered,
    ...guides.map(
      ({ entry, markdown }) =>
        [`/docs/${entry.name}.md`, served("text/markdown; charset=utf-8", markdown)] as const,
    ),
    ["/docs/llms.txt", served("text/plain; charset=utf-8", listForPrograms(guides))],
    ["/docs/docs.css", style],
    ["/openapi.json", served("application/json", openapi)],
  ]);
}

function readGuide(name: (typeof GUIDES)[number], document: MerchantDocument): Guide {
  const markdown = readFileSync(join(assetPath("docs/merchant"), `${name}.md`), "utf8");
  const [, title] = /^# (.+)$/m.exec(markdown) ?? [];
  if (title === undefined) throw new Error(`docs/merchant/${name}.md has no heading`);
  const tables = new Map([
    [PROBLEM_CODES, () => renderProblemCodes(document)],
    [RESULT_CODES, renderResultCodes],
  ]);
  const parts = markdown
    .split(/^(<!-- the table of .+ -->)$/m)
    .map((text) => ({ text, table: tables.get(text)?.() }));
  return {
    entry: { name, title },
    content: html`${parts.map(({ text, table }) => table ?? renderMarkdown(text))}`,
    // Markdown has HTML in it as it is.
    markdown: parts.map(({ text, table }) => table?.text ?? text).join(""),
  };
}

/** The guides and the reference, as programs that read for people find them (llmstxt.org). */
function listForPrograms(guides: Guide[]): string {
  const lines = guides.map(({ entry: { name, title } }) => `- [${title}](${name}.md)`);
  return [
    "# Holdfast for merchants",
    "## Guides",
    lines.join("\n"),
    "## Reference",
    "- [OpenAPI](../openapi.json)",
  ]
    .join("\n\n")
    .concat("\n");
}

/** Lines of a guide that a table replaces: no guide repeats the contract by hand. */
const PROBLEM_CODES = "<!-- the table of problem codes -->";
const RESULT_CODES = "<!-- the table of result codes -->";

/** Every problem code that the document names for an operation of merchants, with the operations that answer it. */
function renderProblemCodes(document: MerchantDocument): Html {
  const rows = [...problemCodesIn(document)].map(([code, operations]) => [
    html`<code>${code}</code>`,
    String(PROBLEMS[code].status),
    PROBLEMS[code].title,
    renderMarkdown(PROBLEMS[code].whatToDo),
    operations.length === operationsIn(document).length
      ? "every one"
      : html`${operations.map(
          (operation, index) =>
            html`${index > 0 && ", "}<a href="${addressOfOperation(operation)}">${operation.summary}</a>`,
        )}`,
  ]);
  return renderTable(
    ["Code", "Status", "Meaning", "What to do", "Answered by"].map((label) => ({ shown: label, label })),
    rows,
  );
}

/** The problem codes in the order of the contracts' list. */
function problemCodesIn(document: MerchantDocument): Map<ProblemCode, Operation[]> {
  const found = Object.keys(PROBLEMS).map((code) => {
    const operations = operationsIn(document).filter(({ responses }) =>
      Object.values(responses).some(({ description }) => description.includes(`\`${code}\`:`)),
    );
    return [code as ProblemCode, operations] as const;
  });
  return new Map(found.filter(([, operations]) => operations.length > 0));
}

function operationsIn({ paths }: MerchantDocument) {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

type Guide = { entry: NavigationEntry; content: Html; markdown: string };

/** A place in the navigation. `name` is the last part of its address. */
type NavigationEntry = { name: string; title: string };

/** The document around a guide. Every address in it is relative, so that it works under any path of a proxy. */
function renderDocument(
  content: Html,
  { name, title }: NavigationEntry,
  { entries, styleHref }: { entries: readonly NavigationEntry[]; styleHref: string },
): string {
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Holdfast</title>
        <link rel="stylesheet" href="${styleHref}" />
      </head>
      <body>
        <div class="frame">
          <a class="skip" href="#content">Skip to the text</a>
          <header class="top">
            <span class="monogram" aria-hidden="true">H</span>Holdfast for merchants
          </header>
          <div class="columns">
            <nav aria-label="Guides">
              <ul>
                ${entries.map(
                  (entry) =>
                    html`<li>
                      <a href="${entry.name}" ${entry.name === name && html`aria-current="page"`}
                        >${entry.title}</a
                      >
                    </li>`,
                )}
              </ul>
            </nav>
            <main id="content">${content}</main>
          </div>
        </div>
      </body>
    </html>`.text
  }\n`;
}
