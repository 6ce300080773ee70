import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { startPeriodicTask } from "@holdfast/service-runtime";
import { captureLog, eventually, type LogLine } from "@holdfast/tests/support";
import { Kysely, PostgresDialect, sql } from "kysely";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { append, auditedDatabase, withLog } from "../test/audited-database.ts";
import { auditHeadIn, type AuditHead } from "./audit-head.ts";
import type { AuditDatabase } from "./audit-log.ts";
import type { AuditSettings } from "./audit-settings.ts";
import { nudgeAfterEach, watchAuditHead } from "./watch-audit-head.ts";

/** A service that watches the log of refunds, which has two entries. */
async function watching({
  settings = {},
  intervalMs = 3_600_000,
}: { settings?: AuditSettings; intervalMs?: number } = {}) {
  const database = await auditedDatabase();
  const pool = new Pool({ connectionString: database.urls.refunds.app });
  const db = new Kysely<AuditDatabase>({ dialect: new PostgresDialect({ pool }) });
  const { log, lines } = captureLog("refunds");
  const watch = watchAuditHead({ db, chain: "refunds", settings, log, intervalMs });
  onTestFinished(async () => {
    await watch.stop(1_000);
    await db.destroy();
  });
  await eventually(() => expect(headsOf(lines)).toMatchObject([{ sequence: 2 }]));
  /** Appends as an operator's command does. */
  const [command] = nudgeAfterEach(watch, [{ handle: (actor: string) => append(db, actor) }]);
  return { database, db, lines, watch, appendAndLook: command!.handle };
}

/** The heads that `verify-audit --anchors` finds in the lines. */
function headsOf(lines: LogLine[]): AuditHead[] {
  return lines.flatMap((line) =>
    line["msg"] === "audit head" ? (auditHeadIn(JSON.stringify(line)) ?? []) : [],
  );
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
const OK: Answer = (response) => void response.writeHead(201).end("thank you");

/** A sink that answers in these manners, one after another, and then takes everything. */
async function startSink(...manners: Answer[]) {
  const taken: { head: AuditHead; authorization: string | undefined }[] = [];
  let attempts = 0;
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = (await request.toArray()).join("");
    attempts++;
    const answer = manners.shift() ?? OK;
    if (answer === OK) {
      const head = auditHeadIn(body)!;
      taken.push({ head, authorization: request.headers.authorization });
    }
    answer(response, request);
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/heads`;
  return { url, taken, attempts: () => attempts };
}

test("the head is in the log at the start and after an append, once each", async () => {
  const { db, lines, watch, appendAndLook } = await watching();
  await appendAndLook("alice");
  await eventually(() => expect(headsOf(lines).map(({ sequence }) => sequence)).toEqual([2, 3]));
  watch.nudge();
  await appendAndLook("bora");
  await eventually(() => expect(headsOf(lines).map(({ sequence }) => sequence)).toEqual([2, 3, 4]));
  const newest = await db
    .selectFrom("audit_entry")
    .selectAll()
    .orderBy("sequence", "desc")
    .executeTakeFirst();
  expect(headsOf(lines)[2]).toEqual({
    chain: "refunds",
    sequence: 4,
    hash: newest!.hash.toString("hex"),
    at: newest!.at.toISOString(),
  });
  expect(lines).toContainEqual(
    expect.objectContaining({ level: "info", service: "refunds", msg: "audit head" }),
  );
});

test("however many are appended, a second has one line at most, and the last of them has the newest head", async () => {
  const { lines, appendAndLook } = await watching();
  let seconds = 0;
  const { log } = captureLog("test");
  const round = async () => void seconds++;
  // It stands still with the machine, as the watch does.
  const clock = startPeriodicTask("seconds", { intervalMs: 1_000, round, log });
  onTestFinished(() => clock.stop(1_000));
  for (let count = 0; count < 50; count++) await appendAndLook(`operator ${count}`);
  await eventually(() => expect(headsOf(lines).at(-1)).toMatchObject({ sequence: 52 }));
  expect(headsOf(lines).length).toBeLessThanOrEqual(2 + seconds);
});

test("what another process appends is seen without a nudge", async () => {
  const { database, lines } = await watching({ intervalMs: 10 });
  await withLog(database, "refunds", (db) => append(db, "another process"));
  await eventually(() => expect(headsOf(lines).map(({ sequence }) => sequence)).toEqual([2, 3]));
});

test.each([
  ["rewritten", sql`update audit_entry set hash = sha256('other') where sequence = 2`],
  ["cut", sql`delete from audit_entry where sequence = 2`],
  ["emptied", sql`delete from audit_entry`],
])(
  "a chain that is %s under a running service is an error in its log, with the head that is gone",
  async (_, change) => {
    const { database, lines } = await watching({ intervalMs: 10 });
    const [before] = headsOf(lines);
    await withLog(database, "refunds", (db) => change.execute(db), "owner");
    await eventually(() =>
      expect(lines.filter(({ level }) => level === "error")).toMatchObject([
        { msg: "the audit log no longer contains this head", head: before },
      ]),
    );
  },
);

test("each head is posted to the sink, with its token", async () => {
  const sink = await startSink();
  const { lines, appendAndLook } = await watching({
    settings: { AUDIT_ANCHOR_URL: sink.url, AUDIT_ANCHOR_TOKEN: "sink-token" },
  });
  await appendAndLook("alice");
  await eventually(() => expect(sink.taken.map(({ head }) => head.sequence)).toEqual([2, 3]));
  expect(sink.taken.map(({ head }) => head)).toEqual(headsOf(lines));
  expect(sink.taken[0]).toMatchObject({ authorization: "Bearer sink-token" });
});

test("a sink that fails, redirects or hangs up is tried again, holds nothing up, and gets the newest head", async () => {
  const sink = await startSink(
    (response) => void response.writeHead(503).end(),
    (response) => void response.writeHead(307, { Location: "/elsewhere" }).end(),
    (_response, request) => void request.socket.destroy(),
  );
  const { lines, appendAndLook } = await watching({ settings: { AUDIT_ANCHOR_URL: sink.url } });
  const failures = () => lines.filter(({ msg }) => msg === "an audit head was not delivered");
  await eventually(() => expect(failures().length).toBeGreaterThanOrEqual(1));
  await appendAndLook("alice");
  await eventually(() => expect(headsOf(lines).at(-1)).toMatchObject({ sequence: 3 }));
  await eventually(() => expect(sink.taken.at(-1)?.head).toMatchObject({ sequence: 3 }));
  expect(failures()).toHaveLength(3);
  expect(sink.attempts()).toBe(4);
});

test("stopping waits for no sink", async () => {
  let isCutOff = false;
  const sink = await startSink(
    (_response, request) => void request.socket.once("close", () => (isCutOff = true)),
  );
  const { lines, watch } = await watching({ settings: { AUDIT_ANCHOR_URL: sink.url } });
  await eventually(() => expect(sink.attempts()).toBe(1));
  const failures = () => lines.filter(({ msg }) => msg === "an audit head was not delivered");
  const before = failures();
  await watch.stop(60_000);
  await eventually(() => isCutOff);
  // The stop has ended the call, and not the call's own time-out.
  expect(failures()).toEqual(before);
});
