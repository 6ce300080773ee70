import type { Difference } from "@holdfast/contracts";
import { html } from "@holdfast/html";
import type { Notice, PageContext } from "../ui/page-context.ts";
import { doneNotice } from "../ui/take-action.ts";
import { keptFilter } from "./kept-filter.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";

type Listed = Pick<Difference, "differenceId" | "state" | "proposedBy" | "openedAt">;

/** The notice of a finished action, which leads on to the next difference of the list after one was closed. */
export function closedNotice(context: PageContext, listed: readonly Listed[]): Notice | undefined {
  const { query, reader, session } = context;
  const notice = doneNotice(context);
  if (!notice || !CLOSINGS.has(query.get("done") ?? "")) return notice;
  const next = nextDifference(listed, { after: query.get("after") ?? "", person: session.subject });
  if (!next) return notice;
  const href = `/settlement/differences/${next.differenceId}${keptFilter(query)}`;
  return { ...notice, link: html`<a href="${href}">${SETTLEMENT_TEXTS[reader.language].nextDifference}</a>` };
}

const CLOSINGS: ReadonlySet<string> = new Set(["closeDifference", "proposeDifference"]);

/**
 * The next difference that this person can close, from a list with the oldest first. Skipped ones come again
 * at the end.
 *
 * @param after the time at which the difference closed last was opened.
 */
export function nextDifference<Row extends Listed>(
  listed: readonly Row[],
  { after, person }: { after: string; person: string },
): Row | undefined {
  const open = listed.filter(
    ({ state, proposedBy }) => (state === "OPEN" || state === "PROPOSED") && proposedBy !== person,
  );
  return open.find(({ openedAt }) => openedAt >= after) ?? open[0];
}
