import { html, type Html } from "@holdfast/html";
import { timeElement } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import { OVERVIEW_TEXTS } from "./overview-texts.ts";
import { table } from "../ui/table.ts";

export type WaitingWork = {
  text: string;
  href: string;
  /** The first page of the waiting work; where there is more, the count says so. */
  list: { items: unknown[]; nextCursor?: string | undefined };
  /** The time since which the oldest waits, where it is known. */
  oldest: string | undefined;
};

/** Webhooks that did not arrive yet. */
export function waitingDeliveries(
  { language }: Reader,
  list: { items: { occurredAt: string }[]; nextCursor?: string | undefined },
): WaitingWork {
  return {
    text: OVERVIEW_TEXTS[language].deliveriesWaiting,
    href: "/deliveries?status=pending",
    list,
    // This list alone has the newest first: its oldest is known only where all of it is here.
    oldest: list.nextCursor === undefined ? list.items.at(-1)?.occurredAt : undefined,
  };
}

/** The work that waits for people, a line for each kind. */
export function waitingTable(reader: Reader, work: WaitingWork[]): Html {
  const { texts } = reader;
  return table(
    texts.waiting,
    [
      { heading: texts.work, cell: ({ text, href }) => html`<a href="${href}">${text}</a>` },
      {
        heading: texts.count,
        isNumber: true,
        cell: ({ list }) => `${list.items.length}${list.nextCursor === undefined ? "" : "+"}`,
      },
      { heading: texts.oldest, cell: ({ oldest }) => timeElement(reader, oldest) },
    ],
    { rows: work, empty: texts.noRows },
  );
}
