import type { RingInUse } from "@holdfast/postgres";
import type { KeyRing } from "@holdfast/service-runtime";
import { sql, type RawBuilder } from "kysely";
import type { WebhooksDatabase } from "../database.ts";

/** The id of the key that encrypted a column, as `sealAtRest` puts it into the bytes; three indexes follow it. */
export function keyIdOf(column: "secret" | "next_secret" | "headers"): RawBuilder<string> {
  const secret = sql.ref(column);
  return sql<string>`encode(substring(${secret} from 3 for get_byte(${secret}, 1)), 'escape')`;
}

/** The ring of the webhook secrets, and the endpoints that need its keys. */
export function secretKeysInUse(ring: KeyRing): RingInUse<WebhooksDatabase> {
  const table = sql`endpoint`;
  return {
    setting: "WEBHOOK_SECRET_KEYS",
    ring,
    rowsAre: "webhook secrets",
    rows: [
      { table, keyId: keyIdOf("secret"), where: IN_USE },
      { table, keyId: keyIdOf("next_secret"), where: sql<boolean>`${IN_USE} and next_secret is not null` },
      { table, keyId: keyIdOf("headers"), where: sql<boolean>`${IN_USE} and headers is not null` },
    ],
  };
}

const IN_USE = sql<boolean>`state <> 'removed'`;
