import type { Chargeback } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { timeElement } from "../ui/format.ts";
import type { PageContext } from "../ui/page-context.ts";
import { DISPUTE_TEXTS } from "./dispute-texts.ts";

const DAY_MS = 86_400_000;
/** From then on a case without evidence raises an alert. */
const URGENT_DAYS = 3;

/** The bank's deadline for evidence; for an open case with the days left. */
export function deadlineOf(
  { now, reader }: Pick<PageContext, "now" | "reader">,
  { respondBy, status }: Pick<Chargeback, "respondBy" | "status">,
): Html {
  const texts = DISPUTE_TEXTS[reader.language];
  if (respondBy === undefined) return html`${status === "OPEN" ? texts.notAnnounced : "–"}`;
  const at = timeElement(reader, respondBy);
  if (status !== "OPEN") return at;
  const leftMs = new Date(respondBy).getTime() - now.getTime();
  const days = Math.floor(leftMs / DAY_MS);
  const left = leftMs <= 0 ? texts.passed : days === 0 ? texts.lastDay : texts.daysLeft(days);
  return html`<span class="badge ${days < URGENT_DAYS ? "bad" : ""}">${left}</span> ${at}`;
}
