import { RESULT_CODES } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { renderTable } from "./render-table.ts";

/** Every result code of the gateway's own, with whether the buyer may try again. */
export function renderResultCodes(): Html {
  const rows = Object.entries(RESULT_CODES).map(([code, { meaning, tryAgain }]) => [
    html`<code>${code}</code>`,
    meaning,
    tryAgain,
  ]);
  return renderTable(
    ["Code", "Meaning", "May the buyer try again?"].map((label) => ({ shown: label, label })),
    rows,
  );
}
