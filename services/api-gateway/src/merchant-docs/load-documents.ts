import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assetPath } from "@holdfast/assets";
import { Html, html } from "@holdfast/html";
import { served, type ServedDocument } from "../http/serve-document.ts";
import { merchantDocumentSchema, type MerchantDocument } from "./merchant-document.ts";
import { renderDocument, type NavigationEntry } from "./render-document.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { renderProblemCodes } from "./render-problem-codes.ts";
import { renderResultCodes } from "./render-result-codes.ts";
import { renderReference } from "./render-reference.ts";

/** In the order in which they are read: files of docs/merchant, by name. The first one is the front page. */
export const GUIDES = [
  "getting-started",
  "three-d-secure",
  "hosted-checkout",
  "payment-links",
  "capture-cancel-refund",
  "webhooks",
  "frameworks",
  "rules-and-lists",
  "retries",
  "errors",
  "test-cards",
  "client",
  "php-and-dotnet",
  "test-mode",
  "going-live",
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
  const pages = [...GUIDES.map((name) => readGuide(name, document)), reference(document)];
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
    ["/docs/docs.css", style],
    ["/openapi.json", served("application/json", openapi)],
  ]);
}

function readGuide(
  name: (typeof GUIDES)[number],
  document: MerchantDocument,
): { entry: NavigationEntry; content: Html } {
  const markdown = readFileSync(join(assetPath("docs/merchant"), `${name}.md`), "utf8");
  const [, title] = /^# (.+)$/m.exec(markdown) ?? [];
  if (title === undefined) throw new Error(`docs/merchant/${name}.md has no heading`);
  const tables = new Map([
    [PROBLEM_CODES, () => renderProblemCodes(document)],
    [RESULT_CODES, renderResultCodes],
  ]);
  const content = markdown.split(/^(<!-- the table of .+ -->)$/m).map((part) => {
    const render = tables.get(part);
    return render ? render() : renderMarkdown(part);
  });
  return { entry: { name, title }, content: html`${content}` };
}

/** Where a guide has one of these lines it shows a table: no guide repeats the contract by hand. */
const PROBLEM_CODES = "<!-- the table of problem codes -->";
const RESULT_CODES = "<!-- the table of result codes -->";

function reference(document: MerchantDocument): { entry: NavigationEntry; content: Html } {
  return { entry: { name: "reference", title: "Reference" }, content: renderReference(document) };
}
