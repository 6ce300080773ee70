import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assetPath } from "@holdfast/assets";
import { PROBLEMS, type ProblemCode } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { served, type ServedDocument } from "../http/serve-document.ts";
import { withoutTrailingSlashes } from "../public-pages/public-url.ts";
import { merchantDocumentSchema, type MerchantDocument, type Operation } from "./merchant-document.ts";
import { addressOfOperation, allOperations } from "./reference-operations.ts";
import { referencePages, type DocumentPage } from "./reference-pages.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { renderPage } from "./render-page.ts";
import { renderResultCodes } from "./render-result-codes.ts";
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
  "versions",
  "generate-a-client",
  "glossary",
] as const;

/** The merchant API's address in the files of docs/merchant: a sandbox on its usual ports. */
const USUAL_URL = "http://127.0.0.1:8080";

/**
 * Reads and renders the guides and the reference, once in a process for each address.
 *
 * @param apiUrl the address of the merchant API for the guides and the examples.
 * @returns the documents by their path on the merchant listener
 * @throws Error if a file is absent or a guide contains something that is not served
 */
export function loadDocuments(apiUrl = USUAL_URL): ReadonlyMap<string, ServedDocument> {
  const known = loaded.get(apiUrl);
  if (known) return known;
  const documents = renderAll(withoutTrailingSlashes(apiUrl));
  loaded.set(apiUrl, documents);
  return documents;
}

const loaded = new Map<string, ReadonlyMap<string, ServedDocument>>();

function renderAll(apiUrl: string): ReadonlyMap<string, ServedDocument> {
  const openapi = readFileSync(assetPath("docs/openapi.merchant.json"), "utf8");
  const document = merchantDocumentSchema.parse(JSON.parse(openapi));
  const guides = GUIDES.map((name) => readGuide(name, { document, apiUrl }));
  const reference = referencePages(document, apiUrl);
  const pages = [...guides, ...reference];
  const entries = pages.map(({ entry }) => entry);
  const rendered = pages.map(
    ({ entry, content }) =>
      [
        `/docs/${entry.name}`,
        served("text/html; charset=utf-8", renderPage(content, entry, entries)),
      ] as const,
  );
  return new Map([
    ["/docs/", rendered[0]![1]],
    ...rendered,
    ...pages.map(
      ({ entry, markdown }) =>
        [`/docs/${entry.name}.md`, served("text/markdown; charset=utf-8", markdown)] as const,
    ),
    ["/docs/llms.txt", served("text/plain; charset=utf-8", listForPrograms(guides, reference))],
    ["/docs/docs.css", readAsset("docs.css", "text/css; charset=utf-8")],
    ["/docs/docs.js", readAsset("docs.js", "text/javascript; charset=utf-8")],
    ["/openapi.json", served("application/json", withServer(openapi, apiUrl))],
  ]);
}

function readAsset(name: string, mediaType: string): ServedDocument {
  const folder = assetPath("services/api-gateway/src/merchant-docs/assets");
  return served(mediaType, readFileSync(join(folder, name), "utf8"));
}

/** The description of the API names one address. */
function withServer(openapi: string, apiUrl: string): string {
  return openapi.replace('"default": "http://localhost:8080"', () => `"default": ${JSON.stringify(apiUrl)}`);
}

function readGuide(
  name: (typeof GUIDES)[number],
  { document, apiUrl }: { document: MerchantDocument; apiUrl: string },
): DocumentPage {
  const text = readFileSync(join(assetPath("docs/merchant"), `${name}.md`), "utf8");
  const [, title] = /^# (.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`docs/merchant/${name}.md has no heading`);
  // Code gets the reader's own address; the prose keeps the sandbox's, which the reader starts.
  const markdown = text.replaceAll(`export GATEWAY=${USUAL_URL}\n`, () => `export GATEWAY=${apiUrl}\n`);
  const tables = new Map([
    [PROBLEM_CODES, () => renderProblemCodes(document)],
    [RESULT_CODES, renderResultCodes],
  ]);
  const parts = markdown
    .split(/^(<!-- the table of .+ -->)$/m)
    .map((part) => ({ text: part, table: tables.get(part)?.() }));
  return {
    entry: { name, title },
    content: html`${parts.map(({ text, table }) => table ?? renderMarkdown(text))}`,
    // Markdown has HTML in it as it is.
    markdown: parts.map(({ text, table }) => table?.text ?? text).join(""),
  };
}

/** The guides and the reference, as programs that read for people find them (llmstxt.org). */
function listForPrograms(guides: DocumentPage[], reference: DocumentPage[]): string {
  const lines = (pages: DocumentPage[]) =>
    pages.map(({ entry: { name, title } }) => `- [${title}](${name}.md)`).join("\n");
  return [
    "# Holdfast for merchants",
    "## Guides",
    lines(guides),
    "## Reference",
    `${lines(reference)}\n- [OpenAPI](../openapi.json)`,
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
    operations.length === allOperations(document).length
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
    const operations = allOperations(document).filter(({ responses }) =>
      Object.values(responses).some(({ description }) => description.includes(`\`${code}\`:`)),
    );
    return [code as ProblemCode, operations] as const;
  });
  return new Map(found.filter(([, operations]) => operations.length > 0));
}
