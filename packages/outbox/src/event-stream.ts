import { EVENT_STREAM } from "@holdfast/contracts";
import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

export type EventStreamOptions = { replicas: number; bytesMax: number };

/** The stream has settings that cannot be changed into the ones we need; an operator has to look at it. */
export class EventStreamSettingsError extends Error {
  override name = "EventStreamSettingsError";
  readonly code = "event_stream_settings";
}

/**
 * Creates the event stream, or brings it to its settings. Every service does so when it starts, and again when it finds
 * the stream gone: JetStream is a transport, and losing all of it loses no event.
 *
 * @throws EventStreamSettingsError
 */
export async function assertEventStream(nats: NatsConnection, options: EventStreamOptions): Promise<void> {
  const { streams } = await jetstreamManager(nats, { timeout: ANSWER_TIMEOUT_MS });
  const wanted = settings(options);
  const existing = await streams.info(EVENT_STREAM.name).catch(notFound);
  if (!existing) {
    // When two services start together, the second finds a stream with the same settings, which is no error.
    await streams.add(wanted);
    return;
  }
  const { config } = existing;
  for (const name of ["retention", "storage"] as const) {
    if (config[name] !== wanted[name]) {
      throw new EventStreamSettingsError(
        `stream ${EVENT_STREAM.name}: ${name} is ${config[name]}, not ${wanted[name]}`,
      );
    }
  }
  const differs = CHANGEABLE.some((name) => JSON.stringify(config[name]) !== JSON.stringify(wanted[name]));
  if (differs) await streams.update(EVENT_STREAM.name, wanted);
}

const ANSWER_TIMEOUT_MS = 2_000;

/**
 * The stream has limits and is no work queue, so that further consumers can be added. The oldest events leave it when
 * it holds too many bytes or they are too old: the outbox is the record, and with `discard: new` a stream full of
 * delivered events would refuse new ones. Duplicates are known for 30 s: long enough for a publish that is repeated
 * because its answer was lost.
 */
function settings({ replicas, bytesMax }: EventStreamOptions) {
  return {
    name: EVENT_STREAM.name,
    subjects: [...EVENT_STREAM.subjects],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: nanoseconds(24 * 3_600_000),
    max_bytes: bytesMax,
    duplicate_window: nanoseconds(30_000),
    num_replicas: replicas,
  } satisfies Partial<StreamConfig>;
}

const CHANGEABLE = [
  "subjects",
  "discard",
  "max_age",
  "max_bytes",
  "duplicate_window",
  "num_replicas",
] as const;

function nanoseconds(ms: number): number {
  return ms * 1_000_000;
}

function notFound(error: unknown): undefined {
  if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined;
  throw error;
}
