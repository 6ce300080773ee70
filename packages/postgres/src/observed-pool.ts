import {
  context,
  errorType,
  failSpan,
  meterOf,
  otherMembers,
  SpanKind,
  startSpan,
  trace,
  type Histogram,
  type Span,
} from "@holdfast/telemetry";
import { Client, DatabaseError, Pool, type PoolClient, type PoolConfig } from "pg";

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void;

/**
 * A pool that measures its callers' waits and its statements' durations, and makes each statement a span of
 * its unit of work. A span has the name of the prepared statement, or its verb and first table: never the
 * text, never a value. A statement outside of a unit of work (polling, upkeep) has no span; one for several
 * units has a span in each of their traces, linked to the first.
 */
export class ObservedPool extends Pool {
  readonly #waitTime: Histogram;
  readonly #attributes: Record<string, string>;

  constructor(name: string, config: PoolConfig) {
    const meter = meterOf("postgres");
    const attributes = { "db.client.connection.pool.name": name };
    const durations = meter.createHistogram("db.client.operation.duration", {
      description: "Duration of statements, by pool and statement",
      unit: "s",
      advice: { explicitBucketBoundaries: SECONDS },
    });
    super({ ...config, Client: observedClient(durations, { ...attributes, ...SYSTEM }) });
    this.#attributes = attributes;
    this.#waitTime = meter.createHistogram("db.client.connection.wait_time", {
      description: "How long a caller waits for a connection, by pool",
      unit: "s",
      advice: { explicitBucketBoundaries: SECONDS },
    });
    observeConnections(this, config.max ?? 0, attributes);
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    const askedAt = performance.now();
    const record = () => this.#waitTime.record((performance.now() - askedAt) / 1_000, this.#attributes);
    if (!callback) {
      const connecting = super.connect();
      void connecting.then(record, record);
      return connecting;
    }
    // A waiting caller is served when another one returns its connection, and must not continue in the other
    // one's trace.
    const bound = context.bind(context.active(), callback);
    super.connect((...answer: Parameters<Connected>) => {
      record();
      bound(...answer);
    });
  }
}

const SYSTEM = { "db.system.name": "postgresql" };

/** The event of a connection whose server has refused a write, since it is a standby. */
export const READ_ONLY = "readOnly";

/** Shorter times make no difference, and ten seconds are the limit of a statement. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

function observeConnections(pool: Pool, max: number, attributes: Record<string, string>): void {
  const meter = meterOf("postgres");
  const count = meter.createObservableGauge("db.client.connection.count", {
    description: "Connections, by pool and state",
    unit: "{connection}",
  });
  const limit = meter.createObservableGauge("db.client.connection.max", {
    description: "Connections a pool may open",
    unit: "{connection}",
  });
  const pending = meter.createObservableGauge("db.client.connection.pending_requests", {
    description: "Callers that wait for a connection, by pool",
    unit: "{request}",
  });
  meter.addBatchObservableCallback(
    (result) => {
      const used = pool.totalCount - pool.idleCount;
      result.observe(count, used, { ...attributes, "db.client.connection.state": "used" });
      result.observe(count, pool.idleCount, { ...attributes, "db.client.connection.state": "idle" });
      result.observe(limit, max, attributes);
      result.observe(pending, pool.waitingCount, attributes);
    },
    [count, limit, pending],
  );
}

/** pg requires a class; every statement calls its `query`, in one of its forms. */
function observedClient(durations: Histogram, attributes: Record<string, string>): typeof Client {
  const attributesOf = withSummary(attributes);
  return class ObservedClient extends Client {
    // oxlint-disable-next-line typescript/no-explicit-any -- eight overloads, and all of them are passed on
    override query(...args: any[]): any {
      const startedAt = performance.now();
      const summary = summaryOf(args[0]);
      const spans = startStatementSpans(summary, this.database);
      const end = (error: unknown) => {
        if (error instanceof DatabaseError && error.code === "25006") this.emit(READ_ONLY);
        durations.record((performance.now() - startedAt) / 1_000, attributesOf(summary));
        for (const span of spans) {
          if (error) failSpan(span, errorType(error));
          span.end();
        }
      };
      const callback: unknown = args.at(-1);
      if (typeof callback === "function") {
        args[args.length - 1] = (error: unknown, result: unknown) => {
          end(error);
          callback(error, result);
        };
      }
      const result: unknown = super.query(...(args as [string]));
      if (result instanceof Promise) void result.then(() => end(undefined), end);
      return result;
    }
  };
}

/**
 * A pool's attributes with a statement's name. Names above a number that no service reaches are one: a label must be
 * bounded.
 */
function withSummary(attributes: Record<string, string>): (summary?: string) => Record<string, string> {
  const known = new Map<string, Record<string, string>>();
  return (summary = OTHER) => {
    const kept = known.get(summary);
    if (kept !== undefined) return kept;
    if (known.size >= SUMMARIES_MAX) return { ...attributes, "db.query.summary": OTHER };
    const made = { ...attributes, "db.query.summary": summary };
    known.set(summary, made);
    return made;
  };
}

const OTHER = "other";

function startStatementSpans(summary: string | undefined, database: string | undefined): Span[] {
  // It does not matter whether the span is still recording: an attempt's result is recorded after its span has ended.
  if (!trace.getActiveSpan()) return NO_SPANS;
  if (summary === undefined || summary === "BEGIN") return NO_SPANS;
  const others = otherMembers();
  const options = {
    kind: SpanKind.CLIENT,
    attributes: {
      ...SYSTEM,
      "db.namespace": database,
      "db.query.summary": summary,
      ...(others.length > 0 && { "db.operation.batch.size": others.length + 1 }),
    },
  };
  const first = startSpan(summary, options);
  if (others.length === 0) return [first];
  const links = [{ context: first.spanContext() }];
  const copies = others.map((parent) => startSpan(summary, { ...options, parent, links }));
  first.addLinks(copies.map((copy) => ({ context: copy.spanContext() })));
  return [first, ...copies];
}

const NO_SPANS: Span[] = [];

function summaryOf(statement: unknown): string | undefined {
  if (typeof statement === "string") return summarize(statement);
  if (typeof statement !== "object" || statement === null) return undefined;
  if ("name" in statement && typeof statement.name === "string") return statement.name;
  return "text" in statement && typeof statement.text === "string" ? summarize(statement.text) : undefined;
}

/** Verb and first table: `UPDATE payment`. Statements are constants and few, so each is parsed once. */
export function summarize(text: string): string {
  const known = summaries.get(text);
  if (known !== undefined) return known;
  const [verb = "QUERY"] = /[a-z]+/i.exec(text) ?? [];
  const [, table] = /\b(?:from|into|update|table)\s+"?([a-z_][a-z0-9_]*)"?/i.exec(text) ?? [];
  const summary = table === undefined ? verb.toUpperCase() : `${verb.toUpperCase()} ${table}`;
  if (summaries.size < SUMMARIES_MAX) summaries.set(text, summary);
  return summary;
}

const summaries = new Map<string, string>();
const SUMMARIES_MAX = 500;
