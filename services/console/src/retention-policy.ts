import type { RetentionLine } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { ConsoleDatabase } from "./database.ts";
import { purgeLogoutTokens } from "./session/end-sessions.ts";
import { FORM_KEPT_MS, purgeForms } from "./session/kept-forms.ts";
import { purgeSessions } from "./session/session-queries.ts";

/** The retention of each table of the schema `console`. */
export const retentionPolicy: RetentionLine<Kysely<ConsoleDatabase>>[] = [
  {
    table: "session",
    kept: { setting: "SESSION_MAX" },
    because: "It says who is signed in. Signing out deletes it.",
    purge: { task: "purge sessions", intervalMs: 60_000, round: purgeSessions },
  },
  {
    table: "logout_token",
    kept: { ms: 3_600_000 },
    because: "It says which of the identity provider's logout tokens were taken; none is taken twice.",
    purge: { task: "purge logout tokens", intervalMs: 600_000, round: purgeLogoutTokens },
  },
  {
    table: "kept_form",
    kept: { ms: FORM_KEPT_MS },
    because: "The person who sent it gets it back after a sign-in. Giving it back deletes it.",
    purge: { task: "purge kept forms", intervalMs: 60_000, round: purgeForms },
  },
];
