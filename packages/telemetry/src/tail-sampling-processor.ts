import {
  diag,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span as ApiSpan,
} from "@opentelemetry/api";
import {
  NoopSpanProcessor,
  type ReadableSpan,
  type Span,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace";
import { SETTLED_OUTCOME, UNKNOWN_OUTCOME } from "./span.ts";

export type TailSamplingOptions = {
  /** A unit of work that took longer is kept. */
  slowAfterMs: number;
  /**
   * The most units per second that are kept for how they ended; when everything fails, thousands would say
   * the same.
   */
  keptPerSecondMax: number;
  /** Monotonic milliseconds. */
  now?: () => number;
};

/**
 * Spans that the ratio has chosen go to the exporter immediately. The other spans wait until their unit of
 * work ends (all spans of this process under one span from outside), and are kept if the unit failed, ended
 * with an unknown outcome or was slow. They are stored on the unit, so a unit that never ends is
 * garbage-collected with them. A unit holds at most {@link UNIT_SPANS_MAX}, and the bounds on work under way
 * bound the number of units.
 */
export class TailSamplingProcessor implements SpanProcessor {
  readonly #options: Required<TailSamplingOptions>;
  readonly #units = new WeakMap<object, Unit>();
  #exporting: SpanProcessor = new NoopSpanProcessor();
  #second = 0;
  #keptInSecond = 0;

  constructor(options: TailSamplingOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** @param exporting takes the spans that are kept, and never blocks. Until this call there is nowhere to send them. */
  exportTo(exporting: SpanProcessor): void {
    this.#exporting = exporting;
  }

  onStart(span: Span, parentContext: Context): void {
    if (isSampled(span)) return;
    const parent = trace.getSpan(parentContext);
    const unit = parent && this.#units.get(parent);
    this.#units.set(span, unit ?? { root: span, waiting: [], fate: "open", isNotable: false });
  }

  onEnd(span: ReadableSpan): void {
    if (isSampled(span)) return this.#exporting.onEnd(span);
    const unit = this.#units.get(span);
    if (!unit) return;
    unit.isNotable ||= isNotable(span);
    if (unit.fate === "kept") return this.#keep(span);
    if (unit.fate === "dropped") return;
    const isRoot = (span as unknown) === unit.root;
    // The root describes the whole unit, so it is kept even without room.
    if (isRoot || unit.waiting.length < UNIT_SPANS_MAX) unit.waiting.push(span);
    if (!isRoot) return;
    const keeps = (unit.isNotable || this.#isSlow(span)) && this.#mayKeep();
    unit.fate = keeps ? "kept" : "dropped";
    if (keeps) for (const waiting of unit.waiting) this.#keep(waiting);
    unit.waiting = [];
  }

  async forceFlush(): Promise<void> {
    await this.#exporting.forceFlush();
  }

  /**
   * Ends the exporter. Spans that can no longer be sent are lost: the SDK would not wait for the last metrics
   * if this failed.
   */
  async shutdown(): Promise<void> {
    await this.#exporting.shutdown().catch((error: unknown) => diag.error("the last spans are lost", error));
  }

  #isSlow({ duration: [seconds, nanoseconds] }: ReadableSpan): boolean {
    return seconds * 1_000 + nanoseconds / 1_000_000 > this.#options.slowAfterMs;
  }

  #mayKeep(): boolean {
    const second = Math.floor(this.#options.now() / 1_000);
    if (second !== this.#second) this.#keptInSecond = 0;
    this.#second = second;
    return this.#keptInSecond++ < this.#options.keptPerSecondMax;
  }

  /**
   * The span is exported, so it is marked as sampled; calls already sent to other processes are not changed.
   */
  #keep(span: ReadableSpan): void {
    const spanContext = { ...span.spanContext(), traceFlags: TraceFlags.SAMPLED };
    this.#exporting.onEnd(Object.create(span, { spanContext: { value: () => spanContext } }));
  }
}

/** More than any unit of ours has; a batch links to its members instead of containing them. */
const UNIT_SPANS_MAX = 64;

type Unit = {
  root: ApiSpan;
  waiting: ReadableSpan[];
  fate: "open" | "kept" | "dropped";
  isNotable: boolean;
};

function isSampled(span: Pick<ReadableSpan, "spanContext">): boolean {
  return (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
}

function isNotable({ status, attributes }: ReadableSpan): boolean {
  const outcome = attributes["holdfast.outcome"];
  return status.code === SpanStatusCode.ERROR || outcome === UNKNOWN_OUTCOME || outcome === SETTLED_OUTCOME;
}
