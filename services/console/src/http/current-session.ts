import type { Request } from "express";
import type { Kysely } from "kysely";
import type { RestKeyRing } from "@holdfast/sealing";
import type { ConsoleDatabase } from "../database.ts";
import { readCookie, SESSION_COOKIE } from "../session/cookies.ts";
import { readSession } from "../session/session-queries.ts";
import type { Session, SessionState } from "../session/session.ts";

export type SessionStore = { db: Kysely<ConsoleDatabase>; keys: RestKeyRing; idleMs: number };

/** The session that the browser names, with its present state. */
export async function currentSession(
  store: SessionStore,
  request: Request,
): Promise<{ state: SessionState; session: Session } | undefined> {
  const id = readCookie(request.headers.cookie, SESSION_COOKIE);
  return id === undefined ? undefined : await readSession(store, id);
}
