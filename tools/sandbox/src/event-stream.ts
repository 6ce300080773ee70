// The event stream of a sandbox. Its services may not make it: in this process it is made, and made again when it is gone.
import { INSTALLATION, STREAM_KEEPER } from "@holdfast/contracts";
import {
  eventStreamSizesOf,
  installEventStream,
  keepEventStream,
  keepStreamSchema,
  type KeptEventStream,
} from "@holdfast/installation";
import { busOptions, connectBus } from "@holdfast/messaging";
import { parseConfig } from "@holdfast/service-runtime";

type Options = {
  natsUrl: string;
  passwords: Record<typeof INSTALLATION | typeof STREAM_KEEPER, string>;
  log: (line: string) => void;
};

/** Resolves when the stream exists. Its settings come from the program that started the sandbox. */
export async function startEventStream(options: Options): Promise<KeptEventStream> {
  const installation = await connectAs(INSTALLATION, options);
  await installEventStream(installation.bus, installation.sizes, { withinMs: answerWithinMs });
  await installation.bus.close(closeTimeoutMs);
  const { bus, sizes } = await connectAs(STREAM_KEEPER, options);
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

async function connectAs(user: typeof INSTALLATION | typeof STREAM_KEEPER, { natsUrl, passwords }: Options) {
  const settings = parseConfig(keepStreamSchema, {
    ...process.env,
    HEALTH_PORT: "0",
    NATS_URL: natsUrl,
    NATS_USER: user,
    NATS_PASSWORD: passwords[user],
  });
  return {
    bus: await connectBus({ ...busOptions(settings), name: user }),
    sizes: eventStreamSizesOf(settings),
  };
}

const answerWithinMs = 60_000;
const lookEveryMs = 3_000;
const closeTimeoutMs = 200;
