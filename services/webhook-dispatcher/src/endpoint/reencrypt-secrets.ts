import { appendAudit } from "@holdfast/audit";
import { sealAtRest, SecretUnreadableError } from "@holdfast/sealing";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Kysely, Transaction } from "kysely";
import type { WebhooksDatabase } from "../database.ts";
import { headersOwner, openHeaders } from "./endpoint-headers.ts";
import { decryptSecret, encryptSecret } from "./endpoint-secrets.ts";
import { keyIdOf } from "./secret-keys-in-use.ts";

export type Reencryption = {
  /** Endpoints whose secrets are under the active key now. */
  endpoints: number;
  /** Endpoints whose secret no key of the ring opens. They are left unchanged. */
  unreadable: string[];
};

/**
 * Encrypts every secret and every endpoint's headers that are under another key again under the active key,
 * so that the old key can leave the ring. The secrets themselves stay the same, so merchants notice nothing.
 * It works in small transactions, each with its line in the audit log. A dispatcher may run meanwhile if its
 * ring has the active key, and an interrupted run is simply repeated.
 */
export async function reencryptSecrets(
  db: Kysely<WebhooksDatabase>,
  ring: KeyRing,
  actor: string,
): Promise<Reencryption> {
  const done: Reencryption = { endpoints: 0, unreadable: [] };
  let after: string | undefined;
  do {
    after = await db.transaction().execute((trx) => reencryptBatch(trx, ring, { actor, after, done }));
  } while (after !== undefined);
  return done;
}

/** @returns the endpoint after which to continue; undefined at the end. */
async function reencryptBatch(
  trx: Transaction<WebhooksDatabase>,
  ring: KeyRing,
  { actor, after, done }: { actor: string; after: string | undefined; done: Reencryption },
): Promise<string | undefined> {
  const rows = await trx
    .selectFrom("endpoint")
    .select(["endpoint_id", "secret", "next_secret", "headers"])
    .$if(after !== undefined, (rest) => rest.where("endpoint_id", ">", after!))
    .where((eb) =>
      eb.or([
        eb(keyIdOf("secret"), "<>", ring.activeId),
        // Null, and so not true, where no secret waits or no header is added.
        eb(keyIdOf("next_secret"), "<>", ring.activeId),
        eb(keyIdOf("headers"), "<>", ring.activeId),
      ]),
    )
    .orderBy("endpoint_id")
    .limit(BATCH)
    .forNoKeyUpdate()
    .execute();
  const endpoints: string[] = [];
  for (const { endpoint_id, ...stored } of rows) {
    const secrets = reencrypted(ring, endpoint_id, stored);
    if (!secrets) {
      done.unreadable.push(endpoint_id);
      continue;
    }
    await trx.updateTable("endpoint").set(secrets).where("endpoint_id", "=", endpoint_id).execute();
    endpoints.push(endpoint_id);
  }
  if (endpoints.length > 0) {
    const subject = `WEBHOOK_SECRET_KEYS ${ring.activeId}`;
    await appendAudit(trx, { actor, action: "webhook_secrets.reencrypted", subject, detail: { endpoints } });
  }
  done.endpoints += endpoints.length;
  return rows.length < BATCH ? undefined : rows.at(-1)!.endpoint_id;
}

const BATCH = 100;

type Secrets = { secret: Buffer; next_secret: Buffer | null; headers: Buffer | null };

function reencrypted(
  ring: KeyRing,
  endpointId: string,
  { secret, next_secret, headers }: Secrets,
): Secrets | undefined {
  const again = (stored: Buffer) => encryptSecret(ring, endpointId, decryptSecret(ring, endpointId, stored));
  try {
    return {
      secret: again(secret),
      next_secret: next_secret && again(next_secret),
      headers: headers && sealAtRest(ring, headersOwner(endpointId), openHeaders(ring, endpointId, headers)),
    };
  } catch (error) {
    if (error instanceof SecretUnreadableError) return undefined;
    throw error;
  }
}
