import type { Pool } from "pg";
import type { ReadinessCheck } from "./health.ts";

/** A standby answers statements, too, but takes no payment. Its refusal has the pool leave it. */
const TAKES_WRITES = `do $$ begin
  if current_setting('transaction_read_only')::boolean then
    raise exception 'the server takes no writes' using errcode = '25006';
  end if;
end $$`;

/** The checks of the dependencies that every service with a database needs. */
export function dependencyChecks({
  pool,
  bus,
}: {
  pool: Pool;
  /** Set for a service that is on the bus. */
  bus?: { readonly isReady: boolean };
}): ReadinessCheck[] {
  return [
    { name: "database", check: async () => void (await pool.query(TAKES_WRITES)) },
    ...(bus ? [checkThat("bus", () => bus.isReady)] : []),
  ];
}

/** A check of a state that this process knows by itself. */
export function checkThat(name: string, isReady: () => boolean): ReadinessCheck {
  return {
    name,
    check() {
      if (!isReady()) throw new Error(`${name} is not ready`);
    },
  };
}
