// Tools for test files that need the real PostgreSQL and NATS. vitest's configuration names the global set-up:
//
//   globalSetup: ["tests/support/global-setup.ts"]
//
// and a test file takes its own database, and, if it runs a service, its own nats-server:
//
//   const database = await createTestDatabase();      // database.urls.payments.app, .owner; database.drop()
//   const nats = await startTestNats();               // nats.url; nats.kill(), nats.restart(), nats.stop()
//   await eventually(() => expect(seen).toEqual([…]));
//
// A test of services takes all of it at once, with the bank and the services in its own process:
//
//   const system = await startTestSystem({ services: ["payments", "webhook-dispatcher"] });
//   await system.call(preAuthorizePayment, system.command());
//   await system.close();
export { bareEnvironment } from "./bare-environment.ts";
export { dayEndFarAway } from "./business-days.ts";
export { captureLog, type CapturedLog, type LogLine } from "./capture-log.ts";
export { columnsOf } from "./columns-of.ts";
export { evenSchedule } from "./even-schedule.ts";
export { eventually } from "./eventually.ts";
export { filesUnder } from "./files-under.ts";
export { holdfast } from "./holdfast.ts";
export { startKeyService, type KeyService } from "./key-service.ts";
export {
  plantAccount,
  plantSettlementAccount,
  TEST_ACCOUNT_ID,
  type TestAccountOptions,
} from "./test-account.ts";
export { startTestBank } from "./test-bank.ts";
export { letStatementsWait, mendAfter, occupyConnections } from "./occupy-connections.ts";
export {
  AUDIENCE,
  createOperatorIdentity,
  EVERY_ROLE,
  ISSUER,
  personAs,
  STAFF_AUDIENCE,
  type OperatorIdentity,
  type TokenOptions,
} from "./operator-identity.ts";
export { executeBatch, measurePlan, type PlanWork } from "./plan-work.ts";
export { ProcessTree } from "./process-tree.ts";
export { startRawServer, type RawServer } from "./raw-server.ts";
export { serveCommands } from "./serve-commands.ts";
export { createShiftedClock, type ShiftedClock } from "./shifted-clock.ts";
export { startTestSystem, type TestSystem, type TestSystemOptions } from "./start-test-system.ts";
export type { Overrides } from "./start-service.ts";
export type { TestBank, TestBankOptions } from "./test-bank.ts";
export { makeTestCertificates, type TestCertificates } from "./test-certificates.ts";
export { createTestDatabase, type TestDatabase } from "./test-database.ts";
export { startTestLink, type TestLink } from "./test-link.ts";
export { startTestNats, type TestNats } from "./test-nats.ts";
export {
  startOtlpReceiver,
  type CollectorManner,
  type OtlpReceiver,
  type ReceivedSpan,
} from "./otlp-receiver.ts";
export * from "./ledger-receiver.ts";
export { wrapRing } from "./wrap-ring.ts";
