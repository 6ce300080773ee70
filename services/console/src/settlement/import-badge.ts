import type { SettlementImport } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { statusBadge } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";

/** A file's state, and why it was refused. A file whose sender may confirm it waits for nobody else. */
export function importBadge(
  reader: Reader,
  { state, senderConfirms, reason }: Pick<SettlementImport, "state" | "senderConfirms" | "reason">,
): Html {
  const { refusals, toConfirm } = SETTLEMENT_TEXTS[reader.language];
  if (senderConfirms === true) return html`<span class="badge open">${toConfirm}</span>`;
  return html`${statusBadge(reader, state)} ${reason && (refusals[reason] ?? reason)}`;
}
