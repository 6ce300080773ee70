import type { Html } from "@holdfast/html";
import type { MerchantDocument } from "./merchant-document.ts";
import { commonAnswers, FIELDS_PAGE, groupsIn, pageOf } from "./reference-operations.ts";
import { renderFields } from "./render-fields.ts";
import { renderGroup, renderOverview } from "./render-reference.ts";
import type { NavigationEntry } from "./render-page.ts";
import { writeFields, writeGroup, writeOverview } from "./write-reference.ts";

/** A page of the guides or of the reference, for people and, as Markdown, for programs. */
export type DocumentPage = { entry: NavigationEntry; content: Html; markdown: string };

/**
 * The reference: an overview with the answers that all operations share, a page for each group of operations,
 * and one with the fields of requests and answers.
 *
 * @param apiUrl the address of the merchant API, for the examples.
 */
export function referencePages(document: MerchantDocument, apiUrl: string): DocumentPage[] {
  const common = commonAnswers(document);
  const groups = groupsIn(document, common, apiUrl);
  return [
    {
      entry: { name: "reference", title: "Reference" },
      content: renderOverview(document, groups, common),
      markdown: writeOverview(document, groups, common),
    },
    ...groups.map((group) => ({
      entry: {
        name: pageOf(group.name),
        title: `Reference: ${group.name}`,
        operations: group.shown.map(({ operation: { operationId, summary } }) => ({
          id: operationId,
          title: summary,
        })),
      },
      content: renderGroup(group),
      markdown: writeGroup(group),
    })),
    {
      entry: { name: FIELDS_PAGE, title: "Reference: fields" },
      content: renderFields(document),
      markdown: writeFields(document),
    },
  ];
}
