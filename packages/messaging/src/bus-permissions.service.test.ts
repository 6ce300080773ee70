import { rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as contracts from "@holdfast/contracts";
import { installEventStream, keepEventStream } from "@holdfast/installation";
import { requireConsumer } from "@holdfast/outbox";
import { eventually, startTestNats, type TestNats } from "@holdfast/tests/support";
import { PermissionViolationError } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { connectBus, type Bus } from "./connect.ts";
import { natsUsersConfig } from "./nats-users-config.ts";
import { ServingRefusedError } from "./queue-group.ts";
import { handler, serve, type Handled } from "./serve.ts";

// The matrix is written by hand, by the users that have to reach each other: the rights derived from the contracts are
// under test. M gateway-merchant, O gateway-operator, B gateway-public (for browsers), F gateway-staff, P payments, R
// refunds, W webhook-dispatcher, S settlement, I installation, K stream-keeper: [subject, who may publish, who may
// subscribe].
const MATRIX: [subject: string, publish: string, subscribe: string][] = [
  // Merchants', operators' and browsers' commands come from the gateway's listener for them, and from no other.
  ["payments.pre-authorize", "M", "P"],
  ["payments.sell", "M", "P"],
  ["payments.capture", "M", "P"],
  ["payments.cancel", "M", "P"],
  ["payments.open-checkout", "M", "P"],
  ["payments.read-checkout", "M", "P"],
  ["payments.cancel-checkout-of-merchant", "M", "P"],
  ["payments.make-payment-link", "M", "P"],
  ["payments.read-payment-link", "M", "P"],
  ["payments.read-payment-links", "M", "P"],
  ["payments.end-payment-link", "M", "P"],
  ["payments.view-payment-link", "B", "P"],
  ["payments.begin-payment-link", "B", "P"],
  ["payments.view-checkout", "B", "P"],
  ["payments.cancel-checkout", "B", "P"],
  ["payments.inspect-checkout-card", "B", "P"],
  ["payments.pay-checkout", "B", "P"],
  ["payments.enrol", "M", "P"],
  ["payments.complete", "B", "P"],
  ["payments.read-session", "B", "P"],
  ["payments.take-bank-notification", "B", "P"],
  ["payments.get", "M", "P"],
  ["payments.look-up-bin", "M", "P"],
  ["payments.list-of-merchant", "M", "P"],
  ["payments.list-checkouts", "M", "P"],
  ["payments.list-for-operator", "O", "P"],
  ["payments.figures", "O", "P"],
  ["payments.describe", "O", "P"],
  ["payments.inquire", "O", "P"],
  ["payments.reverse", "O", "P"],
  ["payments.resolve", "O", "P"],
  ["payments.audit-log", "O", "P"],
  ["payments.list-proposals", "O", "P"],
  ["payments.agree-to-refund", "O", "P"],
  ["payments.make-account", "O", "P"],
  ["payments.read-accounts", "O", "P"],
  ["payments.read-protocols", "O", "P"],
  ["payments.alter-account", "O", "P"],
  ["payments.confirm-account", "O", "P"],
  ["payments.probe-account", "O", "P"],
  ["payments.read-installment-prices", "O", "P"],
  ["payments.replace-installment-prices", "O", "P"],
  ["payments.read-routes", "O", "P"],
  ["payments.replace-routes", "O", "P"],
  ["payments.confirm-routes", "O", "P"],
  ["refunds.request", "M", "R"],
  ["refunds.get", "M", "R"],
  ["refunds.request-for-merchant", "O", "R"],
  ["refunds.list-of-merchant", "M", "R"],
  ["refunds.list-for-operator", "O", "R"],
  ["refunds.describe", "O", "R"],
  ["refunds.approve", "O", "R"],
  ["refunds.reject", "O", "R"],
  ["refunds.inquire", "O", "R"],
  ["refunds.resolve", "O", "R"],
  ["refunds.audit-log", "O", "R"],
  ["refunds.list-proposals", "O", "R"],
  ["webhooks.put-endpoint", "O", "W"],
  ["webhooks.rotate-secret", "O", "W"],
  ["webhooks.activate-secret", "O", "W"],
  ["webhooks.test-endpoint", "O", "W"],
  ["webhooks.list-own-endpoints", "M", "W"],
  ["webhooks.try-own-endpoint", "M", "W"],
  ["webhooks.create-own-endpoint", "M", "W"],
  ["webhooks.change-own-endpoint", "M", "W"],
  ["webhooks.read-own-hours", "M", "W"],
  ["webhooks.remove-own-endpoint", "M", "W"],
  ["webhooks.rotate-own-secret", "M", "W"],
  ["webhooks.activate-own-secret", "M", "W"],
  ["webhooks.list-failing-endpoints", "O", "W"],
  ["webhooks.list-endpoints", "O", "W"],
  ["webhooks.set-management", "O", "W"],
  ["webhooks.read-endpoint-hours", "O", "W"],
  ["webhooks.create-endpoint", "O", "W"],
  ["webhooks.change-endpoint", "O", "W"],
  ["webhooks.remove-endpoint", "O", "W"],
  ["webhooks.list-deliveries", "O", "W"],
  ["webhooks.get-delivery", "O", "W"],
  ["webhooks.read-body", "O", "W"],
  ["webhooks.redeliver", "O", "W"],
  ["webhooks.redeliver-failed", "O", "W"],
  ["webhooks.audit-log", "O", "W"],
  ["settlement.audit-log", "O", "S"],
  ["settlement.list-proposals", "O", "S"],
  ["settlement.list-imports", "O", "S"],
  ["settlement.list-statements", "O", "S"],
  ["settlement.list-merchant-statements", "M", "S"],
  ["settlement.begin-upload", "O", "S"],
  ["settlement.add-upload-part", "O", "S"],
  ["settlement.confirm-import", "O", "S"],
  ["settlement.refuse-import", "O", "S"],
  ["settlement.end-upload", "O", "S"],
  ["settlement.preview-upload", "O", "S"],
  ["settlement.describe-import", "O", "S"],
  ["settlement.list-differences", "O", "S"],
  ["settlement.describe-difference", "O", "S"],
  ["settlement.payment-settlement", "O", "S"],
  ["settlement.note-difference", "O", "S"],
  ["settlement.close-difference", "O", "S"],
  ["payments.open-chargeback", "O", "P"],
  ["payments.change-chargeback", "O", "P"],
  ["payments.decide-chargeback", "O", "P"],
  ["payments.begin-evidence", "O", "P"],
  ["payments.add-evidence-part", "O", "P"],
  ["payments.read-evidence-part", "O", "P"],
  ["payments.describe-chargeback", "O", "P"],
  ["payments.list-chargebacks", "O", "P"],
  // Merchants' staff have subjects of their own, which carry the proof of who asks.
  ["payments.staff-list-for-operator", "F", "P"],
  ["payments.staff-figures", "F", "P"],
  ["payments.staff-list-chargebacks", "F", "P"],
  ["payments.staff-describe", "F", "P"],
  ["payments.staff-audit-log", "F", "P"],
  ["payments.staff-list-checkouts", "F", "P"],
  ["payments.staff-read-checkout", "F", "P"],
  ["payments.staff-read-payment-link", "F", "P"],
  ["payments.staff-read-payment-links", "F", "P"],
  ["payments.staff-capture", "F", "P"],
  ["payments.staff-cancel", "F", "P"],
  ["payments.staff-make-payment-link", "F", "P"],
  ["payments.staff-end-payment-link", "F", "P"],
  ["refunds.staff-list-for-operator", "F", "R"],
  ["refunds.staff-describe", "F", "R"],
  ["refunds.staff-request-for-merchant", "F", "R"],
  ["settlement.staff-list-merchant-statements", "F", "S"],
  ["webhooks.staff-list-endpoints", "F", "W"],
  ["webhooks.staff-read-endpoint-hours", "F", "W"],
  ["webhooks.staff-list-deliveries", "F", "W"],
  ["webhooks.staff-get-delivery", "F", "W"],
  ["webhooks.staff-read-body", "F", "W"],
  ["webhooks.staff-put-endpoint", "F", "W"],
  ["webhooks.staff-create-endpoint", "F", "W"],
  ["webhooks.staff-change-endpoint", "F", "W"],
  ["webhooks.staff-remove-endpoint", "F", "W"],
  ["webhooks.staff-rotate-secret", "F", "W"],
  ["webhooks.staff-activate-secret", "F", "W"],
  ["webhooks.staff-test-endpoint", "F", "W"],
  ["webhooks.staff-redeliver", "F", "W"],
  ["webhooks.staff-redeliver-failed", "F", "W"],
  // Only the settlement service reports chargebacks, and it has no other command here.
  ["payments.record-chargeback-lines", "S", "P"],
  // Only the settlement service reads the feeds of movements, and it has no other read here.
  ["payments.movements", "S", "P"],
  ["payments.settling-accounts", "S", "P"],
  ["refunds.movements", "S", "R"],
  // Only the refunds service may reserve and release a refund's amount.
  ["payments.reserve-refund", "R", "P"],
  ["payments.settle-refund", "R", "P"],
  ["payments.release-refund", "R", "P"],
  // Only the refunds service may have a refund carried out at the bank.
  ["payments.carry-out-refund", "R", "P"],
  ["payments.inquire-refund", "R", "P"],
  ["payments.read-refund-sending", "R", "P"],
  ["payments.refundable-amounts", "R", "P"],
  ["payments.refund-reservations", "R", "P"],
  // The owners of events and the dispatcher reach each other.
  ["webhooks.missing-events", "PRS", "W"],
  ["payments.confirm-events", "W", "P"],
  ["refunds.confirm-events", "W", "R"],
  ["settlement.confirm-events", "W", "S"],
  ["events.payments.payment.status_changed", "P", ""],
  ["events.refunds.payment.status_changed", "R", ""],
  ["events.settlement.payment.status_changed", "S", ""],
  ["events.payments.other", "", ""],
  ["gateway.credentials.changed", "O", "M"],
  // The staff's listener makes no key itself.
  ["gateway.staff-make-credential", "F", "O"],
  ["gateway.staff-end-credential", "F", "O"],
  ["gateway.make-credential", "", "O"],
  ["gateway.end-credential", "", "O"],
  ["payments.refund.notified", "P", "R"],
  // The operator API exchanges these with every replica of every service, and nobody else does.
  ["gateway.log-level.changed", "O", "MOBFPRWS"],
  ["gateway.log-level.asked", "O", "MOBFPRWS"],
  ["gateway.log-level.reported", "MOBFPRWS", "O"],
  ["gateway.other", "", ""],
  ["payments.other", "", ""],
  ["elsewhere", "", ""],
  // Answers go to the senders. No user may subscribe to another user's inboxes, or to inboxes of clients
  // without a user.
  ["_INBOX_gateway-merchant.abc.1", "PRWS", "M"],
  ["_INBOX_gateway-operator.abc.1", "PRWS", "O"],
  ["_INBOX_gateway-public.abc.1", "P", "B"],
  ["_INBOX_gateway-staff.abc.1", "PRWSO", "F"],
  ["_INBOX_payments.abc.1", "W", "P"],
  ["_INBOX_refunds.abc.1", "PW", "R"],
  ["_INBOX_webhook-dispatcher.abc.1", "PRS", "W"],
  ["_INBOX_settlement.abc.1", "PRW", "S"],
  ["_INBOX_installation.abc.1", "", "I"],
  ["_INBOX_stream-keeper.abc.1", "", "K"],
  ["_INBOX_observer.abc.1", "PRWSO", ""],
  ["_INBOX.abc.1", "PRWSO", ""],
  // JetStream: the installation and the keeper create stream and consumer, and only the installation changes
  // the stream. The others read its state, and only the reader pulls.
  ["$JS.API.INFO", "PRWSIK", ""],
  ["$JS.API.STREAM.INFO.EVENTS", "PRWSIK", ""],
  ["$JS.API.STREAM.CREATE.EVENTS", "IK", ""],
  ["$JS.API.STREAM.UPDATE.EVENTS", "I", ""],
  ["$JS.API.STREAM.CREATE.OTHER", "", ""],
  ["$JS.API.STREAM.UPDATE.OTHER", "", ""],
  ["$JS.API.STREAM.INFO.OTHER", "", ""],
  ["$JS.API.STREAM.LIST", "", ""],
  ["$JS.API.STREAM.NAMES", "", ""],
  ["$JS.API.STREAM.DELETE.EVENTS", "", ""],
  ["$JS.API.STREAM.PURGE.EVENTS", "", ""],
  ["$JS.API.STREAM.MSG.GET.EVENTS", "", ""],
  ["$JS.API.STREAM.MSG.DELETE.EVENTS", "", ""],
  ["$JS.API.STREAM.SNAPSHOT.EVENTS", "", ""],
  ["$JS.API.STREAM.RESTORE.EVENTS", "", ""],
  ["$JS.API.STREAM.LEADER.STEPDOWN.EVENTS", "", ""],
  ["$JS.API.DIRECT.GET.EVENTS", "", ""],
  ["$JS.API.CONSUMER.CREATE.EVENTS", "", ""],
  ["$JS.API.CONSUMER.CREATE.EVENTS.other", "", ""],
  ["$JS.API.CONSUMER.CREATE.EVENTS.webhook-dispatcher", "IK", ""],
  ["$JS.API.CONSUMER.CREATE.EVENTS.webhook-dispatcher.events.>", "", ""],
  ["$JS.API.CONSUMER.DURABLE.CREATE.EVENTS.webhook-dispatcher", "", ""],
  ["$JS.API.CONSUMER.INFO.EVENTS.webhook-dispatcher", "WIK", ""],
  ["$JS.API.CONSUMER.MSG.NEXT.EVENTS.webhook-dispatcher", "W", ""],
  ["$JS.API.CONSUMER.MSG.NEXT.EVENTS.other", "", ""],
  ["$JS.API.CONSUMER.DELETE.EVENTS.webhook-dispatcher", "", ""],
  ["$JS.API.CONSUMER.PAUSE.EVENTS.webhook-dispatcher", "", ""],
  ["$JS.API.CONSUMER.LIST.EVENTS", "", ""],
  ["$JS.API.CONSUMER.NAMES.EVENTS", "", ""],
  ["$JS.ACK.EVENTS.webhook-dispatcher.1.1.1.1.0", "W", ""],
  ["$JS.ACK.EVENTS.other.1.1.1.1.0", "", ""],
  ["$JS.EVENT.ADVISORY.API", "", ""],
  // Subjects of the server itself.
  ["$SYS.REQ.SERVER.PING", "", ""],
  ["$SYS.REQ.USER.INFO", "", ""],
  ["$SYS.ACCOUNT.$G.CONNECT", "", ""],
  ["$SRV.PING", "", ""],
];

/** Subscriptions to many subjects at once. */
const WILDCARDS: [subject: string, subscribe: string][] = [
  [">", ""],
  ["*", ""],
  ["*.*", ""],
  ["*.pre-authorize", ""],
  ["payments.>", ""],
  ["payments.*", ""],
  ["refunds.>", ""],
  ["webhooks.>", ""],
  ["gateway.>", ""],
  ["events.>", ""],
  ["$JS.>", ""],
  ["$JS.API.>", ""],
  ["$JS.ACK.>", ""],
  ["$SYS.>", ""],
  ["$SRV.>", ""],
  ["_INBOX.>", ""],
  ["_INBOX_api-gateway.>", ""],
  ["_INBOX_*.>", ""],
  ["_INBOX_gateway-merchant.>", "M"],
  ["_INBOX_gateway-operator.>", "O"],
  ["_INBOX_gateway-public.>", "B"],
  ["_INBOX_gateway-staff.>", "F"],
  ["_INBOX_payments.>", "P"],
  ["_INBOX_refunds.>", "R"],
  ["_INBOX_webhook-dispatcher.>", "W"],
  ["_INBOX_settlement.>", "S"],
  ["_INBOX_installation.>", "I"],
  ["_INBOX_stream-keeper.>", "K"],
  ["_INBOX_observer.>", ""],
];

const USERS = {
  M: "gateway-merchant",
  O: "gateway-operator",
  B: "gateway-public",
  F: "gateway-staff",
  P: "payments",
  R: "refunds",
  W: "webhook-dispatcher",
  S: "settlement",
  I: "installation",
  K: "stream-keeper",
} as const;
const letters = Object.keys(USERS) as (keyof typeof USERS)[];

let dir: string;
let nats: TestNats;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-permissions-"));
  const configFile = join(dir, "nats-server.conf");
  writeFileSync(configFile, natsUsersConfig({ password: (user) => `"of ${user}"`, observed: true }));
  nats = await startTestNats({ configFile });
});
afterAll(async () => {
  await nats.stop();
  rmSync(dir, { recursive: true });
});

async function connectAs(user: string): Promise<Bus> {
  const bus = await connectBus({ url: nats.url, name: user, user, password: `of ${user}` });
  onTestFinished(() => bus.close(500));
  return bus;
}

/** Collects the server's refusals while `attempt` runs, as `publish <subject>` and `subscription <subject>`. */
async function refusals(bus: Bus, attempt: () => void): Promise<Set<string>> {
  const refused = new Set<string>();
  void (async () => {
    for await (const status of bus.nats.status()) {
      if (status.type !== "error" || !(status.error instanceof PermissionViolationError)) continue;
      refused.add(`${status.error.operation} ${status.error.subject}`);
    }
  })();
  attempt();
  // The server answers in order: when this one was refused, all before it have been judged.
  bus.nats.publish("the.last.one");
  await eventually(() => expect(refused).toContain("publish the.last.one"));
  refused.delete("publish the.last.one");
  return refused;
}

const logins = letters.flatMap((letter) =>
  contracts.busLoginsOf(USERS[letter]).map((login) => ({ letter, login })),
);

describe.each(logins)("$login", ({ letter, login }) => {
  test("publishes what the table says, and nothing else", async () => {
    const bus = await connectAs(login);
    const refused = await refusals(bus, () => {
      for (const [subject] of MATRIX) bus.nats.publish(subject);
    });
    const expected = MATRIX.filter(([, publish]) => !publish.includes(letter));
    expect([...refused].toSorted()).toEqual(expected.map(([subject]) => `publish ${subject}`).toSorted());
  });

  test("subscribes to what the table says, and to nothing else", async () => {
    const bus = await connectAs(login);
    const rows = [...MATRIX.map(([subject, , subscribe]) => [subject, subscribe] as const), ...WILDCARDS];
    const refused = await refusals(bus, () => {
      for (const [subject] of rows) bus.nats.subscribe(subject, { callback: () => {} });
    });
    const expected = rows.filter(([, subscribe]) => !subscribe.includes(letter));
    expect([...refused].toSorted()).toEqual(
      expected.map(([subject]) => `subscription ${subject}`).toSorted(),
    );
  });
});

test.each(letters.filter((letter) => letter !== "I"))(
  "%s cannot hear, copy or change anything through JetStream",
  async (letter) => {
    const observer = await connectAs("observer");
    await useStream(observer);
    const bus = await connectAs(USERS[letter]);
    const mine = `_INBOX_${USERS[letter]}.spy`;
    const heard: string[] = [];
    bus.nats.subscribe(mine, { callback: (_error, message) => void heard.push(message.string()) });
    const calls = attacksByJetStream(mine);
    const mayAsk = new Set(
      MATRIX.filter(([, publish]) => publish.includes(letter)).map(([subject]) => subject),
    );
    const refused = await refusals(bus, () => {
      for (const [call, body] of calls) bus.nats.publish(call, JSON.stringify(body), { reply: mine });
    });
    expect([...refused].toSorted()).toEqual(
      [...new Set(calls.map(([call]) => call))]
        .filter((call) => !mayAsk.has(call))
        .map((call) => `publish ${call}`)
        .toSorted(),
    );

    // JetStream refuses the keeper's requests, since stream and consumer exist. No message of others reaches
    // it, and the stream's settings are unchanged.
    observer.nats.publish("payments.get", "secret");
    await observer.nats.request("events.payments.payment.status_changed", "secret", { timeout: 60_000 });
    await bus.nats.flush();
    expect(heard).not.toContain("secret");
    await requireConsumer(observer.nats);
  },
);

test("the keeper's rights are enough to make a lost stream and a lost consumer again", async () => {
  const observer = await connectAs("observer");
  await useStream(observer);
  let made = 0;
  const keeper = await connectAs("stream-keeper");
  const kept = keepEventStream(keeper, SIZES, { intervalMs: 20, onMade: () => made++ });
  onTestFinished(() => kept.stop());
  for (const lost of ["STREAM.DELETE.EVENTS", "CONSUMER.DELETE.EVENTS.webhook-dispatcher"]) {
    const before = made;
    await observer.nats.request(`$JS.API.${lost}`, "", { timeout: 60_000 });
    await eventually(() => expect(made).toBe(before + 1));
    await requireConsumer(observer.nats);
  }
});

const SIZES = { replicas: 1, bytesMax: 10_000_000, ackWaitMs: 30_000 };

/** Makes the stream as the installation does, for the length of a test. */
async function useStream(observer: Bus): Promise<void> {
  await installEventStream(observer, SIZES);
  onTestFinished(
    async () => void (await observer.nats.request("$JS.API.STREAM.DELETE.EVENTS", "", { timeout: 60_000 })),
  );
}

/** Every call that could have the server deliver, copy, keep or lose messages. */
function attacksByJetStream(mine: string): [call: string, body: object][] {
  const stream = { name: "EVENTS", subjects: ["events.>"] };
  const everything = ["events.>", "payments.>", "refunds.>", "webhooks.>", "_INBOX_gateway-operator.>"];
  const copying = [
    { ...stream, republish: { src: ">", dest: mine } },
    { ...stream, subjects: everything, no_ack: true },
    { ...stream, sources: [{ name: "OTHER", external: { api: "$JS.API", deliver: mine } }] },
    { ...stream, mirror: { name: "OTHER" } },
    { ...stream, subject_transform: { src: "events.>", dest: mine } },
  ];
  const pushing = { name: "spy", deliver_subject: mine, ack_policy: "none" };
  const consumer = (config: object) => ({ stream_name: "EVENTS", config });
  const named = { ...pushing, name: "webhook-dispatcher", durable_name: "webhook-dispatcher" };
  const api = (call: string) => `$JS.API.${call}`;
  return [
    ...copying.flatMap((config): [string, object][] => [
      [api("STREAM.UPDATE.EVENTS"), config],
      [api("STREAM.CREATE.EVENTS"), config],
    ]),
    [api("STREAM.CREATE.SPY"), { name: "SPY", subjects: everything, no_ack: true }],
    [api("STREAM.CREATE.SPY"), { name: "SPY", sources: [{ name: "EVENTS" }] }],
    [
      api("STREAM.CREATE.SPY"),
      { name: "SPY", mirror: { name: "EVENTS" }, republish: { src: ">", dest: mine } },
    ],
    [api("CONSUMER.CREATE.EVENTS"), consumer(pushing)],
    [api("CONSUMER.CREATE.EVENTS.spy"), consumer(pushing)],
    [api("CONSUMER.CREATE.EVENTS.spy.events.>"), consumer({ ...pushing, filter_subject: "events.>" })],
    [api("CONSUMER.CREATE.EVENTS.webhook-dispatcher"), consumer(named)],
    [api("CONSUMER.DURABLE.CREATE.EVENTS.webhook-dispatcher"), consumer(named)],
    [api("CONSUMER.DELETE.EVENTS.webhook-dispatcher"), {}],
    [api("CONSUMER.PAUSE.EVENTS.webhook-dispatcher"), { pause_until: "2099-01-01T00:00:00Z" }],
    ...["STREAM.PURGE", "STREAM.DELETE", "STREAM.MSG.GET", "STREAM.MSG.DELETE", "DIRECT.GET"].map(
      (call): [string, object] => [api(`${call}.EVENTS`), { seq: 1 }],
    ),
    [api("STREAM.SNAPSHOT.EVENTS"), { deliver_subject: mine }],
    [api("STREAM.RESTORE.EVENTS"), { config: stream }],
  ];
}

test("every command and every event of the contracts has its row", () => {
  const rows = new Set(MATRIX.map(([subject]) => subject));
  const subjects = [
    ...contracts.ALL_COMMANDS.map(({ subject }) => subject),
    ...contracts.EVENT_SOURCES.map(contracts.eventSubject),
    ...contracts.NOTICES.map(({ subject }) => subject),
  ];
  expect(subjects.filter((subject) => !rows.has(subject))).toEqual([]);
});

test("every command that is exported counts among all commands", () => {
  const own = Object.values(contracts.operations).map((each) =>
    "command" in each ? each.command : undefined,
  );
  const exported = [...Object.values(contracts as Record<string, unknown>), ...own].filter(
    (value) => typeof value === "object" && value !== null && "subject" in value && "senders" in value,
  );
  expect(exported.length).toBeGreaterThan(30);
  expect(exported.filter((command) => !contracts.ALL_COMMANDS.includes(command as never))).toEqual([]);
});

test("who does not sign in, or with another one's password, is refused", async () => {
  for (const login of [{}, { user: "payments" }, { user: "payments", password: "of refunds" }]) {
    await expect(connectBus({ url: nats.url, name: "stranger", ...login })).rejects.toThrow(
      expect.objectContaining({ code: "bus_refused" }),
    );
  }
});

test("the observer sees everything, and is answered", async () => {
  const [observer, gateway] = [await connectAs("observer"), await connectAs("gateway-merchant")];
  const seen: string[] = [];
  observer.nats.subscribe(">", { callback: (_error, { subject }) => void seen.push(subject) });
  await observer.nats.flush();
  gateway.nats.publish("payments.get");
  await eventually(() => expect(seen).toContain("payments.get"));
  await servePayments();
  const answer = await observer.nats.request("payments.get", "", { timeout: 60_000 });
  expect(answer.headers?.get("Holdfast-Failure")).toBe("rejected");
});

/** Serves one command as the payments service. */
async function servePayments(handled: Handled[] = [], on?: Bus): Promise<void> {
  const bus = on ?? (await connectAs("payments"));
  const serving = await serve(bus, {
    service: "payments",
    permits: { external: 10, local: 10 },
    onHandled: (each) => handled.push(each),
    handlers: [handler(contracts.operations.getPayment.command, async () => ({ outcome: "not_started" }))],
  });
  onTestFinished(() => serving.stop(500));
}

test("a service under another one's user does not start", async () => {
  const bus = await connectAs("refunds");
  const serving = serve(bus, {
    service: "payments",
    permits: { external: 10, local: 10 },
    onHandled: () => {},
    handlers: [handler(contracts.operations.getPayment.command, async () => ({ outcome: "not_started" }))],
  });
  await expect(serving).rejects.toThrow(ServingRefusedError);
});

test("a subject refused after a restart of the bus is logged, makes its service unready, and is served once it may be", async () => {
  const ofPayments = natsUsersConfig({ password: (user) => `"of ${user}"`, observed: true });
  const configFile = join(dir, "narrower.conf");
  writeFileSync(configFile, ofPayments);
  const server = await startTestNats({ configFile });
  onTestFinished(() => server.stop());
  const statuses: string[] = [];
  const connectTo = async (user: string) => {
    const onStatus = (status: string) => statuses.push(`${user} ${status}`);
    const bus = await connectBus({ url: server.url, name: user, user, password: `of ${user}`, onStatus });
    onTestFinished(() => bus.close(500));
    return bus;
  };
  const [payments, gateway] = [await connectTo("payments"), await connectTo("gateway-merchant")];
  await servePayments([], payments);
  expect(payments.isReady).toBe(true);
  const restartWith = async (config: string) => {
    await server.kill();
    writeFileSync(configFile, config);
    await server.restart();
    await Promise.all([payments.connection(), gateway.connection()]);
  };
  await restartWith(ofPayments.replaceAll('"payments.get"', '"payments.gone"'));
  await eventually(() => expect(payments.unserved).toEqual(new Set(["payments.get"])));
  expect(statuses).toContain("payments refused: payments.get");
  expect(payments.isReady).toBe(false);
  await restartWith(ofPayments);
  await eventually(() => expect(payments.isReady).toBe(true));
  const answer = await gateway.nats.request("payments.get", "", { timeout: 60_000 });
  expect(answer.headers?.get("Holdfast-Failure")).toBe("rejected");
});

describe("the reply subject of a command", () => {
  const command = () =>
    JSON.stringify({
      context: {
        requestId: "r",
        deadlineAt: Date.now() + 5_000,
        merchant: { merchantId: crypto.randomUUID() },
      },
      payload: { paymentId: crypto.randomUUID() },
    });

  test("may be an inbox of the command's sender", async () => {
    await servePayments();
    const gateway = await connectAs("gateway-merchant");
    const answer = await gateway.nats.request("payments.get", command(), { timeout: 60_000 });
    expect(answer.json()).toEqual({ outcome: "not_started" });
  });

  // The payments service may publish to all of these subjects, and the server does not check a reply subject.
  test.each([
    "_INBOX_refunds.abc.1",
    "_INBOX_webhook-dispatcher.abc.1",
    "webhooks.missing-events",
    "events.payments.payment.status_changed",
    "$JS.API.STREAM.UPDATE.EVENTS",
  ])("is not aimed at %s: the command is not begun", async (reply) => {
    const handled: Handled[] = [];
    await servePayments(handled);
    const observer = await connectAs("observer");
    const answers: string[] = [];
    observer.nats.subscribe(reply, { callback: (_error, message) => void answers.push(message.string()) });
    await observer.nats.flush();
    const gateway = await connectAs("gateway-merchant");
    gateway.nats.publish("payments.get", command(), { reply });
    await eventually(() => expect(handled).toMatchObject([{ outcome: "rejected", context: undefined }]));
    await gateway.nats.request("payments.get", command(), { timeout: 60_000 });
    await observer.nats.flush();
    expect(answers).toEqual([]);
  });

  test("is not left out: the command is not begun", async () => {
    const handled: Handled[] = [];
    await servePayments(handled);
    const gateway = await connectAs("gateway-merchant");
    gateway.nats.publish("payments.get", command());
    await eventually(() => expect(handled).toMatchObject([{ outcome: "rejected", context: undefined }]));
  });

  // The server delivers as itself, which no permission limits.
  test.each([
    ["by what a consumer is set up to do", { republish: undefined, deliver: "payments.get" }],
    ["by what the stream is set up to do", { republish: "payments.get", deliver: undefined }],
  ])("is not JetStream's: a command that it delivers %s is not begun", async (_, { republish, deliver }) => {
    const handled: Handled[] = [];
    await servePayments(handled);
    const [installation, refunds] = [await connectAs("installation"), await connectAs("refunds")];
    const subject = "events.refunds.payment.status_changed";
    const ask = async (call: string, body: object) => {
      const text = JSON.stringify(body);
      const answer = await installation.nats.request(`$JS.API.${call}`, text, { timeout: 60_000 });
      expect(answer.json()).not.toHaveProperty("error");
    };
    await ask("STREAM.CREATE.EVENTS", {
      name: "EVENTS",
      subjects: ["events.>"],
      storage: "memory",
      ...(republish && { republish: { src: subject, dest: republish } }),
    });
    const observer = await connectAs("observer");
    onTestFinished(
      async () => void (await observer.nats.request("$JS.API.STREAM.DELETE.EVENTS", "", { timeout: 60_000 })),
    );
    if (deliver) {
      const name = "webhook-dispatcher";
      await ask(`CONSUMER.CREATE.EVENTS.${name}`, {
        stream_name: "EVENTS",
        config: {
          name,
          durable_name: name,
          ack_policy: "explicit",
          deliver_subject: deliver,
          deliver_group: "payments",
        },
      });
    }
    refunds.nats.publish(subject, command());
    await eventually(() =>
      expect(handled).toMatchObject([{ subject: "payments.get", outcome: "rejected", context: undefined }]),
    );
  });
});
