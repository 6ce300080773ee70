// The event stream of a sandbox. Its services may not make it: in this process it is made, and made again when it is gone.
import { INSTALLATION } from "@holdfast/contracts";
import {
  eventStreamSizesOf,
  installEventStream,
  keepEventStream,
  keepStreamSchema,
  type KeptEventStream,
} from "@holdfast/installation";
import { busOptions, connectBus } from "@holdfast/messaging";
import { parseConfig } from "@holdfast/service-runtime";

/** Resolves when the stream is there. Its settings are those of whoever started the sandbox. */
export async function startEventStream(options: {
  natsUrl: string;
  password: string;
  log: (line: string) => void;
}): Promise<KeptEventStream> {
  const settings = parseConfig(keepStreamSchema, {
    ...process.env,
    HEALTH_PORT: "0",
    NATS_URL: options.natsUrl,
    NATS_USER: INSTALLATION,
    NATS_PASSWORD: options.password,
  });
  const bus = await connectBus({ ...busOptions(settings), name: INSTALLATION });
  const sizes = eventStreamSizesOf(settings);
  await installEventStream(bus, sizes, { withinMs: answerWithinMs });
  const kept = keepEventStream(bus, sizes, {
    intervalMs: lookEveryMs,
    onMade: () => options.log("the event stream was gone and has been made again"),
  });
  return {
    async stop() {
      await Promise.all([kept.stop(), bus.close(closeTimeoutMs)]);
    },
  };
}

const answerWithinMs = 60_000;
const lookEveryMs = 3_000;
const closeTimeoutMs = 200;
