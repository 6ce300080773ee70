/**
 * The dispatcher's comparison: one process that only signs and posts the same bytes over warm TLS
 * connections, a number of them in parallel. No bus, no database, no fairness, no bounds. It prints its
 * figures as one JSON line.
 */
import { randomUUIDv7 } from "node:crypto";
import { parseArgs } from "node:util";
import { exampleBody } from "./example-body.ts";
import { sharedClockUs } from "./figures.ts";
import { createSignAndPost } from "./sign-and-post.ts";

export type BareLoopResult = {
  warmedUp: number;
  delivered: number;
  startedAtUs: number;
  endedAtUs: number;
  cpuMs: number;
};

const { values } = parseArgs({
  options: {
    urls: { type: "string", default: "" },
    "ca-file": { type: "string", default: "" },
    "in-flight": { type: "string", default: "1" },
    seconds: { type: "string", default: "4" },
  },
});

/** The length equals a generated secret's. */
const secret = `whs_${"s".repeat(43)}`;
const urls = values.urls.split(",");
const inFlight = Number(values["in-flight"]);
const signAndPost = createSignAndPost({
  caFile: values["ca-file"],
  connectionsMax: Math.ceil(inFlight / urls.length),
});

// Connections are opened and the code is compiled before anything counts.
const warmedUp = await postFor(1, "warm-up");
const before = process.cpuUsage();
const startedAtUs = sharedClockUs();
const delivered = await postFor(Number(values.seconds), "bare-loop");
const endedAtUs = sharedClockUs();
const { user, system } = process.cpuUsage(before);
const result: BareLoopResult = {
  warmedUp,
  delivered,
  startedAtUs,
  endedAtUs,
  cpuMs: (user + system) / 1_000,
};
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));

async function postFor(seconds: number, path: string): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let delivered = 0;
  const loop = async (index: number) => {
    for (let turn = index; performance.now() < end; turn++) {
      const eventId = randomUUIDv7();
      const status = await signAndPost({
        url: `${urls[turn % urls.length]}/${path}`,
        secret,
        eventId,
        eventType: "payment.status_changed",
        body: exampleBody(eventId),
      });
      if (status !== 200) throw new Error(`answered ${status}`);
      delivered++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, (_, index) => loop(index)));
  return delivered;
}
