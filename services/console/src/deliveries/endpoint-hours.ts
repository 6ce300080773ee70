import type { WebhookHour } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { timeElement } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import { table } from "../ui/table.ts";
import { DELIVERY_TEXTS } from "./delivery-texts.ts";

/** An endpoint's health by the hour, which is long: the reader opens it. */
export function hoursTable(reader: Reader, hours: readonly WebhookHour[]): Html {
  const texts = DELIVERY_TEXTS[reader.language];
  const within = (ms: number | undefined) => (ms === undefined ? "–" : `${ms} ms`);
  return html`<details>
    <summary>${texts.byHour}</summary>
    ${table(
      texts.byHour,
      [
        { heading: texts.hour, cell: ({ hour }: WebhookHour) => timeElement(reader, hour) },
        { heading: texts.sent, isNumber: true, cell: ({ sent }) => sent },
        { heading: texts.answered2xx, isNumber: true, cell: ({ answered }) => answered },
        {
          heading: texts.failedBy,
          cell: ({ failed }) =>
            failed.map(({ error, count }) => `${count} × ${texts.errors[error] ?? error}`).join("; ") || "–",
        },
        { heading: texts.halfWithin, isNumber: true, cell: ({ p50Ms }) => within(p50Ms) },
        { heading: texts.nearlyAllWithin, isNumber: true, cell: ({ p95Ms }) => within(p95Ms) },
      ],
      { rows: hours, empty: texts.noHours },
    )}
  </details>`;
}
