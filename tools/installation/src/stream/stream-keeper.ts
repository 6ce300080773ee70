import { STREAM_KEEPER } from "@holdfast/contracts";
import { busOptions, connectBus } from "@holdfast/messaging";
import { checkThat, createLogger, startHealth, type RunningService } from "@holdfast/service-runtime";
import { eventStreamSizesOf, type KeepStreamConfig } from "../config.ts";
import { keepEventStream } from "./event-stream.ts";

/** The object graph of the program that keeps the event stream there. */
export async function startStreamKeeper(
  config: KeepStreamConfig,
  log = createLogger("keep-stream", config.LOG_LEVEL),
): Promise<RunningService & { healthPort: number }> {
  const bus = await connectBus({
    ...busOptions(config),
    name: STREAM_KEEPER,
    onStatus: (status) => log.warn({ bus: status }, "bus"),
  });
  const kept = keepEventStream(bus, eventStreamSizesOf(config), {
    intervalMs: LOOK_EVERY_MS,
    onMade: () => log.warn("the event stream was gone and has been made again"),
    onFailed: (error) => log.warn({ error }, "the event stream could not be looked at, or not be made again"),
  });
  const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT, [
    checkThat("bus", () => bus.connected),
  ]);
  log.info({ pid: process.pid }, "started");
  return {
    healthPort: health.port,
    async stop() {
      health.markDraining();
      await kept.stop();
      await bus.close(CLOSE_TIMEOUT_MS);
      await health.close();
    },
  };
}

/**
 * Events wait in the outboxes meanwhile, and services use the stream again within a second after its
 * creation.
 */
const LOOK_EVERY_MS = 3_000;
const CLOSE_TIMEOUT_MS = 2_000;
