import { html, type Html } from "@holdfast/html";

/** Why a file was refused. A long list, such as all columns that a mapping misses, is folded behind its first one. */
export function foldedDetail(detail: string | undefined): Html | undefined {
  if (detail === undefined) return undefined;
  const [first, ...others] = detail.split(", ");
  if (others.length < FOLDED_FROM) return html`${detail}`;
  return html`<details>
    <summary>${first}, … +${others.length}</summary>
    ${detail}
  </details>`;
}

const FOLDED_FROM = 3;
