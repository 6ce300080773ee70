import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RanStatement } from "./logged-plans.ts";
import { excuseOf, readsTooMuch } from "./statement-rules.ts";

/** Writes a line for each statement, those with most reads for their returned rows first. @returns the file's path. */
export function writeReport(ran: readonly RanStatement[]): string {
  const lines = [...Map.groupBy(ran, ({ role, text }) => `${role} ${text}`).values()]
    .map((same) => ({ worst: same.toSorted((a, b) => ratioOf(b) - ratioOf(a))[0]!, times: same.length }))
    .toSorted((a, b) => ratioOf(b.worst) - ratioOf(a.worst))
    .map(({ worst, times }) =>
      [
        ratioOf(worst).toFixed(1),
        worst.read,
        worst.pages,
        worst.returned,
        times,
        readsTooMuch(worst) ? (excuseOf(worst) ? "excused" : "TOO MUCH") : "",
        worst.role,
        worst.text.slice(0, 300),
      ].join("\t"),
    );
  mkdirSync(dirname(REPORT), { recursive: true });
  writeFileSync(REPORT, `${[HEADER, ...lines].join("\n")}\n`);
  return REPORT;
}

const REPORT = join(import.meta.dirname, "..", "..", ".cache", "years", "statements.tsv");
const HEADER = "read for each returned\trows read\tpages\treturned\ttimes\tverdict\trole\tstatement";

function ratioOf({ read, pages, returned }: RanStatement): number {
  return Math.max(read, pages) / Math.max(1, returned);
}
