import type { RetentionLine } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { ConsoleDatabase } from "./database.ts";
import { purgeSessions } from "./session/session-queries.ts";

/** How long each table of the schema `console` is kept. */
export const keptTables: RetentionLine<Kysely<ConsoleDatabase>>[] = [
  {
    table: "session",
    kept: { setting: "SESSION_MAX" },
    because: "It says who is signed in. Signing out deletes it.",
    purge: { task: "purge sessions", intervalMs: 60_000, round: purgeSessions },
  },
];
