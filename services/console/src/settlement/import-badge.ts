import type { SettlementImport } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { statusBadge } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";

/** The badge of a file's state. A file whose sender may confirm it waits for nobody else. */
export function importBadge(
  reader: Reader,
  { state, senderConfirms }: Pick<SettlementImport, "state" | "senderConfirms">,
): Html {
  if (senderConfirms !== true) return statusBadge(reader, state);
  return html`<span class="badge open">${SETTLEMENT_TEXTS[reader.language].toConfirm}</span>`;
}
