import type { Figures } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { DISPUTE_TEXTS } from "../disputes/dispute-texts.ts";
import { timeElement } from "../ui/format.ts";
import { isTestMode, type PageContext, type Reader } from "../ui/page-context.ts";
import { table } from "../ui/table.ts";

export type WaitingWork = {
  text: string;
  href: string;
  count: string;
  /** The time since which the oldest waits, where it is known. */
  oldest: string | undefined;
};

/**
 * The number of rows of a list's first page, which says so where there are more, or where its service is away.
 */
export function countOf(
  { texts }: Reader,
  list: { items: unknown[]; nextCursor?: string | undefined } | undefined,
): string {
  if (!list) return texts.notReadable;
  return `${list.items.length}${list.nextCursor === undefined ? "" : "+"}`;
}

/** The address of a list in the page's mode, whichever another tab has switched to. */
export function listIn({ query }: PageContext, path: string, filter: Record<string, string> = {}): string {
  const asked = new URLSearchParams({ ...filter, livemode: `${!isTestMode(query)}` });
  return `${path}?${asked.toString()}`;
}

/** The open disputes, as the figures count them. */
export function disputeWork(
  context: PageContext,
  disputes: Figures["openDisputes"] | undefined,
): WaitingWork {
  const { reader } = context;
  return {
    text: DISPUTE_TEXTS[reader.language].openDisputes,
    href: listIn(context, "/disputes"),
    count: disputes ? `${disputes.count}` : reader.texts.notReadable,
    oldest: disputes?.oldestAt,
  };
}

/** The work that waits for people, a line for each kind. */
export function waitingTable(reader: Reader, work: WaitingWork[]): Html {
  const { texts } = reader;
  return table(
    texts.waiting,
    [
      { heading: texts.work, cell: ({ text, href }) => html`<a href="${href}">${text}</a>` },
      { heading: texts.count, isNumber: true, cell: ({ count }) => count },
      { heading: texts.oldest, cell: ({ oldest }) => timeElement(reader, oldest) },
    ],
    { rows: work, empty: texts.noRows },
  );
}
