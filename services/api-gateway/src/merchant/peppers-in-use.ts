import type { RingInUse } from "@holdfast/postgres";
import type { KeyRing } from "@holdfast/service-runtime";
import { sql } from "kysely";
import type { GatewayDatabase } from "../database.ts";
import type { StoredCredential } from "./sign-in.ts";

/** The ring of peppers, and the credentials that can still sign in with them. */
export function peppersInUse(ring: KeyRing): RingInUse<GatewayDatabase> {
  const credentials = {
    table: sql`credential`,
    keyId: sql<string>`pepper_id`,
    where: sql<boolean>`revoked_at is null`,
  };
  return { setting: "CREDENTIAL_PEPPERS", ring, rowsAre: "credentials", rows: [credentials] };
}

/** A credential's pepper is not in the ring, so no request can sign in with it. */
export class UnknownPepperError extends Error {
  override name = "UnknownPepperError";
  readonly code = "unknown_pepper";

  constructor(pepperId: string) {
    super(`CREDENTIAL_PEPPERS has no pepper ${pepperId}, which a credential needs`);
  }
}

/** Reports a credential that was read and whose pepper is not in the ring: at most once a look-up, as sign-ins cache. */
export function reportUnknownPepper(
  { keys }: KeyRing,
  found: StoredCredential | undefined,
  report: (error: UnknownPepperError, merchantId: string) => void,
): StoredCredential | undefined {
  if (found && !keys.has(found.hash.pepperId)) {
    report(new UnknownPepperError(found.hash.pepperId), found.merchant.merchantId);
  }
  return found;
}
