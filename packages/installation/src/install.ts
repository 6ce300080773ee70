import { setTimeout as delay } from "node:timers/promises";
import { isDatabaseStarting } from "./database-starting.ts";
import { passwordsOf, type Config } from "./config.ts";
import { natsGreeting } from "./nats-greeting.ts";
import { provisionDatabase } from "./provision-database.ts";

/** PostgreSQL or NATS did not answer in time. */
export class InstallationError extends Error {
  override name = "InstallationError";
  readonly code = "not_installed";
}

/**
 * Provides what every service needs before it starts: the database with its schemas and roles, and a NATS server with
 * JetStream that answers. It may run again at every start and while services run; a changed password takes effect.
 *
 * @throws InstallationError, or the database's error where waiting would not help.
 */
export async function install(config: Config): Promise<void> {
  const deadline = performance.now() + config.INSTALLATION_TIMEOUT;
  await provisionWhenUp(config, deadline);
  await until(deadline, "NATS with JetStream", async () => {
    return (await natsGreeting(config.NATS_URL))?.jetstream === true;
  });
}

async function provisionWhenUp(config: Config, deadline: number): Promise<void> {
  await until(deadline, "PostgreSQL", async () => {
    try {
      await provisionDatabase({
        superuserUrl: config.DATABASE_ADMIN_URL,
        database: config.DATABASE_NAME,
        passwords: passwordsOf(config),
        auditorPassword: config.HOLDFAST_AUDITOR_PASSWORD,
      });
      return true;
    } catch (error) {
      if (!isDatabaseStarting(error)) throw error;
      return false;
    }
  });
}

async function until(deadline: number, what: string, isThere: () => Promise<boolean>): Promise<void> {
  while (!(await isThere())) {
    if (performance.now() > deadline) throw new InstallationError(`${what} did not answer in time`);
    await delay(RETRY_MS);
  }
}

const RETRY_MS = 250;
