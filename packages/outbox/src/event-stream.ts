import { EVENT_STREAM, WEBHOOK_CONSUMER } from "@holdfast/contracts";
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
  StoreCompression,
  type ConsumerConfig,
  type JetStreamManager,
  type StreamConfig,
} from "@nats-io/jetstream";
import { TimeoutError, type NatsConnection } from "@nats-io/transport-node";
import { isDeepStrictEqual } from "node:util";

/**
 * The settings of the event stream and its consumer. The installation creates them, as a user of its own. A
 * service only reads them, since the right to change a stream would let it copy every message of the bus, or
 * store it on disk.
 */

/** The installation's choices. A service takes any values, since another process decides them. */
export type EventStreamSizes = {
  /** Copies of each event. */
  replicas: number;
  bytesMax: number;
  /** The stream's wait for a dispatcher's acknowledgement. */
  ackWaitMs: number;
};

/** The stream or a consumer has settings that are not ours; an operator has to look at it. */
export class EventStreamSettingsError extends Error {
  override name = "EventStreamSettingsError";
  readonly code = "event_stream_settings";
}

/** The stream or a consumer was lost, with all of JetStream's data or by hand; the installation makes it again. */
export class EventStreamMissingError extends Error {
  override name = "EventStreamMissingError";
  readonly code = "event_stream_missing";
}

/**
 * The stream has limits and is no work queue, so that further consumers can be added. The oldest events leave
 * it when it has too many bytes or they are too old. The outbox is the record, and with `discard: new` a
 * stream full of delivered events would refuse new ones. Duplicates are recognized for 30 s, enough for a
 * publish that is repeated because its answer was lost.
 */
export function eventStreamConfig({ replicas, bytesMax }: Pick<EventStreamSizes, "replicas" | "bytesMax">) {
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
    // These fields are not limited; they are named because the server returns all of them.
    max_consumers: -1,
    max_msgs: -1,
    max_msgs_per_subject: -1,
    max_msg_size: -1,
    compression: StoreCompression.None,
  } satisfies Partial<StreamConfig>;
}

/** A pull consumer, so that the server delivers only on request; it keeps the common place of the dispatchers. */
export function consumerConfig({ ackWaitMs }: Pick<EventStreamSizes, "ackWaitMs">) {
  return {
    durable_name: WEBHOOK_CONSUMER,
    name: WEBHOOK_CONSUMER,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    replay_policy: ReplayPolicy.Instant,
    ack_wait: nanoseconds(ackWaitMs),
    // The most events that are delivered and not accepted yet, over all processes. Acceptance takes
    // milliseconds.
    max_ack_pending: 5_000,
    max_deliver: -1,
    // Pulls that may wait for events at a time, over all processes.
    max_waiting: 512,
  } satisfies Partial<ConsumerConfig>;
}

/**
 * Resolves if the stream exists and every setting is as it should be.
 *
 * @throws EventStreamMissingError, EventStreamSettingsError
 */
export async function requireEventStream(nats: NatsConnection): Promise<void> {
  const { streams } = await manager(nats);
  const wanted = eventStreamConfig({ replicas: 0, bytesMax: 0 });
  requireSettings(
    `stream ${EVENT_STREAM.name}`,
    await configOf(streams.info(EVENT_STREAM.name)),
    wanted,
    STREAM_SIZES,
  );
}

/** Requires the consumer, and the stream that it belongs to. */
export async function requireConsumer(nats: NatsConnection): Promise<void> {
  await requireEventStream(nats);
  const { consumers } = await manager(nats);
  const existing = await configOf(consumers.info(EVENT_STREAM.name, WEBHOOK_CONSUMER));
  const wanted = consumerConfig({ ackWaitMs: 0 });
  requireSettings(`consumer ${WEBHOOK_CONSUMER}`, existing, wanted, CONSUMER_SIZES);
}

const STREAM_SIZES = ["num_replicas", "max_bytes"];
const CONSUMER_SIZES = ["ack_wait"];

function requireSettings(
  what: string,
  existing: object | undefined,
  wanted: object,
  sizes: readonly string[],
): void {
  if (!existing)
    throw new EventStreamMissingError(`${what} is not there; the installation makes it (docs/upgrade.md)`);
  const differing = differences(existing, wanted, sizes);
  if (differing.length === 0) return;
  throw new EventStreamSettingsError(
    `${what} is not as the installation makes it: ${differing.join("; ")}. Find out who changed it, then run the installation again`,
  );
}

/**
 * Lists each field in which the two differ, with both values. A field that we do not name, also one of a newer server,
 * has to be off.
 *
 * @param except fields that are not compared.
 */
export function differences(existing: object, wanted: object, except: readonly string[] = []): string[] {
  const [is, should] = [existing, wanted].map((config) => new Map(Object.entries(config)));
  const names = new Set([...is!.keys(), ...should!.keys()]);
  return [...names]
    .filter((name) => !except.includes(name))
    .filter((name) => !isDeepStrictEqual(meaningOf(name, is!.get(name)), should!.get(name)))
    .map((name) => `${name} is ${JSON.stringify(is!.get(name))}, not ${JSON.stringify(should!.get(name))}`)
    .toSorted();
}

/**
 * The comparable value of a setting: undefined for each of the server's notations of "off", and metadata
 * without the server's own entries.
 */
function meaningOf(name: string, value: unknown): unknown {
  if (name === "metadata" && typeof value === "object" && value !== null) {
    const given = Object.entries(value).filter(([key]) => !key.startsWith("_nats."));
    return given.length === 0 ? undefined : Object.fromEntries(given);
  }
  const isOff =
    value === false || value === 0 || value === "" || value === null || isDeepStrictEqual(value, {});
  return isOff || isDeepStrictEqual(value, []) ? undefined : value;
}

/** The manager for the services that look and for the installation that makes. */
export async function manager(nats: NatsConnection): Promise<JetStreamManager> {
  // A check that there is JetStream would be one more question each time, and without JetStream every other one fails.
  return await jetstreamManager(nats, { timeout: ANSWER_TIMEOUT_MS, checkAPI: false });
}

/** True if the error of a {@link manager} says that JetStream has not answered in time. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof TimeoutError;
}

/** The configuration in an answer; undefined when its stream or consumer does not exist. */
export async function configOf<Config>(answer: Promise<{ config: Config }>): Promise<Config | undefined> {
  try {
    return (await answer).config;
  } catch (error) {
    if (error instanceof JetStreamApiError && NOT_FOUND.has(error.code)) return undefined;
    throw error;
  }
}

const NOT_FOUND = new Set<number>([JetStreamApiCodes.StreamNotFound, JetStreamApiCodes.ConsumerNotFound]);
const ANSWER_TIMEOUT_MS = 2_000;

function nanoseconds(ms: number): number {
  return ms * 1_000_000;
}
