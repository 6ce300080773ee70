import { setTimeout as delay } from "node:timers/promises";
import { busOptions, connectBus, type Bus } from "@holdfast/messaging";
import { EventStreamSettingsError } from "@holdfast/outbox";
import { isDatabaseStarting } from "./database/database-starting.ts";
import { eventStreamSizesOf, passwordsOf, secondPasswordsOf, type Config } from "./config.ts";
import { installEventStream } from "./stream/event-stream.ts";
import { natsGreeting } from "./stream/nats-greeting.ts";
import { provisionDatabase } from "./database/provision-database.ts";

/** PostgreSQL or NATS did not answer in time. */
export class InstallationError extends Error {
  override name = "InstallationError";
  readonly code = "not_installed";
}

/**
 * Provides everything that services need before they start: the database with its schemas and roles, and the
 * event stream. It may run again at every start and while services run; a changed password takes effect.
 *
 * @throws InstallationError, EventStreamSettingsError, BusRefusedError, or the database's error if waiting
 * would not help.
 */
export async function install(config: Config): Promise<void> {
  const deadline = performance.now() + config.INSTALLATION_TIMEOUT;
  await provisionWhenUp(config, deadline);
  await until(deadline, "NATS with JetStream", async () => {
    return (await natsGreeting(config.NATS_URL.split(",")[0]!))?.jetstream === true;
  });
  await makeStream(config, deadline);
}

/** JetStream of a cluster answers only when its servers have agreed on a leader, which may come after their greeting. */
async function makeStream(config: Config, deadline: number): Promise<void> {
  const connecting = connectBus({ ...busOptions(config), name: "installation" });
  let bus: Bus | undefined;
  void connecting.then((opened) => (bus = opened)).catch(() => {});
  try {
    await until(deadline, "NATS with JetStream", async () => {
      await Promise.race([connecting, delay(RETRY_MS)]);
      return bus !== undefined && (await isMade(bus, config));
    });
  } finally {
    await bus?.close(CLOSE_TIMEOUT_MS);
  }
}

async function isMade(bus: Bus, config: Config): Promise<boolean> {
  try {
    await installEventStream(bus, eventStreamSizesOf(config));
    return true;
  } catch (error) {
    if (error instanceof EventStreamSettingsError) throw error;
    return false;
  }
}

async function provisionWhenUp(config: Config, deadline: number): Promise<void> {
  await until(deadline, "PostgreSQL", async () => {
    try {
      await provisionDatabase({
        superuserUrl: config.DATABASE_ADMIN_URL,
        database: config.DATABASE_NAME,
        passwords: passwordsOf(config),
        secondPasswords: secondPasswordsOf(config),
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
const CLOSE_TIMEOUT_MS = 1_000;
