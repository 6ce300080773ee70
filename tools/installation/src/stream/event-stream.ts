import { EVENT_STREAM, WEBHOOK_CONSUMER } from "@holdfast/contracts";
import {
  configOf,
  consumerConfig,
  differences,
  eventStreamConfig,
  EventStreamSettingsError,
  isUnanswered,
  manager,
  type EventStreamSizes,
} from "@holdfast/outbox";
import type { Bus } from "@holdfast/messaging";
import { pause } from "@holdfast/service-runtime";

/**
 * Makes the event stream and its consumer, or brings them to their settings without losing events or the consumer's
 * place. It may run at any time.
 *
 * @param options.withinMs for how long JetStream is asked again that does not answer, as on a machine that is busy with its
 *   start. Without it, it is asked once.
 * @throws EventStreamSettingsError where they cannot be changed into what they should be; TimeoutError where JetStream has
 *   not answered.
 */
export async function installEventStream(
  bus: Pick<Bus, "nats">,
  sizes: EventStreamSizes,
  { withinMs = 0 }: { withinMs?: number } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await makeOrBring(bus, sizes);
    } catch (error) {
      if (!isUnanswered(error) || performance.now() >= deadline) throw error;
    }
  }
}

async function makeOrBring({ nats }: Pick<Bus, "nats">, sizes: EventStreamSizes): Promise<void> {
  const { stream, consumer } = await parts(nats);
  await bring(`stream ${EVENT_STREAM.name}`, eventStreamConfig(sizes), stream);
  await bring(`consumer ${WEBHOOK_CONSUMER}`, consumerConfig(sizes), consumer);
}

/** The requests about the stream and about its consumer. */
async function parts(
  nats: Bus["nats"],
): Promise<{ stream: Steps<EventStreamConfig>; consumer: Steps<ConsumerConfig> }> {
  const { streams, consumers } = await manager(nats);
  const { name } = EVENT_STREAM;
  return {
    stream: {
      find: () => configOf(streams.info(name)),
      make: (config) => streams.add(config),
      change: (config) => streams.update(name, config),
    },
    consumer: {
      find: () => configOf(consumers.info(name, WEBHOOK_CONSUMER)),
      make: (config) => consumers.add(name, config),
      change: (config) => consumers.update(name, WEBHOOK_CONSUMER, config),
    },
  };
}

type EventStreamConfig = ReturnType<typeof eventStreamConfig>;
type ConsumerConfig = ReturnType<typeof consumerConfig>;

type Steps<Config> = {
  find: () => Promise<object | undefined>;
  make: (config: Config) => Promise<unknown>;
  change: (config: Config) => Promise<unknown>;
};

async function bring<Config extends object>(
  what: string,
  wanted: Config,
  { find, make, change }: Steps<Config>,
): Promise<void> {
  const existing = await find();
  // If two create it at the same time, the second finds a stream with the same settings, which is no error.
  if (!existing) return void (await make(wanted));
  if (differences(existing, wanted).length === 0) return;
  // The client merges our changes into the existing settings, so a setting to remove has to be named.
  const cleared = Object.fromEntries(Object.keys(existing).map((field) => [field, undefined]));
  const refusal = await change({ ...cleared, ...wanted }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const left = differences((await find()) ?? {}, wanted);
  if (left.length === 0) return;
  throw new EventStreamSettingsError(
    `${what} cannot be changed: ${left.join("; ")}. Delete it and run the installation again; the outboxes publish again what is not confirmed`,
    { cause: refusal },
  );
}

export type KeptEventStream = { stop(): Promise<void> };

/**
 * Creates stream and consumer again whenever one is missing, as after the loss of all of JetStream's data,
 * while the bus is reachable. It changes no existing one: people have to examine a differing one, and the
 * services refuse it.
 */
export function keepEventStream(
  bus: Bus,
  sizes: EventStreamSizes,
  {
    intervalMs,
    onMade = () => {},
    onFailed = () => {},
  }: { intervalMs: number; onMade?: () => void; onFailed?: (error: unknown) => void },
): KeptEventStream {
  const stopping = new AbortController();
  const round = async () => {
    if (bus.connected && (await makeMissing(bus, sizes))) onMade();
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await round().catch(onFailed);
      await pause(intervalMs, stopping.signal);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** True if something was missing and has been made. */
async function makeMissing({ nats }: Bus, sizes: EventStreamSizes): Promise<boolean> {
  const { stream, consumer } = await parts(nats);
  const isStreamMade = await makeIfMissing(eventStreamConfig(sizes), stream);
  const isConsumerMade = await makeIfMissing(consumerConfig(sizes), consumer);
  return isStreamMade || isConsumerMade;
}

async function makeIfMissing<Config extends object>(
  wanted: Config,
  { find, make }: Steps<Config>,
): Promise<boolean> {
  if (await find()) return false;
  await make(wanted);
  return true;
}
