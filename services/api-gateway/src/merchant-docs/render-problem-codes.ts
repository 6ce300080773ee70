import { PROBLEMS, type ProblemCode } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import type { MerchantDocument } from "./merchant-document.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { renderTable } from "./render-table.ts";

/** Every problem code that the document names for an operation of merchants, with the operations that answer it. */
export function renderProblemCodes(document: MerchantDocument): Html {
  const rows = [...problemCodesIn(document)].map(([code, operations]) => [
    html`<code>${code}</code>`,
    String(PROBLEMS[code].status),
    PROBLEMS[code].title,
    renderMarkdown(PROBLEMS[code].whatToDo),
    operations.length === operationsIn(document).length
      ? "every one"
      : html`${operations.map(
          ({ operationId, summary }, index) =>
            html`${index > 0 && ", "}<a href="reference#${operationId}">${summary}</a>`,
        )}`,
  ]);
  return renderTable(
    ["Code", "Status", "Meaning", "What to do", "Answered by"].map((label) => ({ shown: label, label })),
    rows,
  );
}

/** In the order of the contracts' list. */
export function problemCodesIn(
  document: MerchantDocument,
): Map<ProblemCode, { operationId: string; summary: string }[]> {
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
