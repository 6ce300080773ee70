import { resolve } from "node:path";
import { bundle } from "@holdfast/bundle";
import { EVENT_SOURCES, eventSubject, GATEWAY_LISTENERS, inboxPrefix } from "@holdfast/contracts";
import { runMerchantDay } from "@holdfast/demo";
import { connectBus } from "@holdfast/messaging";
import { serviceDefinitions } from "@holdfast/sandbox";
import { eventually } from "../support/index.ts";
import { expect, onTestFinished, test } from "vitest";
import { runSandbox } from "../e2e/running-sandbox.ts";
import { NEWER_FIELD } from "./newer-fields.ts";

// The next release does not exist yet, so HEAD with one more field in each of its messages takes its place.
test("each service works beside newer ones: what it does not know of their messages, it leaves alone", async () => {
  const newerVersion = import.meta.resolve("./newer-version.ts");
  const { file } = await runSandbox({
    // A bundle has its own copy of the module that `newer-version.ts` changes.
    programs: async () => ({ ...(await bundle()), holdfast: resolve("tools/holdfast/src/main.ts") }),
    services: serviceDefinitions.map((service) => ({
      ...service,
      environment: (surroundings) => ({
        ...service.environment(surroundings),
        NODE_OPTIONS: `--import=${newerVersion}`,
      }),
    })),
  });
  const newer = await watchBus(file.natsUrl);
  let printed = "";
  await runMerchantDay(file, (text) => (printed += text));

  const [person] = file.staff;
  const seen = await fetch(`${file.staffUrl}/staff/payments`, {
    headers: { Authorization: `Bearer ${person!.token}` },
  });
  expect(seen.status).toBe(200);
  expect(await seen.text(), "it reaches nobody of the merchant's staff").not.toContain(NEWER_FIELD);

  // The demo has a checkout with 3-D Secure, a capture, a refund with its approval, and each one's webhook.
  expect(printed.match(/^webhook <- \S+  verified/gm)).toHaveLength(4);
  expect(printed, "it reaches no merchant").not.toContain(NEWER_FIELD);
  await eventually(() =>
    expect([...newer]).toEqual(
      expect.arrayContaining([
        "payments.pay-checkout",
        "payments.complete",
        "payments.pre-authorize",
        "payments.capture",
        "payments.reserve-refund",
        "refunds.request",
        "refunds.approve",
        // The day has no bank's file, and so no event of settlement's.
        ...EVENT_SOURCES.flatMap((source) =>
          source === "settlement" ? [] : [eventSubject(source), `${source}.confirm-events`],
        ),
        ...GATEWAY_LISTENERS.map(inboxPrefix),
        inboxPrefix("refunds"),
        inboxPrefix("webhook-dispatcher"),
      ]),
    ),
  );
});

/** The subjects on which newer messages were seen; for replies, the owner of the inbox. */
async function watchBus(natsUrl: string): Promise<ReadonlySet<string>> {
  const { nats } = await connectBus({ url: natsUrl, name: "version skew" });
  onTestFinished(() => nats.close());
  const seen = new Set<string>();
  nats.subscribe(">", {
    callback: (_error, { subject, headers }) => {
      if (headers?.has("Holdfast-Newer"))
        seen.add(subject.startsWith("_INBOX") ? subject.split(".")[0]! : subject);
    },
  });
  await nats.flush();
  return seen;
}
