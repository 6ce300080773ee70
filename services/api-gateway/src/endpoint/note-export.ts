import { appendAudit } from "@holdfast/audit";
import type { Endpoint } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { write, type GatewayDatabase } from "../database.ts";
import type { Call } from "./route.ts";

/** Writes down that a person takes all rows of a list, before the first of them is sent. */
export type NoteExport = (endpoint: Endpoint, call: Call<Endpoint>) => Promise<void>;

/**
 * Writes a line of the audit log for each export. It names the merchant and the days, and for every other
 * filter only that it was used: a search text may be somebody's name.
 */
export function createNoteExport(db: Kysely<GatewayDatabase>): NoteExport {
  return async ({ path }, { exchange, query }) => {
    const { requestId, person, staff } = exchange;
    const given = Object.entries(query ?? {});
    const named = given.filter(([name]) => SHOWN.has(name));
    await write(db, (trx) =>
      appendAudit(trx, {
        actor: person?.subject ?? "",
        action: "rows.exported",
        subject: path,
        detail: {
          requestId,
          filters: given.map(([name]) => name).toSorted(),
          ...Object.fromEntries(named),
          ...(staff && { staffOf: staff.merchantId }),
        },
      }),
    );
  };
}

const SHOWN: ReadonlySet<string> = new Set(["merchantId", "from", "to"]);
