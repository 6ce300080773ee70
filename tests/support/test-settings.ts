import { randomBytes } from "node:crypto";
import type { TestDatabase } from "./test-database.ts";

/** The facts from which the settings of all services of a system are made. */
export type Surroundings = {
  database: TestDatabase;
  natsUrl: string;
  /** Seals card data: the gateway's key and payments'. */
  sealingKey: Buffer;
  /** The verification settings for operators' tokens. */
  operatorTokens: Record<string, string>;
};

/** Each service's environment, as far as it is the same for every test. */
export function createTestSettings({ database, natsUrl, sealingKey, operatorTokens }: Surroundings) {
  const common = {
    HEALTH_PORT: "0",
    LISTEN_HOST: "127.0.0.1",
    NATS_URL: natsUrl,
    // The servers of a test run may be containers, or of another machine.
    ALLOW_PLAINTEXT: "postgres,nats",
    // A busy machine is not under test.
    DATABASE_CONNECTION_TIMEOUT: "60s",
    DRAIN_TIMEOUT: "1s",
    ...operatorTokens,
  };
  const CARD_SEALING_KEYS = `k1:${sealingKey.toString("base64")}`;
  const FILE_KEYS = ring("f1");
  const gateway = {
    ...common,
    ...WITHOUT_LIMITS,
    PUBLIC_URL: "https://pay.example.test",
    THREE_DS_STATE_KEYS: ring("s1"),
    CREDENTIAL_PEPPERS: ring("p1"),
  };
  return {
    "gateway-merchant": {
      ...gateway,
      DATABASE_URL: database.urls.gateway.merchant,
      MERCHANT_API_PORT: "0",
      CARD_SEALING_KEYS,
    },
    "gateway-operator": { ...gateway, DATABASE_URL: database.urls.gateway.operator, OPERATOR_API_PORT: "0" },
    "gateway-public": {
      ...gateway,
      DATABASE_URL: database.urls.gateway.public,
      PUBLIC_PAGES_PORT: "0",
      CARD_SEALING_KEYS,
    },
    "gateway-staff": { ...gateway, DATABASE_URL: database.urls.gateway.staff, STAFF_API_PORT: "0" },
    payments: {
      ...common,
      // The bank drops unanswered calls by itself.
      ACQUIRER_TIMEOUT: "60s",
      DATABASE_URL: database.urls.payments.app,
      CARD_SEALING_KEYS,
      PAN_FINGERPRINT_KEYS: ring("f1"),
      ACCOUNT_SECRET_KEYS: ring("a1"),
      ...LOCAL_BANKS,
      FILE_KEYS,
    },
    refunds: { ...common, DATABASE_URL: database.urls.refunds.app, PAYMENTS_TIMEOUT: "60s" },
    "webhook-dispatcher": {
      ...common,
      DATABASE_URL: database.urls.webhooks.app,
      WEBHOOK_SECRET_KEYS: ring("k1"),
      ...LOCAL_RECEIVERS,
    },
    settlement: { ...common, ...ONE_PERSON, FILE_KEYS, DATABASE_URL: database.urls.settlement.app },
  };
}

/** High limits, so that no test meets a limit that it is not about. */
const WITHOUT_LIMITS = {
  RATE_LIMIT_PER_SECOND: "1000000",
  FAILED_SIGN_INS_PER_MINUTE_PER_IP: "1000000",
  FAILED_SIGN_INS_PER_MINUTE_PER_KEY: "1000000",
  REFUSED_ATTEMPTS_PER_MINUTE_PER_OPERATOR: "1000000",
  DEFAULT_MERCHANT_RULES: "off",
};

const LOCAL_BANKS = { ACQUIRER_HOSTS: "127.0.0.1,localhost", ALLOW_SIMULATOR: "live" };
const LOCAL_RECEIVERS = { WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8,::1/128", WEBHOOK_ALLOWED_PORTS: "any" };

/** Most tests are not about a second person. */
const ONE_PERSON = { FILE_CHANGES_TWO_PEOPLE: "false" };

function ring(id: string): string {
  return `${id}:${randomBytes(32).toString("base64")}`;
}
