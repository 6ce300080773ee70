import { createHash } from "node:crypto";
import { OPERATOR_ROLES, STAFF_ROLES } from "@holdfast/contracts";
import { openAtRest, sealAtRest, SecretUnreadableError, type RestKeyRing } from "@holdfast/sealing";
import { sql, type Kysely } from "kysely";
import { z } from "zod";
import type { ConsoleDatabase } from "../database.ts";
import { stateOfSession, type Session, type SessionState } from "./session.ts";

type Db = Kysely<ConsoleDatabase>;

/** The findings of a sign-in. */
export type SignedIn = Omit<Session, "beganAt"> & {
  providerSession: string | undefined;
  accessEndsAt: Date;
  endsAt: Date;
};

const sealedSchema = z.object({
  accessToken: z.string(),
  idToken: z.string(),
  roles: z.array(z.enum(OPERATOR_ROLES)),
  staff: z.object({ merchantId: z.string(), roles: z.array(z.enum(STAFF_ROLES)) }).optional(),
});

export async function insertSession(db: Db, keys: RestKeyRing, session: SignedIn): Promise<void> {
  const { id, subject, accessToken, idToken, roles, staff } = session;
  const secrets: z.infer<typeof sealedSchema> = {
    accessToken,
    idToken,
    roles: [...roles],
    ...(staff && { staff: { merchantId: staff.merchantId, roles: [...staff.roles] } }),
  };
  await db
    .insertInto("session")
    .values({
      session_hash: hashOf(id),
      subject,
      provider_session: session.providerSession ?? null,
      sealed: sealAtRest(keys, ownerOf(id), JSON.stringify(secrets)),
      authenticated_at: session.authenticatedAt,
      access_ends_at: session.accessEndsAt,
      ends_at: session.endsAt,
    })
    .execute();
}

/** @returns undefined for an id that names no session. Reading an active session records its use. */
export async function readSession(
  { db, keys, idleMs }: { db: Db; keys: RestKeyRing; idleMs: number },
  id: string,
): Promise<{ state: SessionState; session: Session } | undefined> {
  const row = await db
    .selectFrom("session")
    .select(["subject", "sealed", "authenticated_at", "access_ends_at", "seen_at", "ends_at", "created_at"])
    .select(sql<Date>`now()`.as("now"))
    .where("session_hash", "=", hashOf(id))
    .executeTakeFirst();
  if (!row) return undefined;
  const secrets = open(keys, id, row.sealed);
  if (!secrets) return undefined;
  const times = { seenAt: row.seen_at, endsAt: row.ends_at, accessEndsAt: row.access_ends_at };
  const state = stateOfSession(times, { now: row.now, idleMs });
  if (state === "active" && row.now.getTime() - row.seen_at.getTime() > SEEN_EVERY_MS) await see(db, id);
  const { accessToken, idToken, roles, staff } = secrets;
  return {
    state,
    session: {
      id,
      subject: row.subject,
      roles: new Set(roles),
      staff: staff && { merchantId: staff.merchantId, roles: new Set(staff.roles) },
      accessToken,
      idToken,
      beganAt: row.created_at,
      authenticatedAt: row.authenticated_at,
    },
  };
}

/** The time of the last use is written this often, not with each request. */
const SEEN_EVERY_MS = 15_000;

async function see(db: Db, id: string): Promise<void> {
  await db
    .updateTable("session")
    .set({ seen_at: sql`now()` })
    .where("session_hash", "=", hashOf(id))
    .execute();
}

export async function deleteSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom("session").where("session_hash", "=", hashOf(id)).execute();
}

/** @returns how many; each is a person who has not signed out. */
export async function purgeSessions(db: Db, olderThanMs: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("session")
    .where("created_at", "<", sql<Date>`now() - ${olderThanMs} * interval '1 millisecond'`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** A session whose key has left the ring cannot be read: the person signs in again. */
function open(keys: RestKeyRing, id: string, sealed: Buffer): z.infer<typeof sealedSchema> | undefined {
  try {
    return sealedSchema.parse(JSON.parse(openAtRest(keys, ownerOf(id), sealed)));
  } catch (error) {
    if (error instanceof SecretUnreadableError) return undefined;
    throw error;
  }
}

function ownerOf(id: string): string {
  return `console session ${hashOf(id).toString("hex")}`;
}

function hashOf(id: string): Buffer {
  return createHash("sha256").update(id).digest();
}
