import { EVENT_STREAM } from "@holdfast/contracts";
import { meterOf } from "@holdfast/telemetry";
import type { NatsConnection } from "@nats-io/transport-node";
import { manager } from "./event-stream.ts";

/** The event stream's own state, for the alerts and the dashboard. */
export type EventStreamState = {
  /** Copies of each event that are up to date, the leader's included; 0 where no server answers for the stream. */
  copies: number;
  /** The number of copies that the installation chose; undefined without an answer. */
  copiesWanted?: number;
  bytes?: number;
};

/**
 * Measures the stream by asking it: nats-server has no Prometheus metrics of its own, and a ready pod says
 * nothing about the copies. Without a leader no server answers, which is recorded as no copy.
 */
export function createStreamMeasurement(record = recordInMetrics()): (nats: NatsConnection) => Promise<void> {
  return async (nats) => {
    try {
      const { config, state, cluster } = await (await manager(nats)).streams.info(EVENT_STREAM.name);
      // A single server has no cluster, and the one copy.
      const followers = (cluster?.replicas ?? []).filter(({ current, offline }) => current && !offline);
      const isLed = cluster === undefined || Boolean(cluster.leader);
      record({
        copies: isLed ? 1 + followers.length : 0,
        copiesWanted: config.num_replicas,
        bytes: state.bytes,
      });
    } catch {
      // The error is not logged here, since the connection, the keeper of the stream, and each failed publish log it.
      record({ copies: 0 });
    }
  };
}

function recordInMetrics(): (state: EventStreamState) => void {
  const meter = meterOf("outbox");
  const copies = meter.createGauge("holdfast.event_stream.copies", {
    description: "Copies of each event in the stream that are up to date; 0 while nobody answers for it",
  });
  const wanted = meter.createGauge("holdfast.event_stream.copies_wanted", {
    description: "Copies that the installation asks for",
  });
  const bytes = meter.createGauge("holdfast.event_stream.bytes", {
    description: "Bytes of the stream in one copy; at its limit the oldest events leave",
    unit: "By",
  });
  return (state) => {
    copies.record(state.copies);
    if (state.copiesWanted !== undefined) wanted.record(state.copiesWanted);
    if (state.bytes !== undefined) bytes.record(state.bytes);
  };
}
