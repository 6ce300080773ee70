import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  createAlwaysRecordSampler,
  InMemorySpanExporter,
  NoopSpanProcessor,
  SimpleSpanProcessor,
  TracerProvider,
  type Sampler,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { TailSamplingProcessor } from "./tail-sampling-processor.ts";

/** Everything is recorded; the test looks at the spans that reach the exporter. */
function start({
  sampler = new AlwaysOffSampler(),
  keptPerSecondMax = 10,
  exporter = new InMemorySpanExporter(),
  exporting = new SimpleSpanProcessor({ exporter }),
}: {
  sampler?: Sampler;
  keptPerSecondMax?: number;
  exporter?: InMemorySpanExporter;
  exporting?: SpanProcessor;
} = {}) {
  let clock = 0;
  const processor = new TailSamplingProcessor({
    slowAfterMs: 1_000,
    keptPerSecondMax,
    now: () => clock,
  });
  processor.exportTo(exporting);
  const provider = new TracerProvider({
    sampler: createAlwaysRecordSampler(sampler),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer("test");
  return {
    processor,
    begin: (name: string, parent: Context = ROOT_CONTEXT) =>
      tracer.startSpan(name, { kind: SpanKind.SERVER, startTime: AT }, parent),
    exported: () => exporter.getFinishedSpans().map(({ name }) => name),
    flags: () => exporter.getFinishedSpans().map((span) => span.spanContext().traceFlags),
    later: (ms: number) => {
      clock += ms;
    },
  };
}

const AT = 1_790_000_000_000;
const within = (span: Span) => trace.setSpan(context.active(), span);
const end = (span: Span, tookMs = 5) => span.end(AT + tookMs);
const fail = (span: Span) => span.setStatus({ code: SpanStatusCode.ERROR });

test("a unit that ends well and soon leaves nothing", () => {
  const { begin, exported } = start();
  const root = begin("root");
  end(begin("child", within(root)));
  end(root);
  expect(exported()).toEqual([]);
});

test.each<[string, (root: Span, child: Span) => void]>([
  ["fails", (root) => fail(root)],
  ["has a part that failed", (_root, child) => fail(child)],
  ["does not know its outcome", (root) => root.setAttribute("holdfast.outcome", "unknown")],
  ["finds out an outcome", (root) => root.setAttribute("holdfast.outcome", "settled")],
])("a unit that %s is kept whole, and says that it was sampled", (_case, notable) => {
  const { begin, exported, flags } = start();
  const root = begin("root");
  const child = begin("child", within(root));
  const grandchild = begin("grandchild", within(child));
  notable(root, child);
  end(grandchild);
  end(child);
  end(root);
  expect(exported()).toEqual(["grandchild", "child", "root"]);
  expect(flags()).toEqual([1, 1, 1]);
});

test("a unit that was slow is kept", () => {
  const { begin, exported } = start();
  end(begin("quick"), 1_000);
  end(begin("slow"), 1_001);
  expect(exported()).toEqual(["slow"]);
});

test("what ends after its unit shares its fate", () => {
  const { begin, exported } = start();
  for (const fails of [true, false]) {
    const root = begin("root");
    const late = begin(`late of ${fails}`, within(root));
    if (fails) fail(root);
    end(root);
    end(late);
  }
  expect(exported()).toEqual(["root", "late of true"]);
});

test("a unit under a span of another process is a unit of its own", () => {
  const { begin, exported } = start();
  const remote = { traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 0, isRemote: true };
  const root = begin("root", trace.setSpanContext(ROOT_CONTEXT, remote));
  fail(root);
  end(root);
  expect(exported()).toEqual(["root"]);
});

test("what the ratio has chosen is not kept waiting", () => {
  const { begin, exported } = start({ sampler: new AlwaysOnSampler() });
  const root = begin("root");
  end(begin("child", within(root)));
  expect(exported()).toEqual(["child"]);
});

test("only so many a second are kept for how they ended", () => {
  const { begin, exported, later } = start({ keptPerSecondMax: 2 });
  const failing = () => {
    const root = begin("root");
    fail(root);
    end(root);
  };
  for (let each = 0; each < 5; each++) failing();
  expect(exported()).toHaveLength(2);
  later(1_000);
  failing();
  expect(exported()).toHaveLength(3);
});

test("a unit holds a bounded number of spans", () => {
  const { begin, exported } = start();
  const root = begin("root");
  for (let each = 0; each < 1_000; each++) end(begin("child", within(root)));
  fail(root);
  end(root);
  expect(exported()).toHaveLength(65);
  expect(exported()).toContain("root");
});

test("last spans that cannot be sent do not fail the end, which would cut the last metrics short", async () => {
  const { processor } = start({ exporting: new RefusingProcessor() });
  await expect(processor.shutdown()).resolves.toBeUndefined();
});

class RefusingProcessor extends NoopSpanProcessor {
  override async shutdown(): Promise<void> {
    throw new Error("no collector");
  }
}
