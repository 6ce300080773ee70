import { nextStopSignal, parseConfig } from "@holdfast/service-runtime";
import { keepStreamSchema } from "./config.ts";
import { startStreamKeeper } from "./stream/stream-keeper.ts";

/**
 * `holdfast keep-stream` runs beside the services, and creates the event stream again if all of JetStream's
 * data was lost. It keeps no state, so any number of keepers may run. Without one, webhooks wait in the
 * outboxes until the installation is run again.
 */
export async function runStreamKeeper(): Promise<void> {
  const stopSignal = nextStopSignal();
  try {
    const keeper = await Promise.race([
      startStreamKeeper(parseConfig(keepStreamSchema, process.env)),
      stopSignal.then(() => undefined),
    ]);
    await stopSignal;
    await keeper?.stop();
  } catch (error) {
    process.stderr.write(`keep-stream: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
  process.exit();
}
